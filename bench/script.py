# SPDX-License-Identifier: Apache-2.0
"""The text of all samples of a large recording, the same by both."""
import functools
import subprocess

import recording
from goals import AtMost, TimesLess

TITLE = "script: every sample of a recording of the whole host as text"
ROUNDS = 3
LIMIT = {"seconds": 120, "memory_mb": 12000}
GOALS = [
    AtMost("script", "ns_a_line", 130, "ns a line"),
    TimesLess("script, CPU time", "cpu_ms", 5),
]


@functools.lru_cache
def line_count(command):
    return int(subprocess.check_output(["sh", "-c", f"{command} | wc -l"]))


def commands(perfolio, _scratch):
    path = recording.make()
    return {
        "perfolio": ["sh", "-c", f"exec {perfolio} script -i {path} >/dev/null"],
        "perf": ["sh", "-c", f"exec perf script -i {path} >/dev/null 2>&1"],
    }


def shape(_runs):
    return [recording.shape(recording.make())]


def figures(result):
    if "perfolio" not in result.argv[2].split()[1]:
        return {}
    lines = line_count(result.argv[2].split(" >")[0])
    return {"lines": lines, "ns_a_line": result.figures["cpu_ms"] * 1e6 / lines}
