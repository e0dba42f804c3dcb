#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time went without BPF: in a process namespace of its own the server has to look at /proc now and then.

What ends between two looks is not taken for waiting: the last look is at the program's end, and of what was not seen at
all nothing is said."""
import os
import re
import shutil
import sys

import lib
import server

# What may be said of each; a machine with other things to do has them wait for a CPU.
BUSY = r"It was limited by the CPU|(It|Its threads) (mostly )?waited for a CPU|No single thing limited it"
PLANTED = [
    ("spin", BUSY),
    ("pool", BUSY),
    ("sleeps", r"It mostly waited, neither for a CPU nor for the disk: for \d+ % .*the reason is not recorded"),
    ("forks", r"It started [\d,]+ processes, most of them short|It ran for \d+ % of its|(It|Its threads) (mostly )?waited for a CPU|No single thing"),
]


def check_one(site, session, name, says):
    argv = [lib.program("plants"), name, "900"]
    run = site.wait(site.run(session, {"tool": "both", "target": {"kind": "command", "argv": argv}, "interval_ms": 100}))
    told = site.get(f"/runs/{run['id']}/overview")
    budget = told["budget"]
    lib.check(budget["source"] == "schedstat" if budget else told["budget_missing"], f"{name}: by looks, or why not",
              budget, told["budget_missing"])
    parts = {part["name"]: part["percent"] for part in budget["run"]} if budget else {}
    lib.check(re.match(says, told["sentence"]), f"{name}: nothing wrong is said", told["sentence"], parts)
    if name in ("spin", "pool"):  # its last fifth of a second is not "something else"
        lib.check(budget and parts["other"] < 8 and "reason" not in told["sentence"], f"{name}: it never waited otherwise",
                  told["sentence"], parts)


def main():
    lib.need_root()
    if "--inside" not in sys.argv:
        if not shutil.which("unshare"):
            lib.skip_all("there is no unshare")
        os.execvp("unshare", ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, *sys.argv, "--inside"])
    with server.Server() as site:
        session = site.session("looks")
        for name, says in PLANTED:
            check_one(site, session, name, says)
    lib.done()


main()
