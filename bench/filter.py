# SPDX-License-Identifier: Apache-2.0
"""A call tree of ten million samples by time, thread and CPU; perf has nothing that is like it."""
import json
import os

import recording
from goals import AtMost

TITLE = "filter: call tree of 10,000,000 samples by time, thread and CPU"
ROUNDS = 3
ROWS = 10000000
GOALS = [AtMost("filtered call tree of 10 M samples", "tree_ms", 30, "ms of wall time",
                cpu="tree_cpu_ms")]


def commands(perfolio, _scratch):
    return {"perfolio": [os.path.join(os.path.dirname(perfolio), "bench", "profile"), "filter",
                         recording.make(), str(ROWS)]}


def shape(_runs):
    return [f"{ROWS:,} samples, grown from {recording.shape(recording.make())}"]


def figures(result):
    found = json.loads(result.text.splitlines()[-1])
    return {"tree_ms": found["tree_wall_ns"] / 1e6, "tree_cpu_ms": found["tree_ns"] / 1e6,
            "taken": found["taken"], "nodes": found["nodes"]}
