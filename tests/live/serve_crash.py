#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the server's processes at random while runs are made: none is lost, run twice or stuck,
nothing stays behind, and the store is whole.  10 rounds; 100 with PERFOLIO_LONG."""
import collections
import contextlib
import http.client
import os
import random
import signal
import sqlite3
import time

import lib
import peer
import server
from lib import check

ROUNDS = 100 if os.environ.get("PERFOLIO_LONG") else 10
RUNS = 3  # a round
VICTIMS = ("web", "supervisor", "guard", "workload", "analyser", "record", "stat")


def patiently(call, *arguments, seconds=180):
    """Asks again while nobody answers."""
    end = time.monotonic() + seconds
    while True:
        try:
            return call(*arguments)
        except (OSError, http.client.HTTPException):
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def tag(site):
    info = os.stat(site.data)
    return f"PERFOLIO_SERVER=perfolio-{info.st_dev:x}-{info.st_ino:x}"


def find_victim(site, kind):
    if kind == "guard":
        return site.process.pid
    if kind == "supervisor":
        return next(iter(peer.children(site.process.pid)), None)
    if kind == "workload":
        return next(iter(peer.marked(tag(site))), None)
    supervisor = next(iter(peer.children(site.process.pid)), None)
    for pid in peer.children(supervisor) if supervisor else ():
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")[:4]
            if f"--role={kind}".encode() in words or (kind in ("record", "stat") and kind.encode() in words):
                return pid
        except OSError:
            pass
    return None


def kill(site, kind):
    victim = find_victim(site, kind)
    if victim is None:
        return None
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        return None
    if kind in ("guard", "supervisor"):  # either ends all the others; a service manager starts it again
        site.process.wait(120)
        site.process.stdout.close()
        site.start_again()
    return kind


def unfinished(site, runs):
    return {run: found["state"] for run in runs
            if (found := patiently(site.get, f"/runs/{run}"))["state"] not in server.ENDED}


def all_runs(site, session):
    """In one request: there is a limit to how many may come in a second."""
    return patiently(site.get, f"/runs?session={session}&limit=1000")["items"]


def unread(site, session):
    """Runs that began and of which nobody knows what they hold."""
    return [run["id"] for run in all_runs(site, session)
            if run["started_ns"] and not (run["facts"] or {}).get("tabs")]


def kill_at_start(site, session, after):
    """The web side is killed when a run was just taken from the queue, so many seconds later."""
    web = find_victim(site, "web")
    run = patiently(site.post, f"/sessions/{session}/runs", {
        "tool": "both", "target": {"kind": "command", "argv": ["true"]}})["items"][0]["id"]
    with contextlib.closing(sqlite3.connect(f"file:{site.data}/perfolio.db?mode=ro", uri=True)) as database:
        while database.execute("SELECT state FROM run WHERE id = ?", (run,)).fetchone() == ("queued",):
            time.sleep(0.001)
    time.sleep(after)
    os.kill(web, signal.SIGKILL)
    peer.until(lambda: not unfinished(site, [run]), 300)
    return patiently(site.get, f"/runs/{run}")


def play(site, session, marks, dice):
    """One round: runs are queued, somebody is killed, all come to an end; what was killed, and the runs."""
    form = {"tool": dice.choice(("count", "sample", "both")), "repeats": RUNS, "rate": "99",
            "events": {"count": "task-clock", "sample": "cpu-clock"}, "interval_ms": 50,
            "target": {"kind": "command", "argv": [
                "sh", "-c", f"echo $PERFOLIO_RUN >>{marks}; (setsid sleep 100 &); sleep 0.1; echo end >&2"]}}
    made = [run["id"] for run in site.post(f"/sessions/{session}/runs", form)["items"]]
    time.sleep(dice.random() * 0.6)
    killed = next(who for kind in dice.sample(VICTIMS, len(VICTIMS))
                  if (who := kill(site, kind)))
    peer.until(lambda: not unfinished(site, made), 300)
    return killed, made


def look_at(runs, marks):
    """What is wrong with the runs; each once, or interrupted with a reason."""
    with open(marks, encoding="ascii") as file:
        begun = collections.Counter(int(line) for line in file)
    wrong = []
    for run in runs:
        times = begun[run["id"]]
        if run["state"] not in server.ENDED:
            wrong.append(f"{run['id']} is stuck: {run['state']}")
        elif times > 1:
            wrong.append(f"{run['id']} ran {times} times")
        elif run["state"] == "done" and times != 1 and run["ending"]["kind"] == "exit":
            wrong.append(f"{run['id']} is done and never ran")
        elif run["state"] == "failed" and not run["reason"]:
            wrong.append(f"{run['id']} failed, nobody knows why")
    return wrong


def main():
    seed = int(os.environ.get("PERFOLIO_SEED", time.time()))
    dice = random.Random(seed)
    print(f"# PERFOLIO_SEED={seed}")
    killed, runs = collections.Counter(), []
    with server.Server() as site:
        marks = os.path.join(site.scratch, "marks")
        with open(marks, "w", encoding="ascii"):
            os.chmod(marks, 0o666)
        session = site.session("crashes")
        for _ in range(ROUNDS):
            who, made = play(site, session, marks, dice)
            killed[who] += 1
            runs += made
        print(f"# killed: {dict(killed)}")
        found = all_runs(site, session)
        states = collections.Counter(run["state"] for run in found)
        print(f"# {dict(states)}")
        reasons = [f"{run['id']}: {run['reason']}" for run in found if run["state"] == "failed"]
        wrong = look_at(found, marks)
        check(not wrong, f"{ROUNDS} rounds: every run is there, ran at most once and came to an end", *wrong)
        check(peer.until(lambda: not unread(site, session), 60), "also what was interrupted is looked at",
              unread(site, session))
        listed = [run["id"] for run in found]
        check(sorted(listed) == sorted(runs), "none is lost and none made up", len(listed), len(runs))
        check(states["done"] >= ROUNDS, "most are done all the same", states)
        # One is made at a time: whoever is killed takes no more than that one along; web side and analysers
        # none, for the supervisor goes on with what it was told, and what it was not waits again.
        check(states["failed"] <= sum(killed[who] for who in ("supervisor", "guard", "record", "stat")),
              "what waited in the queue was made later", states, killed, *reasons)
        begun = site.session("killed at the start of a run")
        begun = [kill_at_start(site, begun, after) for after in (0, 0.01, 0.03)]
        check(all(run["state"] == "done" for run in begun), "a run outlives a web side that is killed at its start",
              *(f"{run['state']}: {run['reason']}" for run in begun))
        check(site.get("/queue")["items"] == [], "the queue is empty")
        mark = tag(site)
        check(site.stop() == 0, "the server ends", site.words())
        check(peer.until(lambda: not peer.marked(mark) and not site.processes()), "no process is left",
              peer.marked(mark), site.processes())
        with sqlite3.connect(os.path.join(site.data, "perfolio.db")) as database:
            check(database.execute("PRAGMA integrity_check").fetchone() == ("ok",) and
                  not database.execute("PRAGMA foreign_key_check").fetchall(), "the store is whole")
        swept = lib.run([lib.PERFOLIO, "serve", "--gc", "--data", site.data])
        check(swept.returncode == 0 and swept.stdout.startswith("0 removed") and
              "0 rows without a file" in swept.stdout, "no file is missing", swept.stdout, swept.stderr)
    lib.done()


main()
