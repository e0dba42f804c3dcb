#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run has for itself: /tmp, /var/tmp, /dev/shm and home that no other run sees, kept until it is analysed; and
a network that reaches less than all."""
import contextlib
import errno
import os
import pwd
import shutil
import socket
import tempfile
import threading

import lib
import server
import tracer
from lib import check

REACH = """
import socket, sys
def reach(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=20).close()
        return "yes"
    except OSError as error:
        return type(error).__name__
mine = socket.socket()
try:
    mine.bind(("127.0.0.1", 0)); mine.listen()
    inside = reach(mine.getsockname()[1])
except OSError as error:
    inside = type(error).__name__
print("outside", reach(int(sys.argv[1])), "inside", inside)
"""


class Runs:
    """Runs of one session; each gives its end, with what it has written."""

    def __init__(self, site):
        self.site, self.session = site, site.session()

    def __call__(self, *argv, **form):
        if len(argv) == 1:
            argv = ("sh", "-c", argv[0])
        form = {"tool": "count", "events": {"count": "page-faults"}, "target": {"kind": "command", "argv": list(argv)},
                **form}
        run = self.site.wait(self.site.run(self.session, form))
        status, got = self.site.ask("GET", f"/runs/{run['id']}/output")
        run["said"] = "".join(piece["text"] for piece in got["pieces"]) if status == 200 else ""
        return run


def kept(site):
    """The folders of runs that are still there."""
    folder = "supervisor" if not os.geteuid() else f"supervisor-{os.geteuid()}"
    path = os.path.join(site.data, folder, "runs")
    return os.listdir(path) if os.path.isdir(path) else []


def apart(site, run):
    """A run leaves secrets; the next one, of the same Unix account, finds none.  In 0.1.0 it read all of them."""
    places = ("/tmp", "/var/tmp", "/dev/shm")
    with tempfile.NamedTemporaryFile(prefix="perfolio-host-", dir="/tmp") as host:
        os.chmod(host.name, 0o644)
        left = run("exec 2>&1; umask 077; for d in /tmp /var/tmp /dev/shm $HOME; do echo secret >$d/perfolio-left; done; "
                   "cat /tmp/perfolio-left; ls -d /tmp/perfolio-h*; pwd; echo $HOME; stat -c %a $HOME /tmp")
        check(left["said"].startswith("secret\n") and "perfolio-host" not in left["said"],
              "a run writes to its own /tmp and sees nothing of the machine's", left["said"], left["reason"])
        check("/tmp/home\n/tmp/home\n700\n700\n" in left["said"], "with a home in there", left["said"])
        check(not any(os.path.exists(f"{place}/perfolio-left") for place in places), "nothing of it is on the machine")
        looked = run("cat /tmp/perfolio-left 2>/dev/null; find /tmp /var/tmp /dev/shm $HOME -type f; echo looked")
        check(looked["said"] == "looked\n", "and nothing in the next run's", looked["said"])


LEAVE = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print("memory", libc.shmget(int(os.environ["KEY"]), 4096, 0o1666) >= 0)
print("semaphores", libc.semget(int(os.environ["KEY"]), 1, 0o1666) >= 0)
print("messages", libc.msgget(int(os.environ["KEY"]), 0o1666) >= 0)
name = ("/" + os.environ["NAME"]).encode()
print("queue", libc.mq_open(name, os.O_CREAT | os.O_RDWR, 0o666, None) >= 0)
for folder in ("/run/lock", "/dev/mqueue"):
    try:
        open(folder + name.decode() + "-file", "x").close()
    except OSError as error:
        print("#", folder, error)
"""


def ipc(run):
    """What lives in the kernel, or in folders that all may write to, ends with the run as well."""
    key = 0x70660000 | os.getpid() & 0xFFFF
    name = f"perfolio-{os.getpid()}"
    got = run("/usr/bin/env", f"KEY={key}", f"NAME={name}", "python3", "-c", LEAVE)
    check(got["said"].count("True") >= 3, "a run has shared memory, semaphores and messages", got["said"], got["reason"])
    found = []
    for kind in ("shm", "sem", "msg"):
        with open(f"/proc/sysvipc/{kind}", encoding="ascii") as file:
            found += [kind for line in file if line.split()[0] == str(key)]
    for folder in ("/run/lock", "/dev/mqueue"):
        found += [entry for entry in (os.listdir(folder) if os.path.isdir(folder) else []) if name in entry]
    check(not found, "and leaves none on the machine", found)


def bound_in(site, run, scratch):
    """What the form names in /tmp is there, by that name, with its names in the result."""
    shutil.copy(lib.program("deep"), f"{scratch}/bin/deep")
    os.symlink(f"{scratch}/bin", f"{scratch}-link")
    try:
        for what, argv, folder in (("the program's own path", [f"{scratch}/bin/deep"], ""),
                                   ("a program in the working folder", ["./deep"], f"{scratch}/bin"),
                                   ("a link to it", [f"{scratch}-link/deep"], f"{scratch}-link")):
            got = run(*argv, "100", "0.3", folder=folder, tool="sample", rate="999", call_graph="fp")
            top = str(site.get(f"/runs/{got['id']}/top")) if got["state"] == "done" else ""
            check("at_the_bottom" in top, f"{what} in /tmp runs and has names", got["state"], got["reason"], top[:300])
        got = run(f"cat {scratch}/bin/data; cat <{scratch}/bin/data; ls {scratch}")
        check(got["said"].count("words") == 2, "what a command line names is there, too", got["said"])
    finally:
        os.unlink(f"{scratch}-link")


def not_bound_in(site, run, scratch):
    """Only what the run's account may reach, and of what others own only folder and program."""
    closed = f"{scratch}/closed/open"
    os.makedirs(closed)
    with open(f"{closed}/file", "w", encoding="ascii") as out:
        out.write("hidden\n")
    os.chmod(f"{scratch}/closed", 0o700)
    got = run("cat", "file", folder=closed)
    check(got["state"] == "failed" and "may not enter" in got["reason"] and "hidden" not in got["said"],
          "a folder behind a closed one stays closed", got["state"], got["reason"])
    got = run(f"cat {closed}/file")
    check("hidden" not in got["said"], "by a command line as well", got["said"])
    trap = f"{scratch}-trap"
    with open(trap, "w", encoding="ascii") as out:
        out.write("")
    os.chmod(trap, 0o666)
    os.chown(trap, 12345, 12345)
    try:
        got = run(f"echo caught >{trap}; cat {trap}")
        with open(trap, encoding="ascii") as file:
            check(got["said"] == "caught\n" and not file.read(), "a file that somebody else has planted is not written to",
                  got["said"])
    finally:
        os.unlink(trap)
    got = run(f"mv {os.path.dirname(scratch)}/* /tmp/elsewhere; rmdir {scratch} {scratch}/*; ln -s /etc {scratch}; "
              f"ls -ld /tmp/*; cat {scratch}/bin/data", folder=f"{scratch}/bin", tool="sample")
    check(got["state"] == "done" and os.path.isdir(f"{scratch}/bin"), "links that a run makes lead its analyser nowhere",
          got["reason"])


def jit(site, run, scratch):
    """The list that a JIT left in the run's own /tmp names its code after the run's end."""
    shutil.copy(lib.program("jit"), f"{scratch}/bin/jit")
    for live in (False, True):
        got = run(f"{scratch}/bin/jit", f"{scratch}/bin/jit", "none", "keep", tool="sample", rate="999", live=live,
                  call_graph="")
        top = str(site.get(f"/runs/{got['id']}/top"))
        check("made_by_jit" in top, f"a JIT's code has names {'while it runs' if live else 'after its end'}",
              got["reason"], top[:300])
    got = run(f"cp {scratch}/bin/deep /tmp/made; exec /tmp/made 100 0.3", tool="sample", rate="999", call_graph="fp",
              live=False)
    check("at_the_bottom" in str(site.get(f"/runs/{got['id']}/top")), "so has a program that the run made in its /tmp")


def removed(site):
    check(lib.until(lambda: not kept(site)), "after the analysis its folders are gone", kept(site))


def left_over(site):
    """What a server that was killed has left is removed by the next one: of any depth, whatever its modes."""
    site.stop()
    name = "supervisor" if not os.geteuid() else f"supervisor-{os.geteuid()}"
    deep = os.path.join(site.data, name, "runs", "999", "tmp")
    os.makedirs(deep)
    top = os.open(deep, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=top)
        below = os.open("d", os.O_RDONLY, dir_fd=top)
        os.close(top)
        top = below
    os.close(os.open("f", os.O_CREAT, 0, dir_fd=top))
    os.fchmod(top, 0)
    os.close(top)
    os.symlink("/etc", deep + "/link")
    site.start_again()
    check(lib.until(lambda: not kept(site)) and os.path.exists("/etc/passwd"), "folders of runs that are gone are removed",
          kept(site))


def swapped(site, scratch):
    """H1c: somebody always wins the race against root's sweep: a folder becomes a link between two of its calls, and files
    are there again as soon as they are removed."""
    if not tracer.CAN_OPEN:
        return
    victim = f"{scratch}/victim"
    with open(victim, "w", encoding="ascii"):
        os.chmod(victim, 0o644)
    run = os.path.join(site.data, "supervisor", "runs", "998")
    top = os.path.join(run, "tmp")
    sweep = [lib.PERFOLIO, "serve", "--role=sweep", "--data", site.data, "--", "998"]
    folders = []

    def swap(call, result):
        if call == tracer.UNLINKAT and result == -errno.EISDIR:
            folders.append(1)
            if len(folders) == 2:  # the first is tmp itself
                os.rename(f"{top}/x", f"{scratch}/away")
                os.symlink(victim, f"{top}/x")

    def remake(call, result):
        if call == tracer.UNLINKAT and not result:
            with contextlib.suppress(FileNotFoundError), open(f"{top}/again", "w", encoding="ascii"):
                pass

    os.makedirs(f"{top}/x")
    status = tracer.each_call(sweep, swap)
    check(status == 0 and len(folders) >= 2 and not os.path.exists(run), "a folder that becomes a link is removed", status,
          folders)
    check(os.stat(victim).st_mode & 0o777 == 0o644, "and what that leads to stays as it is", oct(os.stat(victim).st_mode))
    os.makedirs(f"{top}/x")
    with open(f"{top}/first", "w", encoding="ascii"):
        pass
    check(tracer.each_call(sweep, remake), "who makes files again and again does not keep it for ever")
    check(not lib.run(sweep).returncode and not os.path.exists(run), "and later all is removed")


def disk(site, run):
    got = run("dd if=/dev/zero of=/tmp/large bs=1M count=64 2>/dev/null; sleep 60")
    check("--max-disk" in got["reason"], "what a run has in its /tmp counts", got["state"], got["reason"])


def shared_again(site, run):
    with tempfile.NamedTemporaryFile(prefix="perfolio-host-", dir="/tmp") as host:
        os.chmod(host.name, 0o644)
        got = run("ls -d /tmp/perfolio-host*")
        check(os.path.basename(host.name) in got["said"] and not site.get("/hosts")["items"][0]["private_tmp"],
              "private-tmp = no: the machine's /tmp, as the page says", got["said"])


REACHED = {"full": ["yes", "yes"], "loopback": ["ConnectionRefusedError", "yes"], "none": ["OSError", "OSError"]}


def networks(site, run, widest):
    """A listener on the machine's loopback that a run can't reach, and one in the run that it can."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, args=(listener,), daemon=True).start()
        port = str(listener.getsockname()[1])
        got = run("/usr/bin/env", "python3", "-c", REACH, port)["said"].split()
        check(got[1::2] == REACHED[widest], f"--run-network {widest}: {REACHED[widest]} outside and inside", got)
        check(site.get("/hosts")["items"][0]["run_network"] == widest, "which the page says")
        names = list(REACHED)
        for asked in names:
            if names.index(asked) < names.index(widest):
                form = {"tool": "count", "target": {"kind": "command", "command": "true"}, "network": asked}
                status, got = site.ask("POST", f"/sessions/{run.session}/runs", form)
                check(status == 403, f"where it is {widest} a form can't ask for {asked}", status, got)
            elif asked != widest:
                got = run("/usr/bin/env", "python3", "-c", REACH, port, network=asked)["said"].split()
                check(got[1::2] == REACHED[asked], f"but for less: {asked}", got)


def accept(listener):
    while True:
        try:
            listener.accept()[0].close()
        except OSError:
            return


def unprivileged():
    """Without root the same by a user namespace; where there are none, page and run say so."""
    if os.geteuid():
        return
    nobody = pwd.getpwnam("nobody")
    folder = tempfile.mkdtemp(prefix="perfolio-private-", dir="/var/tmp")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    try:
        with as_user(nobody, folder) as site:
            host = site.get("/hosts")["items"][0]
            got = Runs(site)("touch /tmp/mine; ls /tmp; id -u; grep Cap /proc/self/status")
            if host["private_tmp"]:
                check(got["said"].split()[:3] == ["home", "mine", str(nobody.pw_uid)], "a user's server has it, too",
                      got["said"], got["reason"])
                check("CapEff:\t0000000000000000" in got["said"], "and the program no rights by it", got["said"])
            else:
                check(host["private_tmp_why"] and "no /tmp of its own" in got["usage"]["notes"],
                      "where there are no user namespaces, that is said", host["private_tmp_why"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def as_user(user, folder):
    site = server.Server.__new__(server.Server)
    options = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", lib.PERFOLIO, "serve",
               "--listen", "127.0.0.1:0", "--data", f"{folder}/data"]
    site.scratch, site.data, site.options, site.env = None, f"{folder}/data", options, dict(os.environ, HOME="/")
    site.process = site.link = site.token = site.address = None
    site.log = tempfile.TemporaryFile("w+", prefix="perfolio-log-")
    site.start()
    return site


def main():
    if os.geteuid():
        lib.skip_all("what others can't see is tested as root")
    with server.Server() as site:
        if not site.get("/hosts")["items"][0]["private_tmp"]:
            lib.skip_all(site.get("/hosts")["items"][0]["private_tmp_why"])
        run = Runs(site)
        scratch = tempfile.mkdtemp(prefix="perfolio-run-", dir="/tmp")
        os.chmod(scratch, 0o755)
        os.mkdir(f"{scratch}/bin", 0o755)
        with open(f"{scratch}/bin/data", "w", encoding="ascii") as out:
            out.write("words\n")
        try:
            apart(site, run)
            ipc(run)
            bound_in(site, run, scratch)
            not_bound_in(site, run, scratch)
            jit(site, run, scratch)
            networks(site, run, "full")
            removed(site)
            left_over(site)
            swapped(site, scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    with server.Server("--max-disk", "20M", "--run-network", "loopback") as site:
        run = Runs(site)
        networks(site, run, "loopback")
        disk(site, run)
    with server.Server("--no-private-tmp", "--run-network", "none") as site:
        run = Runs(site)
        networks(site, run, "none")
        shared_again(site, run)
    wrong = lib.run([lib.PERFOLIO, "serve", "--run-network", "some", "--data", "/nonexistent/x"])
    check(wrong.returncode == 2 and "none, loopback or full" in wrong.stderr, "there are three", wrong.stderr)
    unprivileged()
    lib.done()


main()
