# SPDX-License-Identifier: Apache-2.0
"""A whole session in one HDF5 file: h5py and pandas read it, and find the numbers of the API."""
import io
import json
import os
import sys
import tempfile

import lib
import server

# Debian's h5py and pandas, whatever python3 is first in the path.
DEBIAN = "/usr/bin/python3"
if not os.environ.get("SERVE_HDF5_AGAIN") and os.path.exists(DEBIAN):
    os.environ["SERVE_HDF5_AGAIN"] = "1"
    os.execv(DEBIAN, [DEBIAN, *sys.argv])
try:
    import h5py
    import pandas
except ImportError as error:
    lib.lacks(error.name)

SAMPLES = ["time", "event", "period", "samples", "pid", "tid", "cpu", "ip", "function", "stack"]
COUNTERS = ["time", "event", "cpu", "value", "enabled", "running"]


def fetch(site, path):
    status, headers, body = site.raw("GET", "/api/v1" + path, None,
                                     {"Authorization": f"Bearer {site.token}"})
    lib.check(status == 200 and headers["Content-Type"] == "application/x-hdf5", f"GET {path}", status, body[:300])
    return h5py.File(io.BytesIO(body), "r")


def texts(table, column):
    return [value.decode() for value in table[column]]


def check_samples(site, run, group):
    samples = pandas.DataFrame(group["samples"][...])
    lib.check(list(samples.columns) == SAMPLES, "samples have their columns", list(samples.columns))
    events = site.get(f"/runs/{run}/events")["rows"]
    names = texts(group["events"], "name")
    found = {names[event]: (int(rows.samples.sum()), int(rows.period.sum()))
             for event, rows in samples.groupby("event")}
    want = {row["event"]: (row["samples"], int(row["count"])) for row in events if row["samples"]}
    lib.check(found == want and len(want) == 1, "events have the samples and counts of the API", found, want)

    functions = texts(group["functions"], "name")
    top = {}
    for function, rows in samples.groupby("function"):
        top[functions[function]] = top.get(functions[function], 0) + int(rows.samples.sum())
    want = {}
    for row in site.get(f"/runs/{run}/top?limit=10000")["rows"]:
        if row["self_samples"]:
            want[row["function"]] = want.get(row["function"], 0) + row["self_samples"]
    lib.check(top == want and "leaf" in top, "so have functions", top, want)

    threads = {(row["pid"], row["tid"]): row["samples"] for row in site.get(f"/runs/{run}/threads")["rows"]}
    found = {key: int(rows.samples.sum()) for key, rows in samples.groupby(["pid", "tid"])}
    lib.check(found == threads, "and threads", found, threads)
    check_stacks(site, run, group, samples, functions)
    facts = site.get(f"/runs/{run}")["facts"]
    lib.check(str(samples.time.min()) == facts["start_ns"] and str(samples.time.max()) == facts["end_ns"] and
              samples.time.is_monotonic_increasing, "times are those of the run", samples.time.min(), facts)
    lib.check(set(samples.cpu) <= set(range(os.sysconf("SC_NPROCESSORS_CONF"))) and (samples.ip > 0).all(),
              "CPUs and addresses are told", set(samples.cpu))


def check_stacks(site, run, group, samples, functions):
    """Every node of the flame tree, by its path, out of samples and stacks alone."""
    stacks = group["stacks"][...]
    paths = [()]
    for row in stacks[1:]:
        paths.append(paths[row["parent"]] + (functions[row["function"]],))
    found = {}
    for stack, rows in samples.groupby("stack"):
        found[paths[stack]] = found.get(paths[stack], 0) + int(rows.samples.sum())
    nodes = site.get(f"/runs/{run}/tree?group=none&limit=100000")["nodes"]
    want, names = {}, []
    for node in nodes:
        names.append(() if node["parent"] < 0 else names[node["parent"]] + (node["name"],))
        if node["self_samples"]:
            want[names[-1]] = want.get(names[-1], 0) + node["self_samples"]
    lib.check(found == want and any(len(path) > 4 for path in found), "stacks are those of the flame tree",
              found, want)


def check_counters(site, run, group):
    counters = pandas.DataFrame(group["counters"][...])
    lib.check(list(counters.columns) == COUNTERS, "counters have their columns", list(counters.columns))
    raw = site.get(f"/runs/{run}/counters/raw?limit=100000")
    want = [[int(value) for value in row] for row in raw["rows"]]
    lib.check(counters.values.tolist() == want and want, "every count is that of the API",
              counters.head(), want[:5])
    lib.check(texts(group["counter_events"], "name") == raw["events"], "of the same events", raw["events"])
    lib.check(texts(group["counter_events"], "unit") == raw["units"] and "msec" in raw["units"] and
              group["counter_events"]["scale"].tolist() == raw["scales"], "in their units", raw["units"], raw["scales"])


def check_attributes(site, run, group):
    want = site.get(f"/runs/{run}")
    got = dict(group.attrs)
    lib.check(int(got["run"]) == run and got["state"] == want["state"] and got["tool"] == want["tool"] and
              got["kernel"] == want["kernel"] and got["host"] == want["host"] and
              json.loads(got["command"]) == want["argv"] and got["started_ns"] == want["started_ns"] and
              json.loads(got["form"]) == want["form"], "what is known of a run are its attributes", got, want)


def main():
    lib.need_root()
    with tempfile.TemporaryDirectory(prefix="perfolio-hdf5-"), server.Server() as site:
        session = site.session("three runs")
        chain = os.path.abspath(lib.program("chain"))
        both = site.run(session, {
            "tool": "both", "rate": "499", "interval_ms": 50, "call_graph": "fp",
            "target": {"kind": "command", "command": f"{chain} 2 0.3 cpu"},
            "events": {"count": "task-clock,page-faults", "sample": "cpu-clock:u"}})
        count = site.run(session, {
            "tool": "count", "interval_ms": 20, "target": {"kind": "command", "command": f"{chain} 1 0.1 cpu"},
            "events": {"count": "task-clock"}})
        status, _, body = site.raw("POST", f"/api/v1/sessions/{session}/import?name=x", b"prog;main;work 5\n",
                                   {"Authorization": f"Bearer {site.token}"})
        imported = json.loads(body)["id"]
        for run in (both, count, imported):
            ended = site.wait(run)
            lib.check(ended["state"] == "done", f"run {run} is done", ended["reason"])

        with fetch(site, f"/sessions/{session}/hdf5") as file:
            lib.check(sorted(file) == sorted(f"run_{run}" for run in (both, count, imported)) and
                      file.attrs["title"] == "three runs", "a group for each run", list(file))
            check_samples(site, both, file[f"run_{both}"])
            check_counters(site, both, file[f"run_{both}"])
            check_attributes(site, both, file[f"run_{both}"])
            check_counters(site, count, file[f"run_{count}"])
            lib.check("samples" not in file[f"run_{count}"], "a run that only counts has no samples")
            lib.check(int(file[f"run_{imported}"]["samples"]["samples"].sum()) == 5, "an import has its own")
        with fetch(site, f"/runs/{both}/export/hdf5") as file:
            check_samples(site, both, file)
            check_counters(site, both, file)
        with fetch(site, f"/runs/{count}/export/hdf5") as file:
            check_counters(site, count, file)
            lib.check("samples" not in file, "nor has its own file")
        status, _, _ = site.raw("GET", "/api/v1/sessions/999/hdf5", None,
                                {"Authorization": f"Bearer {site.token}"})
        lib.check(status == 404, "a session that is not there has none", status)
    lib.done()


if __name__ == "__main__":
    main()
