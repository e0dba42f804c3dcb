#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a command went, in its recording: `query` and the page tell the same of it."""
import json
import os
import subprocess
import tempfile

import lib
import server


def query(path):
    return json.loads(subprocess.run([lib.PERFOLIO, "query", path, "overview"], capture_output=True, text=True,
                                     check=True).stdout)


def record(path, *options):
    subprocess.run([lib.PERFOLIO, "record", "-q", "-o", path, *options, "--", lib.program("plants"), "sleeps", "500"],
                   stdout=subprocess.DEVNULL, check=True)


def check_recording(path):
    record(path, "--budget")
    told = query(path)
    again = query(path)  # from its index
    lib.check(told["findings"][0]["rule"] == "waiting" and "for time to pass (sleep)" in told["sentence"],
              "query: what it waited for", told["sentence"])
    lib.check(told["budget"]["source"] == "scheduler" and told["budget_missing"] is None and
              abs(sum(part["percent"] for part in told["budget"]["run"]) - 100) < 0.01, "query: the parts are 100 %", told)
    lib.check(again == told, "query: the same from the index", again["sentence"])
    return told


def check_import(path, told):
    with server.Server() as site:
        session = site.session("imports")
        with open(path, "rb") as file:
            _, _, got = site.raw("POST", f"/api/v1/sessions/{session}/import?name=perf.data", file.read(),
                                 {"Authorization": f"Bearer {site.token}"})
        overview = site.get(f"/runs/{site.wait(json.loads(got)['id'])['id']}/overview")
        lib.check(overview["sentence"] == told["sentence"] and overview["budget"]["run"] == told["budget"]["run"],
                  "imported: the page says the same", overview["sentence"])


def check_without(path):
    record(path)
    told = query(path)
    lib.check(told["budget"] is None and "--budget" in told["budget_missing"] and not told["sure"],
              "query: without --budget that is said", told)
    run = subprocess.run([lib.PERFOLIO, "record", "--budget", "-a", "-o", path, "--", "true"], capture_output=True, text=True,
                         check=False)
    lib.check(run.returncode == 2 and "only of a command" in run.stderr, "--budget -a: refused", run.stderr)


def main():
    lib.need_root()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        told = check_recording(path)
        check_import(path, told)
        check_without(os.path.join(folder, "other.data"))
    lib.done()


main()
