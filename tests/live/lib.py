# SPDX-License-Identifier: Apache-2.0
"""What the live tests share: running things, and saying what came of it as TAP.

PERFOLIO is the program, PERFOLIO_SOURCE the source's root and PERFOLIO_PROGRAMS the folder of the
built tests/programs.
"""
import contextlib
import fcntl
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PERFOLIO = os.environ.get("PERFOLIO", "build/perfolio")
SOURCE = os.environ.get("PERFOLIO_SOURCE", os.getcwd())
PROGRAMS = os.environ.get("PERFOLIO_PROGRAMS", "build/tests/programs")

# Under nohup, or in the background of a script, some are ignored, and what is ignored is inherited.
for _number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)

_count = 0
_failed = 0


def program(name):
    return os.path.join(PROGRAMS, name)


def run(command, timeout=300, **options):
    """Runs it to its end; .stdout, .stderr and .returncode tell.  The limit ends what hangs; a machine that is
    merely slow does not meet it."""
    if "input" not in options:
        options["stdin"] = subprocess.DEVNULL
    return subprocess.run(command, timeout=timeout, check=False, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def run_perf(*words, **options):
    """The same of perf, again where a signal has ended it: perf 6.1 dies of the mappings that it is told while
    somebody else on the machine records build-ids."""
    for _ in range(5):
        result = run(["perf", *words], **options)
        if result.returncode >= 0:
            break
    return result


def alike(perf, ours):
    """The same line of `script`, but for a stub that we name (f@plt) and perf does not: of those it knows one section
    alone, and of some that they are stubs."""
    return perf == ours or perf in [re.sub(r"[\w.]+@plt(\+0x[0-9a-f]+)?", name, ours) for name in ("[unknown]", r"@plt\1")]


def until(condition, seconds=60):
    """What the condition gives, once it is true, or at the end of the time."""
    end = time.monotonic() + seconds
    while not (result := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return result


def status_of(pid):
    """The lines of /proc/PID/status by name; empty when the process is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    except OSError:
        return {}


def runs(pid, name):
    """Whether the process has become this program: what starts it is another one for a while."""
    return status_of(pid).get("Name") == name


def measures(pid):
    """Whether perfolio has opened its events and listens to signals, which a started one does after a while."""
    blocked = int(status_of(pid).get("SigBlk", "0"), 16)
    try:
        opened = {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
    except OSError:
        return False
    return blocked >> (signal.SIGINT - 1) & 1 and "anon_inode:[perf_event]" in opened


def own_user(name):
    """A user by whom one test alone starts programs, so that what is measured by user is its own; `nobody` is
    several tests'."""
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return pwd.getpwnam("nobody")


@contextlib.contextmanager
def settings(**values):
    """The kernel's settings for this test alone, by name (perf_event_paranoid=2), and as before afterwards: they
    are the whole machine's, and tests beside this one change them, too, or depend on them."""
    with open(os.path.join(tempfile.gettempdir(), "perfolio-settings.lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = {}
        try:
            for name, value in values.items():
                with open(f"/proc/sys/kernel/{name}", "r+", encoding="ascii") as knob:
                    before[name] = knob.read()
                    knob.seek(0)
                    knob.write(str(value))
            yield
        finally:
            for name, value in before.items():
                with open(f"/proc/sys/kernel/{name}", "w", encoding="ascii") as knob:
                    knob.write(value)


@contextlib.contextmanager
def busy_redis(folder):
    """A Redis server that is asked without a pause; its process id.

    redis-tools holds the server as well, under a name by which it only checks files, and does not
    start one for the whole machine as the package redis-server does.
    """
    socket = os.path.join(folder, "redis.sock")
    with subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", socket, "--save", "",
                           "--dir", folder], executable=shutil.which("redis-check-rdb"),
                          stdout=subprocess.DEVNULL) as server:
        while not os.path.exists(socket) and server.poll() is None:
            time.sleep(0.01)
        with subprocess.Popen(["redis-benchmark", "-s", socket, "-q", "-l", "-t", "set,get,lpush"],
                              stdout=subprocess.DEVNULL) as asking:
            try:
                yield server.pid
            finally:
                asking.kill()
                server.kill()


def check(condition, text, *details):
    """One test; the details are printed where it fails."""
    global _count, _failed
    _count += 1
    _failed += not condition
    print(f"{'ok' if condition else 'not ok'} {_count} - {text}")
    if not condition:
        for detail in details:
            for line in str(detail).splitlines() or [""]:
                print(f"#   {line}")
    sys.stdout.flush()
    return condition


def failed():
    """How many checks have failed until now."""
    return _failed


def skip_all(why):
    print(f"1..0 # SKIP {why}")
    sys.exit(0)


def lacks(name):
    """A package of tools/packages.txt is missing: no reason to pass where everything was installed."""
    if os.environ.get("CI") == "true":
        check(False, f"{name} is installed")
        done()
    skip_all(f"{name} is not installed")


def need_program(name):
    if not shutil.which(name):
        skip_all(f"{name} is not installed")


def need_root():
    if os.geteuid():
        skip_all("needs root")


def sanitized():
    """Whether the program carries a sanitizer, and its speed says nothing."""
    with open(PERFOLIO, "rb") as file:
        return re.search(rb"__(asan|tsan)_init", file.read()) is not None


def done():
    print(f"1..{_count}")
    sys.exit(1 if _failed else 0)
