#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No recording holds a copy of our own processes' memory: of a server that has secrets on the stacks of its
processes, nothing of them is found in what is recorded of the whole machine, a user, a cgroup or the processes
themselves, however it is written, while that of another program is.  Of 0.1.0 a viewer had the owner's cookie so."""
import base64
import contextlib
import glob
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time

import lib
import perffile
import server
from lib import check

SAMPLING = ["-e", "cpu-clock/freq=499/", "-e", "context-switches/period=1/", "-m", "16M", "--call-graph", "dwarf,32768"]
COMPRESSED = 81
ENOUGH = 5  # samples of a process that has a secret on its stack at all times
MANY = 1000  # of one that has it there for a moment of each request
WITNESS = "import time\nwhile True:\n    time.sleep(0.001)"  # another program, which often gives its CPU away


def windows(secret, size=8):
    """What a part of the secret is known by."""
    return [secret[i:i + size].encode() for i in range(len(secret) - size + 1)]


def unpacked(path):
    """The records that stand compressed in a file."""
    packed = b"".join(body for kind, _, body in perffile.PerfFile(path).records() if kind == COMPRESSED)
    return subprocess.run(["zstd", "-dcq"], input=packed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False).stdout


def found(secret, data):
    return [window for window in windows(secret) if window in data]


@contextlib.contextmanager
def asking(site, page=None):
    """Requests that go on: of the web side alone, of the supervisor, and of processes that look at the machine; or
    those of a page."""
    over = threading.Event()

    def ask():
        while not over.is_set():
            if page:
                site.raw("GET", "/api/v1/me", None, page)
                continue
            site.ask("GET", "/me")
            site.ask("GET", "/processes")

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def record(*words, seconds=0.5, sampling=SAMPLING, **options):
    """A recording for a while, which SIGINT ends."""
    with subprocess.Popen([lib.PERFOLIO, "record", "-q", *sampling, *words], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, **options) as process:
        lib.until(lambda: lib.measures(process.pid) or process.poll() is not None)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    check(process.returncode in (0, 128 + signal.SIGINT), f"record {' '.join(words[:2])} ends well", process.returncode, said)


def samples_of(pid, paths):
    """How often a process was met in recordings, with its stack or without."""
    return sum(lib.run([lib.PERFOLIO, "script", "-F", "pid", "-i", path]).stdout.split().count(str(pid)) for path in paths)


def cgroup_of(pid):
    with open(f"/proc/{pid}/cgroup", encoding="utf-8") as file:
        return next((line.split("::", 1)[1].strip() for line in file if line.startswith("0::")), None)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def look(name, site, planted, witness, make, how=read):
    """Nothing of ours is in the files that `make` recorded, neither what was planted nor the owner's token, and
    another program's stack is.  If it was not the turn of either, again."""
    supervisor = int(lib.status_of(site.processes("web")[0])["PPid"])
    met = 0
    for _ in range(40):
        paths = make()
        data = b"".join(map(how, paths))
        ours, others = found(planted, data) + found(site.token, data), found(witness, data)
        met += samples_of(supervisor, paths)
        if ours or others and met >= ENOUGH:
            break
    check(not ours, f"nothing of a server's memory: {name}", len(ours), "windows of it in", len(data), "bytes")
    check(others and met, f"but of another program's: {name}", len(data), "bytes", met, "samples of the supervisor")


def in_every_form(folder, site, planted, witness):
    """Of the whole machine: the file, packed, split, a pipe, and the last moments."""
    def made(name, *words):
        path = os.path.join(folder, name)
        record("-a", *words, "-o", path)
        return [path]

    def piped():
        path = os.path.join(folder, "piped.data")
        with open(path, "wb") as file:
            record("-a", "-o", "-", stdout=file)
        return [path]

    def split():
        for path in glob.glob(os.path.join(folder, "split.data*")):
            os.unlink(path)
        record("-a", "--switch-output=5M", "-o", os.path.join(folder, "split.data"))
        return glob.glob(os.path.join(folder, "split.data*"))

    look("-a", site, planted, witness, lambda: made("plain.data"))
    look("-a -z", site, planted, witness, lambda: made("packed.data", "-z"), how=unpacked)
    look("--switch-output", site, planted, witness, split)
    look("-o -", site, planted, witness, piped)
    look("--overwrite", site, planted, witness, lambda: made("last.data", "--overwrite"))


def readable(folder):
    """perf reads what is left of our samples, which show that our processes ran."""
    path = os.path.join(folder, "small.data")
    subprocess.run([lib.PERFOLIO, "record", "-q", "-a", "-F", "499", "--call-graph", "dwarf,1024", "-o", path, "--",
                    "sleep", "0.2"], check=True)
    for command in (["script", "-F", "comm,pid"], ["report", "--stdio", "--no-children", "-g", "none"]):
        result = lib.run_perf(*command, "-i", path)
        check(result.returncode == 0 and "perfolio" in result.stdout, f"perf {command[0]} reads what is left",
              result.returncode, result.stderr[-500:])
    result = lib.run([lib.PERFOLIO, "script", "-F", "comm,pid,ip", "-i", path])
    check(result.returncode == 0 and "perfolio" in result.stdout, "and so do we", result.stderr[-500:])


def by_target(folder, site, planted, witness, pid):
    path = os.path.join(folder, "target.data")

    def made(*words):
        record(*words, "-o", path)
        return read(path)

    look("-p", site, planted, witness, lambda: [path] if made("-p", ",".join(map(str, [*site.processes(), pid]))) else [])
    for name in ("web", None):
        for ours in site.processes(name)[:1]:
            user = os.stat(f"/proc/{ours}").st_uid
            # somebody else of that user: a server's own are left out
            with subprocess.Popen(["sleep", "600"], **({} if os.geteuid() else {"user": user})) as other:
                data = made("-u", str(user))
                other.kill()
            check(not found(planted, data), f"nothing of a server's memory: -u of {name or 'the supervisor'}", len(data))
    group = cgroup_of(site.processes("web")[0])
    if group and group != "/":
        check(not found(planted, made("-a", "-G", group)), "nothing of a server's memory: -G")


def owners_cookie(folder, site):
    """While the owner's page asks, one in a hundred samples of 0.1.0's web side had its cookie, as the bytes that the
    text stands for: attached to for a minute, it was in what a viewer could download."""
    page, path = site.sign_in(), os.path.join(folder, "web.data")
    secret = base64.urlsafe_b64decode(page["Cookie"].split("=", 1)[1] + "==")
    with asking(site, page):
        web, met, ours = site.processes("web")[0], 0, 0
        while met < MANY and not ours:
            record("-p", str(web), "-o", path, sampling=["-F", "4999", "-e", "cpu-clock", "--call-graph", "dwarf,2048"])
            met += samples_of(web, [path])
            ours += read(path).count(secret)
    check(not ours, "the owner's cookie is in no sample of the web side", ours, "times in", met, "samples")


def by_the_server(folder, site, planted, witness):
    """A run of the server's own."""
    form = {"tool": "sample", "target": {"kind": "host"}, "events": {"sample": "cpu-clock,context-switches"},
            "limit_s": 1, "call_graph": "dwarf,32768", "rate": "499"}

    def made():
        run = site.wait(site.run(site.session(), form))
        status, _, data = site.raw("GET", f"/api/v1/runs/{run['id']}/export/perf.data",
                                   headers={"Authorization": f"Bearer {site.token}"})
        check(status == 200, "a server's recording of the host", status, run)
        path = os.path.join(folder, "downloaded.data")
        with open(path, "wb") as file:
            file.write(data)
        return [path]

    look("a run of the server", site, planted, witness, made)


def on_purpose(folder):
    """Who records a perfolio command means it.  How much of a stack can be copied is the kernel's luck."""
    secret = secrets.token_hex(32)
    path = os.path.join(folder, "asked.data")

    def recorded():
        lib.run([lib.PERFOLIO, "record", "-q", "-e", "page-faults", "-c", "1", "--call-graph", "dwarf,32768", "-o",
                 path, "--", lib.PERFOLIO, "version"], env={**os.environ, "PLANTED": secret})
        return found(secret, read(path))

    check(lib.until(recorded), "a perfolio command is recorded on purpose")


def main():
    planted, witness = secrets.token_hex(32), secrets.token_hex(32)
    with tempfile.TemporaryDirectory(prefix="perfolio-stacks-") as folder, server.Server(env={"PLANTED": planted}) as site, \
            subprocess.Popen([sys.executable, "-c", WITNESS], env={"WITNESS": witness}) as other:
        try:
            with asking(site):
                in_every_form(folder, site, planted, witness)
                by_target(folder, site, planted, witness, other.pid)
                by_the_server(folder, site, planted, witness)
                readable(folder)
            owners_cookie(folder, site)
            on_purpose(folder)
        finally:
            other.kill()


if __name__ == "__main__":
    main()
    lib.done()
