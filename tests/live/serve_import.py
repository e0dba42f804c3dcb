# SPDX-License-Identifier: Apache-2.0
"""Files that somebody sends: each format becomes a run with what it holds; hostile ones become a run
that failed, with its reason, and the server goes on."""
import contextlib
import gzip
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.parse

import lib
import server

SANITIZED = lib.sanitized()
CPU_SECONDS = 2  # that an analyser may take; the clock's limit is 5 s and four times as long


def send(site, session, data, name="file"):
    status, _, body = site.raw("POST", f"/api/v1/sessions/{session}/import?name={urllib.parse.quote(name)}", data,
                               {"Authorization": f"Bearer {site.token}"})
    return status, json.loads(body)


def imported(site, session, data, name="file"):
    status, run = send(site, session, data, name)
    if status != 201:
        raise server.Refused("POST", "import", status, run)
    return site.wait(run["id"])


def totals(site, run):
    """Samples by function of the whole run, as the API has them."""
    top = site.get(f"/runs/{run['id']}/top?limit=1000")
    return top["samples"], {row["function"]: row["self_samples"] for row in top["rows"]}


def analysers(site):
    """Processes of this server that are at a job."""
    found = []
    for pid in site.family():
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if b"--role=analyser" in file.read():
                    found.append(pid)
        except OSError:
            pass
    return found


def wait_for_none(site, timeout=120):
    """Whose run is over may need a moment to end."""
    end = time.monotonic() + timeout
    while analysers(site) and time.monotonic() < end:
        time.sleep(0.02)
    return not analysers(site)


def take_analyser(site):
    end = time.monotonic() + 120
    while time.monotonic() < end:
        found = analysers(site)
        if found:
            return found[0]
        time.sleep(0.002)
    raise TimeoutError("no analyser was started")


def record(folder):
    """A recording of this machine, and the same samples in the other formats."""
    path = os.path.join(folder, "perf.data")
    done = lib.run([lib.PERFOLIO, "record", "-o", path, "-g", "-F", "999", "-e", "cpu-clock:u",
                    lib.program("chain"), "1", "0.4", "cpu"])
    if done.returncode:
        raise RuntimeError(done.stderr)
    files = {"perf.data": path}
    for kind, words in {"script": ["script", path], "folded": ["fold", path],
                        "pprof": ["export", "--format", "pprof", path]}.items():
        files[kind] = os.path.join(folder, kind)
        with open(files[kind], "wb") as out:
            subprocess.run([lib.PERFOLIO, *words], stdout=out, stderr=subprocess.DEVNULL, check=True)
    return files


def check_formats(site, session, files):
    with open(files["script"], encoding="utf-8") as file:
        heads = re.findall(r"^\S.*?\d+:\s+\d+ cpu-clock:u:", file.read(), re.MULTILINE)
    samples = len(heads)
    weights = {}
    with open(files["folded"], encoding="utf-8") as file:
        for line in file:
            stack, _, count = line.rpartition(" ")
            leaf = stack.split(";")[-1]
            weights[leaf] = weights.get(leaf, 0) + int(count)
    for kind, path in files.items():
        with open(path, "rb") as file:
            plain = file.read()
        packed = {"": plain}
        if kind != "pprof":  # which is packed already
            packed[".gz"] = gzip.compress(plain, 1)
        if kind in ("perf.data", "folded"):
            packed[".zst"] = subprocess.run(["zstd", "-q", "-c"], input=plain, check=True,
                                            stdout=subprocess.PIPE).stdout
        for end, data in packed.items():
            run = imported(site, session, data, kind + end)
            lib.check(run["state"] == "done", f"{kind}{end} becomes a run", run["reason"])
            if run["state"] != "done":
                continue
            got, functions = totals(site, run)
            if kind == "folded":  # its numbers are the event's own count
                found = {name: count for name, count in functions.items() if count}
                lib.check(found == weights, f"{kind}{end}: every function weighs what its lines say",
                          found, weights)
            else:
                lib.check(got == samples, f"{kind}{end}: {samples} samples", got)
                lib.check(functions.get("leaf", 0) > samples / 2,
                          f"{kind}{end}: functions have names", functions)
            lib.check("flame" in run["facts"]["tabs"] and
                      ("time" in run["facts"]["tabs"]) == (kind in ("perf.data", "script")),
                      f"{kind}{end}: the tabs that its data allows", run["facts"]["tabs"])
    status, _, body = site.raw("GET", f"/api/v1/runs/{run['id']}/export/perf.data", None,
                               {"Authorization": f"Bearer {site.token}"})
    lib.check(status == 200 and body == data, "what was imported can be had back as it was", status)


def check_whole_host(site, session, folder):
    """What was recorded of all CPUs is told of as a machine, whatever short programs ran on it."""
    path = os.path.join(folder, "all.data")
    done = lib.run([lib.PERFOLIO, "record", "-ga", "-F", "499", "-e", "cpu-clock", "-o", path, "--", "sh", "-c",
                    "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.02; done"])
    with open(path, "rb") as file:
        run = imported(site, session, file.read(), "all.data")
    sentence = site.get(f"/runs/{run['id']}/overview")["sentence"]
    lib.check(done.returncode == 0 and sentence.startswith("The machine was "), "a recording of all CPUs is one of a machine",
              sentence, done.stderr)


def check_nonsense(site, session, recording):
    with open(recording, "rb") as file:
        whole = file.read()
    status, reply = send(site, session, b"")
    lib.check(status == 400 and reply["error"]["message"], "an empty file is refused", status, reply)
    runs = len(site.get(f"/runs?session={session}&limit=1000")["items"])
    for name, data, words in (
            ("noise", os.urandom(20000), "x isn't a profile we can read (perf.data, perf script, folded, pprof)."),
            ("a header alone", whole[:50], "header"),
            ("zstd of nothing", b"\x28\xb5\x2f\xfd" + b"\xff" * 100, "")):
        status, reply = send(site, session, data, "x")
        lib.check(status == 400 and reply["error"]["code"] == "not-a-profile" and words in reply["error"]["message"],
                  f"{name} is refused with a reason", status, reply)
    lib.check(len(site.get(f"/runs?session={session}&limit=1000")["items"]) == runs, "and none of them becomes a run")
    packed = gzip.compress(many_stacks(100000))
    run = imported(site, session, packed[:len(packed) // 2], "x")
    lib.check(run["state"] == "failed" and "ends too early" in run["reason"], "a broken gzip fails with a reason",
              run["state"], run["reason"])
    run = imported(site, session, whole[:len(whole) * 2 // 3], "cut")
    lib.check(run["state"] == "done" and run["facts"]["damage"] and run["facts"]["samples"] > 0,
              "of a recording that is cut short the rest is shown, and said", run["reason"], run["facts"])
    trust = site.get(f"/runs/{run['id']}/quality")["trust"]
    lib.check(trust.get("good") is False and any(fault["reason"] == "file-damaged" and "were not read" in fault["text"]
                                                 for fault in trust.get("faults", [])),
              "and it is not called good", trust)


def many_stacks(count):
    """Text whose every line is a new stack."""
    return "".join(f"prog;f{i};g{i * 7};h{i * 13} 1\n" for i in range(count)).encode()


def bomb():
    """A small file that is large when it is unpacked, and takes long."""
    return gzip.compress(b"prog;main;work 1\n" * (1 << 20), 1) * 300


def check_crash(site, session):
    wait_for_none(site)  # that the one below is found and no other
    _, run = send(site, session, bomb(), "crashes")
    os.kill(take_analyser(site), signal.SIGABRT)  # which no sanitizer takes, however early it comes
    run = site.wait(run["id"])
    lib.check(run["state"] == "failed" and "signal 6" in run["reason"],
              "an analyser that crashes fails its run with the signal", run["reason"])


def check_limits(site, session):
    run = imported(site, session, bomb(), "takes for ever")
    # where others have the CPU, the clock's limit may come before
    lib.check(run["state"] == "failed" and (f"{CPU_SECONDS} s of CPU time" in run["reason"] or "longer than" in run["reason"]),
              "an import that takes for ever fails", run["reason"])
    if not SANITIZED:  # their shadow takes terabytes of addresses
        run = imported(site, session, many_stacks(400000), "eats memory")
        lib.check(run["state"] == "failed" and "more memory" in run["reason"],
                  "an import that eats memory fails", run["reason"])
    run = imported(site, session, b"prog;main 3\n", "good")
    lib.check(run["state"] == "done", "and the next one is done", run["reason"])


def begin_hanging(site, session):
    """One that hangs is noticed by the clock alone, which takes some seconds."""
    for _ in range(4):
        _, run = send(site, session, bomb(), "hangs")
        analyser = take_analyser(site)
        with contextlib.suppress(ProcessLookupError):
            os.kill(analyser, signal.SIGSTOP)
        if analyser in analysers(site):  # it was stopped before its CPU time was over
            return run["id"], analyser
        site.wait(run["id"])
    raise TimeoutError("no analyser could be stopped in time")


def check_hanging(site, run, analyser):
    run = site.wait(run)
    lib.check(run["state"] == "failed" and "longer than" in run["reason"],
              "an analyser that hangs is ended", run["state"], run["reason"])
    lib.check(wait_for_none(site), "and its process is gone", analyser, analysers(site))


def check_restart(site, session):
    """What was processing when the server died is looked at again."""
    wait_for_none(site)
    _, run = send(site, session, bomb(), "long")
    take_analyser(site)
    _, short = send(site, session, b"prog;main 3\n", "short")
    site.process.kill()
    site.process.wait()
    site.process.stdout.close()
    site.start_again()
    lib.check(site.get(f"/runs/{run['id']}")["state"] == "processing" and take_analyser(site),
              "an import that was being looked at when the server died is looked at again")
    lib.check(site.get(f"/runs/{short['id']}")["state"] in ("processing", "done"),
              "and one that waited is not lost")


def main():
    lib.need_root()
    lib.need_program("zstd")
    with tempfile.TemporaryDirectory(prefix="perfolio-import-") as folder, \
            server.Server("--analyser-memory=100M", f"--analyser-time={CPU_SECONDS}") as narrow, \
            server.Server() as site:
        files = record(folder)
        hostile, session = narrow.session("hostile"), site.session("imports")
        hanging = begin_hanging(narrow, hostile)
        check_formats(site, session, files)
        check_whole_host(site, session, folder)
        check_nonsense(site, session, files["perf.data"])
        check_crash(site, session)
        lib.check(wait_for_none(site), "no analyser is left", analysers(site))
        check_hanging(narrow, *hanging)
        check_limits(narrow, hostile)
        check_restart(site, session)
    lib.done()


if __name__ == "__main__":
    main()
