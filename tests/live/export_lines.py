# SPDX-License-Identifier: Apache-2.0
"""`export --lines` for pprof: source files have whole paths, which `pprof -list` opens wherever it is called.

The program is built by a relative name in a folder of its own, as build systems do it.
"""
import gzip
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib import PERFOLIO, check, done, need_program, run  # noqa: E402

PROGRAM = """
__attribute__((noinline)) unsigned work(unsigned n) {
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        s = s * 31 + i;
    return s; }
int main(void) {
    unsigned s = 0;
    for (int i = 0; i < 500; i++) s += work(1000000 + s % 7);
    return s == 7; }
"""


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        yield tag >> 3, value


def read(path):
    """{function: (file, lines)} of a pprof, read without any of our code."""
    with gzip.open(path) as file:
        whole = list(fields(file.read()))
    strings = [value.decode() for number, value in whole if number == 6]
    functions = {facts[1]: (strings[facts[2]], strings[facts.get(4, 0)])
                 for facts in (dict(fields(value)) for number, value in whole if number == 5)}
    found = {name: (path, set()) for name, path in functions.values()}
    for number, value in whole:
        for inner, part in fields(value) if number == 4 else ():
            line = dict(fields(part)) if inner == 4 else {}
            if line.get(2):
                found[functions[line[1]][0]][1].add(line[2])
    return found


def main():
    need_program("gcc")
    with tempfile.TemporaryDirectory(prefix="perfolio-lines-") as made:
        folder = os.path.realpath(made)
        source, recording, profile = (os.path.join(folder, name) for name in ("src/p.c", "p.data", "p.pb.gz"))
        os.mkdir(os.path.dirname(source))
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        built = run(["gcc", "-O1", "-g", "src/p.c", "-o", "program"], cwd=folder)
        check(built.returncode == 0, "the program is built", built.stderr)
        run([PERFOLIO, "record", "-q", "-e", "cpu-clock:u", "-F", "299", "-g", "-o", recording,
             os.path.join(folder, "program")])
        wrote = run([PERFOLIO, "export", "--lines", recording, "-o", profile])
        check(wrote.returncode == 0, "exported", wrote.stderr)
        path, lines = read(profile).get("work", ("", set()))
        check(path == source, "the function's file has its whole path", path)
        check(lines and lines <= set(range(2, 7)), "and the lines are the function's", lines)
        if shutil.which("go"):
            listed = run(["go", "tool", "pprof", "-list", "^work$", profile], cwd="/")
            check(re.search(r"^ +[0-9.]+m?s .* (4: +for .*|5: +s = s \* 31 \+ i;)$", listed.stdout, re.M),
                  "pprof -list shows the source", listed.stdout, listed.stderr)
        report = run([PERFOLIO, "report", "-i", recording, "--stdio", "-g", "none", "-s", "srcfile"]).stdout
        check(re.search(r"% +p\.c *$", report, re.M), "report shows the name alone, as perf does", report)
    done()


main()
