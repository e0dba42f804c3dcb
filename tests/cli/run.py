#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs command-line cases: a command and what it must print, as in a terminal.

    # words for the reader
    $ perfolio frobnicate
    perfolio: unknown command 'frobnicate'; see 'perfolio help'
    [2]

A line `$ COMMAND` is given to sh; the lines below it are its output (stdout and stderr as they come)
and `[N]` is its exit status where that is not 0.  In the output a line `...` stands for any number of
lines, and one that ends in ` (re)` is a regular expression.  Each file runs in an empty folder of its
own, which is also HOME; the files of tests/cli/data are in $DATA.  Results are printed as TAP.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile


class Case:
    def __init__(self, command, line):
        self.command, self.line = command, line
        self.output, self.status = [], 0


def read_cases(path):
    cases = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            status = re.fullmatch(r"\[(\d+)\]", line)
            if line.startswith("$ "):
                cases.append(Case(line[2:], number))
            elif line.startswith("# ") or line == "#" or not cases:
                continue
            elif status:
                cases[-1].status = int(status[1])
            else:
                cases[-1].output.append(line)
    for case in cases:  # blank lines between cases are for the reader
        while case.output and not case.output[-1]:
            case.output.pop()
    return cases


def line_matches(want, got):
    if want.endswith(" (re)"):
        return re.fullmatch(want[:-5], got) is not None
    return want == got


def matches(want, got):
    if not want:
        return not got
    if want[0] == "...":
        return any(matches(want[1:], got[skip:]) for skip in range(len(got) + 1))
    return bool(got) and line_matches(want[0], got[0]) and matches(want[1:], got[1:])


def run_case(case, folder, environment):
    result = subprocess.run(["sh", "-c", case.command], cwd=folder, env=environment, timeout=120,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False)
    got = result.stdout.decode("utf-8", "replace").splitlines()
    while got and not got[-1]:
        got.pop()
    return got, result.returncode


def explain(place, case, got, status):
    """On stderr, which meson shows of a test that failed."""
    print(place, file=sys.stderr)
    if status != case.status:
        print(f"  exit status {status}, expected {case.status}", file=sys.stderr)
    for line in difflib.unified_diff(case.output, got, "expected", "got", lineterm=""):
        print("  " + line, file=sys.stderr)


def main():
    path, program = sys.argv[1], os.path.abspath(sys.argv[2])
    cases = read_cases(path)
    failed = 0
    print(f"1..{len(cases)}")
    with tempfile.TemporaryDirectory(prefix="perfolio-cli-") as folder:
        os.chmod(folder, 0o755)  # a server's web side is another user
        environment = {
            "PATH": os.path.dirname(program) + ":/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": folder, "LC_ALL": "C.UTF-8", "TERM": "dumb",
            "DATA": os.path.join(os.path.dirname(os.path.abspath(path)), "data"),
        }
        for name, value in os.environ.items():  # how the sanitizers are told what to do
            if name.endswith("SAN_OPTIONS"):
                environment[name] = value
        for number, case in enumerate(cases, 1):
            got, status = run_case(case, folder, environment)
            good = matches(case.output, got) and status == case.status
            print(f"{'ok' if good else 'not ok'} {number} - {case.command}".replace("#", "\\#"))
            if good:
                continue
            failed += 1
            explain(f"{path}:{case.line}: $ {case.command}", case, got, status)
    return 1 if failed else 0


sys.exit(main())
