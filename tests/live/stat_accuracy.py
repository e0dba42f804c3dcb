#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""For a program that does the same every time `stat` counts what perf counts: the medians of ten
alternating runs each, faults within 1 %, task-clock within 5 %."""
import os
import statistics

from lib import PERFOLIO, check, done, need_program, program, run

EVENTS = "faults,task-clock,context-switches"
RUNS = 10


def count(tool):
    result = run([tool, "stat", "-x,", "-e", EVENTS, program("steady")])
    rows = [line.split(",") for line in result.stderr.splitlines()]
    return {row[2]: float(row[0]) for row in rows}


def off(ours, theirs):
    return abs(ours - theirs) / theirs * 100


need_program("perf")
counts = {"perf": [], PERFOLIO: []}
for _ in range(RUNS):
    for tool, seen in counts.items():
        seen.append(count(tool))

for event, within in (("faults", 1), ("task-clock", 5)):
    theirs = statistics.median(row[event] for row in counts["perf"])
    ours = statistics.median(row[event] for row in counts[PERFOLIO])
    check(off(ours, theirs) <= within,
          f"{event}: {ours:.2f}, perf {theirs:.2f}: {off(ours, theirs):.2f} % off, {within} % allowed",
          counts)
done()
