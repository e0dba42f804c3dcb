# SPDX-License-Identifier: Apache-2.0
"""A program that knows how it spends its CPU time: report says the same, within 1.5 points.

Its clock counts interrupts to the function that they come in, so the totals are what is compared.
"""
import json
import os
import re
import tempfile

from lib import PERFOLIO, check, done, need_program, program, run

RUNS = int(os.environ.get("PERFOLIO_SPLIT_RUNS", "3"))
ROOM = 1.5


def shares_of(path):
    text = run([PERFOLIO, "report", "-i", path, "--json", "-g", "none", "--children"]).stdout
    shares = {}
    for row in json.loads(text)["events"][0]["rows"]:
        shares[row["symbol"]] = shares.get(row["symbol"], 0) + row["total_percent"]
    return shares


def main():
    need_program("perf")
    with tempfile.TemporaryDirectory(prefix="perfolio-split-") as folder:
        path = os.path.join(folder, "perf.data")
        for number in range(1, RUNS + 1):
            made = run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "4999", "-g", "-o", path,
                        program("split"), "1500"])
            truth = dict((name, float(share) * 100)
                         for name, share in re.findall(r"(\w+) ([0-9.]+)", made.stdout))
            if not check(len(truth) == 3, f"run {number}: recorded", made.stdout, made.stderr):
                continue
            shares = shares_of(path)
            whole = sum(shares.get(name, 0) for name in truth)  # what came before main is neither's
            for name, share in truth.items():
                found = shares.get(name, 0) / whole * 100 if whole else 0
                check(abs(found - share) <= ROOM,
                      f"run {number}: {name} took {share:.2f} %, report says {found:.2f} %")
    done()


main()
