# SPDX-License-Identifier: Apache-2.0
"""A large recording into the profile, every address named; and its index mapped back.

perf has no such step alone: its flat report, which reads and names the same, stands beside it.
"""
import json
import os

import recording

TITLE = "read: a recording of the whole host, named"
ROUNDS = 3


def commands(perfolio, _scratch):
    path = recording.make()
    return {
        "perfolio": [os.path.join(os.path.dirname(perfolio), "bench", "profile"), "read", path],
        "perf": ["perf", "report", "-i", path, "--stdio", "--no-children", "-g", "none"],
    }


def figures(result):
    if not result.argv[0].endswith("profile"):
        return {}
    found = json.loads(result.text.splitlines()[-1])
    return {"samples": found["samples"], "stacks": found["stacks"],
            "ns_a_sample": found["ns_a_sample"], "index_open_ms": found["index_open_ns"] / 1e6,
            "read_peak_mb": found["peak_kb"] / 1024}
