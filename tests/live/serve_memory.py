#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Secrets do not stay in memory: who reads that of the server, by a recording with stack copies, a core dump or
/proc/PID/mem, finds no cookie, proof, token or password; not on any stack, and in no heap."""
import json
import os
import re
import socket

import lib
import server
from lib import check

PIECE = 16  # of a secret, that is as bad
PASSWORD = "correct horse battery staple 4711"


def mappings(pid):
    """First and last address and name of all that can be written to."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        for line in file:
            found = re.match(r"(\w+)-(\w+) rw\S+ \S+ \S+ \S+ *(.*)", line)
            if not found or found[3].startswith(("[vvar", "[vsyscall")):
                continue
            start, end = int(found[1], 16), int(found[2], 16)
            if end - start < 1 << 32:  # what is larger is the sanitizers' own, and has no text
                yield start, end, found[3]


def stacks(pid):
    """The stack pointers of its threads that wait for something."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/syscall", encoding="ascii") as file:
                words = file.read().split()
        except OSError:
            continue
        if len(words) > 2:
            found.append(int(words[-2], 16))
    return found


def search(pid, secrets):
    """(secret, "stack" or the mapping's name) of each that is in its memory."""
    found = []
    pointers = stacks(pid)
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for start, end, name in mappings(pid):
            try:
                memory.seek(start)
                held = memory.read(end - start)
            except (OSError, ValueError):
                continue
            for what, text in secrets.items():
                pieces = [text[at:at + PIECE].encode() for at in range(0, len(text) - PIECE + 1, PIECE)]
                if any(piece in held for piece in pieces):
                    stack = any(start <= pointer < end for pointer in pointers)
                    found.append((what, "stack" if stack else name or "heap"))
    return found


def sign_ins(site):
    """People come and go; what their pages and programs know."""
    secrets = {"the printed token": site.token, "a password": PASSWORD}
    lib.run([lib.PERFOLIO, "user", "add", "vera", "--data", site.data], input=PASSWORD + "\n")
    token = lib.run([lib.PERFOLIO, "user", "token", "vera", "--data", site.data]).stdout.strip()
    secrets["a program's token"] = token
    for name, body in (("owner", {}), ("vera", {"name": "vera", "password": PASSWORD}), ("by token", {"token": token})):
        page = site.sign_in(**body)
        secrets[f"a cookie ({name})"] = page["Cookie"].split("=", 1)[1]
        secrets[f"a proof ({name})"] = page["Perfolio-Proof"]
        for _ in range(5):
            site.raw("GET", "/api/v1/me", None, page)
            site.raw("GET", "/api/v1/sessions", None, {"Authorization": f"Bearer {token}"})
        _, _, got = site.raw("POST", "/api/v1/tickets", json.dumps({"path": "/api/v1/tags"}), page)
        ticket = json.loads(got)["address"]
        secrets[f"a ticket ({name})"] = ticket.split("ticket=")[1]
        site.raw("GET", ticket)
        site.raw("GET", "/api/v1/me", None, {**page, "Perfolio-Proof": "wrong"})
    site.raw("POST", "/api/v1/sign-in", json.dumps({"name": "vera", "password": PASSWORD + "x"}))
    return secrets, page


def waiting(site, page):
    """A connection that stays open after its request, and a stream: both keep their memory."""
    head = "".join(f"{name}: {value}\r\n" for name, value in page.items())
    kept = []
    for path in ("/api/v1/me", "/api/v1/stream?topics=queue"):
        connection = socket.create_connection(site.address, timeout=60)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {site.address[0]}:{site.address[1]}\r\n{head}\r\n".encode())
        connection.recv(65536)
        kept.append(connection)
    return kept


def main():
    if os.geteuid():
        lib.skip_all("only root reads the memory of others")
    with server.Server() as site:
        secrets, page = sign_ins(site)
        kept = waiting(site, page)
        web = site.processes("web")[0]
        # nobody is in the middle of something any more
        found = lib.until(lambda: not search(web, secrets), 5) or search(web, secrets)
        check(found is True, "no secret is in the web side's memory", found)
        check(not [one for one in search(web, secrets) if one[1] == "stack"], "nor on any stack of it")
        others = {pid: search(pid, secrets) for pid in site.processes() if pid != web}
        check(len(others) >= 2 and not any(others.values()), "nor in that of supervisor and guard", others)
        with open(f"/proc/{web}/limits", encoding="ascii") as file:
            limits = file.read()
        check(re.search(r"Max core file size\s+0\s+0 ", limits), "the web side leaves no core file", limits)
        for connection in kept:
            connection.close()
        check(search(web, {"the cookie's name": page["Cookie"].split("=", 1)[0].ljust(PIECE, "\0")[:PIECE]}),
              "where what is no secret is found")
    lib.done()


main()
