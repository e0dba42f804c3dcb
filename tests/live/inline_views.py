# SPDX-License-Identifier: Apache-2.0
"""Inlined functions and lines in `script` and `report`, beside perf's of the same recording.

perf's inlined frames come out of addr2line, which shows two things otherwise; those are undone
before lines are compared: the outermost function has its DWARF name and the mark too where its
symbol is called otherwise, and code of an include file may have the unit's own file.
"""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib import PERFOLIO, check, done, need_program, run  # noqa: E402

PROGRAM = """
__attribute__((noinline)) static void tick(void) { __asm__ volatile(""); }
static inline unsigned next(unsigned x) {
    return (x % 1000003u) * 1103515245u + (x % 977u); }
static inline unsigned mix(unsigned x) {
    for (int i = 0; i < 50; i++) x = next(x) ^ (x >> 7);
    return x; }
__attribute__((noinline)) unsigned work(unsigned n) {
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++) { s += mix(i + s); tick(); }
    return s; }
static inline unsigned twice(unsigned n) {
    return work(n) + work(n / 2) + 1; }
int main(void) {
    unsigned s = 0;
    for (int i = 0; i < 60; i++) s += twice(60000 + s % 7) ^ mix(s);
    return s == 7; }
"""
FOLDER = tempfile.mkdtemp(prefix="perfolio-inline-")


def path(name):
    return os.path.join(FOLDER, name)


def compare_script(recording, *options):
    ours = run([PERFOLIO, "script", "-i", recording, *options]).stdout.splitlines()
    theirs = run(["perf", "script", "-i", recording, *options]).stdout.splitlines()
    differ = [(a, b) for a, b in zip(ours, theirs)
              if a != b and not (b.endswith("(inlined)") and "libc" in a) and "libc" not in b]
    check(len(ours) == len(theirs) > 100 and not differ,
          f"script {' '.join(options)}: {len(ours)} lines of {os.path.basename(recording)} are perf's",
          *differ[:5])
    return ours


def rows(*options):
    table = json.loads(run([PERFOLIO, "report", "--json", "-g", "none", *options]).stdout)
    return {(row["symbol"], row.get("inlined", False)): row for row in table["events"][0]["rows"]}


def bare():
    """A program without any symbol has addresses in the place of lines."""
    name = path("bare.data")
    run(["strip", "program", "-o", "bare"], cwd=FOLDER)
    run([PERFOLIO, "record", "-q", "-e", "cpu-clock:u", "-F", "299", "-g", "-o", name, path("bare")])
    lines = compare_script(name, "-F", "ip,sym,srcline")
    check(sum(bool(re.fullmatch(r"  bare\[[0-9a-f]+\]", line)) for line in lines) > 20,
          "code without symbols is told by its address", *lines[:10])


def main():
    need_program("perf")
    need_program("gcc")
    with open(path("p.c"), "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    built = run(["gcc", "-O2", "-g", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer", "p.c",
                 "-o", "program"], cwd=FOLDER)
    check(built.returncode == 0, "the program is built", built.stderr)
    copied, walked = path("copied.data"), path("walked.data")
    for name, how in ((copied, "dwarf,4096"), (walked, "fp")):
        made = run([PERFOLIO, "record", "-q", "-e", "cpu-clock:u", "-F", "299", "--call-graph", how,
                    "-o", name, path("program")])
        check(made.returncode == 0, f"recorded with {how}", made.returncode, made.stderr)

    lines = compare_script(copied)
    check(any("next" in line and line.endswith("(inlined)") for line in lines),
          "next is there as inlined")
    compare_script(copied, "--no-inline")
    compare_script(walked)
    compare_script(walked, "-F", "comm,ip,sym,srcline")
    bare()
    text = "\n".join(run([PERFOLIO, "script", "-i", copied, "-F", "ip,sym,srcline"]).stdout
                     .splitlines())
    check(re.search(r"\tu? *[0-9a-f]+ next\n  p.c:4 \(inlined\)\n\t *[0-9a-f]+ mix\n  p.c:6 \(inlined\)\n",
                    text), "each inlined frame has its own line", text[:1000])
    check(re.search(r" twice\n  p.c:13 \(inlined\)\n\t *[0-9a-f]+ main\n  p.c:16\n", text),
          "callers have the line of the call", text[:1000])

    table = rows("-i", copied)
    check(table[("mix", True)]["total_percent"] > 90 and table[("main", False)]["total_percent"] > 90,
          "report: inlined callers have rows", table)
    check(("mix", False) not in table and ("work", True) not in table,
          "report: only what was inlined is marked", table)
    check(table[("work", False)]["self_percent"] > 80 and table[("mix", True)]["self_percent"] == 0,
          "report: samples count for the function around", table)
    check(not any(inlined for _, inlined in rows("-i", copied, "--no-inline")), "report --no-inline")
    check(not any(inlined for _, inlined in rows("-i", walked)), "walked stacks are as perf has them")
    table = rows("-i", walked, "--inline")
    check(table[("mix", True)]["total_percent"] > 90 and table[("twice", True)]["total_percent"] > 90,
          "report --inline expands walked stacks too", table)
    for keys in ("srcline", "srcfile", "dso,srcline,sym"):
        command = ["report", "-i", walked, "--stdio", "--no-children", "-g", "none", "--sort", keys]
        ours, theirs = ([line for line in run([name, *command]).stdout.splitlines()
                         if line and line[0] != "#"] for name in (PERFOLIO, "perf"))
        check(ours == theirs and len(ours) > 0, f"report --sort {keys}: {len(ours)} rows are perf's",
              *ours[:5], *theirs[:5])
    check(any(row["srcline"].startswith("p.c:") for row in json.loads(
        run([PERFOLIO, "report", "--json", "-i", walked, "--sort", "srcline"]).stdout)
              ["events"][0]["rows"]), "report --json has the lines")
    done()


main()
