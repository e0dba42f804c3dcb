#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Options of `record` mean what they mean to perf: the attributes in the file are the same."""
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, program, run, run_perf, status_of, until
from perffile import COMM, MMAP2, SAMPLE, PerfFile, samples_in

need_program("perf")
need_root()
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-options-")
os.chdir(SCRATCH.name)
os.environ["HOME"] = SCRATCH.name

# By design in ours: one clock for everything, build-ids and namespaces always, the event that only
# tracks is part of the first one, ids are IDENTIFIER or none; --all-user is in the event's name.  disabled and enable_on_exec tell how
# it was begun.
OURS = {"use_clockid: 1", "clockid: 1", "build_id: 1", "namespaces: 1", "bpf_event: 1", "comm: 1", "comm_exec: 1",
        "ksymbol: 1", "mmap: 1", "mmap2: 1", "task: 1"}
NAMED = {"--all-user": ":u", "--all-kernel": ":k"}
PERFS = {"disabled: 1", "enable_on_exec: 1"}
CASES = """-c 100000|-F 99|-g|-s|-d|-W|-c 100000 -P|-R|-i|-a|-C 0|-I|-D 1|--switch-events|-k raw|-k realtime|-k CLOCK_BOOTTIME
--user-regs=sp|--intr-regs=sp|--overwrite|--phys-data|--sample-cpu|--all-user|--all-kernel|--data-page-size
--code-page-size|--all-cgroups|--user-callchains -g|--kernel-callchains -g|--transaction|--sample-identifier
-e {cpu-clock,task-clock}:S|-e {cpu-clock,task-clock}:S --running-time|-e cpu-clock,task-clock --group
-e sched:sched_switch --filter prev_pid!=0|-e page-faults -c 3
-e mem:0x1000:w|-e mem:0x1000:w -c 10|-e mem:0x1000:w -F 99|-e bpf-output|-e bpf-output -c 1
-e context-switches|-e cpu-migrations|-e page-faults|-e minor-faults|-e major-faults|-e alignment-faults
-e emulation-faults|-e cgroup-switches|-e task-clock|-e sched:sched_switch|-e sched:sched_switch -F 99"""


def attributes(name):
    """By event, the words of `perf evlist -v`; ids aside."""
    found = {}
    for line in run_perf("evlist", "-v", "-i", name).stdout.splitlines():
        event, colon, words = line.partition(": ")
        if colon and not line.startswith("#") and not event.startswith("dummy"):
            words = words.replace("|IDENTIFIER", "").replace("|ID", "").split(", ")
            words = [word.replace("sample_freq }: 3997", "sample_freq }: 4000") for word in words]  # the defaults
            found[event] = {word for word in words if word}
    return found


for case in CASES.replace("\n", "|").split("|"):
    words = case.split() if "-e" in case.split() else ["-e", "cpu-clock", *case.split()]
    perf = run_perf("record", "-q", "-B", "-N", *words, "-o", "perf.out", "--", "true")
    ours = run([PERFOLIO, "record", "-q", *words, "-o", "ours.out", "--", "true"])
    if perf.returncode < 0:
        check(True, f"{case} # SKIP perf died of signal {-perf.returncode}")
        continue
    if perf.returncode:
        check(ours.returncode != 0, f"{case}: refused, as by perf", perf.stderr, ours.stderr)
        continue
    theirs, mine = attributes("perf.out"), attributes("ours.out")
    if case in NAMED:
        mine = {event.removesuffix(NAMED[case]): words for event, words in mine.items() if event.endswith(NAMED[case])}
    wrong = {event: (sorted(theirs.get(event, set()) - mine.get(event, set()) - PERFS),
                     sorted(mine.get(event, set()) - theirs.get(event, set()) - OURS))
             for event in theirs.keys() | mine.keys()}
    check(ours.returncode == 0 and theirs and not any(a or b for a, b in wrong.values()),
          f"{case}: the attributes are perf's", wrong, ours.stderr)

# -s: each thread's counts at its end, which `report -T` shows.
for words in ([], ["-i"]):
    run([PERFOLIO, "record", "-q", "-e", "cpu-clock", "-s", *words, "-o", "s.out", "--", program("chain"), "4", "0.05", "cpu"])
    rows = [line.split() for line in run([PERFOLIO, "report", "-T", "-i", "s.out"]).stdout.splitlines()]
    rows = [row for row in rows if len(row) == 3 and all(word.isdigit() for word in row)]
    check(len(rows) >= 3 and all(int(row[2]) > 30e6 for row in rows) if not words else not rows,
          f"-s {' '.join(words)}: counts of {len(rows)} threads", rows)

for words in (["-b"], ["-j", "any_call,u"]):
    ours = run([PERFOLIO, "record", "-e", "cpu-clock", *words, "-o", "x", "--", "true"])
    check(ours.returncode == 1 and "branches can't be recorded" in ours.stderr and not os.path.exists("x"),
          f"{' '.join(words)} on a clock is refused with the reason", ours.stderr)
for words in (["-k", "sundial"], ["--user-regs=nothing"], ["--switch-output=7x"]):
    ours = run([PERFOLIO, "record", *words, "--", "true"])
    check(ours.returncode == 2 and " must be " in ours.stderr or " needs " in ours.stderr or "unknown register" in ours.stderr,
          f"{' '.join(words)} is refused", ours.stderr)


def record(*words, name="ours.out", command=("true",)):
    """A recording of ours, as a second reader sees it."""
    made = run([PERFOLIO, "record", "-q", "-e", "cpu-clock", *words, "-o", name, "--", *command])
    check(made.returncode == 0, f"{' '.join(words)}: recorded", made.stderr)
    return PerfFile(name)


def bits(*words):
    record(*words)
    return next(iter(attributes("ours.out").values()), set())


def header():
    """What stands in the header and in the attributes by default can be left out."""
    check("bpf_event: 1" in bits() and "bpf_event: 1" not in bits("--no-bpf-event"), "--no-bpf-event")
    check("namespaces: 1" in bits("--namespaces") and "namespaces: 1" not in bits("--no-namespaces"), "--namespaces")
    check("build_id: 1" in bits("--buildid-mmap") and "build_id: 1" not in bits("--no-buildid-mmap"), "--buildid-mmap")
    check("SAMPLE_TIME" in record("--timestamp-boundary").features() and
          "SAMPLE_TIME" not in record("--no-timestamp-boundary").features(), "--timestamp-boundary")
    check("BUILD_ID" in record().features() and "BUILD_ID" not in record("-B").features(), "-B: no build-ids")
    run_perf("record", "-q", "-N", "--buildid-all", "-e", "cpu-clock", "-o", "perf.out", "--", "true")
    record("--buildid-all")
    listed = [{line for line in run_perf("buildid-list", "-i", name).stdout.splitlines() if line.endswith((".so.6", ".so.2"))}
              for name in ("perf.out", "ours.out")]
    check(listed[0] and listed[0] == listed[1], "--buildid-all: libraries without samples, too, as perf lists them", *listed)


def existing_processes():
    """What a recording tells of the processes that run already."""
    with subprocess.Popen(["sleep", "1000"]) as target:
        until(lambda: status_of(target.pid).get("Name") == "sleep")
        pid, counts = str(target.pid), {}
        for what in ("all", "no", "task", "mmap"):
            for tool in ("perf", PERFOLIO):
                options = ["-B", "-N"] if tool == "perf" else []
                run([tool, "record", "-q", *options, "-e", "cpu-clock", "-p", pid, "--synth", what, "-o", "x", "--", "true"])
                own = [kind for kind, _, body in PerfFile("x").records()
                       if kind in (COMM, MMAP2) and struct.unpack_from("<I", body)[0] == target.pid]
                counts[what, tool] = [kind in own for kind in (COMM, MMAP2)]
            check(counts[what, "perf"] == counts[what, PERFOLIO], f"--synth {what}: names and mappings as from perf", counts)
        wrong = run([PERFOLIO, "record", "--synth", "some", "--", "true"])
        check(wrong.returncode == 2 and "must be no, all" in wrong.stderr, "--synth some is refused", wrong.stderr)
        target.kill()
    with subprocess.Popen([program("steady"), "1", "100000"]) as target:
        places = {}
        for words in ([], ["--tail-synthesize"]):
            file = record("-p", str(target.pid), *words, command=("sleep", "0.3"))
            kinds = [kind for kind, _, _ in file.records()]
            places[bool(words)] = kinds.index(MMAP2) < kinds.index(SAMPLE)
        check(places == {False: True, True: False}, "--tail-synthesize: mappings come last", places)
        target.kill()
    forks = {}
    for count in ("1", "4"):
        made = run_perf("stat", "-x,", "-e", "sched:sched_process_fork", PERFOLIO, "record", "-q", "-a", "-e", "cpu-clock",
                        "--num-thread-synthesize", count, "-o", "x", "--", "true")
        forks[count] = int(made.stderr.strip().splitlines()[-1].split(",")[0])
    check(forks["4"] - forks["1"] == 3, "--num-thread-synthesize: three threads more", forks)


MAPPINGS = 20000
MANY = f"""
import ctypes, mmap, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
start = libc.mmap(None, ctypes.c_size_t({MAPPINGS} * 8192), 1, 0x22, -1, 0)
for i in range({MAPPINGS}):
    libc.mprotect(start + i * 8192, 4096, 5)
print("ready", flush=True)
time.sleep(1000)
"""


def many_mappings():
    with subprocess.Popen([sys.executable, "-c", MANY], stdout=subprocess.PIPE, text=True) as target:
        target.stdout.readline()
        found = {limit: record("-p", str(target.pid), *limit).count(MMAP2) for limit in ((), ("--proc-map-timeout", "1"))}
        check(found[()] > MAPPINGS > found["--proc-map-timeout", "1"], "--proc-map-timeout: mappings are left out", found)
        target.kill()


def reading(words):
    """A recorder at work on CPU 0 and what it works on."""
    busy = subprocess.Popen(["taskset", "-c", "0", program("steady"), "1", "100000"])
    recorder = subprocess.Popen([PERFOLIO, "record", "-q", "-e", "cpu-clock", "-F", "999", "-C", "0", *words, "-o", "live"])
    return busy, recorder


def allowed(pid):
    """Where the recorder's threads may run."""
    try:
        return {status_of(f"{pid}/task/{tid}").get("Cpus_allowed_list") for tid in os.listdir(f"/proc/{pid}/task")}
    except OSError:
        return set()


def finish(*processes):
    for process in processes:
        process.send_signal(signal.SIGINT)
        process.wait()


def priority(pid):
    """The highest of the threads'."""
    try:
        return max(os.sched_getparam(int(tid)).sched_priority for tid in os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return -1


def words():
    """What is said, and how urgently is read."""
    said = {option: run([PERFOLIO, "record", *option.split(), "-m", "16", "-e", "cpu-clock", "-o", "x", "--", "true"]).stderr
            for option in ("", "-q", "-v")}
    check("[ perfolio record: " in said[""] and said["-q"] == "", "-q: nothing is said", said)
    check("rings of 64 KB" in said["-v"] and "rings of" not in said[""], "-v: how large the rings are", said)
    busy, recorder = reading(["-r", "7"])
    check(until(lambda: priority(recorder.pid) == 7), "-r 7: that real-time priority", priority(recorder.pid))
    finish(recorder, busy)
    busy, recorder = reading([])
    check(until(lambda: priority(recorder.pid) == 1), "without -r: 1", priority(recorder.pid))
    finish(recorder, busy)


def rings():
    for place, want in (("cpu", "0"), ("node", None)):
        busy, recorder = reading(["--affinity", place])
        everywhere = status_of(os.getpid())["Cpus_allowed_list"]
        seen = until(lambda: allowed(recorder.pid) >= {want or everywhere})
        check(seen, f"--affinity {place}: the thread that reads is there", allowed(recorder.pid))
        finish(recorder, busy)
    busy, recorder = reading(["--mmap-flush", "4M"])
    check(until(lambda: samples_in("live") == 0 and os.path.exists("live")), "--mmap-flush: the recording is there")
    until(lambda: samples_in("live") > 0, seconds=3)
    waiting = samples_in("live")
    finish(recorder, busy)
    check(waiting == 0 < samples_in("live"), "--mmap-flush: a ring waits until it is full or the end", waiting)


def own_work():
    """What perfolio itself does can be left out."""
    kept = {}
    for words in ([], ["--exclude-perf"]):
        with subprocess.Popen([PERFOLIO, "record", "-q", "-a", "-e", "raw_syscalls:sys_enter", *words, "-o", "x", "--",
                               "sleep", "0.3"]) as recorder:
            pid = recorder.pid
        kept[bool(words)] = bool(run([PERFOLIO, "script", "-i", "x", "-F", "comm", "--pid", str(pid)]).stdout)
    check(kept == {False: True, True: False}, "--exclude-perf: no system calls of ours", kept)


def children():
    """As perf does it, --per-thread leaves out what a thread starts."""
    comms = {}
    for words in ([], ["--per-thread"]):
        record("-F", "999", *words, command=("sh", "-c", f"{program('steady')} 1 300; true"))
        comms[bool(words)] = " steady " in run([PERFOLIO, "script", "-i", "ours.out", "-F", "comm"]).stdout
    check(comms == {False: True, True: False}, "--per-thread: not the children", comms)


def switches():
    """A new file whenever an event happens: here, each time that a program is executed.  The next is not executed before."""
    wait = "k=0; while set -- switched*; [ $# -le $n ] && [ $k -lt 300000 ]; do k=$((k + 1)); done"
    made = run([PERFOLIO, "record", "-q", "-e", "cpu-clock", "--switch-output-event", "sched:sched_process_exec", "-o", "switched",
                "sh", "-c", f"for i in 1 2 3 4; do set -- switched*; n=$#; sleep 0.1; {wait}; done"])
    names = [name for name in os.listdir(".") if re.fullmatch(r"switched\.20\d{14}", name)]
    check(made.returncode == 0 and len(names) >= 4, "--switch-output-event: a file for each", names, made.stderr)


def files():
    before = set(os.listdir("."))
    made = run([PERFOLIO, "record", "--dry-run", "-e", "cpu-clock", "-o", "dry", "--", "touch", "started"])
    wrong = run([PERFOLIO, "record", "--dry-run", "-e", "nonesuch", "--", "true"])
    check(made.returncode == 0 and wrong.returncode and set(os.listdir(".")) == before,
          "--dry-run: events are checked, nothing is started or written", made.stderr, wrong.stderr)
    run([PERFOLIO, "record", "-q", "-e", "cpu-clock", "--timestamp-filename", "-o", "timed", "--", "true"])
    check([name for name in os.listdir(".") if re.fullmatch(r"timed\.20\d{14}", name)], "--timestamp-filename",
          os.listdir("."))


def kernel_code():
    """--kcore: a folder, as perf makes it; where there is no /proc/kcore nothing is started or left."""
    made = run([PERFOLIO, "record", "-q", "--kcore", "-e", "cpu-clock", "-o", "folder", "--", "touch", "started"])
    if os.path.exists("/proc/kcore"):
        check(made.returncode == 0 and sorted(os.listdir("folder/kcore_dir")) == ["kallsyms", "kcore", "modules"] and
              os.path.exists("folder/data"), "--kcore: the recording and the kernel's code", made.stderr)
    else:
        check(made.returncode == 1 and "no /proc/kcore: " in made.stderr and not os.path.exists("folder") and
              not os.path.exists("started"), "--kcore: refused where there is none", made.stderr)
    for words in (["-o", "-"], ["--switch-output", "-o", "x"]):
        wrong = run([PERFOLIO, "record", "--kcore", *words, "--", "true"])
        check(wrong.returncode == 2 and "--kcore makes a folder" in wrong.stderr, f"--kcore {' '.join(words)}", wrong.stderr)
    # Such a folder's list of symbols names the kernel's functions, to us and to perf.
    os.makedirs("kept/kcore_dir", exist_ok=True)
    record("-F", "999", "-k", "mono", name="kept/data", command=("dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=300000"))
    with open("/proc/kallsyms", encoding="ascii") as list_, open("kept/kcore_dir/kallsyms", "w", encoding="ascii") as kept:
        kept.write(re.sub(r"(?m)^(\w+ [tT] )(?=[a-z]\w+$)", r"\1kept_", list_.read()))
    words = ["script", "-i", "kept", "-G", "-F", "ip,sym"]
    names = [re.findall(r"kept_\w+", made.stdout) for made in (run_perf(*words), run([PERFOLIO, *words]))]
    check(len(names[1]) > 20 and names[0] == names[1], "names of its kcore_dir/kallsyms, as perf has them",
          len(names[0]), len(names[1]), *[pair for pair in zip(*names) if pair[0] != pair[1]][:3])


header()
kernel_code()
existing_processes()
many_mappings()
words()
rings()
own_work()
children()
switches()
files()
done()
