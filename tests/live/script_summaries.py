# SPDX-License-Identifier: Apache-2.0
"""Summaries of tracepoints, on recordings of perf's and of ours.

The truth is worked out here from the text of `perf script`; it comes from perf's own scripts where
this perf can run them, from strace and from the system's headers besides.
"""
import collections
import errno
import json
import os
import re
import subprocess
import sys
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, run, run_perf

SCRIPTS = "/usr/lib/perf-core/scripts"
WORK = """
import ctypes, os, threading
libc = ctypes.CDLL(None)
mutex = ctypes.create_string_buffer(64)
def wait():
    for _ in range(30):
        libc.pthread_mutex_lock(mutex)
        libc.usleep(100)
        libc.pthread_mutex_unlock(mutex)
threads = [threading.Thread(target=wait) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
with open("/dev/zero", "rb", 0) as zero, open("/dev/null", "wb", 0) as null:
    for _ in range(200): null.write(zero.read(1000))
for _ in range(20):
    try: os.read(999, 7)
    except OSError: pass
    os.path.exists("/nowhere")
"""
RW = [f"syscalls:sys_{side}_{name}" for side in ("enter", "exit")
      for name in ("read", "write", "pread64")]
TASK_EVENTS = ["raw_syscalls:sys_enter", "raw_syscalls:sys_exit", *RW,
               "syscalls:sys_enter_futex", "syscalls:sys_exit_futex"]
SCHED_EVENTS = ["sched:sched_wakeup", "sched:sched_wakeup_new", "sched:sched_switch",
                "sched:sched_migrate_task"]
# A thread that is about to be gone has no number any more: -1.
LINE = re.compile(r"\s*(.+?)\s+(-?\d+)/(-?\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(\S+): (.*)")
Event = collections.namedtuple("Event", "comm pid tid cpu time name text")


def events_of(path):
    text = run_perf("script", "--ns", "-F", "comm,pid,tid,cpu,time,event,trace", "-i", path).stdout
    for line in text.splitlines():
        match = LINE.match(line)
        if match:
            comm, pid, tid, cpu, seconds, ns, name, rest = match.groups()
            yield Event(comm, int(pid), int(tid), int(cpu), int(seconds) * 10**9 + int(ns), name,
                        rest)


def summary(name, path, *options):
    result = run([PERFOLIO, "script", name, "-i", path, "--json", *options])
    return json.loads(result.stdout) if result.returncode == 0 else {"error": result.stderr}


def syscall_numbers():
    """The compiler's headers: name to number."""
    text = subprocess.run(["cc", "-E", "-dM", "-include", "sys/syscall.h", "-xc", "/dev/null"],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
    return {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", text)}


def numbers_in(text):
    return [int(number) for number in re.findall(r"-?\d+", text)]


def field(text, name):
    return int(re.search(rf"\b{name}: 0x([0-9a-f]+)", text)[1], 16)


def signed(text):
    value = int(text, 16)
    return value - 2**64 if value >= 2**63 else value


def true_syscalls(events):
    """(comm, pid, number) to [calls, errors, total]."""
    rows, inside = collections.defaultdict(lambda: [0, 0, 0]), {}
    for event in events:
        if event.name == "raw_syscalls:sys_enter":
            key = (event.comm, event.pid, numbers_in(event.text)[0])
            rows[key][0] += 1
            inside[event.tid] = (key, event.time)
        elif event.name == "raw_syscalls:sys_exit" and event.tid in inside:
            key, since = inside.pop(event.tid)
            number, result = numbers_in(event.text)[:2]
            if number == key[2]:
                rows[key][1] += -4095 <= result < 0
                rows[key][2] += event.time - since
    return dict(rows)


def true_failures(events):
    rows = collections.Counter()
    for event in events:
        if event.name == "raw_syscalls:sys_exit":
            number, result = numbers_in(event.text)[:2]
            if -4095 <= result < 0:
                rows[event.comm, event.pid, number, -result] += 1
    return dict(rows)


def true_rw(events):
    """(comm, pid) to reads, asked, done, errors and the same of writes."""
    rows, inside = collections.defaultdict(lambda: [0] * 8), {}
    for event in events:
        if event.name not in RW:
            continue
        side = 4 if "write" in event.name else 0
        if "enter" in event.name:
            row = rows[event.comm, event.pid]
            row[side] += 1
            row[side + 1] += field(event.text, "count")
            inside[event.tid] = row
        elif event.tid in inside:
            row, result = inside.pop(event.tid), signed(event.text)
            row[side + 2] += max(result, 0)
            row[side + 3] += result < 0
    return dict(rows)


def true_futexes(events):
    """(tid, lock) to the list of waits by FUTEX_WAIT and FUTEX_WAIT_BITSET."""
    rows, inside = collections.defaultdict(list), {}
    for event in events:
        if event.name == "syscalls:sys_enter_futex" and field(event.text, "op") & 127 in (0, 9):
            inside[event.tid] = (field(event.text, "uaddr"), event.time)
        elif event.name == "syscalls:sys_exit_futex" and event.tid in inside:
            lock, since = inside.pop(event.tid)
            rows[event.tid, lock].append(event.time - since)
    return dict(rows)


def true_wakeups(events):
    """tid to its waits; a thread that runs is not woken, one that leaves does not wait any more."""
    waits, woken, running = collections.defaultdict(list), {}, set()
    for event in events:
        if event.name in ("sched:sched_wakeup", "sched:sched_wakeup_new"):
            tid = int(re.search(r" pid=(\d+) ", event.text)[1])
            if tid not in running:
                woken.setdefault(tid, event.time)
        elif event.name == "sched:sched_switch":
            left = int(re.search(r"prev_pid=(\d+)", event.text)[1])
            came = int(re.search(r"next_pid=(\d+)", event.text)[1])
            running.discard(left)
            woken.pop(left, None)
            if came:
                running.add(came)
                if came in woken:
                    waits[came].append(event.time - woken.pop(came))
    return dict(waits)


def check_syscalls(who, path, events):
    names = {number: name for name, number in syscall_numbers().items()}
    rows = summary("syscall-counts-by-pid", path).get("calls", [])
    ours = {(row["comm"], row["pid"], row["syscall"]): [row["calls"], row["errors"],
                                                      row["total_ns"] or 0] for row in rows}
    truth = {(comm, pid, names[number]): row
             for (comm, pid, number), row in true_syscalls(events).items()}
    check(truth and ours == truth, f"{who}: {len(truth)} rows of system calls are the truth's",
          sorted(set(map(str, ours.items())) ^ set(map(str, truth.items()))))
    total = collections.Counter()
    for (_, _, name), row in truth.items():
        total[name] += row[0]
    ours = {row["syscall"]: row["calls"] for row in summary("syscall-counts", path)["calls"]}
    check(ours == dict(total), f"{who}: so are those of all processes", ours, total)
    truth = {(comm, pid, names[number], error): count
             for (comm, pid, number, error), count in true_failures(events).items()}
    rows = summary("failed-syscalls-by-pid", path).get("failures", [])
    ours = {(row["comm"], row["pid"], row["syscall"], row["errno"]): row["failures"]
            for row in rows}
    check(ours == truth and any(key[2:] == ("read", errno.EBADF) for key in ours),
          f"{who}: {len(truth)} rows of failed ones are", ours, truth)
    check(all(row["error"] == errno.errorcode.get(row["errno"], row["error"]) for row in rows),
          f"{who}: errors have their names", rows)


def check_filters(who, path, events):
    tid, half = events[-1].tid, events[len(events) // 2].time
    wanted = [event for event in events if event.tid == tid and event.time >= half
              and event.name == "raw_syscalls:sys_enter"]
    rows = summary("syscall-counts", path, "--tid", str(tid), "--time",
                   f"{half // 10**9}.{half % 10**9:09},").get("calls", [])
    check(wanted and sum(row["calls"] for row in rows) == len(wanted),
          f"{who}: --tid and --time leave {len(wanted)} calls", rows)
    rows = summary("syscall-counts", path, "--comm", "nobody").get("calls")
    check(rows == [], f"{who}: --comm of nobody leaves none", rows)


def check_rw(who, path, events):
    sides = [f"{side}{what}" for side in ("read", "write")
             for what in ("s", "_requested", "_done", "_errors")]
    rows = summary("rw-by-pid", path).get("processes", [])
    ours = {(row["comm"], row["pid"]): [row[key] for key in sides] for row in rows}
    truth = true_rw(events)
    check(truth and ours == truth, f"{who}: reads and writes are the truth's", ours, truth)
    files = summary("rw-by-file", path).get("files", [])
    check(sum(row["write_done"] for row in files) == sum(row["write_done"] for row in rows),
          f"{who}: by file they are as many bytes", files)


def check_futexes(who, path, events):
    rows = summary("futex-contention", path).get("threads", [])
    ours = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        mine = ours[row["tid"], int(row["lock"], 16)]
        mine[0] += row["waits"]
        mine[1] += row["total_ns"]
    truth = {key: [len(waits), sum(waits)] for key, waits in true_futexes(events).items()}
    check(len(truth) > 1 and dict(ours) == truth, f"{who}: waits for {len(truth)} locks are",
          dict(ours), truth)


def percentile(waits, percent):
    return sorted(waits)[(len(waits) * percent + 99) // 100 - 1]


def near(row, waits):
    return (row["wakeups"] == len(waits) and row["min_ns"] == min(waits) and
            row["max_ns"] == max(waits) and row["average_ns"] == sum(waits) // len(waits) and
            all(abs(row[f"p{p}_ns"] - percentile(waits, p)) <= 0.016 * percentile(waits, p) + 1
                for p in (50, 95, 99)))


def check_sched(who, path):
    events = list(events_of(path))
    truth = true_wakeups(events)
    found = summary("wakeup-latency", path)
    rows = collections.defaultdict(list)
    for row in found.get("threads", []):
        rows[row["tid"]].append(row)  # one that execs has several
    check(set(rows) == set(truth), f"{who}: {len(truth)} threads woke up", rows.keys(),
          truth.keys(), found.get("error"))
    wrong = [(tid, waits, rows[tid]) for tid, waits in truth.items()
             if not (near(rows[tid][0], waits) if len(rows[tid]) == 1 else
                     sum(row["wakeups"] for row in rows[tid]) == len(waits))]
    check(not wrong, f"{who}: their waits are the truth's", *wrong[:5])
    waits = [wait for of_one in truth.values() for wait in of_one]
    check(waits and near(found["all"][0], waits), f"{who}: and so are all {len(waits)} together",
          found["all"], len(waits), max(waits))
    truth = collections.Counter(tuple(numbers_in(event.text.split("prio=")[1])[1:3])
                                for event in events if event.name == "sched:sched_migrate_task")
    found = summary("sched-migration", path)
    ours = {(row["from_cpu"], row["to_cpu"]): row["migrations"] for row in found["ways"]}
    check(ours == dict(truth), f"{who}: {sum(truth.values())} migrations are", ours, truth)
    check(sum(row["migrations"] for row in found["threads"]) == sum(truth.values()) and
          all(0 <= (row["busy_share"] or 0) <= 1 for row in found["cpus"]),
          f"{who}: by thread they are as many, and no CPU is more than busy", found)


def check_perf_scripts(who, path):
    """perf's own summaries, each as far as it goes."""
    text = run_perf("script", "-i", path, "-s", f"{SCRIPTS}/python/syscall-counts.py").stdout
    theirs = {int(number): int(count)
              for number, count in re.findall(r"^(\d+) +(\d+)$", text, re.M)}
    if not theirs:
        print("# this perf cannot run its Python scripts, or names the calls itself")
        return
    numbers = syscall_numbers()
    ours = {numbers[row["syscall"]]: row["calls"]
            for row in summary("syscall-counts", path)["calls"]}
    check(ours == theirs, f"{who}: syscall-counts are perf's", ours, theirs)
    text = run_perf("script", "-i", path, "-s", f"{SCRIPTS}/perl/failed-syscalls.pl").stdout
    theirs = {comm: int(count) for comm, count in re.findall(r"^(\S+) +(\d+)$", text, re.M)}
    ours = collections.Counter()
    for row in summary("failed-syscalls", path)["failures"]:
        ours[row["comm"]] += row["failures"]
    check(not theirs or dict(ours) == theirs, f"{who}: failed-syscalls are perf's", ours, theirs)
    text = run_perf("script", "-i", path, "-s", f"{SCRIPTS}/python/futex-contention.py").stdout
    theirs = {(int(tid), int(lock, 16)): (int(count), int(most), int(least))
              for tid, lock, count, most, least in re.findall(
                  r"\[(\d+)\] lock (\w+) contended (\d+) times, .*max: (\d+) ns, min (\d+) ns",
                  text)}
    ours = {(row["tid"], int(row["lock"], 16)): (row["waits"], row["max_ns"], row["min_ns"])
            for row in summary("futex-contention", path)["threads"] if row["op"] == "wait"}
    check(theirs and ours == theirs, f"{who}: waits for {len(theirs)} locks are perf's", ours,
          theirs)


def check_strace(folder):
    need_program("strace")
    command = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1000", "count=300", "status=none"]
    out, path = os.path.join(folder, "strace.txt"), os.path.join(folder, "dd.data")
    run(["strace", "-f", "-c", "-U", "calls,errors,name", "-o", out, *command])
    with open(out, encoding="utf-8") as file:
        lines = [line.split() for line in file if re.match(r" *\d+ ", line)]
    theirs = {words[-1]: [int(words[0]), int(words[1]) if len(words) == 3 else 0]
              for words in lines}
    made = run([PERFOLIO, "script", "record", "syscall-counts", "-o", path, "--", *command])
    check(f"next: perfolio script syscall-counts -i {path} ]" in made.stderr,
          "recording for a summary says how to see it", made.stderr)
    ours = {row["syscall"]: [row["calls"], row["errors"]]
            for row in summary("syscall-counts", path).get("calls", [])}
    for calls in (ours, theirs):  # the first and the last one are seen by halves
        for name in ("execve", "exit_group", "total"):
            calls.pop(name, None)
    check(ours == theirs and ours["read"][0] > 300, "dd makes the calls that strace counts", ours,
          theirs, made.stderr)


def check_missing(path):
    result = run([PERFOLIO, "script", "wakeup-latency", "-i", path])
    check(result.returncode == 1 and "sched:sched_wakeup" in result.stderr and
          "perfolio script record wakeup-latency" in result.stderr,
          "events that are missing are named", result.stderr)


def check_pipe(path):
    with open(path, "rb") as file:
        result = subprocess.run(f"{PERFOLIO} record -q -o - -e raw_syscalls:sys_enter true | "
                                f"{PERFOLIO} script syscall-counts -i -", shell=True, stdin=file,
                                stdout=subprocess.PIPE, check=False, text=True)
    check("mmap" in result.stdout, "a pipe is read too", result.stdout)


def main():
    need_root()
    need_program("perf")
    need_program("cc")
    work = [sys.executable, "-c", WORK]
    with tempfile.TemporaryDirectory(prefix="perfolio-summaries-") as folder:
        path = os.path.join(folder, "perf.data")
        recorders = {
            "perf": lambda *words: run_perf("record", "-q", "-B", "-N", "-m", "16M", *words),
            "perfolio": lambda *words: run([PERFOLIO, "script", "record", "futex-contention", "-q", *words]),
        }
        for who, record in recorders.items():
            more = [event for event in TASK_EVENTS if who == "perf" or "futex" not in event]
            made = record("-o", path, "-e", ",".join(more), "--", *work)
            events = list(events_of(path))
            if not check(len(events) > 2000, f"{who}: recorded {len(events)} events",
                         made.stderr):
                continue
            check_syscalls(who, path, events)
            check_filters(who, path, events)
            check_rw(who, path, events)
            check_futexes(who, path, events)
            check_perf_scripts(who, path)
        check_missing(path)
        run_perf("record", "-q", "-B", "-N", "-a", "-m", "16M", "-o", path, "-e",
                 ",".join(SCHED_EVENTS), "--", *work)
        check_sched("perf", path)
        run([PERFOLIO, "script", "record", "wakeup-latency", "-q", "-e", SCHED_EVENTS[3], "-o",
             path, "--", *work])
        check_sched("perfolio", path)
        check_pipe(path)
        check_strace(folder)
    done()


main()
