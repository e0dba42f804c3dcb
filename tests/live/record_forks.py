#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processes that live for less than a period are sampled as often as their CPU time says.

Three recordings of each case; with PERFOLIO_LONG=1 twenty, whose mean must be within 3 points of the truth.
"""
import contextlib
import fcntl
import json
import os
import signal
import subprocess
import tempfile

from lib import PERFOLIO, alike, check, done, need_program, need_root, program, run, run_perf, settings, until
from perffile import samples_in

need_program("perf")
need_root()
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-forks-")
os.chdir(SCRATCH.name)
FORKS = program("forks")
LONG = os.environ.get("PERFOLIO_LONG") == "1"
ROUNDS = 20 if LONG else 3
RATE = 99
GROUPS = next(line.split()[1] for line in open("/proc/mounts", encoding="utf-8") if line.split()[2] == "cgroup2")


def groups(pid=""):
    return [folder for folder, _, _ in os.walk(GROUPS) if f"/perfolio-record-{pid}" in folder]


def abandoned():
    """Those whose recorder is gone: nobody holds their lock."""
    found = []
    for folder in groups():
        with contextlib.suppress(OSError):
            fd = os.open(folder, os.O_RDONLY)
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                found.append(folder)
            os.close(fd)
    return found


def pids(name="perf.data"):
    return [int(word) for word in run([PERFOLIO, "script", "-i", name, "-F", "pid"]).stdout.split()]


def coverage(name="perf.data"):
    answer = json.loads(run([PERFOLIO, "query", name, "events"]).stdout)
    row = answer["rows"][0]
    return int(row["count"]), int(row.get("counted") or 0), int(answer.get("cpu_time_ns") or 0)


CASES = {
    "a storm of forks": [FORKS, "1000", "1333", "33"],
    "400 × ls": [FORKS, "400", "ls", "/"],
}
for case, command in CASES.items():
    taken = counted = truth = 0
    off, all_samples, all_children, expected = [], 0, 0, 0.0
    for _ in range(ROUNDS):
        result = run([PERFOLIO, "record", "-F", str(RATE), "-e", "cpu-clock", "-g", "--", *command], timeout=1200)
        parent, children, pid = (int(word) for word in result.stdout.split())
        samples = pids()
        own = samples.count(pid)
        share = children / (parent + children)
        got = (len(samples) - own) / len(samples) if samples else 0
        room = 5 * (share * (1 - share) / max(len(samples), 1)) ** 0.5 + 1 / max(len(samples), 1)
        check(samples and abs(got - share) <= room,
              f"{case}: children have {got:.1%} ± {room:.1%} of {len(samples)} samples, truth {share:.1%}", result.stderr)
        one = coverage()
        taken += one[0]
        counted += one[2]
        truth += parent + children
        off.append(got - share)
        check(one[1] <= one[2], f"{case}: the clock's count is a part of the CPU time", one)
    check(0.95 < (counted or 1) / truth < 1.1, f"{case}: CPU time {counted / 1e9:.3f} s, by their own account {truth / 1e9:.3f}")
    least = 0.95 if LONG else 0.8
    check(least <= taken / (counted or 1) <= 1.05 + 0.02 * (not LONG) * ROUNDS,
          f"{case}: samples × period cover {taken / (counted or 1):.1%} of it")
    if LONG:
        mean = sum(off) / len(off)
        check(abs(mean) < 0.03, f"{case}: the mean of {ROUNDS} is off by {mean * 100:+.1f} points")

# ---- perf reads the same of it ----
ours = run([PERFOLIO, "script", "-F", "comm,pid,tid,time,event,ip,sym"]).stdout.split("\n")
theirs = run_perf("script", "-F", "comm,pid,tid,time,event,ip,sym").stdout.split("\n")
others = [pair for pair in zip(theirs, ours) if not alike(*pair)]
check(len(ours) > 50 and len(ours) == len(theirs) and not others, f"script is perf's: {len(ours)} and {len(theirs)} lines",
      others[:3])

# ---- mappings and names of the short ones ----
comms = run([PERFOLIO, "script", "-F", "comm"]).stdout.split()
check(comms.count("ls") > 0.5 * len(comms), "what was started has its name", sorted(set(comms)))

# ---- the group is gone, and what outlives the program goes on where it was ----
check(not abandoned(), "no cgroup is left", groups())
result = run([PERFOLIO, "record", "-q", "-e", "cpu-clock", "--", "sh", "-c", "sleep 100 >/dev/null 2>&1 & echo $!"])
left = int(result.stdout)
here = [line for line in open("/proc/self/cgroup", encoding="utf-8") if line.startswith("0::")]
there = [line for line in open(f"/proc/{left}/cgroup", encoding="utf-8") if line.startswith("0::")]
check(here == there and not abandoned(), "a process that goes on is in the group it came from", there)
os.kill(left, signal.SIGKILL)

# ---- a recorder that was killed: the next one clears up ----
recorder = subprocess.Popen([PERFOLIO, "record", "-q", "-e", "cpu-clock", "-F", "997", "--", program("chain"), "1",
                             "1000"], stdout=subprocess.DEVNULL, start_new_session=True)
check(until(lambda: samples_in("perf.data") > 3 and groups(recorder.pid)), "while it records, there is a group")
recorder.kill()
recorder.wait()
result = run([PERFOLIO, "record", "-q", "-e", "cpu-clock", "-o", "next", "--", "true"])
check(not groups(recorder.pid), "the next one removes what a killed one left", groups(), result.stderr)
os.killpg(recorder.pid, signal.SIGKILL)

# ---- who may have no cgroup, but whole CPUs: other tasks' samples never get to the file ----
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
os.chmod(".", 0o777)
busy = subprocess.Popen([program("chain"), "1", "1000"], stdout=subprocess.DEVNULL)
with settings(perf_event_paranoid=-1):
    result = run([*NOBODY, PERFOLIO, "record", "-F", "199", "-e", "cpu-clock", "-g", "-o", "theirs", "--", FORKS, "400",
                  "ls", "/"])
busy.kill()
busy.wait()
parent, children, pid = (int(word) for word in result.stdout.split())
comms = run([PERFOLIO, "script", "-i", "theirs", "-F", "comm"]).stdout.split()
check(len(comms) > 20 and set(comms) <= {"forks", "ls", "perfolio"} and comms.count("ls") > 0.5 * len(comms),
      f"{len(comms)} samples, all of the program and its children", sorted(set(comms)), result.stderr)
one = coverage("theirs")
check(0.97 < one[1] / (parent + children) < 1.1,
      f"CPU time {one[1] / 1e9:.3f} s, by their own account {(parent + children) / 1e9:.3f}", one)
check(0.7 < one[0] / (one[1] or 1) < 1.3, f"they are {one[0] / (one[1] or 1):.1%} of its CPU time", one)

# ---- who may neither: it is the process, the rights or the kernel's part, and each has its own remedy ----
with settings(perf_event_paranoid=2):
    for words, told, not_told in ((["-p", "1"], "process 1 belongs to another user", "paranoid"),
                                  (["-a", "--", "true"], "paranoid=0", ":u"),
                                  (["-e", "cpu-clock:k", "--", "true"], "paranoid=1", ":u"),
                                  (["-e", "cs", "--", "true"], "paranoid=1", ":u")):
        result = run([*NOBODY, PERFOLIO, "record", "-o", "/dev/null", *words])
        check(result.returncode == 1 and told in result.stderr and not_told not in result.stderr,
              f"nobody: {' '.join(words)}: {told}", result.stderr)

# ---- as it was: only the first process, or every event of a tracepoint ----
result = run([PERFOLIO, "record", "-q", "--no-inherit", "-e", "cpu-clock", "-F", "997", "--", FORKS, "100", "1000", "50"])
check(len(set(pids())) == 1, "--no-inherit: only the first process", set(pids()))
done()
