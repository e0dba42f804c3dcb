#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/perf-options.md and a section of manual pages from tools/perf-options.tsv: what becomes of each option of perf 6.1.

    perf-options.py                        write docs/perf-options.md
    perf-options.py check PERFOLIO         is the table true of the program, the tests and perf?

A row of the table is: command, option as `perf COMMAND -h` spells it ("-C, --cpu=" takes a value, "--aio[=]" may),
verdict, test, and words.  Verdicts: `same` and `differs` name a test below tests/ that uses the option and shows its
effect; `no effect` is taken and ignored; `not here` is unknown.  All but `same` have words: how it differs, or why not.
The table must hold every option of perf's help, which is asked where perf 6.1 is installed.
"""
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "tools", "perf-options.tsv")
PAGE = os.path.join(ROOT, "docs", "perf-options.md")
COMMANDS = ("stat", "record", "report", "script")
HERE = ("same", "differs")
VERDICTS = (*HERE, "no effect", "not here")
GOALS = {"stat": 90, "record": 90, "report": 80, "script": 80}

HEAD = """# perf's options

Every option of perf 6.1's `stat`, `record`, `report` and `script`, and what becomes of it here. *same*: it means what it
means to perf. *differs*: it is there, and the words say how it differs. *not here*: it is refused, or taken without effect,
and the words say why. Options that are here name a test of `tests/` that shows their effect.

This page is made by `tools/perf-options.py` from `tools/perf-options.tsv`; a test holds both against the program's option
tables and against `perf COMMAND -h`.

| command | options of perf 6.1 | here | share | of these the same |
|---|---|---|---|---|
"""


class Row:
    def __init__(self, line):
        self.command, self.option, self.verdict, self.test, self.words = (line.split("\t") + [""] * 5)[:5]

    def spellings(self):
        return re.sub(r"\[?=\]?$", "", self.option).split(", ")

    def value(self):
        return "optional" if self.option.endswith("[=]") else "value" if self.option.endswith("=") else "none"


def rows():
    with open(TABLE, encoding="utf-8") as file:
        return [Row(line) for line in file.read().splitlines() if line and not line.startswith("#")]


def cell(text):
    return text.replace("|", "\\|")


def page(table):
    text = HEAD
    for command in COMMANDS:
        of = [row for row in table if row.command == command]
        here = [row for row in of if row.verdict in HERE]
        same = [row for row in of if row.verdict == "same"]
        text += f"| {command} | {len(of)} | {len(here)} | {100 * len(here) // len(of)} % | {len(same)} |\n"
    for command in COMMANDS:
        text += f"\n## {command}\n\n| option | here | shown by | words |\n|---|---|---|---|\n"
        for row in table:
            if row.command == command:
                option = ", ".join(f"`{name}`" for name in row.spellings())
                shown = f"[{row.test}](../tests/{row.test})" if row.test else ""
                text += f"| {option} | {row.verdict} | {shown} | {cell(row.words)} |\n"
    return text


def manual(command, table):
    """The manual page's prose with its section on what is missing, which stands before the examples."""
    path = os.path.join(ROOT, "docs", "man", f"perfolio-{command}.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"## OPTIONS OF PERF THAT ARE NOT HERE\n.*?(?=^## )", "", text, flags=re.S | re.M)
    section = "## OPTIONS OF PERF THAT ARE NOT HERE\n\n"
    for row in table:
        if row.command == command and row.verdict not in HERE:
            section += ", ".join(f"`{name}`" for name in row.spellings()) + f"\n:   {row.words}\n\n"
    return path, text.replace("## EXAMPLES\n", section + "## EXAMPLES\n", 1)


def perf_options(command):
    """The options of `perf COMMAND -h`, spelled as in the table."""
    text = subprocess.run(["perf", command, "-h"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                          check=False).stdout
    found = []
    for line in text.splitlines():
        match = re.match(r"    (?:(-\w)(?:, )?|    )(--[\w-]+)?(.*)", line)
        if not match or not (match[1] or match[2]):
            continue
        names = ", ".join(name for name in match.groups()[:2] if name)
        value = "[=]" if match[3].startswith("[=") else "=" if match[3].startswith(" <") else ""
        found.append(names + value)
    return found


def own_options(perfolio):
    """{command: {"-C": "value", "--cpu": "value"}}, hidden ones too."""
    text = subprocess.run([perfolio, "help", "--options"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    found = {}
    for line in text.splitlines():
        command, short, name, value = line.split("\t")
        for spelling in filter(None, (short, name)):
            found.setdefault(command, {})[spelling] = value
            if value != "value" and spelling.startswith("--no-"):
                found[command].setdefault("--" + spelling[5:], value)
            elif value != "value" and spelling.startswith("--"):
                found[command].setdefault("--no-" + spelling[2:], "none")
    return found


def faults_of(row, own):
    """What is wrong in one row."""
    known = [name for name in row.spellings() if name in own]
    missing = [name for name in row.spellings() if name not in own]
    if row.verdict not in VERDICTS:
        yield f"'{row.verdict}' is none of {', '.join(VERDICTS)}"
    if row.verdict != "same" and not row.words:
        yield "words are missing: how it differs, or why it is not here"
    if row.verdict == "not here" and missing != row.spellings():
        yield f"the program has {', '.join(known)}"
    if row.verdict in (*HERE, "no effect") and missing:
        yield f"the program has no {', '.join(missing)}"
    if row.verdict == "same" and any(own[name] != row.value() for name in known):
        yield f"takes {[own[name] for name in known]}, to perf {row.value()}"
    if row.verdict not in HERE:
        return
    path = os.path.join(ROOT, "tests", row.test)
    if not row.test or not os.path.isfile(path):
        yield f"no test: '{row.test}'"
        return
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not any(re.search(r"(?<![\w-])" + re.escape(name) + r"(?![a-z-])", text) for name in row.spellings()):
        yield f"{row.test} does not use it"


def check(perfolio):
    table, own, faults = rows(), own_options(perfolio), []
    for row in table:
        faults += [f"{row.command} {row.option}: {fault}" for fault in faults_of(row, own[row.command])]
    for command, goal in GOALS.items():
        of = [row.verdict for row in table if row.command == command]
        if sum(verdict in HERE for verdict in of) * 100 < goal * len(of):
            faults.append(f"{command}: {sum(verdict in HERE for verdict in of)} of {len(of)} are here, {goal} % wanted")
    with open(PAGE, encoding="utf-8") as file:
        if file.read() != page(table):
            faults.append("docs/perf-options.md is not what the table gives; run tools/perf-options.py")
    for command in COMMANDS:
        path, text = manual(command, table)
        with open(path, encoding="utf-8") as file:
            if file.read() != text:
                faults.append(f"{path}: what is not here is not what the table gives; run tools/perf-options.py")
    version = subprocess.run(["perf", "--version"], stdout=subprocess.PIPE, encoding="utf-8", check=False).stdout \
        if shutil.which("perf") else ""
    if version.startswith("perf version 6.1."):
        for command in COMMANDS:
            perfs, ours = perf_options(command), [row.option for row in table if row.command == command]
            faults += [f"{command} {option}: perf has it, the table does not" for option in perfs if option not in ours]
            faults += [f"{command} {option}: perf has no such option" for option in ours if option not in perfs]
    else:
        print("perf 6.1 is not installed: the list of its options is taken as it is")
    for fault in faults:
        print(fault)
    print(f"{len(table)} options, {len(faults)} faults")
    return 1 if faults else 0


def main():
    if sys.argv[1:2] == ["check"]:
        return check(sys.argv[2])
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page(rows()))
    for command in COMMANDS:
        path, text = manual(command, rows())
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
