#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""For a program that does the same every time `stat` counts what perf counts: the least of ten
alternating runs each, faults within 1 %, task-clock within 5 %."""
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


def least(tool, event):
    return min(row[event] for row in counts[tool])


def is_near(event, within):
    return off(least(PERFOLIO, event), least("perf", event)) <= within


# The least of each: what a busy or shared machine does to a run is more time, never less,
# and where ten runs have met no quiet moment there are more.
WITHIN = {"faults": 1, "task-clock": 5}
while len(counts["perf"]) < RUNS or not all(is_near(*pair) for pair in WITHIN.items()) and \
        len(counts["perf"]) < 10 * RUNS:
    for tool, seen in counts.items():
        seen.append(count(tool))

for event, within in WITHIN.items():
    ours, theirs = least(PERFOLIO, event), least("perf", event)
    check(is_near(event, within),
          f"{event}: {ours:.2f}, perf {theirs:.2f}: {off(ours, theirs):.2f} % off, {within} % allowed",
          counts)
done()
