#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What limited a program, in words: programs that are limited by one thing each, really recorded."""
import re
import subprocess
import sys
import time

import lib
import server

# What is planted, the rule that must come first, and how its sentence begins.
PLANTED = [
    ("cpu", "cpu-bound", r"It was limited by the CPU: .*`spin` alone took \d+ %"),
    ("calls", "system-calls", r"It was limited by system calls: \d+ % of its CPU time"),
    ("faults", "page-faults", r"It was limited by page faults: \d+ % of its CPU time"),
    ("processes", "short-processes", r"It started [\d,]+ processes, most of them short: .* of CPU time each on average"),
    ("idle", "waiting", r"It mostly waited, neither for a CPU nor for the disk: for \d+ % of its"),
]


def form(what, tool, ms=700, rate="2999"):
    return {"tool": tool, "target": {"kind": "command", "argv": [lib.program("limits"), what, str(ms)]},
            "rate": rate, "call_graph": "fp", "interval_ms": 20}


def overview_of(site, session, good, what, tool, **more):
    """The run and its overview.  Where others have the CPUs, a program is limited by that as well, and does little
    in its time: what is not as planted is tried again, for longer each time."""
    for attempt in range(4):
        run = site.wait(site.run(session, form(what, tool, 700 << attempt, **more)))
        overview = site.get(f"/runs/{run['id']}/overview")
        if good(overview):
            break
        print(f"# {what}, {tool}, attempt {attempt + 1}: {overview['sentence']}")
    return run, overview


def first_rule(overview):
    return overview["findings"][0]["rule"]


def waits_for_others(overview, does=""):
    """Where others have the CPUs all the time, that is what limits a program that would run: what it does when it runs is
    told beside it."""
    parts = {part["name"]: part["percent"] for part in (overview.get("budget") or {}).get("run", [])}
    return (first_rule(overview) in ("cpu-queue", "mixed") and parts and parts["cpu-queue"] >= max(parts.values()) - 10 and
            re.search(does, overview["sentence"]))


def check_evidence(what, overview):
    first = overview["findings"][0]
    lib.check(first["evidence"] and all(re.search(r"\d", one["text"]) for one in first["evidence"]),
              f"{what}: the sentence comes with numbers", first)
    lib.check(all(one["tab"] for one in overview["findings"]),
              f"{what}: each finding says where to look further", overview)


def check_planted(site, session):
    does = {"cpu": "`spin` alone took", "calls": "into system calls", "faults": "into page faults", "processes": "short processes"}
    for what, rule, words in PLANTED:
        told = lambda overview, rule=rule, words=words: (first_rule(overview) == rule and
                                                         re.match(words, overview["sentence"]))
        run, overview = overview_of(site, session, told, what, "sample")
        lib.check(run["state"] == "done", f"{what}: the run is done", run)
        lib.check(told(overview) or waits_for_others(overview, does.get(what, "")), f"{what}: is told first, by the rule {rule}",
                  overview)
        check_evidence(what, overview)


def check_besides(site, session):
    """What is no limit, but worth saying."""
    words = r"One of its [34] threads, `limits`, used \d+ % of its CPU time"
    told = lambda overview: any(one["rule"] == "one-thread" and re.match(words, one["text"])
                                for one in overview["findings"])
    _, overview = overview_of(site, session, told, "onethread", "sample")
    lib.check(told(overview), "one thread of four: is told", overview)
    # Processes that end between two samples were started all the same.
    told = lambda overview: any(one["rule"] == "short-processes" for one in overview["findings"])
    _, overview = overview_of(site, session, told, "processes", "sample", rate="9")
    lib.check(told(overview), "processes, hardly sampled: is told all the same", overview)


def check_counted(site, session):
    """Without samples, the kernel's account has to do."""
    for what, rule, words in (("idle", "waiting", "idle, only counted: is told all the same"),
                              ("faults", "page-faults", "faults, only counted: the kernel's account tells")):
        # where a fault costs much, counts alone don't tell whether calls took as long
        told = lambda overview, rule=rule: first_rule(overview) == rule or "system calls or page faults" in overview["sentence"]
        _, overview = overview_of(site, session, told, what, "count")
        lib.check(told(overview) or waits_for_others(overview), words, overview)


def check_own_figures(site, session):
    """Page faults are those that were counted; the fork of ours that became the program is nobody's memory."""
    for argv, least in ((["sleep", "0.1"], 0), ([lib.program("plants"), "bandwidth", "200"], 64 << 20)):
        run = site.wait(site.run(session, {"tool": "count", "target": {"kind": "command", "argv": argv}, "interval_ms": 100}))
        summary = site.get(f"/runs/{run['id']}/summary")
        figures = {one["name"]: one["value"] for one in summary["figures"]}
        counted = {one["event"]: int(one["total"]) for one in summary["counters"]}
        lib.check(figures["faults"] == counted["page-faults"] and figures["switches"] == counted["context-switches"],
                  f"{argv[-1]}: tiles and counters are the same", figures, counted)
        counters = site.get(f"/runs/{run['id']}/counters")
        lib.check(counters["start_ns"] == summary["start_ns"] and int(counters["first_ns"]) > int(summary["start_ns"]),
                  f"{argv[-1]}: counters begin with the program, not while it waits to begin", counters, summary)
        memory = next((one["text"] for one in summary["figures"] if one["name"] == "memory"), "")
        # of a small one it is known that it is not above what its start takes; a sanitizer's start takes more than most
        under = not least or lib.sanitized()
        lib.check(memory.startswith("under ") if under else figures["memory"] >= least and memory[0].isdigit(),
                  f"{argv[-1]}: peak memory is the program's own, or told as a limit", memory)


def check_processes(site, session):
    """The program and those that it starts, be they sampled or not: what was there before belongs to others."""
    argv = ["sh", "-c", "for i in 1 2 3 4 5; do (exit 0); done; exit 0"]
    run = site.wait(site.run(session, {"tool": "sample", "target": {"kind": "command", "argv": argv}, "call_graph": "fp"}))
    figures = {one["name"]: one["value"] for one in site.get(f"/runs/{run['id']}/summary")["figures"]}
    lib.check(figures.get("processes", 6) == 6 and figures.get("threads", 6) == 6, "processes and threads are those of the program", figures)
    run = site.wait(site.run(session, {"tool": "both", "target": {"kind": "host"}, "limit_s": 1, "call_graph": "fp", "interval_ms": 100}))
    summary = site.get(f"/runs/{run['id']}/summary")
    figures = {one["name"]: one["value"] for one in summary["figures"]}
    lib.check(figures["processes"] <= figures["threads"], "a machine has no more processes than threads", figures)
    counters = site.get(f"/runs/{run['id']}/counters")
    lib.check(int(summary["counted_ns"]) == int(counters["last_ns"]) - int(counters["start_ns"]),
              "over which time a machine was counted is told", summary["counted_ns"], counters["start_ns"])


def check_attached(site, session):
    """A process that was there before: one that sleeps waits, one of three on a CPU is kept from running."""
    spin = ["taskset", "-c", "0", "sh", "-c", "while :; do :; done"]
    threads = ["taskset", "-c", "0", sys.executable, "-c", "import threading, time\n"
               "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nwhile True: pass"]
    started = [subprocess.Popen(argv) for argv in (["sleep", "60"], threads, spin, spin)]
    try:
        for one, rule, words in ((started[0], "waiting", r"It mostly waited, neither for a CPU nor for the disk: for (99|100) %"),
                                 (started[1], "cpu-queue", r"It mostly waited for a CPU: for [5-9]\d % of its .* it was ready while other programs had the CPUs")):
            run = site.wait(site.run(session, {"tool": "both", "rate": "997", "limit_s": 1, "interval_ms": 100,
                                               "target": {"kind": "process", "who": str(one.pid)}}))
            overview = site.get(f"/runs/{run['id']}/overview")
            lib.check(overview["findings"][0]["rule"] == rule and re.match(words, overview["sentence"]),
                      f"attached: is told as {rule}", overview["sentence"], run["usage"])
    finally:
        for one in started:
            one.kill()
            one.wait()


def check_nothing(site, session):
    """A program that can't be started: nothing is shown of the fork that tried."""
    for tool in ("count", "sample", "both"):
        run = site.wait(site.run(session, {"tool": tool, "target": {"kind": "command", "command": "no-such-program"}}))
        overview = site.get(f"/runs/{run['id']}/overview")
        first = overview["findings"][0]
        lib.check(run["state"] == "failed" and first["rule"] == "nothing-measured" and not overview["sure"] and
                  overview["sentence"] == "Nothing was measured: no-such-program: no such command in PATH." and
                  first["remedy"] == "install it or give its whole path", f"{tool}: nothing was measured, and why",
                  run["state"], run["reason"], overview)
        tabs = site.get(f"/runs/{run['id']}/summary")["tabs"]
        end = time.monotonic() + server.TIMEOUT
        while run["facts"] is None and time.monotonic() < end:  # a failed run is looked at behind its end
            time.sleep(0.05)
            run = site.get(f"/runs/{run['id']}")
        lib.check(tabs == ["overview"] and run["facts"] == {"tabs": ["overview", "raw"]},
                  f"{tool}: there are no empty tabs", tabs, run["facts"])


def check_ending(site, session):
    """A shell reports a signal of its command as an exit status; anyone may exit with that, so it is said as a guess."""
    for argv, words in ((["sh", "-c", "sh -c 'kill -SEGV $$'; exit $?"],
                         "It ended with exit status 139 (may be a shell's report of signal 11, Segmentation fault) after "),
                        (["sh", "-c", "exit 255"], "It ended with exit status 255 after "),
                        (["sh", "-c", "exit 128"], "It ended with exit status 128 after ")):
        run = site.wait(site.run(session, {"tool": "count", "target": {"kind": "command", "argv": argv}}))
        told = site.get(f"/runs/{run['id']}/overview")["sentence"]
        lib.check(told.startswith(words), f"{argv[-1]}: how it ended", told)


def main():
    with server.Server() as site:
        session = site.session("limits")
        check_planted(site, session)
        check_besides(site, session)
        check_counted(site, session)
        check_own_figures(site, session)
        check_processes(site, session)
        check_attached(site, session)
        check_nothing(site, session)
        check_ending(site, session)
    lib.done()


main()
