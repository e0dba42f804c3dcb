#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two results of bench/run.py, of two commits: bench/compare.py OLD.json NEW.json

A change is called one only when the two sets of runs do not overlap in their middle halves.
"""
import json
import statistics
import sys


def middle(values):
    low, mid, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
    return low, mid, high


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    old, new = [json.load(open(path, encoding="utf-8")) for path in sys.argv[1:]]
    print(f"{'benchmark':12} {'figure':16} {old['version']:>16} {new['version']:>16} {'ratio':>8}")
    for name in old["benchmarks"].keys() & new["benchmarks"].keys():
        before, after = [side["benchmarks"][name]["runs"]["perfolio"] for side in (old, new)]
        for figure in before[0]:
            a, b = [middle([run[figure] for run in runs]) for runs in (before, after)]
            verdict = "" if a[0] <= b[2] and b[0] <= a[2] else "less" if b[1] < a[1] else "more"
            ratio = f"{b[1] / a[1]:8.2f}" if a[1] else "       -"
            print(f"{name:12} {figure:16} {a[1]:16,.2f} {b[1]:16,.2f} {ratio} {verdict}".rstrip())


main()
