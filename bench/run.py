#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures perfolio against perf: the same work by both, in turns, so that both meet the same machine.

    bench/run.py [--perfolio PATH] [--rounds N] [--json FILE] [NAME...]

A benchmark is a file bench/NAME.py with TITLE, ROUNDS, commands(perfolio, scratch), which gives an argv
for each program, and figures(result), which may add figures of its own.  Printed are medians and the
ratio to perf; the JSON holds every run, for bench/compare.py.
"""
import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BENCHMARKS = ["list", "startup", "interval", "record", "copies", "read", "report", "script",
              "filter"]
UNITS = {"elapsed_ms": "ms", "cpu_ms": "ms", "memory_mb": "MB", "cpu_per_tick_us": "us"}


class Result:
    """One run of one program: its output and what it cost."""

    def __init__(self, argv, cost, scratch):
        self.argv = argv
        path = os.path.join(scratch, "cost.json")
        done = subprocess.run([cost, path, *argv], stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.text = done.stdout.decode("utf-8", "replace")
        if done.returncode:
            sys.exit(f"{' '.join(argv)}: exit status {done.returncode}\n{self.text[-2000:]}")
        with open(path, encoding="utf-8") as file:
            self.figures = json.load(file)


def run_benchmark(module, perfolio, rounds):
    runs = {}
    cost = os.path.join(os.path.dirname(perfolio), "bench", "cost")
    with tempfile.TemporaryDirectory(prefix="perfolio-bench-") as scratch:
        commands = module.commands(perfolio, scratch)
        for number in range(rounds + 1):
            for program, argv in commands.items():
                result = Result(argv, cost, scratch)
                if hasattr(module, "figures"):
                    result.figures.update(module.figures(result))
                if number:  # the first round warms the caches
                    runs.setdefault(program, []).append(result.figures)
    return runs


def medians(runs):
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def print_table(title, runs):
    ours = medians(runs["perfolio"])
    peer = medians(runs["perf"]) if "perf" in runs else {}
    print(f"\n{title}, {len(runs['perfolio'])} runs each")
    print(f"  {'median':20} {'perfolio':>12} {'perf':>12} {'ratio':>8}")
    for name in ours:
        ratio = f"{ours[name] / peer[name]:8.2f}" if peer.get(name) else "       -"
        theirs = f"{peer[name]:12,.2f}" if name in peer else "           -"
        print(f"  {name.rsplit('_', 1)[0] if name in UNITS else name:20} {ours[name]:12,.2f} "
              f"{theirs} {ratio} {UNITS.get(name, '')}".rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--perfolio", default=os.path.join(ROOT, "build", "perfolio"))
    parser.add_argument("--rounds", type=int, help="instead of each benchmark's own number")
    parser.add_argument("--json", default=os.path.join(ROOT, "build", "bench.json"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    args = parser.parse_args()
    sys.path.insert(0, HERE)
    results = {}
    for name in args.names or BENCHMARKS:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark is called '{name}'; there are {', '.join(BENCHMARKS)}")
        module = importlib.import_module(name)
        runs = run_benchmark(module, os.path.abspath(args.perfolio), args.rounds or module.ROUNDS)
        print_table(module.TITLE, runs)
        results[name] = {"title": module.TITLE, "runs": runs}
    with open(args.json, "w", encoding="utf-8") as file:
        version = subprocess.check_output([args.perfolio, "--version"], encoding="utf-8")
        json.dump({"version": version.strip(), "benchmarks": results}, file, indent=1)
    print(f"\nevery run: {os.path.relpath(args.json)}")


main()
