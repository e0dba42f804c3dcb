#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A disk that is full before, while and after runs are made, by others or by the runs themselves: none is
lost, run twice or stuck, what was measured can be read, the page is told while it lasts, and all goes on
when there is room again, without a restart.  10 rounds; 100 with PERFOLIO_LONG."""
import collections
import os
import random
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time

import lib
import peer
import server
from lib import check

ROUNDS = 100 if os.environ.get("PERFOLIO_LONG") else 10
SIZE = 48 << 20
KINDS = ("before", "while", "greedy", "processing", "output", "tmp")


class Disk:
    """A small one, that others fill and empty."""

    def __init__(self):
        self.place = tempfile.mkdtemp(prefix="perfolio-full-")
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=711", "none", self.place], check=True)
        self.filler, self.keeper, self.stop = os.path.join(self.place, "filler"), None, threading.Event()

    def fill(self):
        """To the last byte."""
        with open(self.filler, "ab", buffering=0) as file:
            for size in (1 << 20, 4096):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    pass

    def keep_full(self):
        """What becomes free is taken at once: also what the server gives up for its database."""
        def loop():
            while not self.stop.wait(0.005):
                self.fill()
        self.stop.clear()
        self.fill()
        self.keeper = threading.Thread(target=loop)
        self.keeper.start()

    def free(self):
        if self.keeper:
            self.stop.set()
            self.keeper.join()
            self.keeper = None
        if os.path.exists(self.filler):
            os.unlink(self.filler)

    def close(self):
        self.free()
        subprocess.run(["umount", "-l", self.place], check=False)
        shutil.rmtree(self.place, ignore_errors=True)


def form(marks, tool, program):
    return {"tool": tool, "rate": "99", "events": {"count": "task-clock", "sample": "cpu-clock"}, "interval_ms": 50,
            "target": {"kind": "command", "argv": ["sh", "-c", f"echo $PERFOLIO_RUN >>{marks}; {program}"]}}


def state(site, run):
    return site.get(f"/runs/{run}")["state"]


def trouble(site):
    return site.get("/queue")["trouble"]


def begin(site, session, marks, dice, program="sleep 0.2; echo end"):
    return site.run(session, form(marks, dice.choice(("count", "sample", "both")), program))


def play(site, disk, session, marks, dice, kind):
    """One round; the runs that it made, and what went wrong."""
    wrong, runs = [], []
    if kind == "before":  # those that wait go on waiting, others are not taken
        disk.fill()
        peer.until(lambda: trouble(site), 30)
        status, got = site.ask("POST", f"/sessions/{session}/runs", form(marks, "count", "true"))
        if status != 507 or not got["error"]["message"].startswith("the disk is full"):
            wrong.append(f"a run on a full disk: {status} {got}")
    elif kind == "tmp":  # through its own /tmp, which lies on that disk and goes with the run
        runs = [begin(site, session, marks, dice, f"head -c 100M /dev/zero >/tmp/much-{os.getpid()}; sleep 100"),
                begin(site, session, marks, dice)]
        ended = site.wait(runs[0])
        if "the disk is full" not in ended["reason"] or ended["usage"].get("limit") != "disk":
            wrong.append(f"ended by the disk: {ended['state']} {ended['reason']} {ended['usage']}")
    elif kind == "output":  # the run itself fills it
        runs.append(begin(site, session, marks, dice, "yes | head -c 100M; sleep 100"))
        runs.append(begin(site, session, marks, dice))
        ended = site.wait(runs[0], ("processing", *server.ENDED))  # there is no room for an index, perhaps
        if "the disk is full" not in ended["reason"] or ended["usage"].get("limit") != "disk":
            wrong.append(f"ended by the disk: {ended['state']} {ended['reason']} {ended['usage']}")
        if not ended["usage"]["output_cut"] and site.get(f"/runs/{runs[0]}/output?last=1")["items"] == []:
            wrong.append("its output is not kept")
        site.ask("POST", f"/runs/{runs[0]}/cancel")
        site.call("DELETE", f"/runs/{runs[0]}")
        runs = runs[1:]
        remove_for_good(site)
    else:
        runs = [begin(site, session, marks, dice) for _ in range(2)]
        site.wait(runs[0], {"processing": ("processing",)}.get(kind, ("running", "processing")))
        (disk.keep_full if kind == "greedy" else disk.fill)()
        told = peer.until(lambda: (trouble(site) or {}).get("message", "").startswith("The disk is full: "), 30)
        if not told:
            wrong.append(f"{kind}: nobody is told: {trouble(site)}")
        time.sleep(dice.random() * 0.6)
        if kind == "greedy" and (got := site.ask("POST", "/sessions", {"title": "x"}))[0] not in (201, 507):
            wrong.append(f"a session on a full disk: {got}")
    disk.free()
    if not peer.until(lambda: not trouble(site), 30):
        wrong.append(f"{kind}: the trouble lasts: {trouble(site)}")
    if not peer.until(lambda: all(state(site, run) in server.ENDED for run in runs), 60):
        wrong.append(f"{kind}: stuck: {[(run, state(site, run)) for run in runs]}")
    return runs, wrong


def remove_for_good(site):
    """What was removed is kept for ten minutes; as if they had passed."""
    with sqlite3.connect(os.path.join(site.data, "perfolio.db"), timeout=60) as database:
        database.execute("UPDATE run SET purge_ns = 1 WHERE purge_ns IS NOT NULL")
    site.get("/queue")
    peer.until(lambda: not trouble(site), 60)


def rows(site, disk):
    """Notes leave the database its room, and what has them can be removed however full it is."""
    made, status = [], 201
    while status == 201 and len(made) < 1000:
        status, got = site.ask("POST", "/sessions", {"title": "t", "notes": "n" * 65536})
        made += [got["id"]] if status == 201 else []
    left = os.statvfs(disk.place).f_bavail * 4096
    check(status == 507 and len(made) > 100 and left > 3 << 20, "notes end before the disk does", len(made), left, got)
    disk.fill()
    answers = [site.ask("DELETE", f"/sessions/{session}") for session in made]
    check({status for status, _ in answers} == {204}, "sessions can be removed on a full disk",
          [answer for answer in answers if answer[0] != 204][:3])

    def room():  # the reserve is taken again from it
        return os.statvfs(disk.place).f_bavail * 4096 > 16 << 20
    check(peer.until(room, 60), "which gives the disk its room back", os.statvfs(disk.place).f_bavail * 4096)
    disk.free()
    check(peer.until(lambda: not trouble(site), 30), "and all is well", trouble(site))


def look_at(site, runs, marks):
    with open(marks, encoding="ascii") as file:
        begun = collections.Counter(int(line) for line in file)
    wrong = []
    for run in runs:
        found = site.get(f"/runs/{run}")
        if begun[run] != 1:
            wrong.append(f"{run} ran {begun[run]} times")
        if found["state"] != "done" and "disk is full" not in found["reason"]:
            wrong.append(f"{run}: {found['state']}: {found['reason']}")
        if not found["started_ns"] or not found["ended_ns"] or not (found["facts"] or {}).get("tabs"):
            wrong.append(f"{run}: not all of it is noted: {found}")
    return wrong


def main():
    if os.geteuid():
        print("# SKIP full disks: needs root for a tmpfs")
        return lib.done()
    seed = int(os.environ.get("PERFOLIO_SEED", 7))
    dice, runs = random.Random(seed), []
    disk = Disk()
    marks = tempfile.mkdtemp(prefix="perfolio-marks-")
    os.chmod(marks, 0o777)
    mark = os.path.join(marks, "marks")
    with open(mark, "w", encoding="ascii"):
        os.chmod(mark, 0o666)
    try:
        with server.Server(data=os.path.join(disk.place, "data")) as site:
            web = site.processes("web")
            session = site.session("full")
            peer.until(lambda: os.stat(os.path.join(site.data, "reserve")).st_size > 0, 30)
            for number in range(ROUNDS):
                made, wrong = play(site, disk, session, mark, dice, KINDS[number % len(KINDS)])
                runs += made
                check(not wrong, f"round {number + 1}: {KINDS[number % len(KINDS)]}", *wrong)
            wrong = look_at(site, runs, mark)
            check(not wrong, f"{ROUNDS} rounds: {len(runs)} runs, each once and noted to its end", *wrong)
            ends = [site.get(f"/runs/{run}")["ended_ns"] for run in runs]
            check(ends == sorted(ends), "in the order of the queue", ends)
            check(site.processes("web") == web and "started again" not in site.words(),
                  "without a restart", site.words())
            check(site.get("/queue")["items"] == [], "the queue is empty")
            rows(site, disk)
            check(site.stop() == 0, "the server ends", site.words())
            with sqlite3.connect(os.path.join(site.data, "perfolio.db")) as database:
                check(database.execute("PRAGMA integrity_check").fetchone() == ("ok",), "the store is whole")
            swept = lib.run([lib.PERFOLIO, "serve", "--gc", "--data", site.data])
            check(swept.returncode == 0 and "0 rows without a file" in swept.stdout, "no file is missing",
                  swept.stdout, swept.stderr)
    finally:
        disk.close()
        shutil.rmtree(marks, ignore_errors=True)
    lib.done()


main()
