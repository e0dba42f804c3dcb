# SPDX-License-Identifier: Apache-2.0
"""A large recording into the profile, every address named; and its index mapped back.

perf has no such step alone: its flat report, which reads and names the same, stands beside it.
"""
import json
import os

import recording
from goals import AtMost

TITLE = "read: a recording of the whole host into the profile, named"
ROUNDS = 5
LIMIT = {"seconds": 120, "memory_mb": 12000}
GOALS = [
    AtMost("read and symbolise", "ns_a_sample", 350, "ns a sample"),
    AtMost("read and symbolise", "read_peak_mb", 64, "MB"),
    AtMost("second open from the index", "index_open_ms", 20, "ms of wall time",
           cpu="index_open_cpu_ms"),
]


def commands(perfolio, _scratch):
    path = recording.make()
    return {
        "perfolio": [os.path.join(os.path.dirname(perfolio), "bench", "profile"), "read", path],
        "perf": ["sh", "-c", f"exec perf report -i {path} --stdio --no-children -g none >/dev/null 2>&1"],
    }


def shape(_runs):
    return [recording.shape(recording.make())]


def figures(result):
    if not result.argv[0].endswith("profile"):
        return {}
    found = json.loads(result.text.splitlines()[-1])
    return {"ns_a_sample": found["ns_a_sample"], "warm_ns_a_sample": found["warm_ns_a_sample"],
            "index_open_ms": found["index_open_wall_ns"] / 1e6,
            "index_open_cpu_ms": found["index_open_ns"] / 1e6,
            "read_peak_mb": found["peak_kb"] / 1024}
