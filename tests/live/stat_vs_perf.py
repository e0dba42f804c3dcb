#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every option of `stat` that perf has: both run with the same arguments, the text must be the same
to the byte once digits are masked.

Masked is what is measured: a number together with the blanks before it (so that its column still
counts), the letter of a rate (K/sec), the spread behind a repeated count where it is not zero.  Our
notes ("note: ...") stand behind perf's text and are cut off; perf's remarks about itself are too.
"""
import json
import os
import pty
import re
import subprocess
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, program, run

STEADY = program("steady")
SHORT = [STEADY, "64", "5"]  # some 10 ms
BUSY = [STEADY, "64", "160"]  # some 300 ms
# Whether a count is zero, a target ran in a last short interval, or there was a second one, is luck.
TRIES = 10

PERF_REMARKS = re.compile(
    r"^(Using CPUID .*|Control descriptor is not initialized|timeout < 100ms\..*|"
    r"Some events weren't counted\. .*|\techo . > /proc/sys/kernel/nmi_watchdog|\tperf stat \.\.\.)$")


def mask_line(line):
    line = re.sub(r"\[ (perf|perfolio) stat: ", "[ stat: ", line)
    line = re.sub(r"  \( \+- *[\d.]+% \)$", "", line)
    line = re.sub(r"\+- [\d.]+ seconds", "+- # seconds", line)
    line = re.sub(r" *[-+]?\d[\d,.]*", lambda m: "#" * len(m[0]), line)
    return re.sub(r"[KMG]/sec", "/sec ", line)


def mask_csv(text):
    """CSV pads nothing but the time: how long a number is, is what was measured."""
    return [re.sub(r"[KMG]/sec", "/sec", re.sub(r" *\d+(\.\d+)?", "#", line))
            for line in text.split("\n") if not PERF_REMARKS.match(line)]


def mask(text):
    return [mask_line(line) for line in text.split("\n")
            if not line.startswith("note: ") and not PERF_REMARKS.match(line)]


def collapse(lines):
    """Interval output without the ticks that repeat: how many there were is a matter of luck."""
    seen, kept = set(), []
    for line in lines:
        if line.startswith("#") or line.startswith('{"interval"'):
            if line in seen:
                continue
            seen.add(line)
        kept.append(line)
    return kept


def both(arguments, command, **options):
    results = []
    for tool in (["perf"], [PERFOLIO]):
        results.append(run(tool + ["stat"] + arguments + command, **options))
    return results


def difference(theirs, ours):
    return ["perf:"] + ["  " + line + "|" for line in theirs] + \
           ["perfolio:"] + ["  " + line + "|" for line in ours]


def compare(arguments, command, intervals, unordered, without=None):
    perf, ours = both(arguments, command)
    csv = any(argument.startswith(("-x", "--field")) for argument in arguments)
    want, got = [(mask_csv if csv else mask)(result.stderr) for result in (perf, ours)]
    if without:
        want, got = [[re.sub(without, "", line).rstrip() for line in lines] for lines in (want, got)]
    if unordered:
        want, got = sorted(want), sorted(got)
    if intervals:
        want, got = collapse(want), collapse(got)
    want += mask(perf.stdout) + [f"exit status {perf.returncode}"]
    got += mask(ours.stdout) + [f"exit status {ours.returncode}"]
    return want, got


def same_text(arguments, command=None, intervals=False, unordered=False, without=None):
    command = SHORT if command is None else command
    name = " ".join(arguments + [os.path.basename(word) for word in command])
    for _ in range(TRIES):
        want, got = compare(arguments, command, intervals, unordered, without)
        if want == got:
            break
    check(want == got, name, *difference(want, got))


def same_json(arguments, command=None):
    command = SHORT if command is None else command
    name = " ".join(arguments)

    def shape(text):
        rows = [json.loads(line) for line in text.splitlines()]
        return sorted(set(collapse([f"{list(row)} {row.get('event')}" for row in rows])))

    for _ in range(TRIES):
        perf, ours = both(arguments, command)
        try:
            got = shape(ours.stderr)
        except ValueError as problem:
            check(False, f"{name}: every line parses", problem, ours.stderr)
            return
        want = shape(perf.stderr)
        if got == want:
            break
    check(got and got == want, f"{name}: the same keys and events", *difference(want, got))


def events():
    same_text([])
    same_text(["-e", "task-clock,faults,cycles"])
    same_text(["-e", "cs", "-e", "faults:u", "--event=cpu-clock"])
    same_text(["-e", "{cs,faults},{task-clock,migrations}"])
    # A time has no rate: perf's "6.634 G/sec" of a second says nothing.
    same_text(["-e", "duration_time,user_time,task-clock"],
              without=r"(?<=_time).* /sec *$")
    same_text(["-e", "sched:sched_switch", "--filter", "prev_pid == 1", "-e", "cs"])
    same_text(["-e", "sched:sched_process_*"], unordered=True)  # perf: as the folder has them
    for detail in (["-d"], ["-d", "-d"], ["-ddd"], ["-d", "-e", "cs"]):
        same_text(detail)
    same_text(["-n"])
    same_text(["--null"])
    same_text(["--all-user", "-e", "minor-faults,faults"])
    same_text(["--all-kernel", "-e", "cs,faults"])
    same_text(["-g", "-e", "cs,faults"])
    same_text(["-i", "-e", "task-clock"])
    same_text(["--no-inherit"])


def absent_hardware():
    """Where the CPU lacks it, both refuse; tests/unit/cmd/stat_events.c has machines that have it."""
    for words in (["-T"], ["--topdown", "-a"], ["--smi-cost"], ["--cputype", "core"]):
        perf, ours = both(words, ["true"])
        check((perf.returncode != 0) == (ours.returncode != 0), f"{words[0]}: refused as by perf, or not", perf.stderr, ours.stderr)
    same_text(["--hybrid-merge", "-e", "cs"])


def targets():
    sleep = ["sleep", "0.1"]
    same_text(["-a"], sleep)
    same_text(["--all-cpus", "-e", "cs,cpu-clock"], sleep)
    same_text(["-C", "0", "-e", "cs,cpu-clock"], sleep)
    same_text(["--cpu", "0-1", "-A"], sleep)
    victim = subprocess.Popen([STEADY, "1", "100000"])
    try:
        pid = str(victim.pid)
        same_text(["-p", pid], sleep)
        same_text(["--pid", pid, "-e", "task-clock"], ["--"] + sleep)
        same_text(["-t", pid, "-e", "task-clock,faults"], sleep)
        same_text(["--tid", pid, "--timeout", "100"], [])
        same_text(["-p", pid, "--per-thread", "-e", "task-clock,faults"], sleep)
        same_text(["-p", pid, "--per-thread", "-x,", "-e", "task-clock"], sleep)
        same_json(["-p", pid, "--per-thread", "-j", "-e", "task-clock"], sleep)
        same_text(["-p", pid, "-I", "50", "-e", "task-clock"], sleep, intervals=True)
    finally:
        victim.kill()
        victim.wait()


def cgroup_root():
    for line in open("/proc/mounts", encoding="utf-8"):
        fields = line.split()
        if fields[2] == "cgroup2":
            return fields[1]
    return None


def online():
    """All of them, also where this test may use but some: what is counted is the whole machine."""
    with open("/sys/devices/system/cpu/online", encoding="ascii") as file:
        ends = [part.split("-") for part in file.read().strip().split(",")]
    return [cpu for part in ends for cpu in range(int(part[0]), int(part[-1]) + 1)]


def cgroups():
    root = cgroup_root()
    if not root:
        return
    names = ["perfolio-a", "perfolio-b"]
    busy = []
    try:
        for name in names:
            os.makedirs(f"{root}/{name}", exist_ok=True)
            # on each CPU, so that every count of perf's is there
            for cpu in online():
                busy.append(subprocess.Popen(["taskset", "-c", str(cpu), STEADY, "1", "100000"]))
                with open(f"{root}/{name}/cgroup.procs", "w", encoding="utf-8") as file:
                    file.write(str(busy[-1].pid))
        sleep = ["sleep", "0.3"]
        pair = ",".join(names)
        same_text(["-a", "-e", "cs,cpu-clock", "-G", names[0]], sleep)
        same_text(["-a", "-e", "cs,cpu-clock", "--cgroup", pair], sleep)
        same_text(["-a", "-e", "cs,cpu-clock", "--for-each-cgroup", pair], sleep)
        same_text(["-a", "-A", "-e", "cpu-clock", "--for-each-cgroup", pair], sleep)
        same_text(["-a", "--per-socket", "-e", "cpu-clock", "--for-each-cgroup", pair], sleep)
        same_text(["-a", "-x;", "-e", "cs,cpu-clock", "--for-each-cgroup", pair], sleep)
        same_json(["-a", "-j", "-e", "cs,cpu-clock", "--for-each-cgroup", pair], sleep)
    finally:
        for process in busy:
            process.kill()
            process.wait()
        for name in names:
            os.rmdir(f"{root}/{name}")


def times():
    for arguments in (["-I", "100"], ["--interval-print", "100", "-e", "cs,task-clock"],
                      ["-I", "100", "--summary"], ["-I", "100", "-x,"],
                      ["-I", "100", "-x,", "--summary"],
                      ["-I", "100", "-x,", "--summary", "--no-csv-summary"]):
        same_text(arguments, BUSY, intervals=True)
    same_text(["-I", "50", "--interval-count", "2", "-e", "task-clock"], BUSY, intervals=True)
    same_text(["--summary"], SHORT)
    same_text(["-x,", "--summary"], SHORT)
    for by in ("-A", "--per-core", "--per-die", "--per-socket", "--per-node"):
        same_text(["-I", "100", "-a", by, "-e", "cs"], ["sleep", "0.25"], intervals=True)
    same_text(["-D", "50", "-e", "task-clock"], BUSY)
    same_text(["--delay", "-1", "-e", "task-clock"])
    same_text(["--timeout", "150", "-e", "task-clock"], BUSY)
    same_text(["-a", "--timeout", "120", "-e", "cs"], [])
    same_text(["-r", "3"])
    same_text(["--repeat", "3", "-x,", "-e", "task-clock,faults"])
    same_text(["-r", "2", "-e", "task-clock"])
    same_text(["-S", "-e", "task-clock"])
    same_text(["--pre", "echo before", "--post", "echo after", "-e", "task-clock"])


def syncing():
    """-S: the disks are synced before each run."""
    calls = {}
    for words in ((), ("-S",)):
        made = run(["perf", "stat", "-x,", "-e", "syscalls:sys_enter_sync", PERFOLIO, "stat", "-r", "2", *words, "-e", "cs", "true"])
        calls[words] = made.stderr.strip().splitlines()[-1].split(",")[0]
    check(calls == {(): "0", ("-S",): "2"}, "-S: sync() before each run", calls)


def clearing():
    """--interval-clear: as often as there are intervals, on a terminal; ours refuses where there is none."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([PERFOLIO, "stat", "-I", "100", "--interval-clear", "--interval-count", "3", "-e", "cs", "sleep", "60"],
                          stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError:  # the end of a terminal
            pass
        process.wait()
    check(text.count(b"\x1b[2J") == 3, "--interval-clear: the terminal is cleared each time", text)
    refused = run([PERFOLIO, "stat", "-I", "100", "--interval-clear", "-e", "cs", "true"])
    check(refused.returncode == 2 and "terminal" in refused.stderr, "--interval-clear without a terminal", refused.stderr)


def table():
    """perf 6.1 garbles its own second run here, so only the shape of the lines can be compared."""
    def shape(text):
        return [re.sub(r" *[-+]?[\d.]+|#+$", "#", line.strip()) for line in text.split("\n")]

    for _ in range(TRIES):
        want, got = (shape(result.stderr)
                     for result in both(["-r", "3", "--table", "-e", "task-clock"], SHORT))
        if want == got:
            break
    check(want == got, "-r 3 --table", *difference(want, got))


def layout():
    for by in ("-A", "--no-aggr", "--per-core", "--per-die", "--per-socket", "--per-node"):
        same_text(["-a", by], ["sleep", "0.1"])
        same_text(["-a", by, "-x,"], ["sleep", "0.1"])
        same_json(["-a", by, "-j"], ["sleep", "0.1"])
        same_text(["-a", by, "--metric-only"], ["sleep", "0.1"])
        same_text(["-a", by, "--metric-only", "-x,"], ["sleep", "0.1"])
    same_text(["--metric-only"])
    same_text(["--metric-only", "-x,"])
    same_text(["--metric-only", "-I", "100", "-a"], ["sleep", "0.25"], intervals=True)
    same_text(["--metric-only", "-I", "100", "-a", "-A"], ["sleep", "0.25"], intervals=True)
    same_text(["-B"])
    same_text(["--big-num"])
    same_text(["--no-big-num"])
    same_text(["--scale"])
    same_text(["--no-scale"])
    same_text(["--no-merge"])
    same_text(["--quiet"])
    same_text(["-v", "-e", "task-clock,faults"])
    same_text(["-v", "-r", "2", "-e", "task-clock"])
    for separator in ("-x,", "-x;", "-x\\t", "--field-separator= "):
        same_text([separator])
    same_json(["-j"])
    same_json(["--json-output", "-r", "2"])
    same_json(["-j", "-I", "100"], BUSY)
    same_json(["-j", "-I", "100", "--summary"], BUSY)
    talk = run([PERFOLIO, "stat", "-j", "-D", "20", "--timeout", "60", "-e", "task-clock"] + BUSY)
    check([json.loads(line) for line in talk.stderr.splitlines()],
          "-j: nothing but objects, whatever there is to say", talk.stderr)


def output():
    with tempfile.TemporaryDirectory() as folder:
        texts = []
        for tool in ("perf", PERFOLIO):
            path = os.path.join(folder, os.path.basename(tool))
            quiet = [run([tool, "stat", "-o", path] + SHORT),
                     run([tool, "stat", "--output", path, "--append", "-e", "cs"] + SHORT)]
            check(not any(result.stderr for result in quiet), f"{tool} -o: nothing on stderr")
            with open(path, encoding="utf-8") as file:
                texts.append([re.sub(r" on .*", "", line) for line in mask(file.read())])
        check(texts[0] == texts[1], "-o FILE, then --append", *difference(*texts))
    same_text(["-o", "-", "-e", "cs"])
    same_text(["--log-fd", "1", "-e", "cs"])


def control():
    """A program switches counting on by itself, over a fifo."""
    texts = []
    for tool in ("perf", PERFOLIO):
        with tempfile.TemporaryDirectory() as folder:
            ctl, ack = os.path.join(folder, "ctl"), os.path.join(folder, "ack")
            os.mkfifo(ctl)
            os.mkfifo(ack)
            script = (f"echo enable > {ctl}; read answer < {ack}; {STEADY} 64 20; "
                      f"echo disable > {ctl}; read answer < {ack}; echo done")
            result = run([tool, "stat", "-D", "-1", "-e", "task-clock,faults",
                          "--control", f"fifo:{ctl},{ack}", "sh", "-c", script])
            text = result.stdout + re.sub(r"for '.*'", "for '...'", result.stderr)
            texts.append(mask(text))
    check(texts[0] == texts[1], "--control fifo:CTL,ACK with -D -1", *difference(*texts))


need_program("perf")
need_root()
events()
absent_hardware()
targets()
cgroups()
times()
syncing()
clearing()
table()
layout()
output()
control()
done()
