# SPDX-License-Identifier: Apache-2.0
"""Copied stacks unwound, every frame as text: with what names come from read anew, and kept."""
import os
import subprocess

from goals import TimesLess, WarmTimesLess, cold_and_warm

TITLE = "unwind: script of 20 s of Python with copied stacks, without inlined functions"
ROUNDS = 3
WORK = """
import json, re, time
rows = [{"a": i, "b": str(i) * 5, "c": [i] * 10} for i in range(2000)]
end = time.time() + 20
while time.time() < end:
    json.loads(json.dumps(rows)); re.sub("a+", "b", "xaay" * 5000); sorted(rows, key=lambda r: -r["a"])
"""
GOALS = [
    TimesLess("unwind, CPU time", "cpu_ms", 5),
    TimesLess("unwind, CPU time with names kept", "cpu_ms", 8, ours="warm"),
    TimesLess("unwind, memory", "memory_mb", 4),
]


def commands(perfolio, scratch):
    path = os.path.join(scratch, "copies.data")
    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "2999", "--call-graph", "dwarf",
                    "-o", path, "/usr/bin/python3", "-c", WORK], check=True,
                   stderr=subprocess.DEVNULL)
    return cold_and_warm(perfolio, scratch, f"script --no-inline -i {path}")
