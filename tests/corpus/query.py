#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""query of other projects' recordings: its numbers are perf's, report's and those of the folded lines."""
import collections
import json
import os
import subprocess
import sys

from corpus import CORPUS, PERFDATA, need_corpus, reference

PERFOLIO = os.environ["PERFOLIO"]
ALL = ["--limit", "1000000"]
# Stacks by frame pointers and by copies, pipes, several events, tracepoints, other machines' code.
RECORDINGS = [
    "quipper__perf.data.callgraph-3.8",
    "quipper__perf.data.systemwide.1-3.8",
    "hotspot__perf.data.PerfFormatLost",
    "perfparser__fork_static_gcc_perf.data.zstd",
    "perfparser__probe.data.stream",
    "simpleperf__perf_with_two_event_types.data",
    "simpleperf__perf_with_multiple_pids_and_tids.data",
    "mstp__perf.data",
    "lpd__sleep.compressed.data",
]
TEXTS = [
    "perfscript/FlameGraph/perf-vertx-stacks-01.txt",
    "perfscript/speedscope/forks.linux-perf.txt",
    "folded/speedscope/recursion.txt",
]
results = []


def check(name, good, why=""):
    results.append(good)
    print(f"{'ok' if good else 'not ok'} {len(results)} - {name}")
    for line in ([] if good else str(why).splitlines()[:20]):
        print("#", line[:600])


def run(*words):
    done = subprocess.run([PERFOLIO, *words], capture_output=True, check=False, text=True, errors="replace")
    return done.stdout


def query(path, *words):
    return json.loads(run("query", path, *words, *ALL, "--no-inline", "--no-index"))


def report(path, event, *words):
    answer = json.loads(run("report", "-i", path, "-e", event, "--json", "-g", "none", "--no-inline",
                            "--no-index", *words))
    return answer["events"][0]


def by(rows, keys, values):
    """{key: the sums of these members}."""
    found = collections.defaultdict(lambda: [0] * len(values))
    for row in rows:
        sums = found[tuple(row[key] for key in keys)]
        for place, value in enumerate(values):
            sums[place] += int(row[value])
    return {key: sums for key, sums in found.items() if any(sums)}


def nameless(rows):
    """Report calls a function without a name so; query by its object."""
    for row in rows:
        if row["symbol"] == "[unknown]" and row["object"] not in ("", "[unknown]"):
            path = row["object"]
            row["symbol"] = path if path.startswith("[") else f"[{path.rsplit('/', 1)[-1]}]"
    return rows


def against_report(name, path, event):
    self = query(path, "top", "-e", event)
    want = report(path, event, "-s", "dso,symbol", "--no-children")
    check(f"{name} {event}: functions by themselves",
          by(self["rows"], ("object", "function"), ("self_samples", "self_count")) ==
          by(nameless(want["rows"]), ("object", "symbol"), ("self_samples", "self_count")) and
          self["samples"] == want["samples"] and self["count"] == want["count"],
          (self["samples"], want["samples"], self["count"], want["count"]))
    want = report(path, event, "-s", "comm,process,tid", "--no-children")
    check(f"{name} {event}: threads",
          by(query(path, "threads", "-e", event)["rows"], ("comm", "pid", "tid"), ("samples", "count")) ==
          by(want["rows"], ("comm", "pid", "tid"), ("self_samples", "self_count")), want["rows"])


def folded(path, event, *words):
    """{(frames from the outermost on): count}."""
    lines = run("fold", path, "-e", event, "--no-inline", "--no-index", *words).splitlines()
    return {tuple(stack.split(";")): int(count)
            for stack, count in (line.rsplit(" ", 1) for line in lines)}


def clean(name):
    return name.replace(";", ":").replace("\n", " ")


def paths(nodes):
    """The same of a tree."""
    found, stacks = {}, []
    for node in nodes:
        above = stacks[node["parent"]] if node["parent"] >= 0 else None
        stacks.append(above + (clean(node["name"]),) if above is not None else ())
        if int(node["self_count"]):
            found[stacks[-1]] = found.get(stacks[-1], 0) + int(node["self_count"])
    return found


def neighbours(stacks, name):
    """Callers and callees of a name, by hand; frame 0 is the program."""
    sides = collections.Counter(), collections.Counter()
    for frames, count in stacks.items():
        met = set()
        for at in range(1, len(frames)):
            if frames[at] == name:
                met.add((0, frames[at - 1] if at > 1 else None))
                if at + 1 < len(frames):
                    met.add((1, frames[at + 1]))
        for side, other in met:
            sides[side][other] += count
    return sides


def against_folded(name, path, event, grouped):
    stacks = folded(path, event)
    answer = query(path, "tree", "-e", event)
    check(f"{name} {event}: the tree is that of the folded lines", paths(answer["nodes"]) == stacks and stacks,
          set(paths(answer["nodes"]).items()) ^ set(stacks.items()))
    if not grouped:
        return
    # Functions that one object has only: neighbours are told by object.
    top = query(path, "top", "-e", event, "--sort", "total")["rows"]
    names = collections.Counter(row["function"] for row in top)
    for row in [row for row in top if names[row["function"]] == 1][1:30:7]:
        want = neighbours(stacks, clean(row["function"]))
        got = []
        for question in ("callers", "callees"):
            rows = query(path, question, row["function"], "-e", event)["functions"][0]["rows"]
            got.append(by([dict(one, function=one["function"] and clean(one["function"])) for one in rows],
                          ("function",), ("count",)))
        check(f"{name} {event}: who calls {row['function'][:40]}, and whom it calls",
              all({key[0]: sums[0] for key, sums in side.items()} == dict(other)
                  for side, other in zip(got, want)), (got, want))


def against_perf(name, path):
    rows = query(path, "events")["rows"]
    want = [line.split("\t") for line in reference(name, "samples_by_event.tsv").splitlines()]
    want = {event: int(count) for count, event in want if int(count)}
    got = {row["event"]: row["samples"] for row in rows if row["samples"]}
    check(f"{name}: perf counts the same samples", sorted(got.values()) == sorted(want.values()), (got, want))
    return list(got)


def main():
    need_corpus()
    for name in RECORDINGS:
        path = os.path.join(PERFDATA, name)
        for event in against_perf(name, path)[:3]:
            against_report(name, path, event)
            against_folded(name, path, event, True)
    for name in TEXTS:
        path = os.path.join(CORPUS, name)
        event = next(row["event"] for row in query(path, "events")["rows"] if row["samples"])
        against_folded(name, path, event, name.startswith("perfscript"))
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


sys.exit(main())
