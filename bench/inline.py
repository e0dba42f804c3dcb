# SPDX-License-Identifier: Apache-2.0
"""Copied stacks with their inlined functions, every frame as text.

perf asks addr2line for each address and may take minutes, so it has a limit.  The goals are of
python3.11 and libc with their debug information (python3.11-dbg, libc6-dbg).
"""
import os
import subprocess

from goals import TimesLess, median, verdict

TITLE = "inline: script of Python with copied stacks and inlined functions"
ROUNDS = 3
LIMIT = {"seconds": 120, "memory_mb": 16000}
WORK = """
import json, re, time, zlib
rows = [{"a": i, "b": str(i) * 5, "c": [i] * 10} for i in range(2000)]
end = time.time() + 8
while time.time() < end:
    text = json.dumps(rows); json.loads(text); re.sub("a+", "b", "xaay" * 5000)
    sorted(rows, key=lambda row: -row["a"]); zlib.compress(text[:20000].encode())
"""


class ColdNearWarm:
    """The first run, which keeps the names, against later ones."""

    def check(self, runs):
        times = median(runs["perfolio"], "cpu_ms") / median(runs["warm"], "cpu_ms")
        return f"inline, cold against warm: {times:.2f} times, goal at most 3: {verdict(times <= 3)}"


GOALS = [TimesLess("inline, CPU time", "cpu_ms", 200), ColdNearWarm()]


def commands(perfolio, scratch):
    path, cache = os.path.join(scratch, "copies.data"), os.path.join(scratch, "cache")
    subprocess.run([perfolio, "record", "-q", "-e", "cpu-clock", "-F", "1999", "--call-graph",
                    "dwarf", "-o", path, "/usr/bin/python3.11", "-c", WORK], check=True)
    ours = f"exec {perfolio} script -i {path} >/dev/null"
    return {
        "perfolio": ["sh", "-c", f"rm -rf {cache}; XDG_CACHE_HOME={cache} {ours}"],
        "warm": ["sh", "-c", f"XDG_CACHE_HOME={cache} {ours}"],
        "perf": ["sh", "-c", f"exec perf script -i {path} >/dev/null 2>&1"],
    }
