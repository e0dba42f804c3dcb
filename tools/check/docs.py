#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that documents and program agree.

    docs.py SOURCE_ROOT BUILD_ROOT

Every command has prose in docs/man, a manual page without faults that holds its synopsis and all its
options, and help that does so too; completion scripts parse; links between documents lead somewhere.
"""
import os
import re
import shutil
import subprocess
import sys

SOURCE, BUILD = sys.argv[1:3]
PROGRAM = os.path.join(BUILD, "perfolio")
faults = []


def expect(condition, text):
    if not condition:
        faults.append(text)


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", check=False).stdout


def read(*path):
    path = os.path.join(*path)
    if not os.path.exists(path):
        faults.append(f"{path} is missing")
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def command_table():
    """Commands and their options as completion knows them: {name: [option]}."""
    script = output(PROGRAM, "help", "--completion", "bash")
    rows = re.findall(r"^\t([\w-]+)\) (?:runs=1 )?options='([^']*)'", script, re.M)
    return {name: options.split() for name, options in rows}


def check_page(page):
    """Lints a manual page and gives it as text."""
    path = os.path.join(BUILD, "docs", page + ".1")
    text = read(path)
    # A date would change with every build; none is wanted.
    lint = [line for line in output("mandoc", "-T", "lint", "-W", "warning", path).splitlines()
            if "missing date" not in line]
    for line in lint:
        faults.append(line)
    expect(text.count(".SH SYNOPSIS") == 1, f"{page}: no synopsis")
    return re.sub(r".\x08", "", output("mandoc", "-T", "utf8", path))


def check_command(name, options):
    page = "perfolio-" + name
    prose = read(SOURCE, "docs", "man", page + ".md")
    if not prose or not read(BUILD, "docs", page + ".1"):
        return
    for heading in re.findall(r"^##? *(NAME|SYNOPSIS|OPTIONS)$", prose, re.M):
        faults.append(f"{page}.md: {heading} comes from the command table; take it out")
    for heading in ("DESCRIPTION", "EXAMPLES"):
        expect(f"## {heading}\n" in prose, f"{page}.md: no ## {heading}")
    manual, explained = check_page(page), output(PROGRAM, "help", name)
    for option in options:
        word = re.compile(r"(?<![\w-])" + re.escape(option) + r"(?![\w-])")
        expect(word.search(manual), f"{page}(1): {option} is not there")
        if option not in ("-h", "--help"):
            expect(word.search(explained), f"perfolio help {name}: {option} is not there")
    expect("`perfolio " + name in read(SOURCE, "README.md").replace("$ perfolio", "`perfolio"),
           f"README.md does not mention `perfolio {name}`")


def check_completion():
    for shell in ("bash", "zsh", "fish"):
        if not shutil.which(shell):
            continue
        script = output(PROGRAM, "help", "--completion", shell)
        result = subprocess.run([shell, "-n"], input=script, encoding="utf-8", check=False,
                                stderr=subprocess.PIPE)
        expect(result.returncode == 0 and script, f"{shell} completion: {result.stderr}")


def check_links():
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = [name for name in folders if not name.startswith((".", "build", "lab-cache", "node_modules"))]
        for name in names:
            if not name.endswith(".md"):
                continue
            for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", read(folder, name)):
                if "://" not in link:
                    path = os.path.normpath(os.path.join(folder, link))
                    expect(os.path.exists(path), f"{name}: {link} leads nowhere")


def main():
    if not shutil.which("mandoc"):
        print("mandoc is not installed")
        return 77
    table = command_table()
    expect(table, "no commands found")
    for name, options in table.items():
        check_command(name, options)
    check_page("perfolio")
    check_completion()
    check_links()
    version = output(PROGRAM, "--version").split()[-1]
    expect(f"## {version}" in read(SOURCE, "CHANGELOG.md"), f"CHANGELOG.md: nothing on {version}")
    for fault in faults:
        print(fault)
    print(f"{len(table)} commands, {len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
