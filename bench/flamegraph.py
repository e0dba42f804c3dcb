# SPDX-License-Identifier: Apache-2.0
"""Brendan Gregg's FlameGraph scripts, which most people draw with: from $FLAMEGRAPH or PATH."""
import os
import shutil

from goals import median


def script(name):
    """How to start one of them, None where it is not."""
    path = os.path.join(os.environ.get("FLAMEGRAPH", ""), name)
    if not os.path.isfile(path):
        path = shutil.which(name)
    return f"perl {os.path.abspath(path)}" if path and shutil.which("perl") else None


def print_table(runs, columns):
    """A line a program; columns gives figures their headings."""
    medians = {name: {figure: median(found, figure) for figure in found[0]}
               for name, found in runs.items()}
    print(f"  {'median':32} " + " ".join(f"{heading:>12}" for heading in columns.values()))
    for name, found in medians.items():
        cells = [f"{found[figure]:12,.1f}" if figure in found else f"{'-':>12}" for figure in columns]
        print(f"  {name:32} " + " ".join(cells), flush=True)
