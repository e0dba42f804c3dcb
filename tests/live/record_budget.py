#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a command went, in its recording: `query` and the page tell the same of it."""
import json
import os
import subprocess
import tempfile
import time

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


def check_ending(path):
    """How the program ended is told first, with a budget or without."""
    for what, words, status in (("status", "It ended with exit status 3 after ", 3),
                                ("segfault", "It ended with signal 11 (Segmentation fault) after ", 139), ("spin", "", 0)):
        for options in ([], ["--budget"]):
            run = subprocess.run([lib.PERFOLIO, "record", "-q", "-o", path, "-F", "999", *options, "--", lib.program("plants"),
                                  what, "200"], capture_output=True, text=True, check=False)
            told = query(path)
            failed = told["findings"][0]["rule"] == "failed"
            lib.check(run.returncode == status and told["sentence"].startswith(words) and failed == bool(words),
                      f"{what}: how it ended {' '.join(options)}", run.returncode, told["sentence"])


def check_full(path):
    """W8: samples, counts and budget of a recording that its size ended are of the same time."""
    subprocess.run([lib.PERFOLIO, "record", "-q", "-o", path, "--budget", "-e", "cpu-clock", "-F", "4999", "-g", "--max-size",
                    "60k", "--", lib.program("plants"), "forever"], stdout=subprocess.DEVNULL, check=False, timeout=300)
    told = query(path)
    events = json.loads(subprocess.run([lib.PERFOLIO, "query", path, "events"], capture_output=True, text=True,
                                       check=True).stdout)
    cpu, count = int(events["cpu_time_ns"]), int(events["rows"][0]["count"])
    lib.check(0.85 <= count / cpu <= 1.1, f"--max-size: samples stand for {count / cpu:.0%} of the CPU time", events)
    lib.check(told["budget"] and told["budget_missing"] is None, "--max-size: the budget is kept", told["budget_missing"])
    ran = int(told["budget"]["all_threads"][0]["ns"])
    lib.check(ran >= 0.9 * cpu, "--max-size: it goes as far as the samples", ran, cpu)
    lib.check(told["sentence"].startswith("The recording ended after ") and "reached its size" in told["sentence"],
              "--max-size: that is said", told["sentence"])


def make_group():
    """A cgroup that may have a quota of CPU time: its folder, and how to set one in percent; None: not here."""
    first, second = "/sys/fs/cgroup/cpu", "/sys/fs/cgroup"
    name = f"perfolio-quota-{os.getpid()}"
    try:
        if os.path.exists(f"{first}/cpu.cfs_quota_us") or os.path.isdir(first):
            folder = os.path.join(first, name)
            os.mkdir(folder)
            return folder, lambda percent: write(f"{folder}/cpu.cfs_quota_us", percent * 1000 if percent else -1)
        folder = os.path.join(second, name)
        os.mkdir(folder)
        if os.path.exists(f"{folder}/cpu.max"):
            return folder, lambda percent: write(f"{folder}/cpu.max", f"{percent * 1000} 100000" if percent else "max")
        os.rmdir(folder)
    except OSError:
        pass
    return None


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(text))


def check_quota(folder):
    """A quota is named, and not who had the CPUs.  It is set once the program runs: the recorder is in the group, too."""
    made = make_group()
    if not made:
        print("# no cgroup with a quota can be made here")
        return
    group, limit = made
    path, go, ready = (os.path.join(folder, name) for name in ("quota.data", "go", "ready"))
    script = f"echo >{ready}; while [ ! -e {go} ]; do sleep 0.02; done; exec {lib.program('plants')} spin 2500"
    try:
        with subprocess.Popen([lib.PERFOLIO, "record", "-q", "-o", path, "--budget", "-F", "199", "--", "sh", "-c", script],
                              stdout=subprocess.PIPE,
                              preexec_fn=lambda: write(f"{group}/cgroup.procs", os.getpid())) as recorder:
            lib.check(lib.until(lambda: os.path.exists(ready)), "quota: the program runs")
            limit(4)
            write(go, "")
            recorder.stdout.readline()  # its truth, at its end
            limit(0)
    finally:
        lib.until(lambda: try_remove(group))
    told = query(path)
    held = int(told["budget"]["queued_behind"]["quota_ns"])
    lib.check("its CPU quota (cgroup) held it back" in told["sentence"] and held > 5e8, "quota: it is named", told["sentence"],
              held)


def try_remove(folder):
    try:
        os.rmdir(folder)
        return True
    except OSError:
        return False


def main():
    lib.need_root()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        told = check_recording(path)
        check_import(path, told)
        check_without(os.path.join(folder, "other.data"))
        check_ending(os.path.join(folder, "ended.data"))
        check_quota(folder)
        check_full(os.path.join(folder, "full.data"))
    lib.done()


main()
