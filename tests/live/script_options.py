#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Options of `script` mean what they mean to perf: both print the same of one recording.

Each option has to change what is printed without it, or it would show nothing.
"""
import functools
import os
import re
import struct
import tempfile

from lib import PERFOLIO, alike, check, done, need_program, need_root, program, run, run_perf
from perffile import PerfFile

need_program("perf")
need_root()
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-script-options-")
os.chdir(SCRATCH.name)
os.environ["HOME"] = SCRATCH.name
SQL = ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<300000) "
       "SELECT count(*), sum(x*x%7), max(hex(x)) FROM c;")
CXX = """
namespace deep { struct inner { __attribute__((noinline)) long turn(long n); }; }
static inline __attribute__((always_inline)) long step(long s, long i) { return s + i * 7 % 13; }
long deep::inner::turn(long n) { volatile long s = 0; for (long i = 0; i < n; i++) s = step(s, i); return s; }
int main() { deep::inner inner; return (int)(inner.turn(100000000) & 1); }
"""
RECORD = ("record", "-q", "-B", "-N")


def record(name, words, command):
    """A recording of perf's that perf can read; see script_vs_perf.py on why it may have to be made again."""
    for _ in range(4):
        made = run_perf(*RECORD, *words, "-o", name, *command)
        if os.path.exists(name) and run_perf("script", "-i", name, "-F", "comm").returncode >= 0:
            return
    check(False, f"perf records {name}", made.stderr)
    done()


def texts(name, words):
    perf = run_perf("script", "-i", name, *words)
    ours = run([PERFOLIO, "script", "-i", name, *words])
    return perf, ours


HOST = ["-F", "comm,pid,tid,cpu,time,event"]  # on the host there are programs whose names perf does not find


@functools.lru_cache
def plain(name, *words):
    return run([PERFOLIO, "script", "-i", name, *words]).stdout


def same(name, *words, changes=True, least=1):
    """Every byte as from perf, and another text than without the options."""
    perf, ours = texts(name, words)
    label = " ".join(words)
    if perf.returncode < 0:
        check(True, f"{label} # SKIP perf died of signal {-perf.returncode}")
        return
    theirs, mine = perf.stdout.splitlines(), ours.stdout.splitlines()
    wrong = [pair for pair in zip(theirs, mine) if not alike(*pair)]
    check(ours.returncode == 0 and not wrong and len(theirs) == len(mine) >= least,
          f"{label}: as perf prints it", *wrong[:3], ours.stderr, len(theirs), len(mine))
    if changes:
        check(ours.stdout != plain(name, *(HOST if list(words[-2:]) == HOST else [])), f"{label}: something changes")


@functools.lru_cache
def hottest(name, field):
    """The value of a field that most samples have."""
    found = run([PERFOLIO, "script", "-i", name, "-G", "-F", field]).stdout.splitlines()
    return max(set(found), key=found.count).strip()


def views():
    symbol = hottest("sqlite", "ip,sym").split(None, 1)[1]
    same("sqlite", "-S", symbol)
    same("sqlite", "--symbols", f"{symbol},nonesuch")
    address = hottest("sqlite", "ip").split()[0]
    same("sqlite", "-S", "0x" + address)
    same("sqlite", "-S", "0x" + address, "--addr-range", "64")
    reached = [run([PERFOLIO, "script", "-i", "sqlite", "-G", "-F", "ip", "-S", "0x" + address, *words]).stdout.count("\n")
               for words in ([], ["--addr-range", "0x10000"])]
    check(0 < reached[0] < reached[1], "--addr-range: more samples than at the address", reached)
    same("sqlite", "--dsos", "[kernel.kallsyms]")
    objects = sorted(set(re.findall(r"\((/[^)]*libsqlite[^)]*)\)", run([PERFOLIO, "script", "-i", "sqlite", "-F", "ip,dso"]).stdout)))
    same("sqlite", "--dsos", os.path.basename(objects[0]))
    same("sqlite", "--dsos", objects[0])
    same("c++", "--stop-bt", "deep::inner::turn,nonesuch")
    same("sqlite", "-L")
    same("host", "-L", "-F", "comm,cpu,time,event")
    same("sqlite", "--reltime")
    same("sqlite", "--deltatime")
    same("host", "--pid", hottest("host", "pid"), *HOST)
    same("host", "--tid", hottest("host", "tid"), *HOST)
    same("host", "-C", "0", *HOST)
    same("c++", "--no-demangle", "-F", "ip,sym")
    same("c++", "--demangle", "-F", "ip,sym")
    own = ("--dsos", "names")  # perf takes a line of the C library from another file here and there
    same("c++", "-F", "+srcline", "-G", *own)
    same("c++", "-F", "+srcline", "-G", "--full-source-path", *own)
    check(SCRATCH.name in run([PERFOLIO, "script", "-i", "c++", "-F", "+srcline", "-G", "--full-source-path"]).stdout,
          "--full-source-path: the folder is there")
    shown = [run([PERFOLIO, "script", "-i", "c++", "-F", "ip,sym", *words]).stdout.count("(inlined)")
             for words in (["--inline"], ["--no-inline"])]
    check(shown[0] > 0 == shown[1], "--inline: functions that were inlined", shown)
    same("sqlite", "--header")
    same("sqlite", "--header-only")
    same("sqlite", "-I", "--header-only")
    shown = [run([PERFOLIO, "script", "-i", "sqlite", "--header-only", *words]).stdout for words in ([], ["-I"], ["--show-info"])]
    check(len(shown[0]) < len(shown[1]) == len(shown[2]), "-I: more of the header", *map(len, shown))
    perf, ours = ([line for line in result.stdout.splitlines() if re.match(r"0x[0-9a-f]+@|\.  0|\d+ 0x\w+ \[", line)]
                  for result in texts("sqlite", ["-D"]))
    check(perf == ours and len(ours) > 1000, "-D: the same records and bytes, in the same order",
          *[pair for pair in zip(perf, ours) if pair[0] != pair[1]][:3])
    run([PERFOLIO, "record", "-q", "-e", "cpu-clock", "-F", "1999", "-o", "timed", "sqlite3", ":memory:", SQL])
    same("timed", "--time", "10%-20%", "-F", "comm,pid,tid,time,event,ip")
    for times in ("10%-20%,30%-40%", "10%/1,10%/3"):
        same("timed", "--time", times, "-F", "comm,pid,tid,time,event,ip")


def between():
    """Samples between two events, which are tracepoints of the host here."""
    on, off = "sched:sched_switch", "sched:sched_wakeup"
    for words in (["--switch-on", on], ["--switch-on", on, "--switch-off", off],
                  ["--switch-on", on, "--switch-off", off, "--show-on-off-events"]):
        same("three", *words, *HOST)
    lines, until_off = (run([PERFOLIO, "script", "-i", "three", *HOST, *words]).stdout.splitlines()
                        for words in ([], ["--switch-off", "cpu-clock"]))
    first = next(number for number, line in enumerate(lines) if " cpu-clock:" in line)
    check(until_off == lines[:first], "--switch-off alone: nothing after it", first, len(until_off))
    refused = run([PERFOLIO, "script", "-i", "three", "--switch-on", "nonesuch"])
    check(refused.returncode == 2 and "no event 'nonesuch'" in refused.stderr, "--switch-on nonesuch", refused.stderr)


def records():
    for option in ("--show-task-events", "--show-mmap-events", "--show-namespace-events", "--show-cgroup-events",
                   "--show-switch-events", "--show-bpf-events"):
        same("host", option, *HOST, changes=option != "--show-bpf-events")
    rewrite_mapping("sqlite", "lossy", 2, struct.pack("<QQ", 0, 4711))
    same("lossy", "--show-lost-events")
    check("PERF_RECORD_LOST lost 4711" in run([PERFOLIO, "script", "-i", "lossy", "--show-lost-events"]).stdout,
          "--show-lost-events: how many were lost")
    counts = [result.stdout.splitlines().count("PERF_RECORD_FINISHED_ROUND") for result in texts("host", ["--show-round-events"])]
    check(counts[0] == counts[1] > 0, "--show-round-events: as many as perf shows", counts)
    rewrite_mapping("sqlite", "poked", 20, struct.pack("<QHH", kernel_address(), 5, 5) + bytes.fromhex("0f1f440000e801020304"))
    same("poked", "--show-text-poke-events")


def rewrite_mapping(name, into, kind, body):
    """A record of a mapping becomes one of another kind, which kernels deliver too seldom to wait for."""
    with open(name, "rb") as file:
        data = bytearray(file.read())
    recording = PerfFile(name)
    at = recording.data_offset
    while at < recording.data_offset + recording.data_size:
        found, _, size = struct.unpack_from("<IHH", data, at)
        if found == 10 and size >= 112:
            data[at:at + 8] = struct.pack("<IHH", kind, 1, size)
            data[at + 8:at + size - 16] = body.ljust(size - 24, b"\0")
            break
        at += size
    with open(into, "wb") as file:
        file.write(data)


def kernel_address():
    with open("/proc/kallsyms", encoding="ascii") as file:
        return next(int(line.split()[0], 16) + 5 for line in file if line.split()[2] == "do_syscall_64")


def kernel_names():
    """Names of the kernel from a list of ours, one of them mangled."""
    with open("/proc/kallsyms", encoding="ascii") as file:
        lines = file.read().splitlines()
    hot = next(line.split()[1] for line in run([PERFOLIO, "script", "-i", "sqlite", "-F", "ip,sym,dso"]).stdout.splitlines()
               if "kernel.kallsyms" in line and "[unknown]" not in line)
    with open("names", "w", encoding="ascii") as file:
        for line in lines:
            words = line.split()
            file.write(line.replace(words[2], "_ZN4core3fmt5writeE") + "\n" if words[2] == hot else line + "\n")
    plain, readable = (run([PERFOLIO, "script", "-i", "sqlite", "--kallsyms", "names", "-F", "ip,sym", *words]).stdout
                       for words in ([], ["--demangle-kernel"]))
    check("_ZN4core3fmt5writeE" in plain and "core::fmt::write" not in plain, "--kallsyms FILE: its names", hot)
    check("core::fmt::write" in readable, "--demangle-kernel", hot)


def files():
    made = {}
    for tool in ("perf", PERFOLIO):
        for name in os.listdir("."):
            if name.endswith(".dump"):
                os.remove(name)
        said = run([tool, "script", "-i", "three", "--per-event-dump", *HOST])
        made[tool] = {name: open(name, encoding="utf-8").read() for name in os.listdir(".") if name.endswith(".dump")}
        # perf tells the size without what it has still to write, and of events without samples
        made[tool]["said"] = re.findall(r"MB (\S+ \([1-9]\d* samples\))", said.stdout + said.stderr)
    made["perf"] = {name: text for name, text in made["perf"].items() if text}  # none for an event without samples
    check(made["perf"] == made[PERFOLIO] and len(made["perf"]) > 2, "--per-event-dump: the same files", made["perf"].keys(),
          made[PERFOLIO].keys(), made["perf"]["said"], made[PERFOLIO]["said"])


FILTER = """
#include <perf/perf_dlfilter.h>
#include <string.h>
struct perf_dlfilter_fns perf_dlfilter_fns;
const char *filter_description(const char **rest) { *rest = ""; return "one function, named by an argument"; }
int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *context)
{
    int count;
    char **args = perf_dlfilter_fns.args(context, &count);
    const struct perf_dlfilter_al *at = perf_dlfilter_fns.resolve_ip(context);

    return !(count == 1 && at && at->sym && !strcmp(at->sym, args[0]) && sample->period);
}
"""


def filters():
    """A filter of our own, compiled against perf's header, in both."""
    if not os.path.exists("/usr/include/perf/perf_dlfilter.h"):
        check(True, "--dlfilter # SKIP there is no perf_dlfilter.h")
        return
    with open("one.c", "w", encoding="utf-8") as file:
        file.write(FILTER)
    built = run(["gcc", "-shared", "-fPIC", "-o", "one.so", "one.c"])
    check(built.returncode == 0, "a filter is built", built.stderr)
    symbol = hottest("sqlite", "ip,sym").split(None, 1)[1]
    same("sqlite", "--dlfilter", "one.so", "--dlarg", symbol)
    listed = [sorted(run([tool, "script", "--list-dlfilters"]).stdout.splitlines()) for tool in ("perf", PERFOLIO)]
    check(listed[0] == listed[1] and any("one.so" in line for line in listed[1]), "--list-dlfilters", *listed)
    refused = run([PERFOLIO, "script", "-i", "sqlite", "--dlfilter", "./nonesuch.so"])
    check(refused.returncode == 2 and "nonesuch.so" in refused.stderr, "--dlfilter nonesuch.so", refused.stderr)


def order():
    perf, ours = texts("sqlite", ["-d"])
    check(ours.stdout == perf.stdout == "" and ours.stderr == perf.stderr, "-d: how many are out of order", ours.stderr, perf.stderr)
    unsorted = run([PERFOLIO, "script", "-i", "host", "--dump-unsorted-raw-trace"]).stdout
    offsets = [int(line.split("@")[0], 16) for line in unsorted.splitlines() if re.match(r"0x[0-9a-f]+@host ", line)]
    ordered = run([PERFOLIO, "script", "-i", "host", "-D"]).stdout
    check(offsets and offsets == sorted(offsets) and unsorted != ordered,
          "--dump-unsorted-raw-trace: in the order of the file")
    said = run([PERFOLIO, "script", "-i", "sqlite", "-v"]).stderr
    check(re.search(r"libsqlite\S*: names from /", said), "-v: which file the names came from", said)


def main():
    with open("names.cc", "w", encoding="utf-8") as file:
        file.write(CXX)
    built = run(["g++", "-g", "-O1", "-fno-omit-frame-pointer", "-o", "names", os.path.abspath("names.cc")])
    check(built.returncode == 0, "a C++ program is built", built.stderr)
    clock = ["-e", "cpu-clock", "-F", "1999", "-g"]
    record("sqlite", clock, ["sqlite3", ":memory:", SQL])
    record("c++", clock, ["./names"])
    record("host", [*clock, "-a", "--switch-events", "--namespaces", "--all-cgroups"], ["sqlite3", ":memory:", SQL])
    record("three", ["-e", "cpu-clock,sched:sched_switch,sched:sched_wakeup", "-a"], [program("steady"), "64", "40"])
    views()
    between()
    records()
    kernel_names()
    files()
    filters()
    order()
    done()


main()
