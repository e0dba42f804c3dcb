# SPDX-License-Identifier: Apache-2.0
"""The last letters of every option of every command change places: which option was meant is said.

With a sanitizer, whose start takes longer than all the rest, of every eighth option.
"""
import re
import shutil
import subprocess


def run(*words):
    return subprocess.run(["perfolio", *words], capture_output=True, text=True, check=False)


def sanitized():
    with open(shutil.which("perfolio"), "rb") as file:
        return re.search(rb"__(asan|tsan)_init", file.read()) is not None


def main():
    every = 8 if sanitized() else 1
    commands = sorted({line.split("\t")[0] for line in run("help", "--options").stdout.splitlines()})
    tried = 0
    for command in commands:
        names = set(re.findall(r"^ +(?:-., +)?--([a-z][a-z-]{3,})", run("help", command).stdout, re.M))
        for name in sorted(names)[::every]:
            at = max(i for i in range(1, len(name) - 1) if name[i] != name[i + 1])
            typed = name[:at] + name[at + 1] + name[at] + name[at + 2:]
            made = run(command, "--" + typed)
            tried += 1
            if made.returncode != 2 or f"unknown option '--{typed}'; did you mean --" not in made.stderr:
                print(command, typed, made.returncode, made.stderr)
    print(len(commands) > 15, tried * every > 300)


main()
