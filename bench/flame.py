# SPDX-License-Identifier: Apache-2.0
"""A recording as a picture, and folded stacks as one, beside what people do it with today.

Of the recording the first opening is compared: without an index, which would make ours ten times
quicker.  How many frames are drawn is counted, so that nobody gains by leaving some out.
"""
import os
import subprocess

import flamegraph
import recording
from goals import TimesLess

TITLE = "flame: a recording of the whole host, and its folded stacks, as SVG"
ROUNDS = 3
PIPELINE = "perf script | FlameGraph"
COLD = [PIPELINE]
GOALS = [
    TimesLess("perf.data to SVG, CPU time", "cpu_ms", 70, peer=PIPELINE),
    TimesLess("perf.data to SVG, CPU time", "cpu_ms", 15, peer="perf script"),
    TimesLess("folded to SVG, CPU time", "cpu_ms", 30, ours="perfolio, folded",
              peer="flamegraph.pl, folded"),
]


def peers(path, folded, scratch):
    collapse, draw = flamegraph.script("stackcollapse-perf.pl"), flamegraph.script("flamegraph.pl")
    found = {"perf script": f"exec perf script -i {path} >/dev/null 2>&1"}
    if draw:
        found["flamegraph.pl, folded"] = f"exec {draw} {folded} >{scratch}/peer-folded.svg"
    if collapse and draw:
        found[PIPELINE] = (f"perf script -i {path} 2>/dev/null | {collapse} | {draw} "
                           f">{scratch}/peer.svg")
    return found


def commands(perfolio, scratch):
    path, folded = recording.make(), os.path.join(scratch, "stacks.folded")
    with open(folded, "wb") as file:
        subprocess.run([perfolio, "fold", "--like", "stackcollapse-perf", "--no-index", path],
                       check=True, stdout=file)
    # A name of its own, so that the index lies in the scratch folder.
    mine = os.path.join(scratch, "perf.data")
    os.symlink(path, mine)
    ours = {
        "perfolio": f"exec {perfolio} flame {mine} --no-index -o {scratch}/ours.svg",
        "perfolio, folded": f"exec {perfolio} flame {folded} -o {scratch}/folded.svg",
        "perfolio, writes its index": f"rm -f {mine}.index; exec {perfolio} flame {mine} "
                                      f"-o {scratch}/first.svg",
        "perfolio, from its index": f"exec {perfolio} flame {mine} -o {scratch}/again.svg",
    }
    return {name: ["sh", "-c", command]
            for name, command in {**ours, **peers(path, folded, scratch)}.items()}


def figures(result):
    """The frames of the picture that a command wrote."""
    picture = result.argv[2].replace(">", " ").split()[-1]
    if not picture.endswith(".svg"):
        return {}
    with open(picture, encoding="utf-8") as file:
        text = file.read()
    return {"frames": text.count("<title>"), "picture_kb": len(text) / 1e3}


def shape(_runs):
    return [recording.shape(recording.make())]


def print_table(runs):
    flamegraph.print_table(runs, {"cpu_ms": "CPU ms", "elapsed_ms": "elapsed ms",
                                  "memory_mb": "memory MB", "frames": "frames",
                                  "picture_kb": "picture KB"})
