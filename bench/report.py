# SPDX-License-Identifier: Apache-2.0
"""Call trees of a large recording, from the callers' side.

perf keeps a branch for each address that leads nowhere and may want more memory than there is, so
it runs under a limit of both memory and time.
"""
import recording
from goals import AtMost, TimesLess

TITLE = "report: report -g caller of a recording of the whole host"
ROUNDS = 3
LIMIT = {"seconds": 120, "memory_mb": 16000}
GOALS = [
    TimesLess("report -g caller, CPU time", "cpu_ms", 40),
    AtMost("report -g caller", "memory_mb", 64, "MB"),
]


def commands(perfolio, _scratch):
    path = recording.make()
    return {
        "perfolio": ["sh", "-c", f"exec {perfolio} report -i {path} --no-index -g caller >/dev/null"],
        "perf": ["sh", "-c", f"exec perf report -i {path} --stdio -g caller >/dev/null 2>&1"],
    }


def shape(_runs):
    return [recording.shape(recording.make())]
