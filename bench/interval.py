# SPDX-License-Identifier: Apache-2.0
"""Counters every millisecond on all CPUs: how many of the ticks come, and what one costs."""
import os

from goals import TimesLess

TITLE = "interval: stat -I 1 -a, four events, 5 s"
ROUNDS = 3
SECONDS = 5
EVENTS = "cpu-clock,context-switches,cpu-migrations,page-faults"
GOALS = [TimesLess("CPU of a tick", "cpu_per_tick_us", 2)]


def commands(perfolio, scratch):
    return {name: [program, "stat", "-I", "1", "-a", "-x", ",", "-e", EVENTS,
                   "-o", os.path.join(scratch, name + ".csv"), "--", "sleep", str(SECONDS)]
            for name, program in (("perfolio", perfolio), ("perf", "perf"))}


def figures(result):
    """Ticks of one event; the file that they went to is named in the command."""
    with open(result.argv[result.argv.index("-o") + 1], encoding="utf-8") as file:
        ticks = sum("context-switches" in line for line in file)
    return {"ticks": ticks, "cpu_per_tick_us": result.figures["cpu_ms"] * 1e3 / ticks}
