# SPDX-License-Identifier: Apache-2.0
"""Downloads of a run: each format is what the command line makes of the same recording."""
import csv
import gzip
import math
import os
import subprocess
import tempfile

import lib
import server

# What the command line is asked for the same file; {} is the recording.
COMMANDS = {
    "script": ["script", "{}"],
    "folded": ["fold", "{}"],
    "svg": ["flame", "--title", "T", "--format", "svg", "-o", "-", "{}"],
    "html": ["flame", "--title", "T", "--format", "html", "-o", "-", "{}"],
    "json": ["export", "--format", "json", "{}"],
    "pprof": ["export", "--lines", "--title", "T", "--format", "pprof", "{}"],
    "speedscope": ["export", "--title", "T", "--format", "speedscope", "{}"],
    "firefox": ["export", "--title", "T", "--format", "firefox", "{}"],
    "csv": ["export", "--format", "csv", "{}"],
}
TYPES = {"svg": "image/svg+xml", "html": "text/html", "json": "application/json", "csv": "text/csv",
         "script": "text/plain", "folded": "text/plain", "hdf5": "application/x-hdf5"}


def download(site, path, **headers):
    return site.raw("GET", "/api/v1" + path, None,
                    {"Authorization": f"Bearer {site.token}",
                     **{name.replace("_", "-"): value for name, value in headers.items()}})


def command(words, recording, **more):
    words = [word.replace("{}", recording) for word in words]
    return subprocess.run([lib.PERFOLIO, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True, **more).stdout


def check_formats(site, run, recording):
    for name, words in COMMANDS.items():
        status, headers, got = download(site, f"/runs/{run}/export/{name}?title=T")
        want = command(words, recording)
        if name == "pprof":
            got, want = gzip.decompress(got), gzip.decompress(want)
        lib.check(status == 200 and got == want, f"{name} is what the command line writes",
                  status, len(got), len(want), got[:300], want[:300])
        lib.check(headers["Content-Type"].startswith(TYPES.get(name, "application/")) and
                  "attachment" in headers["Content-Disposition"], f"{name} is sent as what it is",
                  headers["Content-Type"], headers["Content-Disposition"])
        lib.check("sandbox" in headers["Content-Security-Policy"] and
                  "'self'" not in headers["Content-Security-Policy"], f"{name} runs no script here",
                  headers["Content-Security-Policy"])


def check_filters(site, run, recording):
    status, _, got = download(site, f"/runs/{run}/export/folded?focus=middle&collapse=1")
    want = command(["fold", "--focus", "middle", "--collapse-recursion", "{}"], recording)
    lib.check(status == 200 and got == want and b"middle" in got, "filters are the command line's", got[:200])
    status, _, got = download(site, f"/runs/{run}/export/svg?event=nothing")
    lib.check(status >= 400 and b"nothing" in got, "an event that is not there is refused by name",
              status, got[:200])
    status, _, got = download(site, f"/runs/{run}/export/tar")
    lib.check(status == 404 and b"speedscope" in got, "an unknown format is refused, with those there are",
              status, got[:200])


def check_recording(site, run, folder):
    """The recording as it is, whole and in parts; perf can read it."""
    path = os.path.join(folder, "perf.data")
    status, headers, whole = download(site, f"/runs/{run}/export/perf.data")
    with open(path, "wb") as file:
        file.write(whole)
    lib.check(status == 200 and whole[:8] == b"PERFILE2", "the recording itself", status)
    status, part_headers, part = download(site, f"/runs/{run}/export/perf.data", Range="bytes=100-299")
    lib.check(status == 206 and part == whole[100:300] and
              part_headers["Content-Range"] == f"bytes 100-299/{len(whole)}", "and a part of it",
              status, part_headers.get("Content-Range"))
    status, _, rest = download(site, f"/runs/{run}/export/csv?title=T", Range="bytes=10-")
    lib.check(status == 206 and download(site, f"/runs/{run}/export/csv?title=T")[2][10:] == rest,
              "parts of what is made, too", status)
    status, _, body = download(site, f"/runs/{run}/export/perf.data", If_None_Match=headers["ETag"])
    lib.check(status == 304 and not body, "and nothing for who has it", status)
    perf = lib.run(["perf", "script", "-i", path, "-F", "comm"])
    found, wanted = len(perf.stdout.split()), site.get(f"/runs/{run}")["facts"]["samples"]
    lib.check(perf.returncode == 0 and found == wanted > 0, "perf reads it, and finds as many samples",
              found, wanted, perf.stderr[-300:])
    return path


def check_counters(site, run):
    status, _, text = download(site, f"/runs/{run}/export/counters.csv")
    lines = text.decode().splitlines()
    rows = list(csv.DictReader(lines))
    raw = site.get(f"/runs/{run}/counters/raw?limit=10000")
    lib.check(status == 200 and lines[0] == "time_ns,event,cpu,value,enabled_ns,running_ns,scaled,unit" and
              len(lines) - 1 == raw["total_rows"] > 0, "counters as lines, as many as the API has",
              status, lines[:3], {key: raw[key] for key in raw if key != "rows"})
    clocks = [row for row in rows if row["event"] == "task-clock"]
    lib.check(clocks and all(row["unit"] == "msec" and math.isclose(float(row["scaled"]), int(row["value"]) * 1e-6)
                             for row in clocks), "each with its count and the same in its unit", clocks[:3])


def check_wrong(site, run):
    """What only the analyser finds wrong is still the asker's fault."""
    wrong = {}
    for option in ("event=nothing", "cpu=x", "weight=x", "color=x", "focus=(", "drop=%5b"):
        status, _, body = download(site, f"/runs/{run}/export/svg?{option}")
        if status != 400 or b'"bad-request"' not in body:
            wrong[option] = status, body[:200]
    lib.check(not wrong, "options that make no sense are refused", wrong)


def check_nothing(site, session):
    """A run that only counts has no samples to give."""
    run = site.run(session, {"tool": "count", "target": {"kind": "command", "command": "true"},
                             "events": {"count": "task-clock"}, "interval_ms": 10})
    ended = site.wait(run)
    lib.check(ended["state"] == "done" and "flame" not in ended["facts"]["tabs"],
              "a run without samples is done without an analyser", ended["state"], ended["reason"])
    status, _, body = download(site, f"/runs/{run}/export/svg")
    lib.check(status in (404, 409), "and has no picture", status, body[:200])


def main():
    lib.need_root()
    lib.need_program("perf")
    with tempfile.TemporaryDirectory(prefix="perfolio-export-") as folder, server.Server(env=server.LEAKS) as site:
        session = site.session("exports")
        run = site.run(session, {
            "tool": "both", "live": False, "rate": "499", "interval_ms": 50, "call_graph": "fp",
            "target": {"kind": "command", "command": f"{os.path.abspath(lib.program('chain'))} 2 0.4 cpu"},
            "events": {"count": "task-clock,page-faults", "sample": "cpu-clock:u"}})
        ended = site.wait(run)
        lib.check(ended["state"] == "done", "a run is recorded", ended["reason"])
        recording = check_recording(site, run, folder)
        check_formats(site, run, recording)
        check_filters(site, run, recording)
        check_counters(site, run)
        check_wrong(site, run)
        check_nothing(site, session)
    lib.done()


if __name__ == "__main__":
    main()
