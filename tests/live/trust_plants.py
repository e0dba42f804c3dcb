# SPDX-License-Identifier: Apache-2.0
"""Recordings with one fault each: none is called good, the reason is the true one, and its remedy works.

And recordings without a fault: each is called good, by report, doctor and their JSON.
"""
import contextlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile

from lib import (PERFOLIO, check, done, need_program, need_root, run, run_perf, settings, status_of, until)
import perfmade
from perffile import PerfFile, SAMPLE, samples_in

FOLDER = tempfile.mkdtemp(prefix="perfolio-plants-")
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "HOME=/nonexistent"]
FRAMES = ["-O1", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer", "-fno-optimize-sibling-calls"]

# Functions that keep a frame, and call nothing that has none while they work.
SPIN = """
#include <time.h>
static volatile unsigned long sum;
__attribute__((noinline)) void spin(unsigned long n)
{ volatile char room[32]; for (unsigned long i = 0; i < n; i++) sum += i; room[n % 32] = 1; __asm__ volatile("" :: "r"(room) : "memory"); }
__attribute__((noinline)) void caller(unsigned long n) { spin(n); sum++; }
"""
CLEAN = SPIN + "int main(void) { while (clock() < SECONDS * CLOCKS_PER_SEC) caller(20000000); }\n"
# Who calls is told by the caller alone: three wrappers of system calls, of which each goes through libc.
WRAPPERS = """
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define WRAPPER(name, times) __attribute__((noinline)) long name(void) \\
	{ long sum = 0; for (int i = 0; i < times; i++) sum += syscall(SYS_getppid); return sum; }
WRAPPER(often, 6000)
WRAPPER(sometimes, 3000)
WRAPPER(seldom, 1000)
int main(void) { long sum = 0; while (clock() < CLOCKS_PER_SEC) sum += often() + sometimes() + seldom(); return sum == 1; }
"""
# One leaf without a frame, called by two functions that have one.
LEAF = """
#include <time.h>
static volatile unsigned long sum;
__attribute__((noinline)) void leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sum += i; }
__attribute__((noinline)) void one(unsigned long n) { leaf(n); sum++; }
__attribute__((noinline)) void other(unsigned long n) { leaf(n); sum++; }
int main(void) { while (clock() < CLOCKS_PER_SEC) { one(10000000); other(5000000); } }
"""
# As Go has it: frame pointers, and rules that count from the stack's and never mention them.
GO_LIKE = """
#include <time.h>
void outer(unsigned long n);
__asm__(".text\\n"
	".globl outer\\n.type outer, @function\\nouter: .cfi_startproc\\n"
	"sub $0x218, %rsp\\n.cfi_def_cfa_offset 0x220\\n"
	"mov %rbp, 0x210(%rsp)\\nlea 0x210(%rsp), %rbp\\n"
	"call inner\\n"
	"mov 0x210(%rsp), %rbp\\nadd $0x218, %rsp\\n.cfi_def_cfa_offset 8\\nret\\n"
	".cfi_endproc\\n.size outer, .-outer\\n"
	".globl inner\\n.type inner, @function\\ninner: .cfi_startproc\\n"
	"sub $0x18, %rsp\\n.cfi_def_cfa_offset 0x20\\n"
	"mov %rbp, 0x10(%rsp)\\nlea 0x10(%rsp), %rbp\\n"
	"1: dec %rdi\\njnz 1b\\n"
	"mov 0x10(%rsp), %rbp\\nadd $0x18, %rsp\\n.cfi_def_cfa_offset 8\\nret\\n"
	".cfi_endproc\\n.size inner, .-inner\\n");
int main(void) { while (clock() < CLOCKS_PER_SEC) outer(20000000); }
"""
NO_TABLES = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]
DEEP = SPIN + """
__attribute__((noinline)) void down(int n) { if (n) down(n - 1); else caller(2000000); sum++; }
int main(void) { while (clock() < CLOCKS_PER_SEC) down(300); }
"""
# Every 25th time by way of a stack of 24 KB.
WIDE = SPIN + """
__attribute__((noinline)) void wide(int n)
{ volatile char room[2048]; room[0] = 1; if (n) wide(n - 1); else caller(1000000); room[n] = 2; }
int main(void)
{ for (int i = 0; clock() < CLOCKS_PER_SEC; i++) if (i % 25) caller(1000000); else wide(12); }
"""
JIT = """
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static const unsigned char code[] = { 0xb8, 0, 0, 0x20, 0, 0xff, 0xc8, 0x75, 0xfc, 0xc3 };
int main(int argc, char **argv)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *list;
	(void)argv;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	list = fopen(path, "w");
	puts(path);
	for (int i = 0; i < argc; i++) {
		memcpy(page, code, sizeof(code));
		fprintf(list, "%lx %zx made_%d\\n", (unsigned long)page, sizeof(code), i);
		fflush(list);
		while (clock() < (i + 1) * CLOCKS_PER_SEC / 2)
			((void (*)(void))page)();
	}
	return fclose(list);
}
"""
FORKS = """
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	/* Of its own it has samples enough, whoever records it. */
	while (clock() < CLOCKS_PER_SEC / 2)
		;
	for (int i = 0; i < 300; i++) {
		pid_t pid = fork();
		if (!pid) {
			while (clock() < CLOCKS_PER_SEC / 500)
				;
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}
"""


def build(name, source, *flags):
    path = os.path.join(FOLDER, name)
    with open(path + ".c", "w", encoding="utf-8") as file:
        file.write(source.replace("SECONDS", "1"))
    made = run(["gcc", "-o", path, path + ".c", *flags])
    if made.returncode:
        check(False, f"{name} is built", made.stderr)
    return path


def record(name, *words, before=(), rate="997"):
    data = os.path.join(FOLDER, name + ".data")
    result = run([*before, PERFOLIO, "record", "-q", "-e", "cpu-clock", "-F", rate, "-o", data, *words])
    if not os.path.exists(data):
        check(False, f"{name} is recorded", result.stderr)
    return data


def doctor(data, *before):
    out = run([*before, PERFOLIO, "doctor", "--json", "-i", data], env={**os.environ, "XDG_CACHE_HOME": FOLDER + "/cache"})
    try:
        return json.loads(out.stdout)
    except json.JSONDecodeError:
        return {"good": None, "error": out.stderr}


def reasons(found):
    return [fault["reason"] for fault in found.get("faults", [])]


def check_marks(label, words):
    """No object is ticked whose own figures tell of a fault."""
    for line in words.splitlines():
        figures = [float(word) for word in re.findall(r"([\d.]+) %", line)]
        if line[:1] in ("✓", "+") and len(figures) > 1:
            check(max(figures[1:]) < 5, f"{label}: what doctor ticks has no fault", line)


def faulty(label, data, reason, remedy, heaviest=True):
    """Nobody calls it good; the reason is given, and what is to be done about it comes first."""
    found = doctor(data)
    report = run([PERFOLIO, "report", "-g", "none", "-i", data]).stdout
    words = run([PERFOLIO, "doctor", data]).stdout
    told = run([PERFOLIO, "query", data, "quality"]).stdout
    quality = json.loads(told)["trust"] if told else {}
    check_marks(label, words)
    named = [fault for fault in found.get("faults", []) if fault["reason"] == reason]
    check(found["good"] is False and quality.get("good") is False and "Good" not in words and
          "# Good" not in report and "# To be read with care" in report and not words.startswith("Good"),
          f"{label}: nobody says that it is good", found, words.splitlines()[:3])
    check(named and remedy in (named[0]["remedy"] or "") and named[0]["text"] in report and
          reason in reasons(quality), f"{label}: {reason}, and '{remedy}'", found)
    if heaviest:
        check(remedy in (found.get("remedy") or "") and remedy in report, f"{label}: that is what helps most",
              found.get("remedy"))
    return found


def good(label, data):
    found = doctor(data)
    report = run([PERFOLIO, "report", "-g", "none", "-i", data]).stdout
    words = run([PERFOLIO, "doctor", data]).stdout
    check_marks(label, words)
    covered = found.get("covered_percent")
    if covered is not None and abs(covered - 100) > 5:  # a machine too busy for its timers: then it is not good
        check(found["good"] is False and "# Good" not in report and not words.startswith("Good") and
              set(reasons(found)) <= {"not-covered", "coverage-unclear"}, f"{label}: {covered:.1f} % of the CPU time is not good",
              found)
        return found
    check(found["good"] is True and words.startswith("Good") and "# Good" in report and not reasons(found),
          f"{label}: good", found)
    return found


def clean():
    path = build("clean", CLEAN, *FRAMES)
    for name, words in (("frame pointers", ["-g"]), ("copied stacks", ["--call-graph", "dwarf"]), ("no stacks", [])):
        found = good(name, record("clean", *words, path))
        check(found.get("covered_percent"), f"{name}: how much CPU time samples stand for is known", found)
    good("no build-id, the same file", record("unmarked", build("unmarked", CLEAN, *FRAMES, "-Wl,--build-id=none")))


def skipped_callers():
    path = build("wrappers", WRAPPERS, *FRAMES)
    data = record("wrappers", "-g", path)
    found = faulty("callers of libc", data, "caller-skipped", "--call-graph dwarf")
    check(found.get("skipped_stacks", 0) > 0.5 * found.get("samples", 0), "callers of libc: most stacks lack one", found)
    check(sum(one["skipped"] for one in found.get("objects", [])) == found.get("skipped_stacks"),
          "callers of libc: each of them is counted once, in one object", found)
    words = run([PERFOLIO, "doctor", data]).stdout
    head, row = (next((line for line in words.splitlines() if part in line), "") for part in ("no caller", "libc.so"))
    figures = [float(word) for word in re.findall(r"([\d.]+) %", row)]
    check("cut short" in head and len(figures) == 4 and figures[2] < 10 < figures[3],
          "callers of libc: doctor tells them from stacks that are cut short", head, row)
    data = record("wrappers", "--call-graph", "dwarf", path)
    found = good("callers of libc, copied stacks", data)
    rows = json.loads(run([PERFOLIO, "query", data, "top", "--sort", "total", "--limit", "50"]).stdout)["rows"]
    shares = {row["function"]: row["total_percent"] for row in rows}
    room = 5 * (100 * 0.25 / max(found.get("samples", 1), 1)) ** 0.5 * 10
    check(abs(shares.get("often", 0) - 60) < room and abs(shares.get("seldom", 0) - 10) < room,
          "callers of libc, copied stacks: the callers have their shares", shares)


def callers():
    """Whether a direct caller is missing is told by rules, by instructions, or not at all."""
    if os.uname().machine == "x86_64":
        path = build("golike", GO_LIKE, *FRAMES)
        found = good("frame pointers that no rule mentions", record("golike", "-g", path))
        check(found.get("skipped_stacks", 1) < 0.01 * found.get("samples", 0), "no rule mentions them: no caller is missing", found)
    good("frame pointers, no unwind tables", record("framed", "-g", build("framed", CLEAN, *FRAMES, *NO_TABLES)))
    bare = build("bare", LEAF, "-O1", "-fno-omit-frame-pointer", "-momit-leaf-frame-pointer", *NO_TABLES)
    found = faulty("a leaf without frame or table", record("bare", "-g", bare), "caller-skipped-no-table",
                   "-fasynchronous-unwind-tables and record with --call-graph dwarf")
    check(found.get("skipped_stacks", 0) > 0.9 * found.get("samples", 1), "a leaf without frame or table: its callers are missing", found)
    bare = build("bare", LEAF, "-O1", "-fno-omit-frame-pointer", "-momit-leaf-frame-pointer", "-fasynchronous-unwind-tables",
                 "-Wl,--build-id")
    good("a leaf without a frame, so recorded", record("bare", "--call-graph", "dwarf", bare))
    data = record("bare", "-g", bare)
    faulty("a leaf without a frame", data, "caller-skipped", "--call-graph dwarf")
    os.unlink(bare)
    found = faulty("a leaf, its file gone", data, "caller-unclear", "bring back", heaviest=False)
    check(found.get("unclear_stacks", 0) > 0.9 * found.get("samples", 1) and "can't tell" in json.dumps(found),
          "a leaf, its file gone: nobody knows of its callers", found)
    good("a program without libraries", record("static", "-g", build("static", CLEAN, *FRAMES, "-static")))


def not_followed():
    """What lacks where frame pointers lead nowhere, and what helps."""
    path = build("neither", CLEAN, "-O1", "-fomit-frame-pointer", *NO_TABLES)
    faulty("neither frame pointers nor tables", record("neither", "-g", path), "no-frame-pointer-nor-table",
           "-fasynchronous-unwind-tables")
    flags = ("-O1", "-fomit-frame-pointer", "-Wl,--build-id")
    path = build("none", CLEAN, *flags)
    data = record("none", "-g", path)
    faulty("no frame pointers", data, "no-frame-pointer", "--call-graph dwarf")
    whole = [line.replace(", of the whole recording", "") for line in trusts(data)]
    for words in (["-U"], ["--max-stack", "1"], ["--ignore-callees", "spin"]):
        shown = [line.replace(", of the whole recording", "") for line in trusts(data, *words)]
        check(shown == whole and len(whole) == 1, f"no frame pointers, {words[0]}: the trust is of the recording", shown, whole)
    for label, change in (("another build", lambda: build("none", CLEAN.replace("20000000", "20000001"), *flags)),
                          ("file gone", lambda: os.unlink(path))):
        change()
        found = faulty(f"no frame pointers, {label}", data, "no-frame-pointer", "--call-graph dwarf", heaviest=False)
        check([fault["reason"] for fault in found["faults"] if fault["part"] == "stacks"] == ["no-frame-pointer"],
              f"no frame pointers, {label}: the file is not blamed for that", found)


@contextlib.contextmanager
def max_stack(limit):
    """The kernel refuses it while anybody records stacks; who does on a busy machine ends after a while."""
    knob = "/proc/sys/kernel/perf_event_max_stack"

    def put(value):
        try:
            with open(knob, "w", encoding="ascii") as file:
                file.write(value)
            return True
        except OSError:
            return False
    with open(knob, encoding="ascii") as file:
        before = file.read()
    is_set = until(lambda: put(str(limit)), 30)
    if not is_set:
        print("# 300 levels, limit raised: skipped, somebody else records stacks")
    try:
        yield is_set
    finally:
        if is_set:
            until(lambda: put(before), 600)


def stacks():
    path = build("deep", DEEP, *FRAMES)
    faulty("300 levels", record("deep", "-g", path), "stack-limit", "kernel.perf_event_max_stack")
    with max_stack(1024) as is_set:
        if is_set:
            good("300 levels, limit raised", record("deep", "-g", path))
    good("300 levels, copied", record("deep", "--call-graph", "dwarf,65528", path))
    tables = build("tables", CLEAN, "-O1", "-fomit-frame-pointer", "-fno-asynchronous-unwind-tables",
                   "-fno-unwind-tables")
    faulty("no unwind tables", record("tables", "--call-graph", "dwarf", tables), "no-unwind-table",
           "-fasynchronous-unwind-tables")
    tables = build("tables", CLEAN, "-O1", "-fomit-frame-pointer", "-fasynchronous-unwind-tables")
    good("built with them", record("tables", "--call-graph", "dwarf", tables))
    wide = build("wide", WIDE, "-O1", "-fomit-frame-pointer")
    found = faulty("8 KB copied", record("wide", "--call-graph", "dwarf,8192", wide), "copy-too-small", "dwarf,32768")
    check(0.01 < found.get("cut_stacks", 0) / max(found.get("samples", 1), 1) < 0.15,
          "8 KB copied: a few per cent are cut", found)
    good("32 KB copied", record("wide", "--call-graph", "dwarf,32768", wide))
    other = build("other", CLEAN, "-O1", "-Wl,--build-id", "-fomit-frame-pointer")
    data = record("other", "--call-graph", "dwarf", other)
    build("other", CLEAN.replace("20000000", "20000001"), "-O1", "-Wl,--build-id", "-fomit-frame-pointer")
    found = faulty("another build", data, "build-id-mismatch", "record again")
    check("no-unwind-table" not in json.dumps(found), "another build: its unwind table is not blamed", found)


def rebuilt():
    """Without a build-id, only its time tells that a file is another one."""
    path = build("unmarked", CLEAN, *FRAMES, "-Wl,--build-id=none")
    data = record("unmarked", path)
    build("unmarked", CLEAN.replace("spin", "never_ran").replace("caller", "nor_this"), *FRAMES, "-Wl,--build-id=none")
    faulty("rebuilt, no build-id", data, "file-newer", "record again")
    shown = run([PERFOLIO, "report", "-i", data]).stdout
    check("which may have changed since the recording (no build-id to compare)" in shown,
          "rebuilt, no build-id: its names are not vouched for", shown)
    os.utime(path, (1000, 1000))  # as what unpacks or copies files does
    faulty("rebuilt and dated back, no build-id", data, "file-newer", "record again")
    build("unmarked", CLEAN + "void more(void) { __asm__ volatile(\".skip 100000, 0x90\"); }", *FRAMES, "-Wl,--build-id=none")
    os.utime(path, (1000, 1000))
    faulty("other segments, no build-id", data, "file-newer", "record again")
    os.rename(path, path + ".large")
    data = record("large", path + ".large")
    build("unmarked.large", CLEAN, *FRAMES, "-Wl,--build-id=none")
    found = faulty("smaller than its mapping, no build-id", data, "mapping-mismatch", "record again")
    check(all(row["path"] != path + ".large" or row["unnamed"] > 0 for row in found["objects"]),
          "smaller than its mapping: no names of another file", found)
    path = build("unmarked", CLEAN, *FRAMES, "-Wl,--build-id=none")
    data = record("touched", path)
    now = os.stat(data).st_mtime + 100
    os.utime(path, (now, now))
    found = faulty("touched, no build-id", data, "file-newer", "record again")
    check(any(row["path"] == path and row["unnamed"] == 0 for row in found["objects"]), "touched, no build-id: names are kept", found)


def scope():
    path = build("clean", CLEAN, *FRAMES)
    data = record("user", "--all-user", path)
    faulty("--all-user", data, "user-only", "perf_event_paranoid")
    report = run([PERFOLIO, "report", "-i", data]).stdout
    check("'cpu-clock:u'" in report and "# Only user space was sampled" in report,
          "--all-user: the head of the report says so", report[:800])
    shown = json.loads(run([PERFOLIO, "report", "-i", data, "--json"]).stdout)["events"][0]
    check(shown["event"] == "cpu-clock:u" and shown.get("sampled") == "user", "--all-user: so does its JSON",
          {key: shown.get(key) for key in ("event", "sampled")})
    # what ran outside of user space was counted, though it was not sampled
    calls = build("wrappers", WRAPPERS, *FRAMES)
    part = record("calls", "--all-user", calls)
    counted = json.loads(run([PERFOLIO, "query", part, "events"]).stdout)
    told = json.loads(run([PERFOLIO, "query", part, "overview"]).stdout)["sentence"]
    wall = float(re.search(r"its ([0-9.]+) (m?s)", told)[1]) * (1e-3 if " ms" in told else 1)
    ran = re.search(r"ran for ([0-9.]+) %", told)
    check(ran and abs(float(ran[1]) / 100 * wall - int(counted["cpu_time_ns"]) * 1e-9) <= 0.02 * wall,
          "--all-user: all of its CPU time is told", told, counted)
    for words in (["evlist"], ["script", "-F", "event"]):
        told = run([PERFOLIO, *words, "-i", data]).stdout
        check(set(told.split()) <= {"cpu-clock:u", "cpu-clock:u:"} and told and told == run_perf(*words, "-i", data).stdout,
              f"--all-user: the file itself calls it cpu-clock:u ({words[0]})", told[:200])
    picture = os.path.join(FOLDER, "user.svg")
    run([PERFOLIO, "flame", data, "-o", picture])
    with open(picture, encoding="utf-8") as file:
        check("user space only" in file.read(), "--all-user: so does the picture")
    os.chmod(FOLDER, 0o777)
    with settings(perf_event_paranoid=2):
        data = record("nobody", path, before=NOBODY)
        for words in (["record", "-o", os.path.join(FOLDER, "none.data"), "--all-kernel"], ["stat", "--all-kernel", "-e", "page-faults"],
                      ["record", "-o", os.path.join(FOLDER, "none.data"), "-e", "cpu-clock:u", "--all-kernel"]):
            refused = run([*NOBODY, PERFOLIO, *words, "--", "true"])
            check(refused.returncode == 1 and "perf_event_paranoid=1" in refused.stderr and ":u, or" not in refused.stderr,
                  f"{' '.join(words[-2:])}, nobody: refused, with the reason", refused.stderr)
    faulty("recorded by nobody", data, "user-only", "perf_event_paranoid")
    faulty("--all-kernel", record("kernel", "--all-kernel", "dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=40000",
                                  "status=none"), "kernel-only", "--all-kernel")
    faulty("the kernel's part of stacks", record("chains", "-g", "--kernel-callchains", "--", path), "kernel-callchains",
           "without --kernel-callchains")
    faulty("a file that is full", record("full", "--call-graph", "dwarf", "--max-size", "1M", "--", path), "max-size",
           "a larger --max-size", heaviest=False)
    if os.cpu_count() > 1:
        faulty("one CPU", record("cpu", "-C", "0", "--", path), "some-cpus", "without -C", heaviest=False)
    others()


def others():
    """Somebody else's program that ran before: the recorder can't read where its code is."""
    path = build("long", CLEAN.replace("SECONDS", "3600"), *FRAMES)
    with subprocess.Popen([path]) as other, settings(perf_event_paranoid=-1):
        data = record("others", "-a", "--", "sleep", "1", before=NOBODY)
        other.kill()
    found = doctor(data)
    check("maps-unread" in reasons(found) and "record as root" in str(found),
          "another user's program: why it has no names", found)


def own_processes():
    """Our own memory is not copied: that is the reason, and no flag of the recorder helps."""
    data = record("read", "-g", build("clean", CLEAN, *FRAMES))
    words = f"for i in 1 2 3 4 5; do {PERFOLIO} report --no-index -i {data}; done >/dev/null 2>&1"
    found = doctor(record("own", "-a", "--call-graph", "dwarf", "--", "sh", "-c", words))
    named = [fault for fault in found.get("faults", []) if fault["reason"] == "own-processes"]
    blamed = [fault["text"] for fault in found.get("faults", []) if "stacks" in fault["text"] and "/perfolio:" in fault["text"]]
    check(named and not named[0]["remedy"] and not blamed, "perfolio's own processes: why callers may be missing", found)


def hidden_kernel():
    os.chmod(FOLDER, 0o777)
    with settings(kptr_restrict=1, perf_event_paranoid=1):
        data = record("hidden", "--call-graph", "dwarf", "dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=8000", "status=none",
                      before=NOBODY)
    found = faulty("hidden kernel addresses", data, "kernel-hidden-when-recorded", "kptr_restrict")
    check(not {"unmapped", "copy-too-small", "no-frame-pointer"} & set(reasons(found)),
          "hidden kernel addresses: nothing else is blamed for them", found)
    row = run([PERFOLIO, "report", "-i", data, "-s", "comm", "--show-cpu-utilization", "-g", "none"]).stdout
    shares = re.search(r"^ +100\.00%(?: +100\.00%)? +([0-9.]+)% +([0-9.]+)%  dd", row, re.M)
    check(shares and float(shares[1]) > 50 and abs(float(shares[1]) + float(shares[2]) - 100) < 0.05,
          "hidden kernel addresses: its samples are the kernel's all the same", row)


def swallowed(file):
    """A record of no known type where others were, and nonsense behind it; what share of the bytes that hides."""
    end = start = file.data_offset + file.data_size
    at = file.data_offset
    for _, _, body in file.records():
        if at >= file.data_offset + file.data_size // 3:
            start = at
            break
        at += 8 + len(body)
    size = min(65528, (end - start) * 9 // 10)
    stop = start + size
    fake = struct.pack("<IHH", 0xdead, 0, size) + file.bytes[start + 8:stop]
    return 100 * (end - start) / file.data_size, file.bytes[:start] + fake + bytes(8) + file.bytes[stop + 8:]


def damage():
    path = build("clean", CLEAN, *FRAMES)
    data = record("whole", path)
    with open(data, "rb") as file:
        whole = file.read()
    head = PerfFile(data)
    at = head.data_offset + head.data_size * 6 // 10
    for label, lost, content in (("cut", 40, whole[:at]), ("damaged", 40, whole[:at] + b"\xff" * 4000 + whole[at + 4000:]),
                                 ("swallowed", *swallowed(head))):
        broken = os.path.join(FOLDER, label + ".data")
        with open(broken, "wb") as file:
            file.write(content)
        found = faulty(label, broken, "file-damaged", "copy the file again")
        text = next((fault["text"] for fault in found.get("faults", []) if fault["reason"] == "file-damaged"), "")
        share = re.search(r"([\d.]+) % of the bytes of its records were not read", text)
        check(share and abs(float(share.group(1)) - lost) < 3, f"{label}: how much is missing is said", text)
        check(found["covered_percent"] is None and "not-covered" not in reasons(found),
              f"{label}: what share of the CPU time is left can't be told", found)
    tail = os.path.join(FOLDER, "tail.data")
    with open(tail, "wb") as file:
        file.write(whole[:-300])
    found = faulty("cut behind the samples", tail, "file-damaged", "copy the file again", heaviest=False)
    text = next((fault["text"] for fault in found.get("faults", []) if fault["reason"] == "file-damaged"), "")
    check(f"truncated: {len(whole) - 300:,} of {len(whole):,} bytes" in text and "all samples are there" in text,
          "cut behind the samples: by how much is said", text)
    check(found["covered_percent"] == doctor(data)["covered_percent"], "cut behind the samples: they stand for as much",
          found)


def lossy():
    """Nobody empties the rings for a while."""
    path = build("lasting", CLEAN.replace("SECONDS", "1000"), *FRAMES)
    data = os.path.join(FOLDER, "lost.data")
    with subprocess.Popen([path]) as program:
        with subprocess.Popen([PERFOLIO, "record", "-e", "cpu-clock", "-F", "1999", "--call-graph", "dwarf", "-m", "512K",
                               "-o", data, "-p", str(program.pid)], stderr=subprocess.PIPE, text=True) as recorder:
            until(lambda: samples_in(data))
            recorder.send_signal(signal.SIGSTOP)
            until(lambda: status_of(recorder.pid).get("State", "").startswith("T"))
            start = cpu_ticks(program.pid)
            until(lambda: cpu_ticks(program.pid) > start + os.sysconf("SC_CLK_TCK"))
            recorder.send_signal(signal.SIGCONT)
            recorder.send_signal(signal.SIGINT)
            said = recorder.communicate()[1]
        program.kill()
    told = re.search(r"([\d,]+) LOST", said)
    lost = int(told.group(1).replace(",", "")) if told else 0
    found = faulty("lost samples", data, "lost", "larger buffers")
    events = json.loads(run([PERFOLIO, "query", data, "events"]).stdout)["rows"]
    check(lost > 0 and found.get("lost") == lost and sum(row["lost"] for row in events) == lost,
          "lost samples: record, doctor and query tell one number", said, found.get("lost"), events)
    empty = os.path.join(FOLDER, "empty.data")
    with open(data, "rb") as file:
        content = bytearray(file.read())
    at, end = PerfFile(data).data_offset, PerfFile(data).data_offset + PerfFile(data).data_size
    while at < end:
        kind, _, size = struct.unpack_from("<IHH", content, at)
        if kind == SAMPLE:
            struct.pack_into("<I", content, at, 14) # a switch, which says nothing
        at += size
    with open(empty, "wb") as file:
        file.write(content)
    words = run([PERFOLIO, "doctor", empty])
    check(f"all {lost:,} samples were lost" in words.stdout and "larger buffers" in words.stdout,
          "all samples lost: doctor says so", words.stdout, words.stderr)
    words = run([PERFOLIO, "report", "-i", empty]).stderr
    check(f"all {lost:,} samples were lost" in words, "all samples lost: so does report", words)


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def coverage():
    path = build("clean", CLEAN, *FRAMES)
    data = record("fast", path, rate="99991")
    found = doctor(data)
    if "covered_percent" in found and found["covered_percent"] > 90:
        print(f"# a rate of 99,991: skipped, samples stand for {found['covered_percent']:.0f} % here")
    else:
        found = faulty("a rate of 99,991", data, "rate-too-high", "lower rate (-F ")
        rate = re.search(r"-F (\d+)", found.get("remedy") or "")
        good("the rate that is named", record("fast", path, rate=rate.group(1) if rate else "99991"))
    os.chmod(FOLDER, 0o777)
    forks = build("forks", FORKS, "-O1")
    with settings(perf_event_paranoid=1):
        data = record("forks", forks, rate="99", before=NOBODY)
    faulty("short processes", data, "short-processes", "as root", heaviest=False)
    found = doctor(record("forks", forks, rate="99"))
    check("short-processes" not in reasons(found), "short processes, recorded as root: none is missed", found)


def jit():
    path = build("jit", JIT, "-O1")
    for label, words, faults in (("one function", [], 0), ("two at one address", ["x"], 1)):
        data = os.path.join(FOLDER, "jit.data")
        out = run([PERFOLIO, "record", "-q", "-e", "cpu-clock", "-F", "997", "-o", data, path, *words])
        if faults:
            faulty(f"JIT, {label}", data, "jit-code-replaced", "", heaviest=False)
        else:
            good(f"JIT, {label}", data)
        os.unlink(out.stdout.split()[0])


NOWHERE = 0x70000000  # where made files have no mapping


def spin_of(path):
    """Where a made file's process runs a function that has a name."""
    symbols = run(["nm", path]).stdout
    return 0x400000 + int(re.search(r"([0-9a-f]+) T spin", symbols).group(1), 16) + 4


def made(name, events, samples, tail=(), bits=0):
    path = build("named", CLEAN, *FRAMES, "-no-pie", "-Wl,-Ttext-segment=0")
    data = os.path.join(FOLDER, name + ".data")
    spin = spin_of(path)
    rows = [(event, spin if ip == "spin" else ip, time, period) for event, ip, time, period in samples]
    perfmade.write_events(data, events, [*perfmade.process(path), *rows], tail, bits)
    return data


def trusts(data, *words):
    return [line for line in run([PERFOLIO, "report", "-g", "none", "-i", data, *words]).stdout.splitlines()
            if line.startswith("# Trust")]


def weighed():
    """The period changes on the way, as that of `flame` does: shares are those of the table."""
    data = made("weighed", [perfmade.CPU_CLOCK], [(0, "spin", 10 + n, 1000000) for n in range(300)] +
                [(0, NOWHERE, 1000 + n, 9000000) for n in range(100)])
    table = run([PERFOLIO, "report", "-i", data]).stdout
    check("75.00%" in table and "25.00%" in table and "75.00 % without a name" in "".join(trusts(data)),
          "a period that changes: without a name is the share that the table has", table)
    check("75.00 % without a name" in "".join(trusts(data, "-U")), "what is hidden by -U is not forgotten", trusts(data, "-U"))
    told = json.loads(run([PERFOLIO, "query", data, "quality"]).stdout)["trust"]
    check(told["unknown_percent"] == 75 and told["samples"] == 400 and
          [fault["percent"] for fault in doctor(data)["faults"]] == [75], "so do query and doctor", told)


def of_events():
    """Each event is judged by itself."""
    data = made("events", [perfmade.CPU_CLOCK, perfmade.PAGE_FAULTS], [(0, "spin", 10 + n, 1000000) for n in range(300)] +
                [(1, NOWHERE, 1000 + n, 1) for n in range(100)])
    lines = trusts(data)
    check(len(lines) == 2 and lines[0].startswith("# Trust of cpu-clock: 300 samples") and "; 0.00 % without" in lines[0] and
          lines[1].startswith("# Trust of page-faults: 100 samples") and "100.00 % without" in lines[1],
          "two events: each has its own line", lines)
    check(len(trusts(data, "-e", "page-faults")) == 1, "two events: of one alone if one is asked for")
    told = json.loads(run([PERFOLIO, "report", "-i", data, "--json"]).stdout)
    check([one["event"] for one in told["trust_by_event"]] == ["cpu-clock", "page-faults"] and
          told["trust"]["event"] == "cpu-clock" and told["trust"]["unknown_percent"] == 0, "two events: in JSON too", told["trust"])
    check("300 samples of cpu-clock" in run([PERFOLIO, "doctor", data]).stdout and doctor(data)["event"] == "cpu-clock",
          "two events: doctor says which one it is about")


BY_RATE, NO_KERNEL = 1 << 10, 1 << 5  # bits of an event


def counted():
    """Samples of what is no time stand for a number, which the file may have."""
    samples = [(0, "spin", 10 + n, 32) for n in range(106)]
    data = made("faults", [perfmade.PAGE_FAULTS], samples, [perfmade.counts([194])], BY_RATE)
    faulty("page faults at a rate", data, "not-counted", "-c 1")
    report = run([PERFOLIO, "report", "-i", data]).stdout
    check("samples stand for 3,392 page-faults, 194 were counted: at a rate the kernel guesses the period" in report,
          "page faults at a rate: both numbers and the reason are said", report)
    exact = made("exact", [perfmade.PAGE_FAULTS], [(0, "spin", 10 + n, 1) for n in range(194)], [perfmade.counts([194])])
    good("each page fault", exact)
    untold = made("untold", [perfmade.PAGE_FAULTS], samples, (), BY_RATE | NO_KERNEL)
    report = run([PERFOLIO, "report", "-i", untold]).stdout
    check("time there" not in report and "CPU time" not in report and "shares are of what happened there" in report,
          "page faults: no word of time", report)


def reasons_of_gaps():
    """What explains most of a gap is its reason."""
    lost = perfmade.record(perfmade.LOST_SAMPLES, 0, struct.pack("=Q", 200) + struct.pack("=IIQQ", 100, 100, 9999, 1))
    samples = [(0, "spin", 10 + n, 10000) for n in range(8000)]
    data = made("both", [perfmade.CPU_CLOCK], samples, [lost, perfmade.counts([160000000], 160000000)])
    found = faulty("a rate too high, and a few lost", data, "rate-too-high", "-F ", heaviest=False)
    check("lost samples are 1.2 of the 50.0 points missing" in json.dumps(found), "a few lost: that is a part of it", found)
    data = made("most", [perfmade.CPU_CLOCK], samples[:200], [lost, perfmade.counts([4000000], 4000000)])
    found = doctor(data)
    check([fault["text"] for fault in found["faults"] if fault["reason"] == "not-covered"] ==
          ["samples stand for 50.0 % of the 0.004 s of CPU time: samples were lost"], "half lost: that is the reason", found)


def few():
    """Below a hundred samples nothing is good, however whole it is; and of none it is said why."""
    for number, words in ((20, "20 samples: a share of 50 % may be 30 to 70 %"), (99, "99 samples: a share of 50 % may be 40 to 60 %")):
        data = made("few", [perfmade.CPU_CLOCK], [(0, "spin", 10 + n, 1000000) for n in range(number)],
                    [perfmade.counts([number * 1000000], number * 1000000)])
        found = doctor(data)
        check(found["good"] is False and found["verdict"] == "Can't tell: too few samples." and
              [fault["text"] for fault in found["faults"]] == [words], f"{number} samples say how far they may be off", found)
    good("100 samples", made("enough", [perfmade.CPU_CLOCK], [(0, "spin", 10 + n, 1000000) for n in range(100)],
                             [perfmade.counts([100000000], 100000000)]))
    data = made("none", [perfmade.CPU_CLOCK], [], [perfmade.counts([420000], 420000)])
    for words in (["report", "-i"], ["doctor"]):
        said = run([PERFOLIO, *words, data]).stderr
        check("has no samples: it ran for 0.420 ms only, too short for a sample" in said, f"no samples: {words[0]} says why", said)


def filtered():
    """What is said is of the whole recording, which a filtered table is not."""
    data = made("filtered", [perfmade.CPU_CLOCK], [(0, "spin", 10 + n, 1000000) for n in range(200)],
                [perfmade.counts([200000000], 200000000)])
    for words in (["--keep", "nothere"], ["--comm", "sleep"]):
        out = run([PERFOLIO, "report", "-i", data, *words]).stdout
        check("# Nothing matches." in out and "# Trust, of the whole recording: 200 samples" in out,
              f"{words[0]}: of what the trust is, and that nothing matches", out)
    out = run([PERFOLIO, "report", "-i", data, "--time", "10%-20%"]).stdout
    check("# Trust, of the whole recording: 200 samples" in out and "Nothing matches" not in out, "--time: of what the trust is", out)
    check(trusts(data)[0].startswith("# Trust: 200 samples"), "no filter: it is of the table", trusts(data))


def main():
    need_root()
    for name in ("gcc", "perf", "setpriv"):
        need_program(name)
    try:
        weighed()
        of_events()
        counted()
        reasons_of_gaps()
        few()
        filtered()
        clean()
        skipped_callers()
        callers()
        not_followed()
        stacks()
        rebuilt()
        scope()
        own_processes()
        hidden_kernel()
        damage()
        lossy()
        coverage()
        if os.uname().machine == "x86_64":
            jit()
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    done()


main()
