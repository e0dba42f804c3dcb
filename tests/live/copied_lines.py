#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command lines that the form shows to be copied, run in a shell: perfolio's own, and perf's beside them.

Each does what the form would: the program runs with its environment in its folder, and what is recorded can be
read.  It is a test of the live suite, where nothing else records: perf dies of mappings that a recording tells.
"""
import os
import re
import shutil
import subprocess
import tempfile

import lib
import server
from lib import check

# So much work and not so long: on a busy machine it takes longer, and is sampled as often.
PROGRAM = 'echo "n is $COUNT in $PWD"; i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done'


def form(folder):
    """All that a line can hold."""
    return {"tool": "both", "rate": "997", "call_graph": "fp", "interval_ms": 50, "folder": folder,
            "environment": "COUNT='7 x' EMPTY=", "cpus": "0", "limit_s": 150,
            "events": {"count": "task-clock,page-faults", "sample": "cpu-clock"}, "options": {"record": "-m 64"},
            "target": {"kind": "command", "argv": ["sh", "-c", PROGRAM]}}


def shell(line, scratch):
    """`perfolio` in it is the one that is tested.  perf records into standard output where that is a pipe."""
    tools = os.path.join(scratch, "bin")
    os.makedirs(tools, exist_ok=True)
    if not os.path.lexists(os.path.join(tools, "perfolio")):
        os.symlink(os.path.abspath(lib.PERFOLIO), os.path.join(tools, "perfolio"))
    with tempfile.TemporaryFile("w+") as out:
        done = subprocess.run(["sh", "-c", line], stdout=out, stderr=subprocess.PIPE, text=True, timeout=200,
                              check=False, env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
        out.seek(0)
        done.stdout = out.read()
    return done


def samples(path, *tool):
    """Samples of the program, by `script` of whichever tool; -1: it does not read the file."""
    done = subprocess.run([*tool, "script", "-i", path, "-F", "comm,event"], capture_output=True, text=True,
                          check=False, timeout=100)
    return done.stdout.count("cpu-clock") if done.returncode == 0 else -1


def counted(text, event):
    """The sum of an event over the lines of all intervals, as both tools print them."""
    found = re.findall(rf"^ *[0-9.]+ +([0-9.,]+) +(?:msec +)?{event}\b", text, re.M)
    return sum(float(value.replace(",", "")) for value in found)


def try_line(line, folder, scratch):
    name = " ".join(re.search(r"(perf(?:olio)?) (stat|record) ", line).groups())
    done = shell(line, scratch)
    said = [row for row in done.stdout.splitlines() if row.startswith("n is")]
    check(done.returncode == 0 and said == [f"n is 7 x in {folder}"], f"{name}: the program runs as in the form",
          line, done.returncode, done.stdout[-500:], done.stderr[-500:])
    path = os.path.join(folder, "perf.data")
    if "stat" in name:
        clock, faults = counted(done.stderr, "task-clock"), counted(done.stderr, "page-faults")
        check(clock > 50 and faults > 10, f"{name}: it is counted", clock, faults, done.stderr[-800:])
        return
    check(os.path.exists(path), f"{name}: there is a recording", os.listdir(folder))
    readers = [["perf"], [os.path.abspath(lib.PERFOLIO)]] if shutil.which("perf") else [[os.path.abspath(lib.PERFOLIO)]]
    found = [samples(path, *reader) for reader in readers]
    check(all(count == found[0] > 20 for count in found), f"{name}: both tools read the same samples in it", found)
    os.unlink(path)


def main():
    lib.need_root()
    with server.Server() as site, tempfile.TemporaryDirectory(prefix="perfolio-copied-") as scratch:
        folder = os.path.join(scratch, "a folder's")
        os.mkdir(folder)
        os.chmod(scratch, 0o755)
        lines = site.post("/plan", form(folder))["commands"]
        check([len(lines[tool]) for tool in ("perfolio", "perf")] == [2, 2], "a line for each tool", lines)
        for tool in ("perfolio", "perf"):
            if shutil.which("perf") or tool == "perfolio":
                for line in lines[tool]:
                    try_line(line, folder, scratch)
    lib.done()


if __name__ == "__main__":
    main()
