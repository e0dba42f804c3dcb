#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`stat` with wrong words, targets that go away, limits and outputs that fail: a clear line and the
right exit status, never a crash, a hang or a count that is not true."""
import os
import pty
import resource
import signal
import subprocess
import tempfile
import time

from lib import (PERFOLIO, check, done, measures, need_root, program, run, runs, settings, status_of,
                 until)

STEADY = program("steady")
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]


def says(arguments, status, *words, **options):
    """It ends with this status and its stderr holds these words; nothing else counts."""
    result = run([PERFOLIO, "stat"] + arguments, **options)
    name = " ".join(arguments)
    check(result.returncode == status and all(word in result.stderr for word in words),
          f"{name}: status {status}, {words}", result.returncode, result.stderr)
    return result


def start(arguments, **options):
    return subprocess.Popen([PERFOLIO, "stat"] + arguments, stderr=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, text=True, **options)


def end_of(process, timeout=120):
    """Its stderr and status; a hang is a failure of the test, not of the test run."""
    try:
        text = process.communicate(timeout=timeout)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        text = process.communicate()[1] + "\n(it had to be killed)"
    return text, process.returncode


def wrong_words():
    says(["-e", "nosuch", "true"], 2, "unknown event 'nosuch'")
    says(["-e", "page-fault", "true"], 2, "page-faults")
    says(["-e", "cs", "--filter", "x == 1", "true"], 2, "filter")
    says(["-e", "sched:sched_switch", "--filter", "nosuch == 1", "true"], 2, "nosuch == 1")
    says(["-p", "4194304"], 1, "no such process: 4194304")
    says(["-p", "abc"], 2, "not a list of process ids")
    says(["-t", "4194304"], 1, "no such thread: 4194304")
    says(["-u", "nosuchuser"], 1, "nosuchuser")
    says(["-C", "999", "sleep", "0.1"], 1, "CPU 999")
    says(["-C", "0-", "sleep", "0.1"], 2)
    says(["-a", "-G", "nosuch", "sleep", "0.1"], 1, "cgroup 'nosuch'")
    says(["-a", "--for-each-cgroup", "nosuch", "sleep", "0.1"], 1, "nosuch")
    says(["--control", "fifo:/nosuch", "true"], 1, "/nosuch")
    says(["--control", "nonsense", "true"], 2, "fifo:CTL")
    says(["--control", "fd:77", "true"], 1, "77")
    says(["--log-fd", "77", "true"], 1, "77")
    says(["-o", "/nosuch/file", "true"], 1, "/nosuch/file")
    says(["--pre", "exit 3", "true"], 1, "--pre 'exit 3' failed with status 3")


def exit_statuses():
    says(["-e", "cs", "true"], 0)
    says(["-e", "cs", "false"], 1)
    says(["-e", "cs", "sh", "-c", "exit 42"], 42)
    says(["-e", "cs", "sh", "-c", "kill -9 $$"], 137, "sh: Killed")
    says(["-e", "cs", "sh", "-c", "kill -SEGV $$"], 139)
    says(["-e", "cs", "/nosuch/program"], 127, "/nosuch/program: can't start it")
    says(["-e", "cs", "nosuchprogram"], 127, "nosuchprogram: no such command in PATH")
    says(["-e", "cs", "/etc/passwd"], 127, "/etc/passwd: can't start it")
    says(["-a", "-e", "cs", "nosuchprogram"], 127, "nosuchprogram")
    says(["-a", "-e", "cs", "--", "false"], 1)
    says(["-r", "3", "-e", "cs", "nosuchprogram"], 127, "nosuchprogram")
    says(["--timeout", "50", "-e", "cs", "sleep", "10"], 0, "seconds time elapsed")


def signalled(arguments, number, ready=None):
    """Started, told to end as soon as it counts (and what is asked for besides is so); its stderr and status."""
    process = start(arguments)
    until(lambda: measures(process.pid) and (not ready or ready(process.pid)))
    process.send_signal(number)
    return end_of(process)


def command_runs(name):
    """Whether the command, of this name, has been started: a signal before would find none."""
    return lambda pid: any(runs(child, name) for child in run(["pgrep", "-P", str(pid)]).stdout.split())


def signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        text, status = signalled(["-a", "-e", "cs"], number)
        check(status == 128 + number and "seconds time elapsed" in text,
              f"-a: {number.name} shows the counts", status, text)
        text, status = signalled(["-e", "task-clock", STEADY, "1", "1000000"], number,
                                 command_runs("steady"))
        check(status == 128 + number and "seconds time elapsed" in text,
              f"a command: {number.name} ends it and shows the counts", status, text)

    text, status = signalled(["-I", "50", "--summary", "-a", "-e", "cs"], signal.SIGINT)
    check("Performance counter stats" in text and status == 130, "-I --summary: Ctrl-C", text)

    text, status = signalled(["-e", "task-clock", "sh", "-c", "trap '' INT TERM; exec sleep 1000"],
                             signal.SIGTERM, command_runs("sleep"))
    check("seconds time elapsed" in text and "had to be killed" not in text,
          "a command that ignores SIGTERM is killed", status, text)

    with tempfile.TemporaryDirectory() as folder:
        marks = os.path.join(folder, "runs")
        text, status = signalled(["-r", "100", "-e", "task-clock", "sh", "-c",
                                  f"echo >> {marks}; [ $(wc -l < {marks}) -lt 4 ] || exec sleep 1000"],
                                 signal.SIGINT, command_runs("sleep"))
    check("(3 runs)" in text and status == 130, "-r 100: Ctrl-C in the fourth shows the three before", status,
          text)


class Terminal:
    """It runs on a terminal, with a command that says "ready" when it is; keys are pressed there."""

    def __init__(self, arguments, script):
        self.text = b""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execv(PERFOLIO, [PERFOLIO, "stat", *arguments, "sh", "-c", script])
        self.read_to(b"ready")

    def read_to(self, word, times=1):
        """Until the word was there so often, or all has ended."""
        while self.text.count(word) < times:
            try:
                chunk = os.read(self.terminal, 4096)
            except OSError:  # how a terminal says that nobody is left
                break
            self.text += chunk

    def press_ctrl_c(self):
        """And wait until the terminal has sent the signal, and it has been taken: of two that wait only one is seen."""
        presses = self.text.count(b"^C") + 1
        os.write(self.terminal, b"\x03")
        self.read_to(b"^C", presses)
        until(lambda: not int(status_of(self.pid).get("ShdPnd", "0"), 16) >> (signal.SIGINT - 1) & 1)

    def end(self):
        """All that was shown, and its status."""
        self.read_to(b"(nothing writes this)")
        return self.text.decode(), os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def terminal():
    for arguments, what in ((["-e", "task-clock"], "a command"), (["-a", "-e", "cs"], "the clock")):
        seen = Terminal(arguments, "echo ready; exec sleep 1000")
        seen.press_ctrl_c()
        text, status = seen.end()
        check(status == 130 and "seconds time elapsed" in text, f"Ctrl-C ends {what}", status, text)
    seen = Terminal(["-e", "task-clock"], "trap 'echo heard; heard=1' INT; echo ready; "
                    "until [ \"$heard\" ]; do sleep 0.1; done; sleep 0.5; exit 7")
    seen.press_ctrl_c()
    text, status = seen.end()
    check(status == 7 and "heard" in text and "seconds time elapsed" in text,
          "a command that takes Ctrl-C for itself goes on", status, text)
    seen = Terminal(["-e", "task-clock"], "trap '' INT; echo ready; exec sleep 1000")
    seen.press_ctrl_c()
    seen.press_ctrl_c()
    text, status = seen.end()
    check(status != 0 and "seconds time elapsed" in text, "the second Ctrl-C ends the run", status,
          text)
    lines = [line for line in text.splitlines() if "task-clock" in line]
    check(lines and not lines[0].endswith(" "), "no padding on a terminal", text)


def sleeper():
    """A process that sleeps, and does so already: the beginning of a program would be counted."""
    process = subprocess.Popen(["sleep", "1000"])

    def switches():
        status = status_of(process.pid)
        return status.get("State", "")[:1], status.get("voluntary_ctxt_switches")

    def asleep():
        before = switches()
        time.sleep(0.1)
        return before[0] == "S" and switches() == before
    until(asleep)
    return process


def vanishing():
    victim = subprocess.Popen(["sleep", "1000"])
    process = start(["-p", str(victim.pid), "-e", "task-clock"])
    until(lambda: measures(process.pid))
    victim.kill()
    victim.wait()
    text, status = end_of(process)
    check(status == 0 and "seconds time elapsed" in text, "-p: a target that exits ends the run",
          status, text)

    # processes that end while we look: whatever is met, it is said and the rest is counted
    for _ in range(20):
        victim = subprocess.Popen(["sleep", "0.005"])
        result = run([PERFOLIO, "stat", "-p", f"{victim.pid},{os.getpid()}", "-e", "cs", "--",
                      "true"])
        victim.wait()
        if result.returncode not in (0, 1) or not result.stderr:
            break
    check(result.returncode in (0, 1) and result.stderr, "-p: one that vanishes while we look",
          result.returncode, result.stderr)

    idle = sleeper()
    try:
        result = says(["-p", str(idle.pid), "-e", "cs", "--", "sleep", "0.1"], 0,
                      "<not counted>", "did not run while it was counted")
        check(" 0 " not in result.stderr.split("seconds")[0].split("counted>")[1],
              "no zero is shown for what was not counted", result.stderr)
    finally:
        idle.kill()
        idle.wait()


def threads_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Threads:"))


def crowd(threads=10000):
    """Each of very many threads is counted."""
    process = subprocess.Popen([program("crowd"), str(threads)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    folder = tempfile.mkdtemp()
    fifo, ack = folder + "/ctl", folder + "/ack"
    os.mkfifo(fifo)
    os.mkfifo(ack)
    try:
        while threads_of(process.pid) < threads:
            time.sleep(0.1)
        stat = start(["-p", str(process.pid), "-x,", "-e", "faults", "--control",
                      f"fifo:{fifo},{ack}", "--", "sleep", "1000"])
        with open(fifo, "w", encoding="ascii") as control, open(ack, encoding="ascii") as answers:
            control.write("ping\n")
            control.flush()
            answers.readline()  # comes when all are open
            process.stdin.write("g")
            process.stdin.flush()
            process.stdout.readline()  # when all have done their work
            control.write("stop\n")
            control.flush()
            text, status = end_of(stat)
        check(status == 0, f"{threads} threads: it ends well", status, text)
        faults = int(text.split(",")[0]) if text[:1].isdigit() else -1
        check(4 * threads <= faults <= 4.2 * threads + 500,
              f"{threads} threads: {faults} faults, 4 of each", text)
    finally:
        process.kill()
        process.wait()
        os.unlink(fifo)
        os.unlink(ack)
        os.rmdir(folder)


def limits():
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))

    def soft():
        resource.setrlimit(resource.RLIMIT_NOFILE, (16, 4096))

    events = ",".join(["cs", "faults", "task-clock", "migrations", "minor-faults", "major-faults"] * 4)
    says(["-a", "-e", events, "sleep", "0.1"], 0, "seconds time elapsed", preexec_fn=soft)
    if os.sysconf("SC_NPROCESSORS_ONLN") > 1:
        # as a user who may not raise the hard limit
        result = run(NOBODY + [PERFOLIO, "stat", "-e", ",".join(["faults:u"] * 30), "true"],
                     preexec_fn=few)
        check(result.returncode == 1 and "descriptor" in result.stderr,
              "no descriptors left: a clear message", result.returncode, result.stderr)


def outputs():
    says(["-o", "/dev/full", "-e", "cs", "true"], 1, "/dev/full: No space left on device")
    result = run(["sh", "-c", f"{PERFOLIO} stat -e cs -I 10 -a sleep 0.2 2> /dev/full"])
    check(result.returncode == 1, "standard error on a full disk: status 1", result.returncode)
    result = run(["sh", "-c", f"{PERFOLIO} stat -e cs true 2>&-"])
    check(result.returncode == 1, "standard error closed: status 1", result.returncode)
    result = run(["sh", "-c", f"{PERFOLIO} stat -e cs --log-fd 1 true >&-"])
    check(result.returncode == 1, "--log-fd 1 with standard output closed", result.returncode,
          result.stderr)
    began = time.monotonic()
    result = run(["sh", "-c", f"{PERFOLIO} stat -I 10 -a -e cs --log-fd 1 sleep 200 | head -3"])
    check(time.monotonic() - began < 150 and result.stdout.count("\n") == 3,
          "a reader that goes away ends it", result.stdout, result.stderr)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ticks")
        disk = os.path.join(folder, "small")
        os.mkdir(disk)
        if run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk]).returncode == 0:
            try:
                path = os.path.join(disk, "ticks")
                says(["-o", path, "-I", "1", "-a", "sleep", "200"], 1, "No space left on device")
            finally:
                run(["umount", disk])


def ordinary_user():
    """What paranoid levels leave to others is said, and nothing is shown as counted that is not."""
    for level, arguments, status, words in (
            (2, ["-e", "faults", "true"], 0, ["faults:u ", "note: faults: only what ran in user mode"]),
            (2, ["-a", "-e", "cs", "sleep", "0.1"], 1, ["paranoid is 2", "paranoid=0"]),
            (1, ["-e", "cs", "true"], 0, ["cs "]),
            # What only the kernel does is not 0 where the kernel is left out.
            (2, ["-e", "cs,migrations,task-clock", "sleep", "0.1"], 0, ["<not counted>      cs",
                                                                       "<not counted>      migrations", "paranoid is 2"]),
            (2, ["-e", "cs", "sleep", "0.1"], 1, ["cs: perf_event_paranoid is 2", "paranoid=1"]),
            (2, ["-p", "1"], 1, ["process 1 belongs to another user"]),
            (2, ["-u", "root"], 1, ["the processes of root are another user's"]),
            (2, ["-e", "sched:sched_switch", "true"], 2, ["tracepoints are out of reach"]),
            (2, ["-e", "sched_switch", "true"], 2, ["tracepoints are out of reach"])):
        with settings(perf_event_paranoid=level):
            result = run(NOBODY + [PERFOLIO, "stat"] + arguments)
        check(result.returncode == status and all(word in result.stderr for word in words),
              f"paranoid {level}, nobody: {' '.join(arguments)}", result.returncode,
              result.stderr)


def left_out():
    """A clock has both modes whatever is left out, and says so; a count of what only the kernel does is
    never a 0 that is untrue, however the kernel was left out."""
    with settings(perf_event_paranoid=2):
        result = run(NOBODY + [PERFOLIO, "stat", "-e", "task-clock,cpu-clock,faults", "true"])
    check(result.returncode == 0 and "clock:u" not in result.stderr and
          "note: faults: only what ran in user mode" in result.stderr,
          "nobody: clocks are not those of user mode", result.stderr)
    for arguments in (["-e", "task-clock:u,cs:u"], ["--all-user", "-e", "task-clock,cs"]):
        result = says(arguments + ["sleep", "0.01"], 0, "<not counted>", "it happens in the kernel only",
                      "the kernel counts clocks in all modes")
        check("only what ran in user mode" not in result.stderr, f"{arguments}: no untrue note",
              result.stderr)
    for event in ("cs:u", "migrations:u", "sched:sched_switch:u"):
        says(["-e", event, "true"], 2, f"{event}: it happens in the kernel only")
    says(["-e", "cs:k", "sleep", "0.01"], 0, "cs:k ")


need_root()
wrong_words()
exit_statuses()
signals()
terminal()
vanishing()
crowd()
limits()
outputs()
ordinary_user()
left_out()
done()
