# SPDX-License-Identifier: Apache-2.0
"""
stat: figures made from counts.
"""

import re

from case import case

from .programs import spin


def derived(judge, cycles_each):
    rows = judge.stat(judge.part("columns"))
    judge.equal("instructions:u", spin(10000000), rows["instructions:u"].count)
    judge.near("cycles:u", spin(10000000) * cycles_each, rows["cycles:u"].count, 0.0001)
    judge.near("instructions per cycle", 1 / cycles_each, float(rows["instructions:u"].metric), 0.1)
    text = judge.part("text")
    judge.says("instructions per cycle, shown", "%.2f insn per cycle" % (1 / cycles_each), text)
    judge.near("clock in GHz, shown", 1.0, float(re.search(r"([\d.]+) GHz", text)[1]), 0.5)
    share = re.search(r"([\d.]+) CPUs utilized", text)
    judge.between("CPUs utilized, shown", 0.9, 1.0, float(share[1]))


DERIVED = """
echo '== text' >&2
perfolio stat -e task-clock,cycles,instructions spin 10000000
echo '== columns' >&2
perfolio stat -x, -e instructions:u,cycles:u spin 10000000"""


@case("derived figures", DERIVED)
def derived_even(judge):
    derived(judge, 1)


@case("derived figures, two cycles an instruction", DERIVED, boot="slow")
def derived_slow(judge):
    derived(judge, 2)


@case("the default events", "perfolio stat spin 1000000")
def default_events(judge):
    for event in ("cycles", "instructions"):
        line = re.search(r"^ *([\d,]+) +%s\b" % event, judge.err, re.M)
        count = int(line[1].replace(",", ""))
        judge.between(event, spin(1000000) + 10000, spin(1000000) + 200000, count)
    for event in ("branches", "branch-misses"):
        judge.says(event, "<not supported> " + event, judge.err)
