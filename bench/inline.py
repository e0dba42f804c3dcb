# SPDX-License-Identifier: Apache-2.0
"""Copied stacks of the whole host with their inlined functions, every frame as text.

perf asks an addr2line for each address and takes minutes: it runs once.  python3.11 and libc have
their debug information (python3.11-dbg, libc6-dbg).
"""
from goals import ColdNearWarm, TimesLess, WarmTimesLess, cold_and_warm
import recording

TITLE = "inline: script of the whole host with copied stacks and inlined functions"
ROUNDS = 3
PEER_ROUNDS = 1
LIMIT = {"seconds": 600, "memory_mb": 16000}
GOALS = [
    TimesLess("inline, CPU time", "cpu_ms", 200),
    WarmTimesLess("inline, CPU time with what was kept", "cpu_ms", 200),
    ColdNearWarm("inline", 3),
]


def commands(perfolio, scratch):
    return cold_and_warm(perfolio, scratch, f"script -i {recording.copies(perfolio)}")
