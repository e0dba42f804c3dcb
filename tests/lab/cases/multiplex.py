# SPDX-License-Identifier: Apache-2.0
"""
stat: groups, and more events than the seven counters of this PMU.
"""

import re

from case import case, figure

from .programs import spin


@case("groups", "perfolio stat -x, -e '{instructions:u,cycles:u},{instructions,cycles}' spin 1000000")
def groups(judge):
    rows = judge.stat()
    judge.equal("first group: instructions:u", spin(1000000), rows["instructions:u"].count)
    judge.equal("first group: cycles:u", spin(1000000), rows["cycles:u"].count)
    judge.equal("second group: cycles as instructions", rows["instructions"].count,
                rows["cycles"].count)


TWELVE = ",".join(["r08:u", "r11:u"] * 6)


@case("12 events on 7 counters", "perfolio stat -x, -e %s spin 50000000" % TWELVE)
def multiplex(judge):
    rows = judge.rows()
    judge.equal("events", 12, len(rows))
    error = max(abs(row.count / spin(50000000) - 1) for row in rows)
    judge.between("farthest scaled count from %s, %%" % figure(spin(50000000)), 0.0, 0.2,
                  error * 100)
    judge.between("smallest share, %", 50, 66, min(row.share for row in rows))
    judge.between("largest share, %", 50, 66, max(row.share for row in rows))
    # Seven counters are busy all the time.
    judge.near("all shares, %", 700.0, sum(row.share for row in rows), 0.2)


@case("the share is shown", "perfolio stat -e %s spin 50000000" % TWELVE)
def multiplex_text(judge):
    shown = re.findall(r"r\d\d:u .*\((\d\d\.\d\d)%\)", judge.err)
    judge.equal("lines with a share", 12, len(shown))


@case("two groups of 4 on 7 counters", """
perfolio stat -x, -e '{r08:u,r11:u,r08:u,r11:u},{r08:u,r11:u,r08:u,r11:u}' spin 50000000""")
def multiplex_groups(judge):
    rows = judge.rows()
    for name, group in (("first", rows[:4]), ("second", rows[4:])):
        judge.equal(name + " group: different counts", 1, len({row.count for row in group}))
        judge.near(name + " group: count, scaled", spin(50000000), group[0].count, 0.2)
        judge.near(name + " group: share, %", 50, group[0].share, 5)


EIGHT = "{r08:u,r11:u,r08:u,r11:u,r08:u,r11:u,r08:u,r11:u}"


@case("a group of 8 on 7 counters", """
echo "== its own command" >&2
perfolio stat -e '%s' sh -c 'echo it runs >&2; exec spin 1000000'
echo "== the whole system" >&2
perfolio stat -a -e '%s' sh -c 'echo it runs >&2; exec spin 1000000'""" % (EIGHT, EIGHT))
def group_too_large(judge):
    for part in ("its own command", "the whole system"):
        text = judge.part(part)
        judge.says(part + ": said before the run", "needs more counters than the CPU has",
                   text.partition("it runs")[0])
        counts = re.findall(r"^ +([\d,]+|<not \w+>) +r(?:08|11):u", text, re.M)
        judge.equal(part + ": lines", 8, len(counts))
        shown = {count for count in counts if count[0] != "<"}
        judge.holds(part + ": counts", "alike, not the 8th", ", ".join(shown) or counts[0],
                    len(shown) <= 1 and counts[-1][0] == "<")


SEVEN = ",".join(["instructions:u"] * 6 + ["cycles:u"])


@case("the plan", """
echo "== seven"; perfolio stat --plan -e %s
echo "== eight"; perfolio stat --plan -e %s,instructions:u
echo "== groups"; perfolio stat --plan -e '{r08:u,r08:u,r08:u,r08:u},{r08:u,r08:u,r08:u},cs,r11:u'"""
      % (SEVEN, SEVEN))
def plan(judge):
    seven, eight, grouped = (judge.part(name) for name in ("seven", "eight", "groups"))
    judge.says("counters", "this CPU has 6 for any event and 1 for a fixed one", seven)
    judge.equal("7 events: with a counter of their own", 7, seven.count("a counter of its own"))
    judge.equal("8 events: that take turns", 8, eight.count("takes turns with others"))
    judge.equal("8 events: left to a second run", 1, eight.count("pass 2 of 2"))
    judge.equal("groups of 4 and 3: left to a second run", 3, grouped.count("pass 2 of 2"))


@case("12 events in passes", "perfolio stat --passes -x, -e %s spin 1000000" % TWELVE)
def passes(judge):
    rows = judge.rows()
    judge.equal("events", 12, len(rows))
    judge.equal("smallest count", spin(1000000), min(row.count for row in rows))
    judge.equal("largest count", spin(1000000), max(row.count for row in rows))
    judge.equal("smallest share, %", 100.0, min(row.share for row in rows))
