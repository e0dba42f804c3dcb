#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that take more memory, tasks or CPU time than they may, and more than there is: the run is ended as a
whole with its reason, and nothing else is: no process of the server's, no other run.  The server lives in a
control group of 300 to 800 MB, as in a container.  4 rounds; 50 with PERFOLIO_LONG."""
import contextlib
import http.client
import os
import random
import signal
import subprocess
import time

import lib
import peer
import server
from lib import check

ROUNDS = 50 if os.environ.get("PERFOLIO_LONG") else 4
ONE = "x = bytearray({bytes}); import time; time.sleep(100)"
MANY = """import os, time
for i in range({count}):
    if not os.fork():
        x = bytearray({each}); time.sleep(100)
time.sleep(100)"""
# Each of them is smaller than any process of a server: of 0.1.0's the kernel ended the web side and the guard.
SMALL = """import os, time
for i in range(600):
    if not os.fork():
        os.execvp("sh", ["sh", "-c", "x=$(head -c {each} /dev/zero | tr '\\\\0' x); sleep 100; :"])
time.sleep(100)"""
# What is no process's own: the kernel finds nobody who is large.
HIDDEN = """import os, time
file = os.memfd_create("much")
for i in range({bytes} >> 20):
    os.write(file, bytes(1 << 20))
time.sleep(100)"""
FORKS = """import os, time
refused = 0
for i in range(200):
    try:
        if not os.fork():
            time.sleep(1); os._exit(0)
    except OSError:
        refused += 1
print("refused", refused)"""


def own_memory_group():
    """The folder of the memory group that we are in, in either version; None where it can't be used."""
    with open("/proc/self/cgroup", encoding="ascii") as file:
        lines = [line.strip().split(":", 2) for line in file]
    for _, names, path in lines:
        if "memory" in names.split(","):
            return "/sys/fs/cgroup/memory" + path
    place = "/sys/fs/cgroup" + lines[-1][2]
    try:
        with open(place + "/cgroup.subtree_control", encoding="ascii") as file:
            return place if "memory" in file.read().split() else None
    except OSError:
        return None


class Container:
    """A group of its own for a server: so much memory, and no more."""

    def __init__(self, above, number):
        self.path = os.path.join(above, f"perfolio-test-{os.getpid()}-{number}")
        os.mkdir(self.path)

    def limit(self, size):
        for name in ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.max"):
            with contextlib.suppress(OSError):
                with open(os.path.join(self.path, name), "w", encoding="ascii") as file:
                    file.write(str(size))

    def enter(self):
        with open(os.path.join(self.path, "cgroup.procs"), "w", encoding="ascii") as file:
            file.write(str(os.getpid()))

    def close(self):
        peer.until(lambda: not self._remove(), 30)

    def _remove(self):
        for folder, _, _ in os.walk(self.path, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        return os.path.exists(self.path)


@contextlib.contextmanager
def contained(container, *options):
    """A server that was started in the group; this test itself stays outside."""
    real = subprocess.Popen

    def start(*words, **more):
        return real(*words, preexec_fn=container.enter, **more)  # pylint: disable=subprocess-popen-preexec-fn

    server.subprocess.Popen = start
    try:
        site = server.Server(*options)
    finally:
        server.subprocess.Popen = real
    with site:
        yield site


def form(program, **more):
    return {"tool": "count", "events": {"count": "task-clock"}, "interval_ms": 50,
            "target": {"kind": "command", "argv": ["python3", "-c", program]}, **more}


def family(site):
    supervisor = peer.children(site.process.pid)
    return [site.process.pid, *supervisor, *site.processes("web")]


def exhaust(site, session, dice, size, kind):
    """One run that takes too much, one that waits behind it; what is wrong then."""
    program = (SMALL.format(each=size // 300), ONE.format(bytes=2 * size), HIDDEN.format(bytes=2 * size),
               MANY.format(count=100, each=size // 50))[kind % 4]
    more = {"limit_memory": dice.choice((64 << 20, 100 << 20))} if dice.random() < 0.5 else {}
    before = family(site)
    bad = site.run(session, form(program, **more))
    good = site.run(session, form("print('fine')"))
    try:
        bad, good = site.wait(bad), site.wait(good)
    except (OSError, http.client.HTTPException) as error:
        return [f"the server is gone: {error!r} {site.words()}"]
    wrong = []
    if not bad["reason"].startswith("it used more memory than its limit of ") or bad["usage"].get("limit") != "memory":
        wrong.append(f"{bad['state']} {bad['reason']} {bad['usage']}")
    if more and bad["usage"]["limits"]["memory"] != more["limit_memory"]:
        wrong.append(f"limits: {bad['usage']['limits']}")
    if good["state"] != "done" or good["reason"] or good["ending"] != {"kind": "exit", "code": 0}:
        wrong.append(f"the next one: {good['state']} {good['reason']} {good['ending']}")
    if sorted(family(site)) != sorted(before):
        wrong.append(f"not the same processes: {before} {family(site)}")
    return wrong


def rounds(above):
    dice = random.Random(int(os.environ.get("PERFOLIO_SEED", 11)))
    servers = 2 if ROUNDS < 10 else 5
    for number in range(servers):
        size = dice.randrange(300, 800) * (4 if lib.sanitized() else 1) << 20  # the server itself takes more then
        container = Container(above, number)
        container.limit(size)
        try:
            with contained(container) as site:
                session = site.session("memory")
                host = site.get("/hosts")["items"][0]
                check(size // 2 <= host["run_memory"] <= size * 3 // 4 and host["holds_memory"],
                      f"{size >> 20} MB: a run has what the group has, less the server's part", host["run_memory"])
                for turn in range(ROUNDS // servers):
                    wrong = exhaust(site, session, dice, size, number * (ROUNDS // servers) + turn)
                    check(not wrong, f"{size >> 20} MB, round {turn + 1}: the run is ended and nothing else", *wrong)
                check("started again" not in site.words(), "no process was started again", site.words())
                mark = f"PERFOLIO_SERVER=perfolio-{os.stat(site.data).st_dev:x}-{os.stat(site.data).st_ino:x}"
                check(not peer.marked(mark), "no process is left", peer.marked(mark))
        finally:
            container.close()
        check(not os.path.exists(container.path), "nor a group")


def scores(site, session):
    """Who goes first when the kernel has to choose."""
    run = site.run(session, form("import time; time.sleep(100)"))
    site.wait(run, "running")
    mark = f"PERFOLIO_SERVER=perfolio-{os.stat(site.data).st_dev:x}-{os.stat(site.data).st_ino:x}"
    peer.until(lambda: peer.marked(mark))

    def score(pid):
        with open(f"/proc/{pid}/oom_score_adj", encoding="ascii") as file:
            return int(file.read())
    check([score(pid) for pid in peer.marked(mark)] == [1000], "a run goes first",
          [score(pid) for pid in peer.marked(mark)])
    check(all(score(pid) <= 0 for pid in family(site)), "and the server last",
          [score(pid) for pid in family(site)])
    site.post(f"/runs/{run}/cancel")
    site.wait(run)


def other_limits(site, session):
    run = site.wait(site.run(session, form(FORKS, limit_tasks=50)))
    refused = run["usage"]["limits"].get("tasks_refused", 0)
    check(run["state"] == "done" and refused >= 150 and run["usage"]["limits"]["tasks"] == 50,
          "51 tasks are one too many", run["reason"], run["usage"])
    busy = form("", limit_cpus=0.2, limit_s=1)
    busy["target"]["argv"] = ["sh", "-c", "while :; do :; done"]
    run = site.wait(site.run(session, busy))
    spent = int(run["usage"]["user_ns"]) + int(run["usage"]["system_ns"])
    wall = int(run["ended_ns"]) - int(run["started_ns"])
    check(run["usage"]["limits"]["cpus"] == 0.2 and spent < wall * 0.35, "a fifth of a CPU", spent, wall)
    status, got = site.ask("POST", f"/sessions/{session}/runs", form("1", limit_tasks=301))
    check(status == 400 and "--run-tasks" in got["error"]["message"], "nobody asks for more than there is", got)
    status, got = site.ask("POST", f"/sessions/{session}/runs", form("1", limit_memory=1 << 49))
    check(status == 400 and "--run-memory" in got["error"]["message"], "nor for more memory", got)
    status, got = site.ask("POST", f"/sessions/{session}/runs", form("1", limit_memory=1 << 20))
    check(status == 400 and "16 MiB" in got["error"]["message"], "nor for so little that nothing starts", got)


def guard_killed():
    """The guard alone, as by the kernel: all the others end in order, and the next start finds what was measured."""
    with server.Server() as site:
        session = site.session("guard")
        run = site.run(session, form("import time; time.sleep(100)"))
        site.wait(run, "running")
        others = [pid for pid in family(site) if pid != site.process.pid]
        os.kill(site.process.pid, signal.SIGKILL)
        site.process.wait()
        site.process.stdout.close()
        ended = peer.until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in others), 60)
        check(ended, "a guard that is killed takes everything along", others)
        site.start_again()
        found = site.wait(run)
        check(found["state"] == "failed" and found["reason"].startswith("interrupted") and found["ended_ns"],
              "its run is noted as interrupted", found["state"], found["reason"])


def main():
    above = own_memory_group()
    try:
        Container(above or "/none", "try").close()
    except OSError:
        print("# SKIP limits: no control group for memory here")
        return lib.done()
    with server.Server("--run-tasks", "300") as site:
        session = site.session("limits")
        scores(site, session)
        other_limits(site, session)
    guard_killed()
    rounds(above)
    return lib.done()


main()
