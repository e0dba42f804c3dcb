# SPDX-License-Identifier: Apache-2.0
"""Where the recordings of others are, and what their manifest says of them.

They are not part of the project: PERFOLIO_CORPUS, or ../shared/corpus beside the source, holds them,
and without it the tests that need them say so and skip.
"""
import csv
import os
import sys

SOURCE = os.environ.get("PERFOLIO_SOURCE", os.getcwd())
CORPUS = os.environ.get("PERFOLIO_CORPUS") or os.path.join(SOURCE, "..", "shared", "corpus")
if not os.path.isdir(CORPUS):  # a worktree stands one level deeper
    CORPUS = os.path.join(SOURCE, "..", "..", "shared", "corpus")
PERFDATA = os.path.join(CORPUS, "perfdata")
REFERENCE = os.path.join(PERFDATA, "ref")


def need_corpus():
    if not os.path.isdir(REFERENCE):
        print(f"1..0 # SKIP no corpus: PERFOLIO_CORPUS is not set and {CORPUS} is not there")
        sys.exit(0)


def recordings():
    """Names of all recordings, sorted."""
    return sorted(name for name in os.listdir(PERFDATA)
                  if os.path.isfile(os.path.join(PERFDATA, name)))


def reference(name, kind):
    """The text of a reference, or None."""
    path = os.path.join(REFERENCE, f"{name}.{kind}")
    if not os.path.exists(path):
        return None
    with open(path, encoding="latin1", newline="\n") as file:
        return file.read()


def notes():
    """The manifest's last column by recording."""
    with open(os.path.join(CORPUS, "MANIFEST.tsv"), encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {os.path.basename(row["file"]): row["notes"] for row in rows
                if row["file"].startswith("perfdata/")}
