# SPDX-License-Identifier: Apache-2.0
"""Whether a sample costs the same in small and in large recordings.

A second reading in the same process has the tables of symbols already: what it takes is the
samples' own, and what the first took more is the start.  Samples that bring an address that was not
met before cost more than others, and a short recording consists of them: so they are shown too.
"""
import json
import os

import recording
from goals import median, verdict

TITLE = "growth: cost of a sample in recordings of several sizes"
ROUNDS = 5
SIZES = {"10k": 10000, "100k": 100000, "1M": 1000000, "3M": 3000000}
TOLERANCE = 1.2


class Flat:
    """The same figure for all sizes."""

    @staticmethod
    def check(runs):
        costs = [median(runs[size], "warm_ns_a_sample") for size in SIZES]
        ratio = max(costs) / min(costs)
        return (f"cost of a sample at {', '.join(SIZES)}: largest by smallest {ratio:.2f}, goal at most "
                f"{TOLERANCE}: {verdict(ratio <= TOLERANCE)}")


class FlatButNew:
    """The same when what a new address costs is told apart: a line through all sizes."""

    @staticmethod
    def check(runs):
        points = [(median(runs[size], "addresses") / median(runs[size], "samples"),
                   median(runs[size], "warm_ns_a_sample")) for size in SIZES]
        news, costs = (sum(column) / len(points) for column in zip(*points))
        slope = (sum((new - news) * (cost - costs) for new, cost in points) /
                 sum((new - news) ** 2 for new, _ in points))
        rest = [cost - slope * new for new, cost in points]
        return (f"without {slope:.0f} ns for each new address: "
                f"{', '.join(f'{cost:.0f}' for cost in rest)} ns a sample, largest by smallest "
                f"{max(rest) / min(rest):.2f}")


GOALS = [Flat, FlatButNew]


def path_of(size):
    samples = SIZES[size]
    return recording.make(samples) if samples < recording.LARGEST else recording.grown(samples)


def commands(perfolio, _scratch):
    tool = os.path.join(os.path.dirname(perfolio), "bench", "profile")
    return {size: [tool, "read", path_of(size)] for size in SIZES}


def figures(result):
    found = json.loads(result.text.splitlines()[-1])
    return {"samples": found["samples"], "addresses": found["addresses"],
            "ns_a_sample": found["ns_a_sample"], "warm_ns_a_sample": found["warm_ns_a_sample"],
            "start_ms": found["samples"] / 1e6 * (found["ns_a_sample"] - found["warm_ns_a_sample"]),
            "peak_mb": found["peak_kb"] / 1024, "index_open_ms": found["index_open_wall_ns"] / 1e6}


def shape(_runs):
    return [recording.shape(path_of(size)) for size in SIZES]


def print_table(runs):
    names = {"samples": "samples", "addresses": "new addresses", "start_ms": "start ms",
             "warm_ns_a_sample": "then ns/sample", "ns_a_sample": "in all", "peak_mb": "peak MB",
             "index_open_ms": "index open ms"}
    print("  " + " ".join(f"{text:>15}" for text in names.values()))
    for size in SIZES:
        print("  " + " ".join(f"{median(runs[size], name):>15,.{places(name)}f}" for name in names))


def places(name):
    return 0 if name in ("samples", "addresses") else 1
