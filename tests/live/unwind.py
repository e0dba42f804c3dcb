# SPDX-License-Identifier: Apache-2.0
"""Unwinding beside readelf, perf, gdb, and programs that know their own stack.

Every program is built without frame pointers.  PERFOLIO_LONG=1: 500 stopped points instead of 30,
longer recordings.
"""
import collections
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time

from lib import PERFOLIO, SOURCE, check, done, need_program, program, run, skip_all
from perffile import SAMPLE, PerfFile, samples_in

LONG = bool(os.environ.get("PERFOLIO_LONG"))
# Longer where a busy machine gives so little of it that the first samples, of a program that is being started,
# would weigh too much.
SECONDS = ("3",) if LONG else ("0.4", "2", "10")
ENOUGH = 300  # samples
POINTS = 500 if LONG else 30
FLAGS = ["-O2", "-g0", "-fomit-frame-pointer", "-fno-ipa-icf"]
# What stacks begin with; a thread's has no name where libc has no symbols of its own.
STARTS = ("_start", "__clone", "clone", "clone3", "__clone3", "start_thread")
OURS = [PERFOLIO, "script", "--no-inline", "-F", "comm,ip,sym,dso", "-i"]
MARK = struct.pack("<QQ", 0x7065726675c0ffee, 0x1122334455667788)

# --- rules, beside readelf ---------------------------------------------------------------------

X86 = {name: i for i, name in enumerate(
    "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 ra".split())}


def readelf_rows(path):
    """{entry's range: [(start, cfa, {register: where})]}, the CIE's row where a program is empty."""
    text = run(["readelf", "-wF", path]).stdout
    rows, commons, columns, entry, common = {}, {}, [], None, None
    for line in text.splitlines():
        head = re.match(r"(\w+) \w+ \w+ (CIE|FDE cie=(\w+) pc=(\w+)\.\.(\w+))", line)
        if head and head[2] == "CIE":
            entry, common = None, head[1]
        elif head:
            entry, common = (int(head[4], 16), int(head[5], 16)), None
            columns, start, row = commons.get(head[3], ([], 0, None))
            rows[entry] = [(entry[0], *take(columns, row))] if row else []
            implied = True
        elif line.startswith("   LOC"):
            columns = line.split()[2:]
        elif re.match(r"[0-9a-f]{16} ", line):
            words = re.sub(r" \(\w+\)", "", line).split()  # "r9 (r9)" is one column
            if common:
                commons[common] = columns, 0, words[1:]
            elif entry:
                if implied:
                    rows[entry], implied = [], False
                rows[entry].append((int(words[0], 16), *take(columns, words[1:])))
    return rows


def take(columns, words):
    cfa = re.sub(r"^(\w+)\+", lambda m: f"{X86.get(m[1], m[1])}+", words[0])
    return cfa, {X86[c]: w for c, w in zip(columns, words[1:]) if w != "u" and c in X86}


def test_rules():
    for path in ("/bin/ls", "/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/gdb")[:3 if LONG else 2]:
        ours = {}
        for line in run([program("unwound"), "rows", path]).stdout.splitlines():
            start, cfa, *rules = line.split()
            pairs = [rule.split(":") for rule in rules]
            ours[int(start, 16)] = cfa, {int(r): w for r, w in pairs if w != "u"}
        compared, wrong = 0, []
        for entry, rows in readelf_rows(path).items():
            for i, (start, cfa, rules) in enumerate(rows):
                # Of several rows at one address the last one holds.
                if i + 1 < len(rows) and rows[i + 1][0] == start or start >= entry[1]:
                    continue
                compared += 1
                if ours.get(start) != (cfa, rules):
                    wrong.append((hex(start), ours.get(start), (cfa, rules)))
        check(compared > 500 and not wrong,
              f"{path}: {compared} rows are readelf's", len(wrong), wrong[:5])


# --- recordings, beside perf -------------------------------------------------------------------

def build(folder, name, source, *flags):
    path = os.path.join(folder, name)
    compiler = "g++" if source.endswith(".cc") else "gcc"
    made = run([compiler, *FLAGS, *flags, "-o", path,
                os.path.join(SOURCE, "tests/programs", source), "-lpthread"])
    return path if check(not made.returncode, f"{name} is built", made.stderr) else None


def samples_of(command):
    """The frames of each sample, leaf first: (address, name)."""
    found, said = [], run(command)
    if said.returncode:
        print(f"# {command[0]}: status {said.returncode}: {said.stderr[-300:]!r}")
    for line in said.stdout.splitlines():
        frame = re.match(r"\s+([0-9a-f]+) (.*) \(", line)
        if frame and found:
            found[-1].append((frame[1], re.sub(r"\+0x[0-9a-f]+$", "", frame[2])))
        elif line.strip():
            found.append([])
    return found


def names_of(frames):
    """perf asks one byte before a signal's trampoline, where nothing has a name."""
    return ["[unknown]" if name == "__restore_rt" else name for _, name in frames]


def reaches(frames):
    return bool(frames) and frames[-1][1].split("@")[0] in STARTS


def compare(label, data):
    """Our stacks beside perf's, which in static programs ends at the leaf: only ours is looked at."""
    command = ["perf", "script", "--no-inline", "-i", data, "-F", "comm,ip,sym,dso"]
    theirs = samples_of(command) or samples_of(command)  # it has come back empty once, no idea why
    ours = samples_of([*OURS, data])
    if not check(len(ours) == len(theirs) and len(ours) > 50,
                 f"{label}: {len(theirs)} samples", len(ours)):
        return ours
    others = [(a, b) for a, b in zip(ours, theirs) if names_of(a) != names_of(b)]
    check(len(others) <= 0.01 * len(ours) or "static" in label,
          f"{label}: {len(ours) - len(others)} of {len(ours)} stacks are perf's", *others[:1])
    reach = [sum(map(reaches, side)) for side in (ours, theirs)]
    check(reach[0] >= reach[1] and reach[0] >= 0.95 * len(ours),
          f"{label}: {reach[0]} stacks reach the start, perf's {reach[1]}")
    return ours


def record(recorder, data, *command, rate="1999", stacks="dwarf", enough=ENOUGH):
    """A %s in the command's last word is how long it shall take.  Again where perf died, as run_perf has it."""
    for seconds in SECONDS:
        for _ in range(5):
            made = run([*recorder, "record", "-q", "-e", "cpu-clock", "-F", rate, "--call-graph", stacks,
                        "-o", data, *command[:-1], command[-1] % seconds])
            if made.returncode >= 0:
                break
        if samples_in(data) > enough:
            break


def test_kinds(folder):
    variants = [("pie", ["-pie"]), ("fixed", ["-no-pie", "-fno-pie"]), ("static", ["-static"])]
    for name, flags in variants:
        path = build(folder, f"stacks-{name}", "stacks.c", *flags)
        data = os.path.join(folder, f"{name}.data")
        kinds = ("all", "threads", "recursion") if name == "pie" else ("all",)
        for kind in kinds if path else ():
            record(["perf"], data, path, kind, "%s")
            compare(f"{name}, {kind}", data)
    for name, flags in (("c++", []), ("c++-inside", ["-static-libstdc++", "-static-libgcc"])):
        path = build(folder, name, "throws.cc", *flags)
        data = os.path.join(folder, "throws.data")
        if path:
            record(["perf"], data, path, "%s")
            compare(name, data)
    data = os.path.join(folder, "ours.data")
    record([PERFOLIO], data, os.path.join(folder, "stacks-pie"), "all", "%s")
    compare("recorded by us", data)


def test_rust(folder):
    if not shutil.which("rustc"):
        check(True, "Rust: # SKIP there is no rustc")
        return
    path, data = os.path.join(folder, "shapes"), os.path.join(folder, "rust.data")
    made = run(["rustc", "-O", "-C", "force-frame-pointers=no", "-o", path,
                os.path.join(SOURCE, "tests/programs/shapes.rs")], timeout=300)
    if check(not made.returncode, "a program in Rust is built", made.stderr):
        record(["perf"], data, path, "%s")
        compare("Rust", data)


# --- stacks larger than their copies ------------------------------------------------------------

DEEP = """#include <stdlib.h>
#include <time.h>
volatile unsigned long sum;
static __attribute__((noinline)) int down(int n)
{
	volatile char room[400];
	room[n % 400] = (char)n;
	if (n)
		return down(n - 1) + room[n % 400];
	for (int i = 0; i < 200000; i++)
		sum += i * 7;
	return (int)sum;
}
int main(int argc, char **argv)
{
	clock_t end = clock() + (clock_t)(atof(argv[1]) * CLOCKS_PER_SEC);
	int x = 0;
	while (clock() < end)
		x += down(60);
	return x == 42;
}
"""


def test_splice(folder):
    """Twenty frames fit into 8 KB, 63 there are: the rest is what the kernel found by frame pointers."""
    source, path = os.path.join(folder, "deep.c"), os.path.join(folder, "deep")
    data = os.path.join(folder, "deep.data")
    with open(source, "w", encoding="utf-8") as file:
        file.write(DEEP)
    run(["gcc", "-O2", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o", path, source])
    record([PERFOLIO], data, path, "%s", stacks="dwarf,8192")
    said = run(["perf", "script", "--no-inline", "-i", data, "-F", "comm,ip,sym,dso"])
    theirs = samples_of(["perf", "script", "--no-inline", "-i", data, "-F", "comm,ip,sym,dso"])
    text = run([*OURS, data]).stdout
    ours = samples_of([*OURS, data])
    deep = [stack for stack in ours if [name for _, name in stack].count("down") >= 10]
    whole = sum([name for _, name in stack].count("down") == 61 and
                any(name == "main" for _, name in stack) for stack in deep)
    check(len(deep) > 50 and whole >= 0.98 * len(deep) and text.count("[spliced]") >= whole,
          f"{whole} of {len(deep)} stacks of 63 frames are whole, each marked", len(ours))
    reach = sum(any(name == "main" for _, name in stack) for stack in theirs)
    check(len(theirs) == len(ours) and reach < len(deep) // 4 and not said.stderr,
          f"perf reads the file: {reach} of {len(theirs)} reach main", said.stderr)
    frames = [sum(name == "down" for _, name in stack) for stack in theirs]
    check(max(frames, default=99) < 30, "and shows no frame twice", max(frames, default=0))
    shown = run([PERFOLIO, "doctor", "-i", data]).stdout
    check("go on by frame pointers where the copy ended" in shown, "doctor tells of them", shown)


NO_POINTERS = """#include <stdlib.h>
#include <time.h>
volatile unsigned long sum;
static char text[64] = "3533633363336333" "3533633363336333";
static __attribute__((noinline)) int down(int n, char *a, char *b, char *c)
{
	volatile char room[400];
	room[n % 400] = (char)n;
	if (n)
		return down(n - 1, a, b, c) + room[n % 400] + *a + *b + *c;
	for (int i = 0; i < 200000; i++)
		sum += i * 7;
	return (int)sum;
}
int main(int argc, char **argv)
{
	clock_t end = clock() + (clock_t)(atof(argv[1]) * CLOCKS_PER_SEC);
	char *heap = calloc(argc, 64);
	int x = 0;
	*(void **)(heap + 8) = heap;
	while (clock() < end)
		x += down(60, text, text + 8, text + 16) + down(60, heap, heap, heap);
	return x == 42;
}
"""


def test_garbage(folder):
    """Without frame pointers the kernel follows text and the heap: none of that is a caller."""
    source, path = os.path.join(folder, "none.c"), os.path.join(folder, "none")
    data = os.path.join(folder, "none.data")
    with open(source, "w", encoding="utf-8") as file:
        file.write(NO_POINTERS)
    run(["gcc", "-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-o", path, source])
    record([PERFOLIO], data, path, "%s")
    text = run([*OURS, data]).stdout
    deep = [stack for stack in samples_of([*OURS, data])
            if [name for _, name in stack].count("down") >= 10]
    true = ("down", "main", "__libc_start_call_main", "__libc_start_main")  # a copy may end at each
    foreign = [stack for stack in deep
               if not stack[-1][1].startswith(true) and not reaches(stack)]
    check(len(deep) > 50 and not foreign and "[spliced]" not in text,
          f"{len(deep)} stacks without frame pointers go no further than their copy", *foreign[:2])


# --- samples that wait among many other records --------------------------------------------------

PING_PONG = """
import os, time
r1, w1 = os.pipe()
r2, w2 = os.pipe()
if not os.fork():
    while os.read(r1, 1) == b"x":
        os.write(w2, b"x")
    os._exit(0)
end = time.process_time() + %s
while time.process_time() < end:
    os.write(w1, b"x"), os.read(r2, 1)
os.write(w1, b"q")
"""


def test_between(folder):
    """Samples wait to be unwound while others are read; shown, each switch ends that."""
    data = os.path.join(folder, "switches.data")
    record(["perf"], data, "--switch-events", "/usr/bin/python3", "-c", PING_PONG, rate="299", enough=50)
    waiting = run([*OURS, data]).stdout
    shown = run([*OURS, data, "--show-switch-events"]).stdout.splitlines(keepends=True)
    alone = "".join(line for line in shown if "PERF_RECORD_SWITCH" not in line)
    switches, samples = len(shown) - alone.count("\n"), waiting.count("\n\n")
    check(waiting == alone and samples > 50 and switches > 20 * samples,
          f"{samples} samples among {switches} switches are the same one by one")
    said = run([PERFOLIO, "report", "--no-index", "-g", "none", "-i", data])
    check(not said.returncode, "and go into a report", said.stderr[-300:])


# --- a program that knows its own stack --------------------------------------------------------

def true_stack(body):
    """What the program itself says, innermost first; None if that was not copied."""
    at = body.find(MARK)
    if at < 0 or at + 20 > len(body):
        return None
    depth, = struct.unpack_from("<I", body, at + 16)
    if depth > 160 or at + 20 + 4 * depth > len(body):
        return None
    return struct.unpack_from(f"<{depth}I", body, at + 20)[::-1]


def true_stacks(data):
    """Of each sample, in order of time, which stands behind ip, pid and tid."""
    samples = [body for kind, _, body in PerfFile(data).records() if kind == SAMPLE]
    return map(true_stack, sorted(samples, key=lambda body: struct.unpack_from("<Q", body, 16)))


def test_truth(folder):
    path, data = os.path.join(folder, "stacks-pie"), os.path.join(folder, "truth.data")
    names = run([path, "names"]).stdout.split()
    record(["perf"], data, path, "all", "%s")
    frames = samples_of([*OURS, data])
    truth = list(true_stacks(data))
    if not check(len(frames) == len(truth), "samples to hold against the truth", len(frames),
                 len(truth)):
        return
    compared, wrong = 0, []
    for stack, told in zip(frames, truth):
        if not told:
            continue
        want = [names[number] for number in told]
        got = [name for _, name in stack if name in names]
        compared += 1
        # Between its first instruction and its entry in the list a function is not told of yet.
        if got not in (want, got[:1] + want):
            wrong.append((got, want))
    check(compared > 50 and len(wrong) <= compared // 200,
          f"{compared - len(wrong)} of {compared} stacks are what the program says", wrong[:3])


# --- stopped points, beside gdb ----------------------------------------------------------------

# Frames of inlined functions, and of those left by a jump, are not on the stack.
IN_GDB = """
for thread in gdb.selected_inferior().threads():
    thread.switch()
    frame, pcs = gdb.newest_frame(), []
    while frame and len(pcs) < 127:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            pcs.append(f"{frame.pc():x}")
        frame = frame.older()
    print("stack", thread.ptid[1], *pcs)
"""


def gdb_stacks(pid, script):
    text = run(["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "set debuginfod enabled off",
                "-ex", "set backtrace past-main on", "-ex", "set backtrace past-entry on",
                "-x", script]).stdout
    found = [line.split() for line in text.splitlines() if line.startswith("stack ")]
    return {int(words[1]): [int(pc, 16) for pc in words[2:]] for words in found}


def own_stack(tid):
    lines = run([program("unwound"), str(tid)]).stdout.splitlines()
    return [int(line.split()[0], 16) for line in lines if not line.startswith("end ")]


def same_stack(ours, theirs):
    """Ours are the addresses of the calls, one less than where they return to."""
    return len(ours) == len(theirs) and all(pc - own in (0, 1) for own, pc in zip(ours, theirs))


def wait_stopped(pid):
    for _ in range(1000):
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            if file.read().rpartition(")")[2].split()[0] in "tT":
                return
        time.sleep(0.002)


def test_points(folder):
    depths, seen, wrong = collections.Counter(), 0, []
    script = os.path.join(folder, "stacks.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(IN_GDB)
    for kind, name, until in (("all", "pie", POINTS // 3), ("all", "static", POINTS // 2),
                              ("threads", "pie", POINTS)):
        with subprocess.Popen([os.path.join(folder, f"stacks-{name}"), kind, "1000"]) as child:
            time.sleep(0.05)
            while seen < until:
                child.send_signal(signal.SIGSTOP)
                wait_stopped(child.pid)
                for tid, theirs in gdb_stacks(child.pid, script).items():
                    ours = own_stack(tid)
                    seen += 1
                    depths[len(ours)] += 1
                    if not same_stack(ours, theirs):
                        wrong.append(([f"{a:x}" for a in ours], [f"{a:x}" for a in theirs]))
                child.send_signal(signal.SIGCONT)
                time.sleep(0.003 + 0.0007 * (seen % 13))
            child.kill()
    check(not wrong, f"{seen} stopped points are gdb's, of {len(depths)} depths",
          len(wrong), *wrong[:2])


# --- a first look at a program that keeps no frame pointers ------------------------------------

TINY = """#include <stdio.h>
void target() { puts("hit"); }
int main(){ for(int i=0;i<10000000;i++) target(); }
"""


def test_tiny(folder):
    source, path = os.path.join(folder, "tiny_workload.c"), os.path.join(folder, "tiny_workload")
    with open(source, "w", encoding="utf-8") as file:
        file.write(TINY)
    run(["gcc", "-O2", "-o", path, source])
    shares = {}
    for way in ("fp", "dwarf"):
        data = os.path.join(folder, f"tiny-{way}.data")
        run(["sh", "-c", f"{PERFOLIO} record -q -F 999 --call-graph {way} -o {data} {path} >/dev/null"])
        frames = samples_of([*OURS, data])
        check(len(frames) > 20, f"tiny_workload, {way}: {len(frames)} samples")
        frames = [stack for stack in frames if any(name == "main" for _, name in stack)] \
            if way == "dwarf" else frames
        shares[way] = sum(map(reaches, frames)) / max(1, len(frames))
    check(shares["fp"] < 0.5 and shares["dwarf"] > 0.99,
          f"tiny_workload reaches _start in {shares['fp']:.1%} of stacks by frame pointers, "
          f"in {shares['dwarf']:.1%} by rules")


def main():
    if os.uname().machine != "x86_64":
        skip_all("readelf's names of registers are those of x86_64")
    for name in ("perf", "gcc", "g++", "readelf", "gdb"):
        need_program(name)
    test_rules()
    with tempfile.TemporaryDirectory(prefix="perfolio-unwind-") as folder:
        test_kinds(folder)
        test_rust(folder)
        test_splice(folder)
        test_garbage(folder)
        test_between(folder)
        test_truth(folder)
        test_tiny(folder)
        test_points(folder)
    done()


main()
