# SPDX-License-Identifier: Apache-2.0
"""The same as inline of one program: sqlite built with -O2 -g, a single compile unit of 260,000 lines."""
from goals import ColdNearWarm, TimesLess, WarmTimesLess, cold_and_warm
import recording

TITLE = "sqlite: script of sqlite with copied stacks and inlined functions"
ROUNDS = 5
LIMIT = {"seconds": 600, "memory_mb": 16000}
GOALS = [
    TimesLess("sqlite, CPU time", "cpu_ms", 20),
    WarmTimesLess("sqlite, CPU time with what was kept", "cpu_ms", 20),
    ColdNearWarm("sqlite", 3),
]


def commands(perfolio, scratch):
    return cold_and_warm(perfolio, scratch, f"script -i {recording.sqlite_copies(perfolio)}")
