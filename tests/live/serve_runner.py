#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The privileged side of the server: workloads that misbehave, processes that are killed, and a web
side that somebody has taken over.  The test is that web side (tests/live/peer.py)."""
import contextlib
import glob
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import lib
import peer
from lib import check

PYTHON = "/usr/bin/python3"  # one that every user may start
STEADY = os.path.abspath(lib.program("steady"))
LONG = os.environ.get("PERFOLIO_LONG")


def left(server, runs="/run-*"):
    """Processes of runs that are still there, and their cgroups."""
    info = os.stat(server.files)
    tag = f"perfolio-{info.st_dev:x}-{info.st_ino:x}"
    groups = [path for place in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
              for path in glob.glob(f"{place}/**/{tag}{runs}", recursive=True)]
    return peer.marked(f"PERFOLIO_SERVER={tag}") + groups


def test_ordinary(server):
    user = next(name for name in ("nobody", "daemon", "bin")
                if pwd.getpwnam(name).pw_uid != os.stat(server.files).st_uid) \
        if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    go = os.path.join(server.folder, "go")
    before = time.monotonic_ns()
    server.start("sh", "-c", f"id -un; echo $A-$B; pwd; until [ -e {go} ]; do sleep 0.02; done; echo late; "
                 "echo no >&2; exit 3", environment=["A=1", "B=x y"], folder="/usr")
    peer.until(lambda: b"/usr\n" in server.output()[0])
    between = time.monotonic_ns()
    with open(go, "wb"):
        ended = server.wait_for("ended")
    server.send(type="forget", run=server.number)
    text, times = server.output()
    check(text.decode().split("\n")[:4] == [user, "1-x y", "/usr", "late"],
          "a program runs as the workload's user, with its environment, in its folder", text)
    check(before < times[0] < between < times[-1] < time.monotonic_ns(), "what it prints has its time",
          before, between, times)
    check(server.output(peer.STDERR)[0] == b"no\n", "standard error is kept apart")
    check((ended["ending"], ended["code"], ended["reason"]) == (1, 3, ""), "its exit status", ended)
    ended = server.ran("sh", "-c", "kill -SEGV $$")
    check((ended["ending"], ended["code"]) == (2, signal.SIGSEGV), "the signal that ended it", ended)
    ended = server.ran(STEADY, "0.3", tool=peer.BOTH, sample_events="cpu-clock",
                       rate="999")
    report = lib.run([lib.PERFOLIO, "report", "-i", server.file("recording")])
    check(report.returncode == 0 and "steady" in report.stdout, "counting and sampling at once",
          ended, report.stderr)
    cpu = str(min(os.sched_getaffinity(0)))
    ended = server.ran("grep", "Cpus_allowed_list", "/proc/self/status", cpus=cpu)
    check(f"list:\t{cpu}\n".encode() in server.output()[0], "it is pinned to its CPUs", server.output())


def test_refused(server):
    for argv, more, words in (
            (["no-such-program"], {}, "no such command in PATH"),
            (["/etc/passwd"], {}, "may not run it; chmod"),
            (["/etc"], {}, "/etc: a folder, not a program"),
            (["true"], {"folder": "/no/such"}, "no such folder; make it"),
            (["true"], {"folder": "tmp"}, "named from / on"),
            (["true"], {"cpus": "999"}, "CPUs 999"),
            (["true"], {"count_events": "nonsense"}, "unknown event 'nonsense'"),
            (["true"], {"environment": ["=x"]}, "is not NAME=VALUE"),
            ([], {}, "no command"),
            ([], {"target": peer.PROCESS, "who": "999999999"}, "999999999"),
            (["true"], {"tool": 4}, "no tool"),
            (["true"], {"target": 9}, "no target"),
            (["true"], {"interval_ns": 10}, "shortest interval")):
        ended = server.ran(*argv, **more)
        check(words in ended["reason"] and ended["ending"] == 0, f"refused: {words}", ended)


def test_misbehaving(server):
    crowd = "import os,sys,time\nfor i in range(1000):\n if os.fork() == 0: time.sleep(1000)\nprint('all', flush=True)\n"
    server.start(PYTHON, "-c", crowd + "time.sleep(1000)")
    server.wait_for("began")
    check(peer.until(lambda: server.output()[0] == b"all\n", 240), "a thousand children")
    check(len(left(server)) > 1000, "they are there", len(left(server)))
    server.send(type="cancel", run=server.number)
    ended = server.wait_for("ended")
    check(ended["cancelled"] and not left(server), "none is left when the run is cancelled", ended)
    server.send(type="forget", run=server.number)

    deaf = ("import os,signal,sys,time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "if os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n  os.setsid(); time.sleep(1000)\n os._exit(0)\n"
            "print('deaf', flush=True)\ntime.sleep(1000)")
    server.start(PYTHON, "-c", deaf)
    check(peer.until(lambda: server.output()[0] == b"deaf\n"), "one that ignores SIGTERM, in other sessions")
    begin = time.monotonic()
    server.send(type="cancel", run=server.number)
    ended = server.wait_for("ended")
    check(ended["code"] == signal.SIGKILL and not left(server), "is killed with all that it forked",
          ended, left(server))
    check(time.monotonic() - begin < 120, "soon", time.monotonic() - begin)
    server.send(type="forget", run=server.number)

    ended = server.ran("sh", "-c", "(setsid sleep 1000 &) ; echo gone")
    check(ended["code"] == 0 and not left(server), "what it leaves behind at its end is ended", left(server))
    ended = server.ran("sh", "-c", "exec >&- 2>&-; sleep 0.2; exit 5")
    check(ended["code"] == 5, "one that closes its output", ended)

    size = (1 << 30) if LONG else (64 << 20)
    ended = server.ran("sh", "-c", f"head -c {size} /dev/zero; echo end >&2")
    kept = sum(len(server.output(stream)[0]) for stream in (1, 2))
    check(kept == 1 << 20 and ended["output_cut"] == size + 4 - kept,
          "much output is cut at the limit, and said", kept, ended["output_cut"])

    begin = time.monotonic()
    ended = server.ran("sleep", "1000", limit_ns=300_000_000)
    check("time limit" in ended["reason"] and time.monotonic() - begin < 120, "the time limit ends it", ended)


def test_delegated():
    """A cgroup that is the user's own, as systemd gives it: what leaves the run's group is found all the same."""
    top = next((path for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
                if os.path.exists(f"{path}/cgroup.controllers")), None)
    own = open("/proc/self/cgroup", encoding="ascii").read().split("0::", 1)[-1].strip()
    group = f"{top}{own}/perfolio-test-{os.getpid()}" if top else None
    try:
        os.mkdir(group)
    except (OSError, TypeError) as error:
        print(f"# SKIP a delegated cgroup: {error}")
        return
    for name in ("", "cgroup.procs"):
        os.chown(os.path.join(group, name), 2, 2)
    procs, own_procs = f"{group}/cgroup.procs", f"{top}{own}/cgroup.procs"
    try:
        with open(procs, "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
        server = peer.Peer(user=2)
        with open(own_procs, "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
        ended = server.ran("sh", "-c", f"(echo 0 > {procs} && echo out; exec setsid sleep 1000) & sleep 0.5")
        check(ended["code"] == 0 and server.output()[0] == b"out\n" and not left(server),
              "what leaves the cgroup of its run is ended with it", ended, server.output(), left(server))
        server.close()
    finally:
        with open(own_procs, "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
        check(peer.until(lambda: try_remove(group)), "and nothing is in the user's cgroup any more")


def try_remove(group):
    try:
        os.rmdir(group)
    except OSError:
        return False
    return True


def test_attach(server):
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as target:
        try:
            server.start(target=peer.PROCESS, who=str(target.pid))
            server.wait_for("began")
            rows = lambda: (os.path.getsize(server.file("series")) - 56) // 40
            check(peer.until(lambda: rows() >= 3), "a process that runs is counted", rows())
            for action, name in ((0, "paused"), (1, "resumed"), (2, "reset")):
                server.send(type="control", run=server.number, action=action)
            check(peer.until(lambda n=rows(): rows() > n + 2), "and goes on after pause, resume and reset")
            server.send(type="cancel", run=server.number)
            ended = server.wait_for("ended")
            check(ended["cancelled"] and target.poll() is None, "the end of the run is not its end", ended)
            server.send(type="forget", run=server.number)
            ended = server.ran(target=peer.PROCESS, who=str(target.pid), limit_ns=300_000_000)
            check(ended["reason"] == "" and not ended["cancelled"], "a time limit is its ordinary end", ended)
            server.start(target=peer.THREAD, who=str(target.pid), tool=peer.SAMPLE,
                         sample_events="cpu-clock")
            server.wait_for("began")
            time.sleep(0.2)
        finally:
            target.kill()
        ended = server.wait_for("ended")
        check(ended["reason"] == "", "the run ends with what it is attached to", ended)
        server.send(type="forget", run=server.number)


def ask(server, what, *words, out=None):
    server.number += 1
    out = out or server.file("answer")
    server.send(type="ask", question=server.number, what=what, words=words, out=out)
    answered = server.wait_for("answered")
    assert answered["question"] == server.number, answered
    if answered["failed"]:
        return answered["reason"]
    with open(out, encoding="utf-8") as file:
        return json.load(file)


def test_questions(server):
    mine = [one for one in ask(server, "processes")["processes"] if one["pid"] == os.getpid()]
    check(mine and "serve_runner" in mine[0]["command"] and mine[0]["threads"][0]["tid"] == os.getpid()
          and mine[0]["parent"] == os.getppid(), "processes, with their threads", mine)
    names = {event["name"] for event in ask(server, "events")["events"]}
    check({"cpu-clock", "page-faults"} <= names, "events")
    check(ask(server, "doctor"), "the doctor")
    answer = ask(server, "check", "{page-faults,cpu-clock}:u")
    check(answer["valid"] and [event["name"] for event in answer["events"]] ==
          ["page-faults", "cpu-clock"] and answer["events"][0]["openable"], "an expression", answer)
    answer = ask(server, "check", "no-such-event")
    check(not answer["valid"] and "no-such-event" in answer["message"], "a wrong one", answer)
    answer = ask(server, "plan", "both", "task-clock", "cpu-clock", "500", "fp", "")
    cpus = len(os.sched_getaffinity(0))
    check(answer["needed"] == 0 and answer["samples_per_second"] == 500 * cpus and
          answer["bytes_per_second"] > 0, "a plan", answer)
    for what, words, out, text in (
            ("plan", ("sample", "", "nonsense", "", "", ""), None, "wrong"),
            ("plan-events", ("count", "nonsense", "", "", ""), None, "wrong"),
            ("target", ("", "command", "", "", "", "", "no-such", ""), None, "warnings"),
            ("plan", ("sample",), None, "takes 6 words"), ("id", (), None, "no question"),
            ("check", ("--help",), None, None),
            ("doctor", (), "/proc/self/oom_score_adj", "is not in the data folder"),
            ("doctor", (), "/dev/null", "is not in the data folder")):
        answer = ask(server, what, *words, out=out)
        check(text in answer if text else not answer["valid"], f"asked for {what} {words} {out}", answer)


def test_web_killed(server):
    go = os.path.join(server.folder, "again")
    server.start("sh", "-c", f"echo once; until [ -e {go} ]; do sleep 0.02; done; echo twice")
    began = server.wait_for("began")
    server.send(raw="ff" * 64)  # no message: it is killed for it
    told = server.accept()
    again = [message for message in told if message["type"] == "began"]
    check(told[0]["type"] == "policy" and again == [began], "a new web side is told of the run", told)
    with open(go, "wb"):
        ended = server.wait_for("ended")
    check(ended["code"] == 0 and server.output()[0] == b"once\ntwice\n", "which went on", ended)
    server.send(**{"type": "start", "run": server.number, "tool": 1, "argv": ["true"]})
    check(server.wait_for("ended") == ended, "asked for again it is told again, not run again")
    server.send(raw="00")
    server.connection.shutdown(socket.SHUT_RDWR)
    told = server.accept()
    check([m for m in told if m["type"] == "ended"] == [ended], "until it is forgotten", told)
    server.send(type="forget", run=server.number)
    server.send(type="policy")  # what only the supervisor says
    check([m["type"] for m in server.accept()] == ["policy", "ready"], "then no more")
    test_stale_question(server)


def test_stale_question(server):
    """One whose answer nobody reads does not end by itself."""
    path = os.path.join(server.folder, "full")
    os.mkfifo(path)
    os.chmod(path, 0o666)  # the web side is another user
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while os.write(pipe, b" " * 4096):
            pass
    server.send(type="ask", question=1, what="events", words=(), out=path)
    server.send(raw="ff" * 64)
    server.accept()
    os.set_blocking(pipe, True)
    threading.Thread(target=lambda: all(iter(lambda: os.read(pipe, 65536), b"")), daemon=True).start()
    server.send(type="ask", question=2, what="doctor", words=(), out=server.file("answer"))
    check(server.wait_for("answered")["question"] == 2, "nor of an answer to what another web side asked")


def test_killed():
    for round_number in range(100 if LONG else 3):
        with tempfile.TemporaryDirectory(prefix="perfolio-peer-") as folder:
            server = peer.Peer(folder=folder)
            server.start("sh", "-c", "setsid sleep 1000 & (setsid sleep 1000 &); echo there; sleep 1000")
            peer.until(lambda: server.output()[0] == b"there\n")
            supervisor = server.supervisor()
            victim = server.server.pid if round_number % 2 else supervisor
            os.kill(victim, signal.SIGKILL)
            gone = peer.until(lambda: not left(server, "") and not peer.alive(supervisor)
                              and (server.server.poll() is not None))
            check(gone, f"kill -9 of {'the guard' if round_number % 2 else 'the supervisor'} leaves nothing",
                  left(server))
            os.unlink(server.path)
            server.server.stdout.close()
            server.listener.close()
            server = peer.Peer(folder=folder)
            ended = server.ran("true")
            check(ended["code"] == 0, "and the next server runs", ended)
            server.close()


def state(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)


def command_line(pid):
    with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
        return file.read().split("\0")


def test_taken_over():
    secret = tempfile.NamedTemporaryFile("w", prefix="perfolio-secret-")
    secret.write("secret")
    secret.flush()
    os.chmod(secret.name, 0o600)
    server = peer.Peer("--deny", "attach,users,host")
    for more, words in (
            ({"target": peer.HOST}, "whole host"),
            ({"target": peer.PROCESS, "who": "1"}, "runs already"),
            ({"target": peer.THREAD, "who": "1"}, "runs already"),
            ({"target": peer.USER, "who": "root"}, "runs already"),
            ({"stat_options": ["-o", "/etc/x"]}, "not an option that a run can have"),
            ({"stat_options": ["--pre=id"]}, "not an option that a run can have"),
            ({"stat_options": ["-e", "--pre=id"]}, "needs a value"),
            ({"stat_options": ["--eve=x"]}, "not an option that a run can have"),
            ({"stat_options": ["--filter", "-o/etc/x"]}, "needs a value"),
            ({"stat_options": ["sh", "-c", "id"]}, "not an option that a run can have"),
            ({"stat_options": ["--", "id"]}, "not an option that a run can have"),
            ({"record_options": ["-p1"]}, "not an option that a run can have"),
            ({"record_options": ["--control=fd:1"]}, "not an option that a run can have"),
            ({"record_options": ["-a"]}, "not an option that a run can have"),
            ({"output": "/dev/null"}, "is not in the data folder"),
            ({"output": "/proc/self/mem"}, "is not in the data folder"),
            ({"output": "/etc/passwd"}, "is not in the data folder"),
            ({"series": "/dev/shm/x"}, "is not in the data folder"),
            ({"rate": "99 -o /etc/x", "tool": peer.SAMPLE}, "is not a rate")):
        ended = server.ran("true", **more)
        check(words in ended["reason"], f"not allowed: {more}", ended)
    for text in (secret.name, "/etc/shadow"):
        server.ran("cat", text)
        check(server.output()[0] == b"", f"{text} can't be read through a workload", server.output())
    server.ran("id", "-u", environment=["LD_PRELOAD=/x", "PERFOLIO_RUN=7"])
    check(server.output()[0].strip() not in (b"", b"0"), "a workload is never root", server.output())
    server.ran("grep", "NoNewPrivs", "/proc/self/status")
    check(server.output()[0].split()[-1:] == [b"1"], "nor becomes it by sudo", server.output())
    server.ran("sh", "-c", "ls -l /proc/self/fd | wc -l; cat /proc/$PPID/environ")
    check(len(server.output()[0].split()) == 1, "nor looks into the supervisor", server.output())
    server.start(STEADY, "30", tool=peer.BOTH, sample_events="cpu-clock")
    server.wait_for("began")
    inside = [state(pid) for pid in peer.children(server.supervisor()) if "--role=fenced" in command_line(pid)]
    check(len(inside) == 2 and all(one["Seccomp"] == "2" and one["NoNewPrivs"] == "1" for one in inside),
          "what measures as root is fenced in", inside)
    server.send(type="cancel", run=server.number)
    server.wait_for("ended")
    server.send(type="forget", run=server.number)
    web = int(open(f"/proc/{server.supervisor()}/task/{server.supervisor()}/stat",
                   encoding="ascii").read().split()[0])
    server.send(raw="00" * 40)
    server.accept()
    check(peer.alive(web), "what is no message ends the web side, not the supervisor")
    check(server.ran("true")["code"] == 0, "and a new one can measure")
    server.close()
    secret.close()


def test_full_disk():
    """What is printed and measured has no room: it is said, and the server goes on."""
    folder = tempfile.mkdtemp(prefix="perfolio-peer-")
    data = os.path.join(folder, "data")
    os.mkdir(data)
    lib.run(["mount", "-t", "tmpfs", "-o", "size=2M,mode=700", "perfolio-test", data])
    try:
        server = peer.Peer(folder=folder)
        ended = server.ran("sh", "-c", "head -c 3000000 /dev/zero; echo 5; exit 5")
        kept = len(server.output()[0])
        check(ended["code"] == 5 and ended["output_cut"] == 3000002 - kept > 0,
              "output on a full disk is cut, and the program goes on", ended, kept)
        os.unlink(server.file("output"))
        with open(os.path.join(data, "filler"), "wb") as file:
            file.truncate(0)
            with contextlib.suppress(OSError):
                file.write(bytes(1900 << 10))
                file.flush()
        ended = server.ran("sh", "-c", "while :; do :; done", tool=peer.SAMPLE,
                           sample_events="cpu-clock", rate="9999", record_options=["-d", "-P"])
        check("disk is full" in ended["reason"] or "No space" in ended["reason"],
              "a recording on a full disk ends the run, with the reason", ended)
        os.unlink(os.path.join(data, "filler"))
        check(server.ran("true")["code"] == 0, "with room again the next one runs")
        server.close()
    finally:
        lib.run(["umount", data])
        shutil.rmtree(folder, ignore_errors=True)


def test_two(server):
    second = lib.run([lib.PERFOLIO, "serve", "--data", server.files, "--listen", "127.0.0.1:0"])
    check(second.returncode == 1 and "serves this folder already" in second.stderr,
          "a second server on the same folder refuses", second.stderr)


def main():
    server = peer.Peer("--max-output", "1M")
    try:
        test_ordinary(server)
        test_refused(server)
        test_misbehaving(server)
        test_attach(server)
        test_questions(server)
        test_web_killed(server)
        test_two(server)
        server.start("sleep", "1000")
        server.wait_for("began")
        server.server.send_signal(signal.SIGTERM)
        ended = server.wait_for("ended")
        check(ended["interrupted"] and not ended["cancelled"] and "server was stopped" in ended["reason"],
              "a server that is stopped interrupts the run", ended)
        check(server.server.wait(120) == 0 and not left(server), "and ends, with all of it")
    finally:
        server.close()
    test_killed()
    if os.geteuid() == 0:
        test_taken_over()
        test_full_disk()
        test_delegated()
        print("# without rights and without cgroups")
        server = peer.Peer("--max-output", "1M", user=2)
        try:
            test_misbehaving(server)
        finally:
            server.close()
    lib.done()


main()
