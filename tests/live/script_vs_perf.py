#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`script` beside `perf script` on recordings that perf has just made.

Names of functions are left out: they need symbol tables, and those have tests of their own.
"""
import os
import re
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, run

CASES = [
    ("stacks", ["-e", "cpu-clock", "-g", "-a", "-F", "499"], ["-F", "-sym,-symoff"]),
    ("tracepoints", ["-e", "sched:sched_switch,sched:sched_wakeup", "-a"], ["-F", "+period"]),
    ("faults", ["-e", "page-faults", "-c", "1", "-d"], ["-F", "comm,addr,dso,ip"]),
    ("group", ["-e", "{page-faults,cpu-clock}:S", "-c", "10"], ["-F", "comm,event,period,time"]),
    ("compressed", ["-e", "cpu-clock", "-g", "-z"], ["-F", "-sym,-symoff", "--ns"]),
    ("threads", ["-e", "cpu-clock", "-a", "--threads"], ["-F", "-sym,-symoff"]),
    ("registers", ["-e", "cpu-clock", "-I"], ["-F", "comm,ip,iregs"]),
]

# perf reads kallsyms and then takes the kernel for longer than the recording says it is (code that is
# freed after boot); without names of ours such an address belongs to nothing.
BEYOND_TEXT = re.compile(r"^(\t\s*ffffffff[89a-f][0-9a-f]{7}) \(\[(unknown|kernel\.kallsyms)\]\)$", re.M)


def comparable(text):
    return BEYOND_TEXT.sub(r"\1 ([kernel])", text).splitlines()


need_root()
need_program("perf")
with tempfile.TemporaryDirectory() as folder:
    for name, options, fields in CASES:
        path = os.path.join(folder, name)
        made = run(["perf", "record", "-q", *options, "-o", path, "--", "ls", "-R", "/usr/include"])
        if made.returncode or not os.path.exists(path):
            check(True, f"{name} # SKIP perf could not record it: {made.stderr.strip()[:80]}")
            continue
        want = run(["perf", "script", "-f", "-i", path, *fields], timeout=200)
        got = run([PERFOLIO, "script", "-i", path, *fields], timeout=200)
        ours, theirs = comparable(got.stdout), comparable(want.stdout)
        wrong = [pair for pair in zip(ours, theirs) if pair[0] != pair[1]]
        check(ours == theirs and got.returncode == 0, f"{name}: {len(theirs)} lines", got.stderr, wrong[:2])
done()
