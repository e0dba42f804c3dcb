#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run's program can't get out of its network, /tmp, limits and end by a process of the server that looks at files as the
same Unix account: whenever it finds one it can neither stop nor trace it.  And what those say is right."""
import os
import shutil
import threading

import lib
import people
import server
import unixpeople
from lib import check

SEEN = 12  # processes that the attack has to meet
ATTACK = """
import ctypes, errno, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
def trace(pid):
    if libc.ptrace(0x4206, pid, 0, 0) < 0:
        return errno.errorcode[ctypes.get_errno()]
    return "TRACED"
def stop(pid):
    try:
        os.kill(pid, signal.SIGSTOP)
        os.kill(pid, signal.SIGCONT)
    except OSError as error:
        return errno.errorcode[error.errno]
    return "STOPPED"
def look(pid):
    try:
        return os.readlink(f"/proc/{pid}/root") and "LOOKED"
    except OSError as error:
        return errno.errorcode[error.errno]
def is_one(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"--role=target" in file.read().split(b"\\0")
    except OSError:
        return False
seen, as_me, got, end = set(), set(), set(), time.monotonic() + 120
while len(as_me) < int(sys.argv[1]) and time.monotonic() < end:
    for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
        while is_one(pid):
            seen.add(pid)
            try:
                if os.stat(f"/proc/{pid}").st_uid == os.getuid():
                    as_me.add(pid)
            except OSError:
                pass
            got |= {stop(pid), trace(pid), look(pid)}
            if got & {"STOPPED", "TRACED", "LOOKED"}:
                end = 0
                break
print(len(as_me) >= int(sys.argv[1]), *sorted(got - {"ESRCH", "ENOENT"}))
"""


def attacked(site, rob):
    """H1: a run without a network hunts the processes that questions start."""
    session = rob.session("attack")
    status, run = rob.run(session, tool="count", events={"count": "page-faults"}, network="none",
                          target={"kind": "command", "argv": ["/usr/bin/python3", "-c", ATTACK, str(SEEN)]})
    check(status == 201, "a run that looks for the server's processes", run)
    site.wait(run["id"], "running")
    over = threading.Event()

    def ask(number):
        asked = 0
        while not over.is_set():  # another question each time
            asked += 1
            rob.ask("POST", "/plan", {"tool": "count", "folder": "/usr",
                                      "target": {"kind": "command", "argv": [f"./none-{number}-{asked}"]}})

    askers = [threading.Thread(target=ask, args=(number,)) for number in range(2)]
    for asker in askers:
        asker.start()
    ended = site.wait(run["id"])
    over.set()
    for asker in askers:
        asker.join()
    said = "".join(piece["text"] for piece in rob.ask("GET", f"/runs/{run['id']}/output")[1]["pieces"])
    check(ended["state"] == "done" and said.split() == ["True", "EACCES", "EPERM"],
          "it meets them, and can neither stop, trace nor look into one", ended["state"], ended["reason"], said)


def right(site, rob, account):
    """What the account may run and enter, not what its real user or root may."""
    home, closed = account.pw_dir, f"{account.pw_dir}/../closed"
    os.mkdir(closed, 0o700)
    for path, owner in ((f"{home}/mine", account.pw_uid), (f"{home}/not", 0), (f"{closed}/program", 0)):
        shutil.copy("/bin/true", path)
        os.chown(path, owner, owner)
        os.chmod(path, 0o700)

    def warnings(argv, folder=""):
        return rob.ask("POST", "/plan", {"tool": "count", "folder": folder, "target": {"kind": "command", "argv": [argv]}}
                       )[1]["warnings"]

    check(not any("mine" in text for text in warnings(f"{home}/mine")), "its own program can be run",
          warnings(f"{home}/mine"))
    check(not any("mine" in text for text in warnings("./mine", home)), "from its own folder", warnings("./mine", home))
    for argv, folder in ((f"{home}/not", ""), (f"{closed}/program", ""), ("./program", closed), ("/none", "")):
        found = [text for text in warnings(argv, folder) if account.pw_name in text or "none" in text or "no " in text]
        check(found, f"root's, or none, can't: {os.path.basename(argv)} in '{os.path.basename(folder)}'",
              warnings(argv, folder))


def main():
    accounts, scratch = unixpeople.enter("alice")
    try:
        with server.Server() as site:
            rob = people.Person(site, "rob", "runner", "--unix", "alice")
            right(site, rob, accounts["alice"])
            attacked(site, rob)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    lib.done()


main()
