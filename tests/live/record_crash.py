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

from lib import PERFOLIO, check, done, need_program, need_root, program, run
from perffile import FINISHED_ROUND, PerfFile

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


def wait_for(path):
    until = now() + 20
    while not os.path.exists(path) and now() < until:
        time.sleep(0.002)


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
        if result.returncode or result.stderr.strip():
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


busy = subprocess.Popen([program("chain"), "2", "600"], stdout=subprocess.DEVNULL)
try:
    ages = []
    for batch in range(KILLS // AT_ONCE):
        names = [f"kill{batch}-{i}.data" for i in range(AT_ONCE)]
        recorders = [start(name) for name in names]
        for name in names:
            wait_for(name)
        begun = now()
        moments = sorted((random.uniform(0.2, 2.5), i) for i in range(AT_ONCE))
        killed = {}
        for moment, i in moments:
            time.sleep(max(0, begun + moment - now()))
            killed[i] = now()
            recorders[i].send_signal(signal.SIGKILL)
        for i in range(AT_ONCE):
            recorders[i].wait()
            wrong, age, samples = look(names[i], killed[i])
            moment = killed[i] - begun
            check(not wrong and age is not None and age < 1,
                  f"killed after {moment:.2f} s: {samples:,} samples, the last "
                  f"{'none' if age is None else f'{age:.2f} s'} before", *wrong)
            if age is not None:
                ages.append(age)
            os.unlink(names[i])
    print(f"# the oldest last sample was {max(ages):.2f} s before the kill")

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
            for flags in (["-F", "9999", "--call-graph", "dwarf"],
                          ["-F", "9999", "--call-graph", "dwarf", "-z"]):
                name = "small/x.data"
                result = run([PERFOLIO, "record", "-a", *flags, "-o", name], timeout=60)
                said = re.search(r"record: ([\d,]+) samples", result.stderr)
                samples = int(said.group(1).replace(",", "")) if said else -1
                check(result.returncode == 1 and "No space left" in result.stderr,
                      f"full disk: {' '.join(flags)} ends cleanly", result.stderr)
                size = os.path.getsize(name)  # the round that found no room is left out whole
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
                             program("chain"), "1", "3"], stdout=subprocess.DEVNULL)
wait_for("live.data")
seen = []
for _ in range(3):
    time.sleep(0.8)
    result = run(["perf", "script", "--no-inline", "-F", "time", "-i", "live.data"])
    check(not result.stderr.strip(), "perf reads the file while it is being written", result.stderr)
    seen.append(len(result.stdout.split()))
recorder.wait()
check(0 < seen[0] < seen[-1], f"and finds more and more samples in it {seen}")
rounds = PerfFile("live.data").count(FINISHED_ROUND)
check(rounds >= 4, f"rounds are committed at least once a second ({rounds} in 3 s)")

done()
