#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Downloads that would fill the disk: a small import that is asked for as a large file is refused at the limit,
nobody's disk is filled on the way, and what is made for a client that has gone is made no further."""
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import lib
import peer
import people
import server
from lib import check

FRAMES = 1500
LARGE = ("speedscope", "firefox", "json", "csv", "folded", "svg", "html", "pprof", "hdf5", "script")


def head(person):
    return {"Authorization": f"Bearer {person.token}"}


def stacks(count, weight=900000):
    """Few bytes for many frames: the same names over and over, with one of its own behind them."""
    frames = b";".join(b"f%d" % (i % 7) for i in range(FRAMES))
    return b"".join(b"%s;g%d %d\n" % (frames, n, weight) for n in range(count))


def imported(site, text):
    session = site.session("large")
    status, _, got = site.raw("POST", f"/api/v1/sessions/{session}/import?name=x", text, head(site))
    check(status == 201, f"{len(text)} bytes are imported", status, got[:200])
    run = json.loads(got)["id"]
    check(site.wait(run)["state"] == "done", "and read", site.wait(run)["reason"])
    return run


def attack(site):
    """4 KB, a sample of 1,500 frames that counts 900,000 times, asked for by a viewer in every format.  0.1.0 wrote
    each of the 900,000 into its text, for minutes, also when nobody waited for it any more."""
    run = imported(site, stacks(1))
    vera = people.Person(site, "vera", "viewer")
    left, sizes = os.statvfs(site.data).f_bavail, []
    for name in LARGE:
        try:
            status, _, got = site.raw("GET", f"/api/v1/runs/{run}/export/{name}", None, head(vera), timeout=60)
            sizes.append((name, status, len(got)))
        except TimeoutError:
            sizes.append((name, "still being made after a minute", 0))
    check(all(status in (200, 403) and size < 2 << 20 for _, status, size in sizes),
          "4 KB are no large file in any format", sizes)
    check((left - os.statvfs(site.data).f_bavail) * os.statvfs(site.data).f_frsize < 64 << 20, "and fill no disk")


def too_large(site, run):
    status, _, got = site.raw("GET", f"/api/v1/runs/{run}/export/script", None, head(site))
    error = json.loads(got)["error"]
    check(status == 422 and error["code"] == "too-large" and "1 MiB" in error["message"] and
          "--max-export" in error["message"] and error["remedy"], "a file above the limit is refused in words",
          status, error)
    check(any("1 MiB" in line for line in people.lines(site, "refused", "owner")), "... with a line in the log",
          people.lines(site, "refused"))
    status, _, got = site.raw("GET", f"/api/v1/runs/{run}/export/pprof", None, head(site))
    check(status == 200, "a format that needs less is made", status, got[:200])
    check(site.get("/me")["name"] == "owner", "the server lives")


def analyser(site):
    for pid in peer.children(peer.children(site.process.pid)[0]):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if b"--role=analyser" in file.read().split(b"\0"):
                    return pid
        except OSError:
            pass
    return None


def client_gone(site, run):
    """It is stopped in the middle, so that it would never end by itself."""
    with socket.create_connection(site.address, timeout=60) as connection:
        connection.sendall(f"GET /api/v1/runs/{run}/export/script?title={time.time_ns()} HTTP/1.1\r\n"
                           f"Host: {site.address[0]}:{site.address[1]}\r\nAuthorization: Bearer {site.token}\r\n\r\n"
                           .encode())
        end, pid = time.monotonic() + 60, None
        while pid is None and time.monotonic() < end:
            pid = analyser(site)
        if pid:
            os.kill(pid, signal.SIGSTOP)
    check(pid is not None, "an analyser makes the file")
    check(peer.until(lambda: not os.path.exists(f"/proc/{pid}"), 60), "and is ended when its client has gone")
    check(site.raw("GET", f"/api/v1/runs/{run}/export/pprof", None, head(site))[0] == 200, "others are served")


def small_disk():
    if os.geteuid():
        print("# SKIP small disk: needs root for a tmpfs")
        return
    place = tempfile.mkdtemp(prefix="perfolio-small-")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m,mode=711", "none", place], check=True)
    try:
        with server.Server(data=os.path.join(place, "data")) as site:
            run = imported(site, stacks(700))
            status, _, got = site.raw("GET", f"/api/v1/runs/{run}/export/script", None, head(site))
            info = os.statvfs(place)
            left = info.f_bavail * info.f_frsize
            check(status == 507 and json.loads(got)["error"]["code"] == "disk-full", "what the disk has no room for",
                  status, got[:300])
            check(left > 8 << 20, "its part of the disk is free again", left)
            check(site.session("next") > 0, "and the server goes on")
    finally:
        subprocess.run(["umount", "-l", place], check=False)
        shutil.rmtree(place, ignore_errors=True)


def main():
    with server.Server("--max-export", "1M") as site:
        attack(site)
        run = imported(site, stacks(100))
        too_large(site, run)
    with server.Server() as site:
        client_gone(site, imported(site, stacks(1500)))
    small_disk()
    lib.done()


main()
