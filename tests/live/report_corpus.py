# SPDX-License-Identifier: Apache-2.0
"""Recordings of others: report counts as many samples of each as perf does, and trips over none."""
import glob
import json
import os

from lib import PERFOLIO, SOURCE, check, done, run, skip_all

CORPUS = os.environ.get("PERFOLIO_CORPUS") or os.path.join(SOURCE, "..", "shared", "corpus")
REFERENCE = ".samples_by_event.tsv"


def main():
    folder = os.path.join(CORPUS, "perfdata")
    references = sorted(glob.glob(os.path.join(folder, "ref", "*" + REFERENCE)))
    if not references:
        skip_all(f"no recordings in {folder}")
    for reference in references:
        name = os.path.basename(reference)[:-len(REFERENCE)]
        with open(reference, encoding="utf-8") as file:
            wanted = sum(int(line.split("\t")[0]) for line in file if line.strip())
        result = run([PERFOLIO, "report", "-i", os.path.join(folder, name), "--no-index", "--json",
                      "-g", "none"])
        found = sum(event["samples"] for event in json.loads(result.stdout)["events"])
        check(found == wanted, f"{name}: {wanted} samples", f"found {found}", result.stderr)
    done()


main()
