# SPDX-License-Identifier: Apache-2.0
"""What the live tests share: running things, and saying what came of it as TAP.

PERFOLIO is the program, PERFOLIO_SOURCE the source's root and PERFOLIO_PROGRAMS the folder of the
built tests/programs.
"""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
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


def run(command, timeout=60, **options):
    """Runs it to its end; .stdout, .stderr and .returncode tell."""
    if "input" not in options:
        options["stdin"] = subprocess.DEVNULL
    return subprocess.run(command, timeout=timeout, check=False, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


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
