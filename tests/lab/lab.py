#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The lab's host side: what the guest shall run, and the judgement on what it said.

    lab.py write DIR [--short]                   one script a case into DIR/BOOT/cases
    lab.py judge DIR [--short] [--tap] [--docs FILE]   reads DIR/BOOT/out

The guest runs everything in one go and only keeps what was printed, because its time is emulated
and dear; the judging is done here.  The cases stand in cases/.
"""

import argparse
import itertools
import re
import sys
import traceback
from pathlib import Path

import cases
from case import Case, Judge


def chosen(short):
    return [case for case in Case.all if case.short or not short]


def guest_file(case):
    return "%02d-%s" % (Case.all.index(case), case.name)


def write(directory, short):
    for boot in cases.BOOTS:
        folder = directory / boot / "cases"
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.sh"):
            old.unlink()
    for case in chosen(short):
        path = directory / case.boot / "cases" / (guest_file(case) + ".sh")
        path.write_text(case.script + "\n")
    for boot in dict.fromkeys(case.boot for case in chosen(short)):
        print(boot, cases.BOOTS[boot])


def judge(directory, short):
    """Every check of every case, in order."""
    results = []
    for case in chosen(short):
        verdict = Judge(case, directory / case.boot / "out" / guest_file(case))
        try:
            case.judge(verdict)
        except Exception as error:  # output of an unforeseen shape is a failed check, too
            where = traceback.extract_tb(error.__traceback__)[-1]
            verdict.holds("output as foreseen", "yes",
                          "%s: %s (%s:%d)" % (type(error).__name__, error,
                                              Path(where.filename).name, where.lineno), False)
        results += verdict.results
    return results


def print_tap(results):
    print("1..%d" % len(results))
    for number, result in enumerate(results, 1):
        print("%s %d - %s: %s: expected %s, got %s" %
              ("ok" if result.ok else "not ok", number, result.case.title, result.what,
               result.expected, result.got))
        if not result.ok:
            print(re.sub("^", "# ", result.evidence, flags=re.M))


def print_table(results):
    for title, group in itertools.groupby(results, key=lambda result: result.case.title):
        group = list(group)
        check = max(len(result.what) for result in group)
        expected = max(len(result.expected) for result in group)
        print("\n%s" % title)
        for result in group:
            print("  %-4s  %-*s  expected %*s   got %s" %
                  ("ok" if result.ok else "FAIL", max(check, 36), result.what,
                   max(expected, 16), result.expected, result.got))
            if not result.ok:
                print(re.sub("^", "        | ", result.evidence, flags=re.M))
    failed = sum(not result.ok for result in results)
    print("\n%d checks, %d failed" % (len(results), failed))


def write_docs(path, results):
    """Puts the table between the two marks of docs/lab.md."""
    lines = ["| case | check | expected | got |", "|---|---|---:|---:|"]
    title = None
    for result in results:
        shown = "" if result.case.title == title else result.case.title
        title = result.case.title
        cells = [shown, result.what, result.expected,
                 result.got if result.ok else result.got + " **FAIL**"]
        lines.append("| %s |" % " | ".join(cell.replace("|", "\\|") for cell in cells))
    text = path.read_text()
    marks = r"(<!-- table -->\n).*?(<!-- end -->)"
    text, count = re.subn(marks, lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.S)
    if count != 1:
        sys.exit("%s: the marks of the table are missing" % path)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("action", choices=["write", "judge"])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--tap", action="store_true")
    parser.add_argument("--docs", type=Path)
    options = parser.parse_args()

    if options.action == "write":
        write(options.directory, options.short)
        return 0
    results = judge(options.directory, options.short)
    (print_tap if options.tap else print_table)(results)
    if options.docs:
        write_docs(options.docs, results)
    return 0 if all(result.ok for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
