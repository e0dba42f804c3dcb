#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`script` beside `perf script` on recordings that perf has just made.

Names of functions are left out: they need symbol tables, and those have tests of their own.
"""
import os
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

need_root()
need_program("perf")
with tempfile.TemporaryDirectory() as folder:
    for name, options, fields in CASES:
        path = os.path.join(folder, name)
        made = run(["perf", "record", "-q", *options, "-o", path, "--", "ls", "-R", "/usr/include"])
        if made.returncode or not os.path.exists(path):
            continue
        want = run(["perf", "script", "-f", "-i", path, *fields], timeout=200)
        got = run([PERFOLIO, "script", "-i", path, *fields], timeout=200)
        same = got.stdout == want.stdout
        wrong = [pair for pair in zip(got.stdout.splitlines(), want.stdout.splitlines())
                 if pair[0] != pair[1]]
        check(same and got.returncode == 0, f"{name}: {len(want.stdout.splitlines())} lines",
              got.stderr, wrong[:2])
done()
