#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may attach to processes of one's own Unix account alone gets nothing of others': neither of children that have become
root's, nor of a process that becomes root's before or while it is measured, nor of one that is closed to its own user; by
process, thread and user, sampled and counted."""
import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import tempfile

import lib
import people
import server
import tracer
import unixpeople
from lib import check

TRIES = 20


def place():
    """Where setuid programs have effect, which they don't in /run of many machines, and runs have no folder of their own."""
    for folder in ("/run", "/var/lib", "/opt"):
        if "nosuid" not in lib.run(["findmnt", "-no", "OPTIONS", "-T", folder]).stdout:
            return folder
    return lib.skip_all("setuid programs have effect in none of the folders that runs share with the machine")


class Stage:
    """Programs and secrets: `root` is root's alone, `own` the account's."""

    def __init__(self, site, account, person):
        self.site, self.account, self.person = site, account, person
        self.folder = tempfile.mkdtemp(prefix="perfolio-owners-", dir=place())
        os.chmod(self.folder, 0o755)
        self.session = person.session("attached")
        self.plain, self.setuid = self.program("plain", 0o755), self.program("setuid", 0o4755)
        self.root, self.own, self.closed = self.secret("root", 0), self.secret("own"), self.secret("closed")

    def program(self, name, mode):
        path = f"{self.folder}/{name}"
        shutil.copy(lib.program("guarded"), path)
        os.chmod(path, mode)
        return path

    def secret(self, name, user=None):
        path = f"{self.folder}/{name}.secret"
        with open(path, "w", encoding="ascii") as out:
            out.write(secrets.token_hex(24))
        os.chown(path, self.account.pw_uid if user is None else user, self.account.pw_gid)
        os.chmod(path, 0o600)
        return path

    @contextlib.contextmanager
    def process(self, *argv, ready=True):
        """Of the account, in a session of its own, which ends with it."""
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, user=self.account.pw_uid,
                              group=self.account.pw_gid, extra_groups=[], cwd="/", start_new_session=True,
                              env={"PATH": "/usr/bin:/bin"}) as made:
            try:
                if ready:
                    made.stdout.readline()
                yield made
            finally:
                for entry in filter(str.isdigit, os.listdir("/proc")):
                    if is_of(entry, made.pid):
                        os.kill(int(entry), signal.SIGKILL)

    def attach(self, kind, who, tool="sample", **more):
        """Status, and the run at its end or what was said."""
        status, run = self.person.run(self.session, tool=tool, limit_s=0.6, rate="499", call_graph="dwarf,16384",
                                      events={"sample": "cpu-clock", "count": "task-clock"},
                                      target={"kind": kind, "who": str(who), **more})
        return status, self.site.wait(run["id"]) if status == 201 else run

    def recording(self, run):
        return self.person.raw("GET", f"/runs/{run['id']}/export/perf.data")[2]

    def holds(self, data, path):
        with open(path, encoding="ascii") as file:
            word = file.read()
        return any(word[at:at + 12].encode() in data for at in range(0, len(word) - 12, 4))


def is_of(entry, session):
    try:
        return os.getsid(int(entry)) == session
    except ProcessLookupError:
        return False


def sampled(stage, what, hidden, *target, **more):
    """The account's own is in the recording (or it was not its turn: again), what is hidden never."""
    for _ in range(TRIES):
        status, run = stage.attach(*target, **more)
        data = stage.recording(run) if status == 201 and run["state"] == "done" else b""
        found, own = [path for path in hidden if stage.holds(data, path)], stage.holds(data, stage.own)
        if found or own or not data:
            break
    check(data and not found, f"{what}: nothing that is closed", status, run.get("state"), run.get("reason", run), found)
    check(own, f"{what}: but what is one's own", len(data))
    return run


def children(stage):
    """H2: children that were there before, and those that become root's while it goes on."""
    script = '"$0" "$2" & "$1" "$3" & wait'
    with stage.process("sh", "-c", script, stage.setuid, stage.plain, stage.root, stage.own) as parent:
        parent.stdout.readline()  # both are there
        run = sampled(stage, "children of another user", [stage.root], "process", parent.pid, children=True)
        notes = (run.get("usage") or {}).get("notes", "")
        check("left out" in notes, "that one was left out is said", notes)
        _, counted = stage.attach("process", parent.pid, tool="count", children=True)
        notes = (counted.get("usage") or {}).get("notes", "")
        check(counted["state"] == "done" and "left out" in notes, "nor is it counted", counted["reason"], notes)
    script = 'while :; do "$0" "$2" 0.02; "$1" "$3" 0.02; done'
    with stage.process("sh", "-c", script, stage.setuid, stage.plain, stage.root, stage.own) as parent:
        for more in ({"children": True}, {}):
            sampled(stage, f"programs that become root's meanwhile {more}", [stage.root], "process", parent.pid, **more)


def race(stage, tool):
    """H3: it is the account's when it is asked for, and root's when the recorder opens its events."""
    supervisor = int(lib.status_of(stage.site.processes("web")[0])["PPid"])
    with stage.process(stage.plain, "--then", stage.setuid, stage.root, ready=False) as process, \
            tracer.Tracer(supervisor, f"--pid={process.pid}") as recorder:
        status, run = stage.person.run(stage.session, tool=tool, limit_s=1, rate="499", call_graph="dwarf,16384",
                                       events={"sample": "cpu-clock", "count": "task-clock"},
                                       target={"kind": "process", "who": str(process.pid)})
        check(status == 201 and recorder.held(), f"{tool}: it is one's own when it is asked for", run)
        process.stdin.write(b"go\n")
        process.stdin.flush()
        process.stdout.readline()
        check(lib.status_of(process.pid)["Uid"].split()[1] == "0", "then it becomes root's")
        recorder.go()
        ended = stage.site.wait(run["id"])
        check(not stage.holds(stage.recording(run), stage.root), f"{tool}: nothing of it is recorded", ended["state"])
        check(ended["state"] == "failed" and "another user's" in ended["reason"], "which is said", ended["state"],
              ended["reason"])


def closed(stage):
    """M1: not to be looked into, though it is of the same user."""
    with stage.process(stage.plain, "--closed", stage.closed) as process:
        check(lib.status_of(process.pid)["Uid"].split()[0] == str(stage.account.pw_uid), "a process of the same user")
        for kind in ("process", "thread"):
            for tool in ("sample", "count"):
                status, said = stage.attach(kind, process.pid, tool=tool)
                check(status == 403 and "closed to its own user" in said["message"], f"{kind}, {tool}: it is refused",
                      status, said)
        with stage.process(stage.plain, stage.own):
            sampled(stage, "all of one's user", [stage.closed], "user", stage.account.pw_name)


def main():
    with open("/proc/sys/fs/suid_dumpable", encoding="ascii") as file:
        if file.read().strip() == "1":
            lib.skip_all("fs.suid_dumpable is 1, so nothing is attached to")
    accounts, scratch = unixpeople.enter("alice")
    stage = None
    try:
        with server.Server() as site:
            stage = Stage(site, accounts["alice"], people.Person(site, "rob", "runner", "--unix", "alice"))
            children(stage)
            for tool in ("sample", "count"):
                race(stage, tool)
            closed(stage)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        if stage:
            shutil.rmtree(stage.folder, ignore_errors=True)
    lib.done()


main()
