#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbers that the page states, beside what is known from elsewhere: from the program itself, from counters of the same
run, or from asking twice."""
import json
import os
import re
import sys
import tempfile
import threading
import time

import lib
import server

# Works for a millisecond of CPU, sleeps for ten, and says in the end how much CPU it has used.
NAPS = """
import time
for _ in range(200):
    until = time.process_time() + 0.001
    while time.process_time() < until:
        pass
    time.sleep(0.01)
print("CPU", time.process_time())
"""


def measured(site, session, **form):
    run = site.wait(site.run(session, {"live": False, **form}))
    lib.check(run["state"] == "done", f"{form['target']['argv'][0]} is measured", run["reason"])
    return run["id"]


def check_naps(site, session):
    """A thread that sleeps most of the time is not drawn as if it ran on, and samples keep their distance."""
    target = {"kind": "command", "argv": ["/usr/bin/python3", "-c", NAPS]}
    run = measured(site, session, tool="sample", target=target, rate="997", call_graph="fp", events={"sample": "cpu-clock"})
    output = "".join(piece["text"] for piece in site.get(f"/runs/{run}/output")["pieces"])
    used = float(output.split("CPU")[1])
    busiest = max(site.get(f"/runs/{run}/threads")["rows"], key=lambda row: row["samples"])
    chart = site.get(f"/runs/{run}/chart?tid={busiest['tid']}")
    shown = sum(length for length, level in zip(chart["length"], chart["level"]) if level == 0) / 1e9
    lib.check(0.4 < shown / used < 2, "the flame chart shows a thread for about the time that it ran", shown, used)
    _, profile = site.ask("GET", f"/runs/{run}/export/firefox")
    interval = profile["meta"]["interval"]
    lib.check(0.5 < interval * 0.997 < 2, "Firefox is told how often samples were taken", interval)


def check_tracepoint(site, session):
    """What is sampled of a tracepoint stands for all of it: a counter of the same run says how much that is."""
    name = "raw_syscalls:sys_enter"
    if not site.get(f"/events/check?expression={name}")["events"][0]["openable"]:
        print("# no tracepoints here")
        return
    target = {"kind": "command", "argv": ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=4000"]}
    form = {"tool": "both", "target": target, "call_graph": "", "events": {"count": name, "sample": name}}
    run = measured(site, session, **form)
    summary = site.get(f"/runs/{run}/summary")
    counted = int(summary["counters"][0]["total"])
    event = summary["events"][0]
    lib.check(counted > 8000 and abs(int(event["count"]) + event["lost"] - counted) < 0.02 * counted,
              "samples of a tracepoint stand for what was counted of it", event, counted)
    lib.check(event["samples"] + event["lost"] > 0.98 * counted, "by default each event is a sample", event, counted)
    plan = site.post("/plan", form)
    lib.check(any(" -c 1 " in line for line in plan["commands"]["perf"]), "and the command line says so", plan["commands"])
    run = measured(site, session, **form, rate="c100")
    event = site.get(f"/runs/{run}/summary")["events"][0]
    lib.check(0.5 < event["samples"] * 100 / counted < 1.5 and 0.5 < int(event["count"]) / counted < 1.5,
              "one in a hundred is that, and stands for a hundred", event, counted)


def check_start(site, session):
    """What makes a program ready to start is not counted with it: `perfolio stat` counts from the program on."""
    name = "raw_syscalls:sys_enter"
    if not site.get(f"/events/check?expression={name}")["events"][0]["openable"]:
        print("# no tracepoints here")
        return
    alone = int(lib.run([lib.PERFOLIO, "stat", "-x,", "-e", name, "--", "/bin/true"]).stderr.split(",")[0])
    form = {"tool": "count", "target": {"kind": "command", "argv": ["/bin/true"]}, "events": {"count": name}}
    counts = [int(site.get(f"/runs/{measured(site, session, **form)}/summary")["counters"][0]["total"]) for _ in range(3)]
    # its execve alone; the wait before it may be broken off and begun again
    lib.check(0 <= min(counts) - alone <= 2, "system calls of a run are the program's", counts, alone)


def check_plan(site):
    """One form has one plan, and another rate another one in proportion."""
    form = {"tool": "sample", "target": {"kind": "command", "command": "true"}, "call_graph": "fp",
            "events": {"sample": "cpu-clock"}}

    def overhead(rate):
        expected = site.post("/plan", {**form, "rate": rate})["expected"]
        return expected["overhead"], expected.get("overhead_error")

    lib.until(lambda: overhead("99")[0] is not None, 300)  # a busy machine may leave no time to find out
    first, error = overhead("99")
    # Other questions in between, as somebody asks who tries what the form offers: answers are not merely repeated.
    for rate in range(100, 114):
        overhead(str(rate))
    lib.check(overhead("99") == (first, error) and error is not None, "the plan of a form is the same each time, with its error",
              first, error, overhead("99"))
    tenfold = overhead("990")[0]
    lib.check(abs(tenfold - 10 * first) <= 0.01 * tenfold, "ten times the rate costs ten times as much",
              first, tenfold)


def send(site, session, data, name):
    status, _, body = site.raw("POST", f"/api/v1/sessions/{session}/import?name={name}", data,
                               {"Authorization": f"Bearer {site.token}"})
    return site.wait(json.loads(body)["id"]) if status == 201 else {"state": status, "reason": body}


def kernel_build_id():
    """As /sys/kernel/notes has it: notes of a name, a type and bytes, each filled up to four."""
    with open("/sys/kernel/notes", "rb") as file:
        notes = file.read()
    at = 0
    while at + 12 <= len(notes):
        name, size, kind = (int.from_bytes(notes[at + i:at + i + 4], sys.byteorder) for i in (0, 4, 8))
        start = at + 12 + (name + 3) // 4 * 4
        if kind == 3 and notes[at + 12:at + 16] == b"GNU\0":
            return notes[start:start + size]
        at = start + (size + 3) // 4 * 4
    return b""


def check_kernel_names(site, session):
    """An imported recording of this boot has the kernel's names; one of another kernel that says to be of this host has not."""
    with open("/proc/kallsyms", encoding="utf-8") as file:
        known = {words[2] for words in map(str.split, file) if words[0].strip("0")}
    if not known:
        print("# the kernel hides its addresses")
        return
    with tempfile.TemporaryDirectory(prefix="perfolio-truth-") as folder:
        path = os.path.join(folder, "here.data")
        done = lib.run([lib.PERFOLIO, "record", "-e", "cpu-clock", "-F", "1997", "-g", "-o", path, "--",
                        "dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=300000"])
        with open(path, "rb") as file:
            data = file.read()
    lib.check(done.returncode == 0 and kernel_build_id() in data, "a recording has the kernel's build-id", done.stderr)

    def kernel_rows(run):
        return [row for row in site.get(f"/runs/{run['id']}/top?limit=1000")["rows"] if "kernel" in (row["object"] or "")]
    run = send(site, session, data, "here.data")
    rows = kernel_rows(run)
    samples = sum(row["self_samples"] for row in rows)
    named = sum(row["self_samples"] for row in rows if row["function"] in known)
    lib.check(samples > 20 and named > 0.95 * samples, "an imported recording of this boot has the kernel's names", named,
              samples, rows[:3])
    other = kernel_build_id()
    rows = kernel_rows(send(site, session, data.replace(other, bytes(byte ^ 0x55 for byte in other)), "there.data"))
    lib.check(rows and not any(row["function"] in known for row in rows), "one of another kernel has not", rows[:3])


def check_processes(site):
    listed = site.get("/processes")["items"]
    pids = [one["pid"] for one in listed]
    lib.check(pids == sorted(pids) and os.getpid() in pids, "processes are listed by their numbers", pids[:20])
    lib.check(all(one.get("cpu_percent", -1) >= 0 for one in listed), "with what they use of a CPU", listed[:3])
    spinner = lib.subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        def share():
            found = [one for one in site.get("/processes")["items"] if one["pid"] == spinner.pid]
            return found and 10 < found[0]["cpu_percent"] < 130
        lib.check(lib.until(share), "one that spins has a good part of one")
    finally:
        spinner.kill()
        spinner.wait()


def check_expression(site):
    wrong = site.get("/events/check?expression=page-faults,no-such-event")
    lib.check(not wrong["valid"] and "\n" not in wrong["message"] and
              wrong.get("marked") == "page-faults,no-such-event\n" + " " * 12 + "^" + "~" * 12 and wrong["remedy"],
              "a wrong expression comes with a mark below what is wrong", json.dumps(wrong))


def check_search(site):
    """A session is found by what ran in it."""
    session = site.session("Tuesday")
    target = {"kind": "command", "argv": ["/usr/bin/printf", "needle-%s", "hay"]}
    run = site.wait(site.run(session, {"tool": "count", "target": target}))

    def found(words):
        return [one["id"] for one in site.get(f"/sessions?search={words}")["items"]]
    lib.check(found("needle-") == [session] and found("NEEDLE+tuesday") == [session] and not found("needle-+wednesday"),
              "sessions are found by the commands of their runs", found("needle-"))
    site.call("DELETE", f"/runs/{run['id']}")
    lib.check(not found("needle-"), "but not by those of removed ones")


def cpu_times():
    """Ticks of all CPUs since the start of the machine: idle, and all."""
    with open("/proc/stat") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def check_idle(site, session):
    """The idle share of a whole host is the kernel's, at the same time: samples meet idle CPUs less often."""
    seen, over = [], threading.Event()

    def watch():
        while not over.wait(0.02):
            seen.append((time.time_ns(), *cpu_times()))

    watcher = threading.Thread(target=watch)
    watcher.start()
    form = {"tool": "sample", "live": False, "target": {"kind": "host"}, "rate": "99", "call_graph": "", "limit_s": 3}
    run = site.wait(site.run(session, form))
    over.set()
    watcher.join()
    lib.check(run["state"] == "done", "the whole host is measured", run["reason"])
    inside = [row for row in seen if int(run["started_ns"]) <= row[0] <= int(run["ended_ns"])]
    truth = 100 * (inside[-1][1] - inside[0][1]) / (inside[-1][2] - inside[0][2])
    figures = {figure["name"]: figure["value"] for figure in site.get(f"/runs/{run['id']}/summary")["figures"]}
    lib.check("idle" in figures and abs(figures["idle"] - truth) < 5, "the idle share is that of /proc/stat", figures, truth)
    lib.check(abs(figures["on-cpu"] + figures["idle"] - 100) < 0.2, "the rest of the CPUs' time is the share on CPU", figures)
    form = {"tool": "count", "live": False, "target": {"kind": "host"}, "events": {"count": "cpu-clock"}, "limit_s": 1}
    summary = site.get(f"/runs/{site.wait(site.run(session, form))['id']}/summary")
    lib.check(summary["counters"] and summary["cpu_ns"] is None and summary["on_cpu_percent"] is None,
              "a clock of whole CPUs, which counts idle ones too, is no CPU time", summary["cpu_ns"], summary["figures"])


def check_span(site, session):
    """Pictures over time begin and end with the run, not with its samples."""
    target = {"kind": "command", "argv": ["sh", "-c", "sleep 0.4; timeout 0.3 sh -c 'while :; do :; done'; sleep 1.2"]}
    run = measured(site, session, tool="sample", target=target, rate="497", call_graph="", events={"sample": "cpu-clock"})
    facts = site.get(f"/runs/{run}")
    start = int(facts["usage"]["monotonic_ns"])
    end = start + int(facts["ended_ns"]) - int(facts["started_ns"])
    heat = site.get(f"/runs/{run}/heatmap")
    lib.check((int(heat["start_ns"]), int(heat["end_ns"])) == (start, end), "the heatmap is of the whole run", heat["start_ns"], start, end)
    lib.check(heat["columns"] == (end - start) // 10**9 + 1 and heat["samples"] == sum(heat["counts"]) > 0, "with all of its samples",
              heat["columns"], heat["samples"])
    lanes = site.get(f"/runs/{run}/heatmap?lanes=thread&width=100")
    lib.check((int(lanes["from_ns"]), int(lanes["to_ns"])) == (start, end + 1), "lanes have the same axis", lanes["from_ns"])
    lib.check(sum(sum(lane["counts"]) for lane in lanes["items"]) == lanes["samples"] == heat["samples"], "and the same samples")
    _, headers, _ = site.raw("GET", f"/api/v1/runs/{run}/export/csv?from={start + 10**8}&to={start + 15 * 10**8}", headers={"Authorization": f"Bearer {site.token}"})
    name = headers["Content-Disposition"]
    lib.check(f'"run-{run}-0.1s-1.5s.csv"' in name, "a download's name has its time since the run's start", name)


def until(condition, timeout=120):
    end = time.monotonic() + timeout
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def check_pause(site, session):
    """What was paused is told, is a gap and not zeros in the curves, and is in no mean."""
    target = {"kind": "command", "argv": ["/usr/bin/python3", "-c", "while True: pass"]}
    form = {"tool": "both", "target": target, "events": {"count": "task-clock", "sample": "cpu-clock"}, "interval_ms": 50,
            "live": False}
    run = site.run(session, form)

    def counters():
        status, answer = site.ask("GET", f"/runs/{run}/counters?per=second")
        return answer if status == 200 else {"t": [], "pauses": [], "lines": [{"mean": []}]}

    lib.check(until(lambda: site.get(f"/runs/{run}")["state"] == "running" and len(counters()["t"]) > 3), "it is counted")
    site.post(f"/runs/{run}/pause")
    lib.check(until(lambda: counters()["lines"][0]["mean"].count(None) > 3), "a pause is a gap", counters())
    site.post(f"/runs/{run}/resume")
    lib.check(until(lambda: counters()["lines"][0]["mean"][-2:].count(None) == 0), "which ends when it goes on", counters())
    site.post(f"/runs/{run}/cancel")
    ended = site.wait(run)
    answer, summary = counters(), site.get(f"/runs/{run}/summary")
    paused = int(summary["paused_ns"])
    gap = sum(int(to) - int(since) for since, to in answer["pauses"])
    lib.check(paused > 0 and int(ended["usage"]["paused_ns"]) == paused and 0.5 < gap / paused < 2, "for how long is known",
              paused, gap)
    rules = [finding["rule"] for finding in site.get(f"/runs/{run}/overview")["findings"]]
    lib.check("paused" in rules, "and said first of all else", rules)
    counted = sum(length for length, value in zip(answer["length"], answer["lines"][0]["mean"]) if value is not None)
    mean = sum(length * value for length, value in zip(answer["length"], answer["lines"][0]["mean"]) if value is not None)
    lib.check(abs(mean / 1e9 / int(summary["counters"][0]["total"]) - 1) < 0.02 and counted < int(summary["duration_ns"]) - gap / 2,
              "means are over the time that was counted", mean, counted, summary["counters"])


def check_left_over(site, session):
    argv = ["/bin/sh", "-c", "sleep 1000 & sleep 1000 & exit 0"]
    run = measured(site, session, tool="count", target={"kind": "command", "argv": argv}, events={"count": "task-clock"})
    lib.check(site.get(f"/runs/{run}")["usage"].get("left_over") == 2, "what was ended with a run is counted",
              site.get(f"/runs/{run}")["usage"])
    findings = {finding["rule"]: finding["text"] for finding in site.get(f"/runs/{run}/overview")["findings"]}
    lib.check("2 processes" in findings.get("left-over", ""), "and told", findings)
    argv = ["/bin/true"]
    run = measured(site, session, tool="count", target={"kind": "command", "argv": argv}, events={"count": "task-clock"})
    lib.check("left_over" not in site.get(f"/runs/{run}")["usage"], "nothing is told of nothing")


def check_user(site, session):
    """How threads waited is not measured of all that a user runs, and that is the reason that is given."""
    form = {"tool": "count", "live": False, "target": {"kind": "user", "who": "root"}, "events": {"count": "cpu-clock"}, "limit_s": 0.5}
    run = site.wait(site.run(session, form))
    why = site.get(f"/runs/{run['id']}/overview")["budget_missing"]
    lib.check(run["state"] == "done" and why == "it is measured for programs, not for all that a user runs",
              "a user as the target has no account of waiting, for a reason", run["reason"], why)


def check_limit(site, session):
    """Its limit is named as it is, also of a program that does not mind SIGTERM and is killed later."""
    argv = ["/bin/sh", "-c", "trap '' TERM; while :; do :; done"]
    run = measured(site, session, tool="sample", target={"kind": "command", "argv": argv}, limit_s=1)
    sentence = site.get(f"/runs/{run}/overview")["findings"][0]["text"]
    after = re.match(r"It was ended at its time limit of 1 s, after ([\d.]+) s\. ", sentence)
    lib.check(after and float(after[1]) > 2, "a time limit is what was asked for, and not when the program ended", sentence)


def main():
    lib.need_root()
    with server.Server() as site:
        session = site.session("truth")
        check_naps(site, session)
        check_tracepoint(site, session)
        check_start(site, session)
        check_kernel_names(site, session)
        check_plan(site)
        check_processes(site)
        check_expression(site)
        check_search(site)
        check_idle(site, session)
        check_span(site, session)
        check_pause(site, session)
        check_left_over(site, session)
        check_limit(site, session)
        check_user(site, session)
    lib.done()


if __name__ == "__main__":
    main()
