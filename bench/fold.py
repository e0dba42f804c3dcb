# SPDX-License-Identifier: Apache-2.0
"""The text of `perf script` as folded stacks: how quickly, and with how much memory.

The memory may grow with the stacks that are different, not with the text: the same text four times
takes no more than once.
"""
import os
import subprocess

import flamegraph
import recording
from goals import AtLeast, median, verdict

TITLE = "fold: 350 MB of perf script text as folded stacks"
ROUNDS = 3
PEER = "stackcollapse-perf.pl"
COLD = [PEER]
SIZES = {}  # of the text, by scratch folder


class SameMemory:
    """Four times the text with the same stacks."""

    @staticmethod
    def check(runs):
        once, four = (median(runs[name], "memory_mb") for name in ("once", "four times"))
        return (f"memory for four times the text, same stacks: {four:.1f} MB after {once:.1f} MB, goal "
                f"the same: {verdict(four <= once * 1.03)}")


GOALS = [AtLeast("perf script text", "mb_a_second", 340, "MB a second of CPU time"), SameMemory]


def commands(perfolio, scratch):
    text = os.path.join(scratch, "perf.script")
    with open(text, "wb") as file:
        subprocess.run(["perf", "script", "-i", recording.make()], check=True, stdout=file,
                       stderr=subprocess.DEVNULL)
    SIZES["text"] = os.path.getsize(text)
    found = {
        "perfolio": f"exec {perfolio} fold {text} >/dev/null",
        "once": f"cat {text} | {perfolio} fold - >/dev/null",
        "four times": f"cat {text} {text} {text} {text} | {perfolio} fold - >/dev/null",
    }
    if flamegraph.script(PEER):
        found[PEER] = f"exec {flamegraph.script(PEER)} {text} >/dev/null"
    return {name: ["sh", "-c", command] for name, command in found.items()}


def figures(result):
    times = result.argv[2].split("|", maxsplit=1)[0].count("perf.script")
    return {"mb_a_second": SIZES["text"] * times / 1e3 / result.figures["cpu_ms"]}


def shape(_runs):
    return [f"{SIZES['text'] / 1e6:,.0f} MB of text, perf's of {recording.shape(recording.make())}"]


def print_table(runs):
    flamegraph.print_table(runs, {"cpu_ms": "CPU ms", "mb_a_second": "MB/s of CPU",
                                  "elapsed_ms": "elapsed ms", "memory_mb": "memory MB"})
    if PEER not in runs:
        print(f"  {PEER}: not compared, it is not here")
