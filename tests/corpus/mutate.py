#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs mutate over the corpus: mutate.py PROGRAM [ROUNDS]

10 rounds a file; PERFOLIO_MUTATIONS=200 for the long form.  A failure names the file and the seed.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from lib import check, done, run  # noqa: E402
from corpus import PERFDATA, need_corpus, recordings  # noqa: E402

need_corpus()
ROUNDS = os.environ.get("PERFOLIO_MUTATIONS", "10")
SEED = os.environ.get("PERFOLIO_SEED", "1")
for name in recordings():
    result = run([sys.argv[1], ROUNDS, SEED, os.path.join(PERFDATA, name)], timeout=3000)
    check(result.returncode == 0, f"{name}: {ROUNDS} cuts and {ROUNDS} changes, seed {SEED}",
          f"status {result.returncode}", result.stderr[-3000:])
done()
