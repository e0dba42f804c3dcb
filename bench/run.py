#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures perfolio against perf: the same work by both, in turns, so that both meet the same machine.

    bench/run.py [--perfolio PATH] [--rounds N] [--json FILE] [NAME...]

A benchmark is a file bench/NAME.py with TITLE, ROUNDS and commands(perfolio, scratch), which gives an
argv for each program; it may raise goals.NotCompared.  It may have more:
    figures(result)   figures of its own, from what a run printed
    shape(runs)       lines that say what was measured on
    LIMIT             what a peer may take (seconds of CPU, memory_mb); a peer that is stopped there,
                      or fails, is not run again, and its figures are lower bounds
    COLD              programs too slow to be run once more only to warm the caches
    PEER_ROUNDS       how often the peer runs, if not as often
    GOALS             what has to be reached, from goals.py
    print_table(runs) instead of two columns
    finish()          ends what it started
Printed are medians and the ratio to perf; the JSON holds every run, for bench/compare.py.
"""
import argparse
import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

from goals import NotCompared

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BENCHMARKS = ["list", "startup", "interval", "record", "copies", "read", "report", "script",
              "unwind", "inline", "sqlite", "growth", "filter", "flame", "fold", "page", "paint", "server", "stream",
              "tabs", "plots"]
UNITS = {"elapsed_ms": "ms", "cpu_ms": "ms", "memory_mb": "MB", "cpu_per_tick_us": "us"}


class Result:
    """One run of one program: its output and what it cost."""

    def __init__(self, argv, cost, scratch, limit=None):
        self.argv = argv
        path = os.path.join(scratch, "cost.json")
        options = ["-t", str(limit["seconds"]), "-m", str(limit["memory_mb"])] if limit else []
        done = subprocess.run([cost, path, *options, *argv], stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.text = done.stdout.decode("utf-8", "replace")
        self.stopped = bool(done.returncode)
        if self.stopped and not limit:
            sys.exit(f"{' '.join(argv)}: exit status {done.returncode}\n{self.text[-2000:]}")
        with open(path, encoding="utf-8") as file:
            self.figures = json.load(file)
        del self.figures["status"]
        if self.stopped:
            self.figures["stopped"] = self.reason(limit, done.returncode)

    def reason(self, limit, status):
        if self.figures["cpu_ms"] >= limit["seconds"] * 990:
            return f"stopped after {limit['seconds']} s of CPU time"
        return f"failed with status {status}, allowed {limit['memory_mb']:,} MB"


def peer_limit(module):
    """The module's, and never so much memory that the machine would have to end somebody."""
    limit = getattr(module, "LIMIT", None)
    with open("/proc/meminfo", encoding="utf-8") as file:
        available = [int(line.split()[1]) // 1024 for line in file if line.startswith("MemAvailable")]
    if not limit:
        return None
    return {**limit, "memory_mb": min([limit["memory_mb"], *[mb * 3 // 4 for mb in available]])}


def run_benchmark(module, perfolio, rounds):
    try:
        return run_rounds(module, perfolio, rounds)
    finally:
        if hasattr(module, "finish"):
            module.finish()


def run_rounds(module, perfolio, rounds):
    runs = {}
    cost = os.path.join(os.path.dirname(perfolio), "bench", "cost")
    limit = peer_limit(module)
    with tempfile.TemporaryDirectory(prefix="perfolio-bench-") as scratch:
        commands = module.commands(perfolio, scratch)
        for number in range(rounds + 1):
            for program, argv in commands.items():
                if limit and program == "perf" and (
                        not 0 < number <= getattr(module, "PEER_ROUNDS", rounds)
                        or "stopped" in runs.get(program, [{}])[-1]):
                    continue
                if not number and program in getattr(module, "COLD", []):
                    continue
                result = Result(argv, cost, scratch, limit if program == "perf" else None)
                if hasattr(module, "figures"):
                    result.figures.update(module.figures(result))
                if number:  # the first round warms the caches
                    runs.setdefault(program, []).append(result.figures)
    return runs


def medians(runs):
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]
            if isinstance(runs[0][name], (int, float))}


def print_two(runs):
    ours = medians(runs["perfolio"])
    peer = medians(runs["perf"]) if "perf" in runs else {}
    bound = ">" if "stopped" in runs.get("perf", [{}])[-1] else ""
    print(f"  {'median':20} {'perfolio':>12} {'perf':>14} {'ratio':>8}")
    for name in ours:
        ratio = f"{ours[name] / peer[name]:8.3f}" if peer.get(name) else "       -"
        theirs = bound + f"{peer[name]:,.2f}" if name in peer else "-"
        print(f"  {name.rsplit('_', 1)[0] if name in UNITS else name:20} {ours[name]:12,.2f} "
              f"{theirs:>14} {ratio} {UNITS.get(name, '')}".rstrip(), flush=True)
    if bound:
        print(f"  perf was {runs['perf'][-1]['stopped']}: its figures are lower bounds")


def load():
    return f"{os.getloadavg()[0]:.1f}"


def print_result(name, module, runs, before):
    print(f"\n{module.TITLE}, {len(next(iter(runs.values())))} runs each; load {before} before, "
          f"{load()} after")
    for line in module.shape(runs) if hasattr(module, "shape") else []:
        print(f"  on {line}")
    getattr(module, "print_table", print_two)(runs)
    found = [goal.check(runs) for goal in getattr(module, "GOALS", [])]
    for line in found:
        print(f"  {line}")
    sys.stdout.flush()
    return [f"{name:8} {line}" for line in found]


def host(perfolio):
    """What the figures are of."""
    model = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
             if line.startswith("model name")]
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], check=False,
                            capture_output=True, encoding="utf-8").stdout.strip()
    peer = subprocess.run(["perf", "--version"], check=False, capture_output=True,
                          encoding="utf-8").stdout.strip()
    return {
        "date": time.strftime("%Y-%m-%d"),
        "version": subprocess.check_output([perfolio, "--version"], encoding="utf-8").strip(),
        "commit": commit, "peer": peer, "cpus": os.cpu_count(),
        "cpu": model[0] if model else platform.machine(), "kernel": platform.release(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--perfolio", default=os.path.join(ROOT, "build", "perfolio"))
    parser.add_argument("--rounds", type=int, help="instead of each benchmark's own number")
    parser.add_argument("--json", default=os.path.join(ROOT, "build", "bench.json"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    args = parser.parse_args()
    sys.path.insert(0, HERE)
    tools = os.path.join(os.path.dirname(os.path.abspath(args.perfolio)), "bench")
    os.environ["PERFOLIO_BENCH_TOOLS"] = tools
    about = host(args.perfolio)
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    results, goals = {}, []
    for name in args.names or BENCHMARKS:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark is called '{name}'; there are {', '.join(BENCHMARKS)}")
        module = importlib.import_module(name)
        before = load()
        try:
            runs = run_benchmark(module, os.path.abspath(args.perfolio), args.rounds or module.ROUNDS)
        except NotCompared as reason:
            print(f"\n{module.TITLE}: not compared: {reason}", flush=True)
            goals.append(f"{name:8} not compared: {reason}")
            continue
        goals += print_result(name, module, runs, before)
        results[name] = {"title": module.TITLE, "runs": runs}
    if goals:
        print("\ngoals")
        print("\n".join(f"  {line}" for line in goals))
    with open(args.json, "w", encoding="utf-8") as file:
        json.dump({**about, "benchmarks": results}, file, indent=1)
    print(f"\nevery run: {os.path.relpath(args.json)}")


main()
