#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whom `record` records: programs, processes with and without their children, threads, users, CPUs,
cgroups, containers; also while others start and end."""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from lib import (PERFOLIO, check, done, need_program, need_root, program, run, run_perf, runs, status_of,
                 until)
from perffile import MMAP2, PerfFile, samples_in

need_program("perf")
need_root()
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-targets-")
os.chdir(SCRATCH.name)
os.chmod(".", 0o755)
CHAIN = program("chain")
FORKS = 500  # a second


def record(*flags):
    return run([PERFOLIO, "record", "-e", "cpu-clock", "-F", "997", "-o", "x.data", *flags])


def samples(*fields, name="x.data"):
    """Lines of perf's own reading of the file."""
    return [line.split() for line in
            run_perf("script", "-G", "-F", ",".join(fields), "-i", name).stdout.splitlines()]


def start(*command):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)


def children_of(process):
    return run(["pgrep", "-P", str(process.pid)]).stdout.split()


def threads_of(process):
    return sorted(os.listdir(f"/proc/{process.pid}/task"), key=int)


def end(process):
    process.kill()
    process.communicate()


# ---- a program, with its threads and children ----
# A machine that takes time away from its guests, or lets timers come late, brings fewer samples, never more: one
# of the two threads alone would bring half of them.
for _ in range(5):
    result = record("--", CHAIN, "2", "0.5")
    used = sum(int(word) for word in result.stdout.split()) / 1e9
    found = sum(1 for _ in samples("tid"))
    if found / 997 > 0.95 * used:
        break
check(0.6 * used - 0.02 < found / 997 < 1.05 * used + 0.02,
      f"a program of two threads: {found} samples for {used:.2f} s of CPU time", result.stderr)
threads = {line[0] for line in samples("tid")}
check(len(threads) == 2, "both threads are in it", threads)
record("--no-inherit", "--", CHAIN, "2", "0.5")
check(len({line[0] for line in samples("tid")}) == 1, "--no-inherit leaves the second one out")
record("--", "sh", "-c", f"{CHAIN} 1 0.3 & {CHAIN} 1 0.3; wait")
names = collections.Counter((line[0], line[1]) for line in samples("comm", "pid"))
check(sum(comm == "chain" for comm, _ in names) == 2,
      "children are recorded", names)

# ---- processes ----
parent = start("sh", "-c", f"{CHAIN} 1 1000 & {CHAIN} 1 1000 & while :; do :; done")
until(lambda: [runs(child, "chain") for child in children_of(parent)] == [True, True])
result = record("-p", str(parent.pid), "--timeout", "400ms")
pids = {line[0] for line in samples("pid")}
check(pids == {str(parent.pid)}, "-p: that process alone", pids)
check("2 existing child processes are left out; --tree" in result.stderr,
      "and it says how many children are left out", result.stderr)
result = record("-p", str(parent.pid), "--tree", "--timeout", "400ms")
pids = collections.Counter(line[0] for line in samples("pid"))
check(len(pids) == 3, "--tree: with its children", pids)
check("left out" not in result.stderr, "and then none is left out", result.stderr)
children = children_of(parent)
record("-p", ",".join(children), "--timeout", "400ms")
check({line[0] for line in samples("pid")} == set(children), "-p with two processes")
run(["pkill", "-KILL", "-P", str(parent.pid)])
end(parent)

worker = start(CHAIN, "3", "1000")
until(lambda: len(threads_of(worker)) == 3)
tids = threads_of(worker)
record("-t", tids[1], "--timeout", "400ms")
check({line[0] for line in samples("tid")} == {tids[1]}, "-t: that thread alone")
result = record("-p", str(worker.pid), "--", "sleep", "0.4")
check({line[0] for line in samples("tid")} == set(tids) and result.returncode == 0,
      "-p with a command: all threads, as long as the command runs")
end(worker)

# What a thread starts is not that thread, as in perf; -p takes it along.
parent = start("sh", "-c", f"while :; do {CHAIN} 1 0.02; done")
until(lambda: children_of(parent))
for flags, alone in ((["-t"], True), (["--inherit", "-t"], False), (["--per-thread", "-p"], True), (["-p"], False)):
    for _ in range(1 if alone else 10):
        record(*flags, str(parent.pid), "--timeout", "400ms")
        others = {line[0] for line in samples("tid")} - {str(parent.pid)}
        if others:
            break
    check(alone != bool(others), f"{' '.join(flags)}: {'without' if alone else 'with'} what it starts", others)
end(parent)

worker = start(CHAIN, "1", "1000")
os.unlink("x.data")
recorder = subprocess.Popen([PERFOLIO, "record", "-e", "cpu-clock", "-o", "x.data", "-p", str(worker.pid)],
                            stderr=subprocess.PIPE, text=True)
until(lambda: samples_in("x.data"))
end(worker)
try:
    words = recorder.communicate(timeout=120)[1]
except subprocess.TimeoutExpired:
    recorder.kill()
    words = recorder.communicate()[1]
check(recorder.returncode == 0, "-p ends with the process", words)
result = record("-p", "4194304")  # more than any
check(result.returncode == 1 and "4194304" in result.stderr, "a process that is not there is said",
      result.stderr)

# ---- CPUs ----
worker = start(CHAIN, "2", "1000")
record("-C", "0", "--", "sleep", "0.3")
check({line[0] for line in samples("cpu")} == {"[000]"}, "-C 0: that CPU alone")
record("-a", "--", "sleep", "0.3")
check(len({line[0] for line in samples("cpu")}) == os.cpu_count(), "-a: all of them")
end(worker)

# ---- cgroups ----


def cgroup_root():
    with open("/proc/mounts", encoding="utf-8") as mounts:
        for line in mounts:
            _, where, kind, *_ = line.split()
            if kind == "cgroup2":
                return where
    return None


def is_removed(folder):
    """Those who were killed in it leave it a moment later."""
    try:
        os.rmdir(folder)
    except OSError:
        return False
    return True


root = cgroup_root()
if root and os.access(root, os.W_OK):
    folder = os.path.join(root, f"perfolio-{os.getpid()}")
    os.mkdir(folder)
    try:
        inside, outside = start(CHAIN, "1", "1000"), start(CHAIN, "1", "1000")
        with open(os.path.join(folder, "cgroup.procs"), "w", encoding="utf-8") as procs:
            procs.write(str(inside.pid))
        result = record("--cgroup", os.path.basename(folder), "--", "sleep", "0.5")
        pids = {line[0] for line in samples("pid")}
        check(pids == {str(inside.pid)}, "--cgroup: what runs in it alone", pids, result.stderr)
        end(inside)
        end(outside)
    finally:
        until(lambda: is_removed(folder))

# ---- a user who forks 500 times a second ----
STORM = f"""
import os, signal, time
os.setgid(12345); os.setuid(12345)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
due = time.monotonic()
while True:
    if os.fork() == 0:
        until = time.monotonic() + 0.001
        while time.monotonic() < until: pass
        os._exit(0)
    due += 1 / {FORKS}
    left = due - time.monotonic()
    if left > 0: time.sleep(left)
    else: due = time.monotonic()
"""
storm = start(sys.executable, "-c", STORM)
until(lambda: status_of(storm.pid).get("Uid", "").startswith("12345\t") and children_of(storm))
for flags in (["-u", "12345"], ["-p", str(storm.pid), "--tree"]):
    statuses, children = [], []
    for _ in range(10):
        result = record(*flags, "--timeout", "150ms")
        statuses.append(result.returncode)
        children.append(len({line[0] for line in samples("pid")}))
        if result.returncode:
            print("#", result.stderr)
    check(not any(statuses), f"{FORKS} forks a second: {' '.join(flags)} starts every time", statuses)
    check(max(children) > 5, "and records the children", children)
end(storm)

# No thread twice: with every event counted once the samples are no more than the CPU time.
spawner = start(sys.executable, "-c", STORM.replace("os.setgid(12345); os.setuid(12345)", ""))
until(lambda: children_of(spawner))
ratios = []
for _ in range(3):
    result = record("-p", str(spawner.pid), "--tree", "--", "sleep", "0.5")
    by_time = collections.Counter((line[0], line[1]) for line in samples("cpu", "time"))
    ratios.append(sum(count > 1 for count in by_time.values()))
check(not any(ratios), "no moment of a CPU is sampled twice", ratios)
end(spawner)

# ---- many threads ----


def crowds(threads, processes=1):
    started = [subprocess.Popen([program("crowd"), str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
               for _ in range(processes)]
    for process in started:
        process.stdin.write(b"g")
        process.stdin.flush()
    for process in started:
        process.stdout.readline()
    return started


def end_crowds(started):
    for process in started:
        process.kill()
        process.communicate()


def described(threads, processes):
    """All threads have names in the file, and perf takes longer to write them."""
    started = crowds(threads, processes)
    total = threads * processes
    began = time.monotonic()
    result = record("-a", "--", "true")
    took = time.monotonic() - began
    comms = sum(kind == 3 for kind, _, _ in PerfFile("x.data").records())
    check(result.returncode == 0 and comms > total,
          f"-a beside {total:,} threads: all described, {took:.2f} s in all ({comms:,} names)", result.stderr)
    if os.environ.get("PERFOLIO_LONG"):
        began = time.monotonic()
        run(["perf", "record", "-q", "-N", "-a", "-o", "perf.out", "--", "true"])
        perf = time.monotonic() - began
        check(took < perf, f"perf needs {perf:.2f} s")
    end_crowds(started)


described(10000, 1)
if os.environ.get("PERFOLIO_LONG"):
    with open("/proc/sys/kernel/pid_max", "r+", encoding="ascii") as file:
        before = file.read().strip()
        file.seek(0)
        file.write(str(max(int(before), 131072)))
    try:
        described(12500, 4)
    finally:
        with open("/proc/sys/kernel/pid_max", "w", encoding="ascii") as file:
            file.write(before)

# -p: an event and a tracker on each thread and CPU.  The soft limit of descriptors is raised; at the
# hard one it is said what is missing.
crowd = crowds(1000)
TARGET = f"-e cpu-clock -p {crowd[0].pid} -o x.data -- sleep 0.1"
result = run(["sh", "-c", f"ulimit -Sn 256; exec {PERFOLIO} record -q {TARGET}"])
check(result.returncode == 0, "-p with 1,000 threads raises the soft limit of descriptors", result.stderr)
result = run(["sh", "-c", f"ulimit -n 256; exec setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource "
                          f"{PERFOLIO} record {TARGET}"])
cpus = os.cpu_count()
check(result.returncode == 1 and f"{1001 * cpus * 2 + cpus} descriptors, but only 256" in result.stderr,
      "and says how many it needs where it can't", result.stderr)
end_crowds(crowd)

# ---- a container: the same path is another file there ----


def build_id(path):
    text = run(["file", "-b", path]).stdout if shutil.which("file") else ""
    found = re.search(r"BuildID\[sha1\]=([0-9a-f]+)", text)
    if found:
        return found.group(1)
    text = run(["perf", "buildid-list", "-i", path]).stdout
    return text.split()[0] if text else ""


os.mkdir("image")
shutil.copy(CHAIN, "image/prog")
shutil.copy(program("steady"), "prog")
os.chmod("image/prog", 0o755)
inside = start("unshare", "-m", "sh", "-c",
               f"mount --bind image/prog prog && exec {os.getcwd()}/prog 1 1000")
until(lambda: runs(inside.pid, "prog"))
record("-p", str(inside.pid), "--timeout", "200ms")
ids = set()
for kind, misc, body in PerfFile("x.data").records():
    if kind == MMAP2 and misc & 1 << 14 and b"/prog\0" in body:
        ids.add(body[36:36 + body[32]].hex())
check(ids == {build_id("image/prog")}, "in a container: the build-id of the file that runs there", ids,
      build_id("image/prog"))
end(inside)

done()
