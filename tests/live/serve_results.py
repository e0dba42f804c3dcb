#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the API says about a run, beside what `perfolio query`, `perfolio report` and perf say of its file.

The recording is downloaded as it lies in the data folder; nothing of the server is asked twice.
"""
import gzip
import json
import os
import subprocess
import tempfile
import time
import urllib.parse

import lib
import server

RATE = 1999


def form(tool, *argv, **more):
    return {"tool": tool, "target": {"kind": "command", "argv": list(argv)}, "rate": str(RATE),
            "call_graph": "fp", "interval_ms": 10, **more}


def content(site, magic):
    """The files of the data folder that begin so."""
    found = []
    for folder, _, names in os.walk(site.data):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                if file.read(len(magic)) == magic:
                    found.append(path)
    return found


def query(path, *words):
    done = lib.run([lib.PERFOLIO, "query", path, *words, "--no-index"])
    return json.loads(done.stdout)


def same_numbers(rows, others, keys):
    """Both have the same rows by function and object, and the same numbers in them."""
    table = {(row["function"], row["object"]): [row[key] for key in keys] for row in others}
    return len(rows) == len(others) and all(
        table.get((row["function"], row["object"])) == [row[key] for key in keys] for row in rows)


def check_against_query(site, run, path):
    """The same samples by another process, another user and another way to their names."""
    base = f"/runs/{run}"
    keys = ["self_samples", "self_count", "total_samples", "total_count"]
    mine, theirs = site.get(f"{base}/top?limit=1000"), query(path, "top", "--limit", "1000")
    lib.check(mine["samples"] == theirs["samples"] and mine["count"] == theirs["count"],
              "top: all samples are there", mine["samples"], theirs["samples"])
    lib.check(same_numbers(mine["rows"], theirs["rows"], keys), "top: each function weighs the same",
              mine["rows"][:5], theirs["rows"][:5])
    mine, theirs = site.get(f"{base}/tree?limit=100000"), query(path, "tree", "--limit", "100000")
    shown = [(node["parent"], node["name"], node["total_count"]) for node in mine["nodes"]]
    lib.check(shown == [(node["parent"], node["name"], node["total_count"]) for node in theirs["nodes"]],
              "tree: the same nodes in the same order", len(shown), len(theirs["nodes"]))
    for what in ("callers", "callees"):
        mine = site.get(f"{base}/{what}?function=spin")
        theirs = query(path, what, "spin")
        lib.check(mine["functions"][0]["rows"] == theirs["functions"][0]["rows"],
                  f"{what}: of a function are the same", mine, theirs)
    mine, theirs = site.get(f"{base}/threads"), query(path, "threads")
    lib.check(mine["rows"] == theirs["rows"], "threads: are the same", mine, theirs)
    mine, theirs = site.get(f"{base}/quality"), query(path, "quality")
    lib.check(mine["trust"]["samples"] == theirs["trust"]["samples"] and
              mine["trust"]["lost"] == theirs["trust"]["lost"], "quality: counts are the same", mine, theirs)


def perf_self(path):
    """Samples by function, from perf script's own text."""
    done = lib.run(["perf", "script", "-f", "-i", path, "-F", "time,ip,sym", "--no-inline"])
    counts, times = {}, []
    for block in done.stdout.strip().split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip()]
        times.append(float(lines[0].strip().rstrip(":")))
        name = lines[1].split(None, 1)[1].split("+")[0].strip() if len(lines) > 1 else "[unknown]"
        counts[name] = counts.get(name, 0) + 1
    return counts, times


def check_against_perf(site, run, path):
    counts, times = perf_self(path)
    top = site.get(f"/runs/{run}/top?limit=1000")
    lib.check(top["samples"] == sum(counts.values()), "perf counts as many samples", top["samples"],
              sum(counts.values()))
    spin = [row for row in top["rows"] if row["function"] == "spin"]
    lib.check(spin and spin[0]["self_samples"] == counts.get("spin"), "perf counts as many in spin",
              spin, counts.get("spin"))
    middle = sorted(times)[len(times) // 2]
    cut = int(middle * 1e9)
    before = site.get(f"/runs/{run}/tree?to={cut}&limit=1")["samples"]
    after = site.get(f"/runs/{run}/tree?from={cut}&limit=1")["samples"]
    # perf prints microseconds, so that one sample may be on either side.
    expected = sum(1 for at in times if at < middle)
    lib.check(before + after == len(times) and abs(before - expected) <= 1,
              "a range has the samples that perf has in it", before, after, expected)


def check_pictures(site, run):
    """What pictures are made of adds up to the samples."""
    base = f"/runs/{run}"
    samples = site.get(f"{base}/summary")["samples"]
    flame = site.get(f"{base}/flame?weight=samples")
    lib.check(sum(server.numbers(flame["columns"]["self"])) == samples, "flame: its frames are all samples",
              samples)
    shallow = site.get(f"{base}/flame?weight=samples&depth=1")  # a lucky run has three levels and six frames
    lib.check(sum(server.numbers(shallow["columns"]["self"])) == samples and shallow["hidden"] > 0 and
              len(server.numbers(shallow["columns"]["self"])) < len(server.numbers(flame["columns"]["self"])),
              "flame: what depth leaves out is still counted", shallow["hidden"])
    for extra in ("rows=50", "rows=7"):
        heat = site.get(f"{base}/heatmap?{extra}")
        lib.check(sum(heat["counts"]) == samples and max(heat["counts"]) == heat["most"] and
                  len(heat["counts"]) == heat["columns"] * heat["rows"], f"heatmap: {extra}", heat)
    for lanes in ("cpu", "thread"):
        heat = site.get(f"{base}/heatmap?lanes={lanes}&width=100")
        lib.check(sum(sum(one["counts"]) for one in heat["items"]) == samples and not heat["left_out"],
                  f"heatmap: lanes by {lanes}", heat["samples"])
    points = site.get(f"{base}/samples?width=20000")
    lib.check(len(points["t"]) == len(points["value"]) == len(points["function"]) == samples and
              not points["down_sampled"], "samples: each is there", len(points["t"]))
    few = site.get(f"{base}/samples?width=10")
    lib.check(few["down_sampled"] and max(few["value"]) == max(points["value"]) and
              min(few["value"]) == min(points["value"]), "samples: few keep the extremes")
    tid = site.get(f"{base}/threads")["rows"][0]["tid"]
    chart = site.get(f"{base}/chart?tid={tid}&width=20000")
    bottom = sum(count for count, level in zip(chart["count"], chart["level"]) if level == 0)
    lib.check(bottom == chart["samples"] == samples, "chart: the outermost frames hold all samples", bottom)
    lines = site.get(f"{base}/lines?function=spin")
    lib.check(lines["rows"] and lines["rows"][0]["file"] == "limits.c" and
              sum(row["samples"] for row in lines["rows"]) == lines["self_samples"],
              "lines: of a function's source, all its samples", lines)


def stolen_ns():
    """Time that a hypervisor took from all CPUs, since the start."""
    with open("/proc/stat", encoding="ascii") as file:
        return int(file.readline().split()[8]) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def check_counters(site, run, stolen):
    raw, after = [], 0
    while after is not None:
        page = site.get(f"/runs/{run}/counters/raw?limit=100&after={after}")
        raw += page["rows"]
        after = page["next"]
    lib.check(len(raw) == page["total_rows"] and len(raw) > 100, "counters: pages hold all rows", len(raw))
    plot = site.get(f"/runs/{run}/counters?width=20000")
    narrow = site.get(f"/runs/{run}/counters?width=5")
    lib.check(not plot["down_sampled"] and narrow["down_sampled"] and len(narrow["t"]) <= 5,
              "counters: are put together where they are many", plot["points"], narrow["t"])
    for line in plot["lines"]:
        values = [int(row[3]) for row in raw if row[1] == line["index"]]
        small = next(one for one in narrow["lines"] if one["index"] == line["index"])
        within = values[-len(plot["t"]):]  # rows from before the program's start are not drawn
        lib.check(int(line["total"]) == sum(values) and max(small["max"]) == max(within) and
                  min(small["min"]) == min(within), f"counters: {line['event']} keeps sum and extremes",
                  line["total"], sum(values), small["min"], small["max"], sorted(within)[:3], sorted(within)[-3:])
    rates = site.get(f"/runs/{run}/counters?width=20000&per=second")
    lib.check(rates["per"] == "second" and all(
        abs(sum(rate * length for rate, length in zip(line["mean"], rates["length"])) / 1e9 - int(line["total"])) <= 1e-4 * int(line["total"]) + 1
        for line in rates["lines"]),  # rates have some digits, not all
        "counters: values of a second go by how long an interval was", rates["length"][:5])
    interval = int(rates["interval_ns"])
    lib.check(len(rates["t"]) == 1 or all(2 * length >= interval for length in rates["length"][1:]),
              "counters: a part of an interval has no rate of its own", rates["length"], interval)
    bars = site.get(f"/runs/{run}/counters/histogram?event=task-clock&bins=7")
    lib.check(sum(bars["counts"]) == bars["points"] and len(plot["t"]) - 1 <= bars["points"] <= len(plot["t"]),
              "counters: bars hold all ticks but the last, if it was cut", bars, len(plot["t"]))
    clock = next(line for line in plot["lines"] if line["event"] == "task-clock")
    used = int(site.get(f"/runs/{run}/summary")["cpu_ns"])
    # A hypervisor's time is the task's by the clock of the counter, and nobody's by wait4.
    lib.check(0.7 * used < int(clock["total"]) < 1.3 * (used + stolen), "counters: task-clock is the CPU time that wait4 tells",
              clock["total"], used, stolen)


def check_replies(site, run):
    """Packed where it is asked for, and not sent again to who has it."""
    head = {"Authorization": f"Bearer {site.token}"}
    path = f"/api/v1/runs/{run}/counters/raw"  # a flame graph may be too small to be packed
    _, plain_head, plain = site.raw("GET", path, headers=head)
    status, packed_head, packed = site.raw("GET", path, headers={**head, "Accept-Encoding": "gzip"})
    lib.check(packed_head["Content-Encoding"] == "gzip" and gzip.decompress(packed) == plain and
              not plain_head["Content-Encoding"], "replies: packed only for who can unpack", status)
    for what in ("flame", "tree", "top", "heatmap", "samples", "counters", "summary", "overview", "output"):
        path = f"/api/v1/runs/{run}/{what}"
        _, first, _ = site.raw("GET", path, headers=head)
        status, _, body = site.raw("GET", path, headers={**head, "If-None-Match": first["ETag"] or ""})
        lib.check(first["ETag"] and status == 304 and not body, f"replies: {what} is not sent twice", status)


def check_output(site, session, silent):
    """Characters of several bytes, cut anywhere by pipes and pages."""
    page = site.get(f"/runs/{silent}/output")
    lib.check(page["pieces"] == [] and page["end"], "output: of a program that printed nothing", page)
    text = "a\u00e4\u20ac\U0001f600\\n"
    shell = f"i=0; while [ $i -lt 300 ]; do printf '{text}'; printf 'e%d\\n' $i >&2; i=$((i+1)); done; exit 3"
    run = site.wait(site.run(session, form("count", "/bin/sh", "-c", shell)))
    got, after, pages = {"stdout": "", "stderr": ""}, "", 0
    while True:
        page = site.get(f"/runs/{run['id']}/output?limit=500&after={urllib.parse.quote(after)}")
        for piece in page["pieces"]:
            got[piece["stream"]] += piece["text"]
        after, pages = page["next"], pages + 1
        if page["end"]:
            break
    lib.check(got["stdout"] == "a\u00e4\u20ac\U0001f600\n" * 300, "output: stdout, page by page",
              pages, got["stdout"][:100])
    lib.check(got["stderr"] == "".join(f"e{i}\n" for i in range(300)), "output: stderr", got["stderr"][:100])
    whole, end = site.get(f"/runs/{run['id']}/output"), site.get(f"/runs/{run['id']}/output?last=200")
    text = lambda page: "".join(piece["text"] for piece in page["pieces"])
    # Pieces are what the pipe gave at once: on a busy machine the last may be longer than what was asked for.
    length = int(end["bytes"]) - int(end["from"])
    lib.check(text(end) and text(whole).endswith(text(end)) and end["end"] and
              (0 < length <= 200 or len(end["pieces"]) == 1) and whole["from"] == "0", "output: the end alone", end)
    lib.check(int(whole["bytes"]) == len(text(whole).encode()) and
              int(end["from"]) == len(text(whole).encode()) - len(text(end).encode()), "output: its size is that of what was printed",
              whole["bytes"], end["from"])
    status, got_else = site.ask("GET", f"/runs/{run['id']}/output?after=1")
    lib.check(status == 400 and "after=1" in got_else["error"]["message"], "output: no place of it", status, got_else)
    only = site.get(f"/runs/{run['id']}/output?stream=stderr")
    lib.check({piece["stream"] for piece in only["pieces"]} == {"stderr"}, "output: one stream")
    summary = site.get(f"/runs/{run['id']}/summary")
    lib.check(summary["ending"] == {"kind": "exit", "code": 3} and
              int(summary["output"]["stderr"]) == len(got["stderr"]), "summary: how it ended", summary)


def check_running(site, session):
    """Counters and output are there while the run goes on; samples are not yet, and say so."""
    argv = ["/bin/sh", "-c", f"echo here; {lib.program('limits')} cpu 600000"]  # until it is cancelled
    run = site.run(session, form("both", *argv))
    site.wait(run, "running")
    output = counters = None
    end = time.monotonic() + server.TIMEOUT
    while time.monotonic() < end:
        status, found = site.ask("GET", f"/runs/{run}/output")
        output = output or (status == 200 and found["pieces"] and found)
        status, found = site.ask("GET", f"/runs/{run}/counters")
        counters = counters or (status == 200 and found["points"] and found)
        status, refused = site.ask("GET", f"/runs/{run}/flame")
        if output and counters:
            break
    lib.check(output and output["pieces"][0]["text"] == "here\n", "running: output is there", output)
    lib.check(counters and counters["running"], "running: counters are there", counters and counters["points"])
    lib.check(status == 409 and refused["error"]["code"] == "not-now", "running: the tree is not yet",
              status, refused)
    site.post(f"/runs/{run}/cancel")
    site.wait(run)


def check_short_processes(site, session):
    """Sampled as the run's cgroup, and not each process by events of its own, of which none has a whole period."""
    if os.geteuid() != 0 or not any(line.split()[2] == "cgroup2" for line in open("/proc/mounts", encoding="utf-8")):
        return
    run = site.wait(site.run(session, form("sample", lib.program("forks"), "400", "ls", "/", rate="99")))
    row = site.get(f"/runs/{run['id']}/events")["rows"][0]
    share = int(row["count"]) / int(row["counted"] or 1)
    lib.check(row["samples"] > 5 and 0.7 < share < 1.3, f"short processes: {share:.0%} of their CPU time is sampled", row)


def check_import(site, session):
    """A text without times and addresses has all that it allows."""
    folded = "main;work;sort 70\nmain;work 20\nmain;wait 10\n"
    head = {"Authorization": f"Bearer {site.token}", "Content-Type": "application/octet-stream"}
    status, _, body = site.raw("POST", f"/api/v1/sessions/{session}/import?name=x.folded", folded, head)
    made = json.loads(body)
    run = site.wait(made["id"] if "id" in made else made["items"][0]["id"])
    lib.check(status < 300 and run["state"] == "done", "import: folded stacks become a run", run)
    top = site.get(f"/runs/{run['id']}/top")
    lib.check([(row["function"], row["self_samples"]) for row in top["rows"][:3]] ==
              [("sort", 70), ("work", 20), ("wait", 10)], "import: its counts are samples", top)
    summary = site.get(f"/runs/{run['id']}/summary")
    lib.check("flame" in summary["tabs"] and "time" not in summary["tabs"] and summary["samples"] == 100,
              "import: only the tabs that its data allows", summary["tabs"])


def main():
    with server.Server(env=server.LEAKS) as site:
        session = site.session("results")
        before = stolen_ns()
        run = site.wait(site.run(session, form("both", lib.program("limits"), "cpu", "1000")))
        stolen = stolen_ns() - before
        lib.check(run["state"] == "done", "a run is done", run)
        with tempfile.TemporaryDirectory(prefix="perfolio-results-") as scratch:
            path = os.path.join(scratch, "perf.data")
            found = content(site, b"PERFILE2")
            lib.check(len(found) == 1, "its recording is one file", found)
            subprocess.run(["cp", found[0], path], check=True)
            check_against_query(site, run["id"], path)
            check_against_perf(site, run["id"], path)
        check_pictures(site, run["id"])
        check_counters(site, run["id"], stolen)
        check_replies(site, run["id"])
        check_output(site, session, run["id"])
        check_running(site, session)
        check_short_processes(site, session)
        check_import(site, session)
    lib.done()


main()
