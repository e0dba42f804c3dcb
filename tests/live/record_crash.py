#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recorder that is killed, or whose disk is full, leaves a file that everyone reads."""
import os
import random
import re
import signal
import subprocess
import tempfile
import time

from lib import PERFOLIO, check, done, need_program, need_root, program, run, until
from perffile import FINISHED_ROUND, PerfFile, samples_in

need_program("perf")
need_root()
os.environ["DEBUGINFOD_URLS"] = ""
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-crash-")
os.chdir(SCRATCH.name)
AT_ONCE = 4
KILLS = 20 if os.environ.get("PERFOLIO_LONG") else 4
EVENTS = "cpu-clock,sched:sched_switch"
random.seed(int(os.environ.get("SEED", time.time())))


def now():
    return time.clock_gettime(time.CLOCK_MONOTONIC)


def start(name, *flags):
    return subprocess.Popen([PERFOLIO, "record", "-q", "-a", "-e", EVENTS, "-F", "997", "-g", "-o", name,
                             *flags], stdin=subprocess.DEVNULL)


def look(name, killed_at):
    """What perf and perfolio say of the file; the complaints, and the age of its last sample."""
    readers = {
        "perf script": ["perf", "script", "--no-inline", "-F", "time,event", "-G", "-i", name],
        "perf report": ["perf", "report", "--stdio", "-g", "none", "-i", name],
        "perf buildid-list": ["perf", "buildid-list", "-i", name],
        "perfolio script": [PERFOLIO, "script", "-F", "time,event", "-G", "-i", name],
    }
    wrong, age, lines = [], None, {}
    for reader, command in readers.items():
        result = run(command)
        told = f"perfolio: {name}: its recorder was killed, or still writes it: what came after its last round is missing\n"
        if result.returncode or result.stderr != (told if command[0] == PERFOLIO else ""):
            wrong.append(f"{reader}: status {result.returncode}: {result.stderr.strip()}")
        lines[reader] = result.stdout.splitlines()
    times = [float(match.group(1)) for match in
             (re.match(r"\s*(\d+\.\d+):", line) for line in lines["perf script"]) if match]
    if times:
        age = killed_at - max(times)
    if len(lines["perf script"]) != len(lines["perfolio script"]):
        wrong.append(f"perf finds {len(lines['perf script'])} samples, perfolio "
                     f"{len(lines['perfolio script'])}")
    return wrong, age, len(times)


def kill_some(names):
    """Recorders at once, each killed at a moment of its own; the complaints by file, the ages, what is to be said."""
    recorders = [start(name) for name in names]
    for name in names:
        until(lambda: samples_in(name))
    begun, found = now(), []
    for moment, i in sorted((random.uniform(0.2, 2.5), i) for i in range(len(names))):
        time.sleep(max(0, begun + moment - now()))
        killed_at = now()
        recorders[i].send_signal(signal.SIGKILL)
        found.append((i, killed_at))
    for recorder in recorders:
        recorder.wait()
    looks = [(killed_at - begun, *look(names[i], killed_at)) for i, killed_at in found]
    for name in names:
        os.unlink(name)
    return looks


busy = subprocess.Popen([program("chain"), "2", "3600"], stdout=subprocess.DEVNULL)
try:
    for batch in range(KILLS // AT_ONCE):
        for _ in range(5):  # on a busy machine a recorder may not get to its file for a while
            looks = kill_some([f"kill{batch}-{i}.data" for i in range(AT_ONCE)])
            if all(age is not None and age < 1 for _, _, age, _ in looks) or any(wrong for _, wrong, _, _ in looks):
                break
        for moment, wrong, age, samples in looks:
            check(not wrong and age is not None and age < 1,
                  f"killed after {moment:.2f} s: {samples:,} samples, the last "
                  f"{'none' if age is None else f'{age:.2f} s'} before", *wrong)

    # So early that nothing can have been sampled: a file that can be read, or none at all.
    for i in range(10):
        os.mkdir("early")
        recorder = start("early/x.data")
        time.sleep(random.uniform(0, 0.4))
        recorder.kill()
        recorder.wait()
        left = os.listdir("early")
        result = run(["perf", "script", "-i", "early/x.data"]) if left else None
        check(left in ([], ["x.data"]) and (not result or not result.stderr.strip()),
              f"killed while it begins: {'a file that can be read' if left else 'no file'}", left,
              result and result.stderr)
        for name in left:
            os.unlink(os.path.join("early", name))
        os.rmdir("early")

    # ---- a full disk ----
    os.mkdir("small")
    mounted = run(["mount", "-t", "tmpfs", "-o", "size=10m", "none", "small"])
    if check(mounted.returncode == 0, "a tmpfs of 10 MB", mounted.stderr):
        try:
            # A round that finds no room is left out whole: a recorder that a busy machine stops for a moment
            # has a large one, packed it is small.
            for flags in (["-F", "997", "--call-graph", "dwarf"],
                          ["-F", "9999", "--call-graph", "dwarf", "-z"]):
                name = "small/x.data"
                for _ in range(5):
                    result = run([PERFOLIO, "record", "-a", *flags, "-o", name])
                    size = os.path.getsize(name)
                    if size > 8e6:
                        break
                said = re.search(r"record: ([\d,]+) samples", result.stderr)
                samples = int(said.group(1).replace(",", "")) if said else -1
                check(result.returncode == 1 and "No space left" in result.stderr,
                      f"full disk: {' '.join(flags)} ends cleanly", result.stderr)
                check(size > 8e6, f"and fills it ({size / 1e6:.1f} MB)")
                read = run(["perf", "script", "--no-inline", "-G", "-F", "time", "-i", name])
                found = len(read.stdout.split())
                check(not read.stderr.strip() and found == samples > 100,
                      f"with as many samples as it says ({samples:,}, perf finds {found:,})", read.stderr)
                ours = run([PERFOLIO, "script", "-G", "-F", "time", "-i", name])
                check(not ours.stderr.strip() and len(ours.stdout.split()) == found,
                      "and perfolio reads them", ours.stderr)
                os.unlink(name)
        finally:
            run(["umount", "small"])
finally:
    busy.kill()
    busy.wait()

# ---- while it goes on ----
recorder = subprocess.Popen([PERFOLIO, "record", "-q", "-F", "997", "-o", "live.data", "--",
                             program("chain"), "1", "1000"], stdout=subprocess.DEVNULL)
until(lambda: samples_in("live.data"))
begun, seen, complaints = now(), [], []
while len(set(seen)) < 3 and now() - begun < 100:
    result = run(["perf", "script", "--no-inline", "-F", "time", "-i", "live.data"])
    complaints.append(result.stderr.strip())
    seen.append(len(result.stdout.split()))
check(not any(complaints), "perf reads the file while it is being written", *complaints)
check(0 < seen[0] <= seen[-1] and len(set(seen)) == 3 and seen == sorted(seen),
      f"and finds more and more samples in it {seen}")


def rounds():
    return PerfFile("live.data").count(FINISHED_ROUND)


# A busy machine may miss one now and then.
for _ in range(5):
    before, begun = rounds(), now()
    time.sleep(2)
    made, seconds = rounds() - before, now() - begun
    if made >= 2:
        break
check(made >= 2, f"rounds are committed at least once a second ({made} in {seconds:.1f} s)")
recorder.terminate()
recorder.wait()

done()
