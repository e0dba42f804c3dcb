# SPDX-License-Identifier: Apache-2.0
"""A program that knows how it spends its CPU time: report says the same, within 1.5 points.

Its clock counts interrupts to the function that they come in, so the totals are what is compared.  All
recordings are added up, and where there are fewer samples than some 25,000, as timers that come late make it,
there is more room: five times what chance makes of a share.
"""
import json
import os
import re
import tempfile

from lib import PERFOLIO, check, done, need_program, program, run, run_perf

RUNS = int(os.environ.get("PERFOLIO_SPLIT_RUNS", "3"))
ROOM = 1.5


def samples_of(path):
    """Samples in each function and what it calls."""
    text = run([PERFOLIO, "report", "-i", path, "--json", "-g", "none", "--children"]).stdout
    event = json.loads(text)["events"][0]
    found = {}
    for row in event["rows"]:
        found[row["symbol"]] = found.get(row["symbol"], 0) + row["total_percent"] / 100 * event["samples"]
    return found


def main():
    need_program("perf")
    wanted, found = {}, {}
    with tempfile.TemporaryDirectory(prefix="perfolio-split-") as folder:
        path = os.path.join(folder, "perf.data")
        for number in range(1, RUNS + 1):
            made = run_perf("record", "-q", "-e", "cpu-clock", "-F", "4999", "-g", "-o", path,
                            program("split"), "1500")
            truth = {name: float(share) for name, share in re.findall(r"(\w+) ([0-9.]+)", made.stdout)}
            if not check(len(truth) == 3, f"run {number}: recorded", made.stdout, made.stderr):
                continue
            samples = samples_of(path)
            whole = sum(samples.get(name, 0) for name in truth)  # what came before main is neither's
            for name, share in truth.items():
                wanted[name] = wanted.get(name, 0) + share * whole
                found[name] = found.get(name, 0) + samples.get(name, 0)
    total = sum(found.values())
    check(total > 500, f"{total:.0f} samples to compare")
    for name in wanted:
        share, reported = (100 * counted[name] / max(total, 1) for counted in (wanted, found))
        room = max(ROOM, 5 * (share * (100 - share) / max(total, 1)) ** 0.5)
        check(abs(reported - share) <= room,
              f"{name} took {share:.2f} %, report says {reported:.2f} %, room for {room:.2f}")
    done()


main()
