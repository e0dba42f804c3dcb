#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`script` beside `perf script` on recordings that perf has just made, every byte of it.

Where our name for an address is another than perf's, it is printed here and has to be right by the
file's own tables: a stub has to lie in a section of stubs, any other function has to cover the
address by its size.
"""
import collections
import os
import re
import shutil
import tempfile

from lib import PERFOLIO, busy_redis, check, done, need_program, need_root, run

SQL = ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<200000) "
       "SELECT count(*), sum(x*x%7), max(hex(x)) FROM c;")
PYTHON = ("import json,re\nd=[{'a':i,'b':str(i)} for i in range(20000)]\n"
          "for _ in range(2): s=json.dumps(d); json.loads(s); re.findall('1[0-9]+',s)")
C_SOURCE = "#include <stdio.h>\n" + "".join(
    f"int f{i}(int x) {{ int s = 0; for (int k = 0; k < x; k++) s += k * {i} % (x + 1); "
    f"return s + printf(\"%d\", s); }}\n" for i in range(150))
CXX_SOURCE = """
#include <map>
#include <string>
template <class T> struct box { T value; long sum(long n) const; };
template <class T> long box<T>::sum(long n) const
{
    volatile long s = 0;
    for (long i = 0; i < n; i++)
        s = s + i;
    return s;
}
namespace deep { struct inner { std::map<std::string, int> counts; void add(int i); }; }
void deep::inner::add(int i) { counts["k" + std::to_string(i * 7919 % 1009)] += i; }
int main()
{
    deep::inner inner;
    for (int i = 0; i < 100000; i++)
        inner.add(i);
    return (int)(box<unsigned char>().sum(20000000) & 1) & (int)inner.counts.size();
}
"""
# -N -B: filling its cache of files takes perf 6.1 down when there are many.
RECORD = ["perf", "record", "-q", "-B", "-N"]
CLOCK = ["-e", "cpu-clock", "-F", "4999", "-g"]
EQUAL = 0.999
STUBS = (".plt", ".plt.sec", ".plt.got", ".iplt")
totals = collections.Counter()
FRAME = re.compile(r"^(.*\s)?([0-9a-f]+) (\S.*?)(?:\+0x([0-9a-f]+))?(?: \((\S+(?: \(deleted\))?)\))?$")


class Elf:
    """What readelf tells of a file: sections, segments and how far each symbol reaches."""

    def __init__(self, path):
        self.sections, self.segments, self.symbols = [], [], collections.defaultdict(list)
        for line in run(["readelf", "-SW", path]).stdout.splitlines():
            found = re.match(r" *\[ *\d+\] (\S+) +\S+ +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)", line)
            if found:
                self.sections.append((found[1], *(int(found[i], 16) for i in (2, 3, 4))))
        for line in run(["readelf", "-lW", path]).stdout.splitlines():
            found = re.match(r" +LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) 0x[0-9a-f]+ 0x([0-9a-f]+)", line)
            if found:
                self.segments.append(tuple(int(found[i], 16) for i in (1, 2, 3)))
        for file in (path, self.debug_file(path)):
            if file and os.path.exists(file):
                self.take_symbols(file)

    @staticmethod
    def debug_file(path):
        found = re.search(r"Build ID: ([0-9a-f]+)", run(["readelf", "-nW", path]).stdout)
        return found and f"/usr/lib/debug/.build-id/{found[1][:2]}/{found[1][2:]}.debug"

    def take_symbols(self, path):
        for line in (run(["nm", "-SC", path]).stdout + run(["nm", "-SCD", path]).stdout).splitlines():
            found = re.match(r"([0-9a-f]+) ([0-9a-f]+) \S (.*)", line)
            if found:
                self.symbols[found[3].split("@")[0]].append((int(found[1], 16), int(found[2], 16)))

    def covers(self, offset, name):
        """Whether what we call `name` is at that offset of the file."""
        if name.endswith("@plt"):
            return any(section in STUBS and start <= offset < start + size
                       for section, _, start, size in self.sections)
        for file_offset, address, size in self.segments:
            if file_offset <= offset < file_offset + size:
                at = offset - file_offset + address
                return any(start <= at < start + length for start, length in self.symbols[name])
        return False


def is_right(pair, files):
    """Whether a line of ours that differs from perf's only in the name has the better one."""
    ours, theirs = (FRAME.match(line) for line in pair)
    if not ours or not theirs or (ours[1], ours[2], ours[5]) != (theirs[1], theirs[2], theirs[5]):
        return False
    if is_deleted(ours[0]):
        return theirs[3] == "[unknown]"
    path = ours[5]
    if ours[1] != "\t" + " " * (16 - len(ours[2])) or not path:
        return ours[3].endswith("@plt")  # an address, not an offset in the file
    if path not in files:
        files[path] = Elf(path) if os.path.exists(path) else None
    if not files[path]:
        return False
    if ours[3] == "[unknown]":
        return not files[path].covers(int(ours[2], 16), theirs[3])
    return files[path].covers(int(ours[2], 16), ours[3])


def is_deleted(line):
    """A program that is still mapped, but has no name any more: perf does not look for it."""
    return line.endswith(" (deleted))")


def compare(name, path, *options, least=100):
    want = run(["perf", "script", "-f", "-i", path, *options])
    got = run([PERFOLIO, "script", "-i", path, *options])
    if want.returncode < 0:
        check(True, f"{name} # SKIP perf script died of signal {-want.returncode}")
        return
    ours, theirs = got.stdout.splitlines(), want.stdout.splitlines()
    differing = [pair for pair in zip(ours, theirs) if pair[0] != pair[1]]
    counts, files = collections.Counter(differing), {}
    wrong = [pair for pair in counts if not is_right(pair, files)]
    listed = [(pair, count) for pair, count in counts.most_common() if not is_deleted(pair[0])]
    for (mine, other), count in listed:
        print(f"# {name}: {count} times {mine.strip()}, by perf {other.strip()}")
    check(got.returncode == 0 and len(ours) == len(theirs) >= least,
          f"{name}: {len(theirs)} lines", got.stderr, f"{len(ours)} here")
    check(not wrong, f"{name}: where a name is not perf's, it is right", *wrong[:5])
    totals["lines"] += len(theirs)
    totals["differing"] += sum(count for _, count in listed)


def record(name, folder, options, command):
    """
    While somebody else records build-ids on this machine, the kernel marks perf's mappings as if they
    had one, too, and perf script is killed by its own checks: such a recording is made again.
    """
    path = os.path.join(folder, name)
    for _ in range(4):
        made = run([*RECORD, *options, "-o", path, *command])
        if os.path.exists(path) and run(["perf", "script", "-i", path, "-F", "comm"]).returncode >= 0:
            return path
    check(True, f"{name} # SKIP perf could not record it, or not read it: {made.stderr.strip()[:80]}")
    return None


def programs(folder):
    """What must be told about real programs: their stacks by frame pointers."""
    source = os.path.join(folder, "many.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(C_SOURCE)
    commands = {
        "sqlite3": ["sqlite3", ":memory:", SQL],
        "gcc": ["gcc", "-O2", "-c", "-o", "/dev/null", source],
        "python3": ["/usr/bin/python3", "-c", PYTHON],
    }
    for name, command in commands.items():
        path = record(name, folder, CLOCK, command)
        if path:
            compare(name, path)
    path = record("the host", folder, [*CLOCK, "-a"], commands["gcc"])
    if path:
        compare("the host", path)


def redis(folder):
    if not shutil.which("redis-benchmark"):
        print("# redis is not installed and was left out")
        return
    with busy_redis(folder) as pid:
        path = record("redis", folder, [*CLOCK, "-p", str(pid)], ["sleep", "0.5"])
    if path:
        compare("redis", path)


def cxx(folder):
    source, binary = os.path.join(folder, "names.cc"), os.path.join(folder, "names")
    with open(source, "w", encoding="utf-8") as file:
        file.write(CXX_SOURCE)
    built = run(["g++", "-O1", "-fno-inline", "-fno-omit-frame-pointer", "-o", binary, source])
    if not check(built.returncode == 0, "a C++ program is built", built.stderr):
        return
    path = record("c++", folder, CLOCK, [binary])
    if path:
        compare("c++", path)
        text = run([PERFOLIO, "script", "-i", path, "-F", "ip,sym"]).stdout
        check(" box<unsigned char>::sum\n" in text and " deep::inner::add\n" in text,
              "c++: names are readable")


KINDS = [
    ("tracepoints", ["-e", "sched:sched_switch,sched:sched_wakeup", "-a"], ["-F", "+period"]),
    ("functions", ["-e", "timer:hrtimer_start,timer:timer_start,workqueue:workqueue_execute_start",
                   "-a"], []),
    ("tracepoint stacks", ["-e", "sched:sched_switch", "-a", "-g"], []),
    ("faults", ["-e", "page-faults", "-c", "1", "-d", "-g"], ["-F", "comm,addr,ip,sym,symoff,dso"]),
    ("group", ["-e", "{page-faults,cpu-clock}:S", "-c", "10"], ["-F", "comm,event,period,time,ip,sym"]),
    ("compressed", ["-e", "cpu-clock", "-g", "-z"], ["--ns"]),
    ("threads", ["-e", "cpu-clock", "-a", "--threads"], []),
    ("records", ["-e", "cpu-clock", "-g", "-a", "--switch-events", "--namespaces", "--all-cgroups"],
     [f"--show-{what}-events" for what in ("mmap", "task", "switch", "namespace", "cgroup", "lost",
                                           "bpf")]),
    ("misc", ["-e", "page-faults", "-c", "10", "-d", "--switch-events"],
     ["-F", "comm,pid,tid,misc,time,ip", "--show-mmap-events", "--show-task-events",
      "--show-switch-events"]),
    ("registers", ["-e", "cpu-clock", "-I"], ["-F", "comm,ip,iregs"]),
    # So many frames of the kernel and so many of the program.
    ("copied stacks, cut", ["-e", "kmem:kmem_cache_alloc", "--call-graph", "dwarf,4096"],
     ["-F", "ip,sym", "--max-stack", "2", "--no-inline"]),
]

FIELDS = [
    ["-F", "comm,ip,sym,symoff,dso"],
    ["-F", "ip,sym", "--max-stack", "3"],
    ["-F", "-symoff"],
    ["-F", "ip,dso"],
    ["-F", "ip"],
    ["-F", "sym"],
    ["-G"],
    ["-G", "-F", "ip,sym,dso"],
    ["--show-mmap-events", "--show-task-events"],
]


def main():
    need_root()
    need_program("perf")
    with tempfile.TemporaryDirectory(prefix="perfolio-script-") as folder:
        programs(folder)
        redis(folder)
        cxx(folder)
        for name, options, fields in KINDS:
            path = record(name, folder, options, ["ls", "-R", "/usr/include/linux"] if "cut" in name else ["ls", "-R", "/usr/include"])
            if path:
                compare(name, path, *fields, least=10)
        path = os.path.join(folder, "sqlite3")
        for options in FIELDS if os.path.exists(path) else ():
            compare(" ".join(options), path, *options)
    check(totals["lines"] > 10000, f"{totals['lines']} lines were compared")
    check(totals["differing"] <= (1 - EQUAL) * totals["lines"],
          f"{totals['differing']} of {totals['lines']} lines differ from perf's")
    done()


main()
