# SPDX-License-Identifier: Apache-2.0
"""
stat beside perf: the same arguments give the same text, but for figures.
"""

import re
from difflib import SequenceMatcher

from case import case

from .multiplex import TWELVE


def masked(text, once):
    """Lines without what differs from run to run: figures, and the blanks that they take."""
    # perf spells GHz as Ghz where it has no clock to divide by.
    lines = (re.sub(r"\d[\d,.]*", "N", line) for line in text.replace("Ghz", "GHz").splitlines())
    lines = [re.sub(r"\s+", " ", line).strip() for line in lines if line.strip()]
    return list(dict.fromkeys(lines)) if once else lines


def twin(title, arguments, extra=0):
    """perf and perfolio with the same arguments print the same, but for figures."""
    script = "for program in perf perfolio; do\n    echo == $program >&2\n"
    script += "    $program stat %s\ndone" % arguments

    def judge_twin(judge):
        # How many intervals there are is a matter of microseconds.
        once = arguments.startswith("-I")
        theirs, ours = (masked(judge.part(program), once) for program in ("perf", "perfolio"))
        blocks = SequenceMatcher(None, theirs, ours, autojunk=False).get_matching_blocks()
        same = sum(block.size for block in blocks)
        judge.holds("stat " + arguments, "%d lines as perf's" % len(theirs),
                    "%d, %d more" % (same, len(ours) - same),
                    same == len(theirs) and len(ours) <= same + extra)
    judge_twin.__name__ = "twin-" + re.sub(r"\W+", "-", title)
    case("as perf", script, boot="rich", short=False)(judge_twin)


twin("defaults", "spin 1000000", extra=1)
twin("details", "-d spin 1000000", extra=1)
twin("pair", "-e instructions:u,cycles:u,task-clock spin 1000000")
twin("groups", "-e '{instructions,cycles},{cycles:u,instructions:u}' spin 1000000")
twin("columns", "-x, -e instructions:u,cycles:u,task-clock,cache-misses spin 1000000", extra=1)
twin("json", "-j -e instructions:u,cycles:u,task-clock spin 1000000")
twin("multiplex", "-e %s spin 20000000" % TWELVE)
twin("repeat", "-r 3 -e instructions:u,cycles:u,task-clock spin 1000000")
twin("repeat-columns", "-r 3 -x, -e instructions:u,cycles:u,task-clock spin 1000000")
twin("interval", "-I 10 -e instructions:u,cycles:u,task-clock spin 10000000")
twin("interval-columns", "-I 10 -x, -e instructions:u,cycles:u spin 10000000")
twin("cpus", "-a -A -e cycles,instructions,task-clock sleep 1")
twin("metric", "--metric-only -e instructions,cycles,task-clock spin 1000000", extra=1)
twin("per-core", "-a --per-core -e cycles,instructions sleep 1")
twin("per-socket", "-a --per-socket -e cycles,instructions sleep 1")
twin("per-node", "-a --per-node -x, -e cycles,instructions sleep 1")
twin("cpus-columns", "-a -A -x, -e cycles,instructions,task-clock sleep 1")
twin("cpus-json", "-a -A -j -e cycles,instructions sleep 1")
twin("interval-json", "-I 10 -j -e instructions:u,cycles:u spin 10000000")
twin("interval-summary", "-I 10 --summary -e instructions:u,cycles:u spin 10000000")
twin("repeat-json", "-r 3 -j -e instructions:u,cycles:u,task-clock spin 1000000")
twin("modes", "-e cycles:k,instructions:k,cycles:u,instructions spin 1000000")
twin("no-big-num", "--no-big-num -e instructions:u,cycles:u spin 1000000")
twin("delay", "-D 10 -e instructions:u,cycles:u spin 10000000")
twin("shares-columns", "-x, -e %s spin 20000000" % TWELVE)
