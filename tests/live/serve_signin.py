#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who one is: a cookie that somebody else got hold of, a copy of the database, users that are removed.
tests/web/app/origin.mjs has the same with a browser."""
import base64
import concurrent.futures
import contextlib
import glob
import hashlib
import http.client
import json
import os
import shutil
import socket
import sqlite3
import time
import types

import lib
import server
from lib import check

PASSWORD = "a long password"
GUESSES = 1000 if os.environ.get("PERFOLIO_LONG") == "1" else 300


def user(site, *words, password=None):
    """`perfolio user`, another process than the server."""
    return lib.run([lib.PERFOLIO, "user", *words, "--data", site.data], input=password and password + "\n")


def me(site, head):
    return site.raw("GET", "/api/v1/me", None, head)[0]


def audit(site, action):
    return [line for line in site.get("/audit?limit=500")["items"] if line["action"] == action]


def stolen_cookies(site):
    """What any listener on another port of the machine is sent by the browser."""
    user(site, "add", "vera", password=PASSWORD)
    host = f"127.0.0.1:{site.address[1]}"
    for name, page in (("owner", site.sign_in()), ("vera", site.sign_in(name="vera", password=PASSWORD))):
        other = site.sign_in()
        value = page["Cookie"].split("=", 1)[1]
        alone = {"Cookie": page["Cookie"]}
        check(me(site, page) == 200, f"{name}'s page is signed in")
        rows = [alone, {**alone, "Origin": page["Origin"]}, {**alone, "Host": host, "Referer": page["Origin"] + "/"},
                {**alone, "Perfolio-Proof": ""}, {**alone, "Perfolio-Proof": value}, {**alone, "Perfolio-Proof": "A" * 43},
                {**alone, "Perfolio-Proof": other["Perfolio-Proof"]}, {"Authorization": f"Bearer {value}"},
                {"Authorization": f"Bearer {page['Perfolio-Proof']}"}, {"Perfolio-Proof": page["Perfolio-Proof"]}]
        check([me(site, row) for row in rows] == [401] * len(rows), f"{name}'s cookie alone is nobody's",
              [me(site, row) for row in rows])
        for body in ({"token": value}, {"token": page["Perfolio-Proof"]}):
            status = site.raw("POST", "/api/v1/sign-in", json.dumps(body), {"Origin": page["Origin"]})[0]
            check(status == 401, "neither of the two signs in", status)
        for _ in range(50):
            me(site, alone)
        lines = [line for line in audit(site, "cookie-refused") if line["person"] == name]
        check(1 <= len(lines) <= 3 and "127.0.0.1" in lines[0]["detail"], "the log says so, and not with every try", lines)
        check(me(site, page) == 200, "the page goes on")


def forge(secret):
    """A cookie of the owner's as it was made when the key stood in the database."""
    nonce = bytes(12)
    mark = hashlib.blake2b(nonce, key=secret.encode()[:64], digest_size=20).digest()
    return base64.urlsafe_b64encode(nonce + mark).decode().rstrip("=")


def copied_database(site):
    """Who gets hold of a backup of perfolio.db."""
    name = site.sign_in()["Cookie"].split("=")[0]
    copy = os.path.join(site.scratch, "copy")
    os.makedirs(copy, exist_ok=True)
    for file in glob.glob(f"{site.data}/perfolio.db*"):
        shutil.copy(file, copy)
    with contextlib.closing(sqlite3.connect(f"{copy}/perfolio.db")) as database:
        found = [row[0] for row in database.execute("SELECT value FROM setting")]
        found += [row[0] for row in database.execute("SELECT hash FROM token")]
    tries = {text[:length] for text in found for length in (32, 43, 64)} - {""}
    got = {me(site, {"Cookie": f"{name}={value}", **proof}) for text in tries for value in (text, forge(text))
           for proof in ({}, {"Perfolio-Proof": text[:43]})} | {me(site, {"Authorization": f"Bearer {text}"}) for text in tries}
    check(tries and got == {401}, "nothing in a copy of the database signs in", got)
    lines = [audit(site, action) for action in ("cookie-refused", "token-refused")]
    check(all(any("it is nobody's" in line["detail"] for line in some) for some in lines), "which is in the log", lines)
    check(all(sum(not line["person"] for line in some) <= 2 for some in lines), "in a line or two of many tries", lines)
    info = os.stat(f"{site.data}/cookie.key")
    check(info.st_mode & 0o777 == 0o600, "the key has a file that nobody else may read", oct(info.st_mode))
    with open(f"{site.data}/cookie.key", "rb") as file:
        key = file.read()
    copied = b"".join(open(file, "rb").read() for file in glob.glob(f"{copy}/*"))
    check(all(part not in copied for part in (key[:32], key[32:64])), "and is not in the database")


def old_database(site):
    """One of 0.1.0, with its key in it: that is gone from all of the file, and worth nothing."""
    secret = base64.urlsafe_b64encode(bytes(range(32))).decode().rstrip("=")
    site.stop()
    made = os.path.join(site.scratch, "made.db")
    with contextlib.closing(sqlite3.connect(made)) as database:
        for step in sorted(glob.glob(f"{lib.SOURCE}/src/store/migrations/000[123]-*.sql")):
            with open(step, encoding="utf-8") as file:
                database.executescript(file.read())
        database.execute("INSERT INTO setting VALUES ('owner-cookie', ?)", (f"{secret} {2**62}",))
        for i in range(300):  # on pages that become free
            database.execute("INSERT INTO setting VALUES (?, ?)", (f"x{i}", f"{secret} {2**62}" + "y" * 200))
        database.commit()
        database.execute("DELETE FROM setting WHERE name LIKE 'x%'")
        database.execute("PRAGMA user_version = 3")
        database.commit()
    for file in glob.glob(f"{site.data}/perfolio.db-*") + [f"{site.data}/cookie.key"]:
        os.unlink(file)
    with open(made, "rb") as old, open(f"{site.data}/perfolio.db", "wb") as file:
        file.write(old.read())
    site.start_again()
    name = site.sign_in()["Cookie"].split("=")[0]
    check(me(site, {"Cookie": f"{name}={forge(secret)}"}) == 401, "a key that stood in the database is worth nothing")
    site.stop()
    left = [file for file in glob.glob(f"{site.data}/perfolio.db*") if secret.encode() in open(file, "rb").read()]
    check(not left, "and is nowhere in its files", left)
    site.start_again()


def removed(site):
    """The very next request is refused; the streams are cut."""
    user(site, "add", "--role", "runner", "rob", password=PASSWORD)
    token = user(site, "token", "rob").stdout.strip()
    page = site.sign_in(name="rob", password=PASSWORD)
    bearer = {"Authorization": f"Bearer {token}"}
    check(me(site, page) == me(site, bearer) == 200, "rob is signed in, a program of his too")
    with server.Stream(types.SimpleNamespace(address=site.address, token=token), "queue") as stream, \
            site.stream("queue") as mine:
        stream.next("ready")
        mine.next("ready")
        user(site, "remove", "rob")
        check(me(site, page) == me(site, bearer) == 401, "removed, he is nobody with the next request")
        said = stream.next("dropped").data
        check("signed in" in said["reason"], "his stream is cut", said)
        site.post("/sessions", {"title": "after"})
        check(me(site, {"Authorization": f"Bearer {site.token}"}) == 200, "nobody else is")


def changed(site):
    """Another password or role: what browsers had has ended, and programs have the new role."""
    user(site, "add", "--role", "runner", "ida", password=PASSWORD)
    token = {"Authorization": "Bearer " + user(site, "token", "ida").stdout.strip()}
    for words, now in ((["--password"], "another password"), (["--role", "viewer"], "another password")):
        page = site.sign_in(name="ida", password=PASSWORD if words == ["--password"] else now)
        head = "".join(f"{name}: {value}\r\n" for name, value in page.items())
        with socket.create_connection(site.address, timeout=60) as stream:
            stream.sendall(f"GET /api/v1/stream?topics=queue HTTP/1.1\r\nHost: {page['Origin'][7:]}\r\n{head}\r\n".encode())
            got = stream.recv(1 << 16)
            done = user(site, "change", "ida", *words, password=now)
            check(done.returncode == 0 and "sign in again" in done.stdout, f"ida: {words[0]}", done.stderr)
            check(me(site, page) == 401 and me(site, token) == 200, "ends what her browsers had, at once, not her programs")
            while b"dropped" not in got and (more := stream.recv(1 << 16)):
                got += more
            check(b"dropped" in got, "and her streams", got[-300:])
    check(site.raw("POST", "/api/v1/sessions", '{"title": "x"}', token)[0] == 403, "who is a viewer now starts nothing more")
    status = site.raw("POST", "/api/v1/sign-in", json.dumps({"name": "ida", "password": PASSWORD}))[0]
    check(status == 401, "the password of before is none", status)


def guess(site, address, name, password):
    """Tries it from an address of this machine; status and headers."""
    connection = http.client.HTTPConnection(*site.address, timeout=server.TIMEOUT, source_address=(address, 0))
    connection.request("POST", "/api/v1/sign-in", json.dumps({"name": name, "password": password}))
    reply = connection.getresponse()
    reply.read()
    connection.close()
    return reply.status, reply.headers


def guessing(site):
    """Many passwords for one account from 200 addresses: few are looked at, and nobody is kept out."""
    user(site, "add", "gina", password=PASSWORD)
    page = site.sign_in(name="gina", password=PASSWORD)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        tries = [pool.submit(guess, site, f"127.0.0.{i % 200 + 2}", "gina", f"guess {i}") for i in range(GUESSES)]
        during = guess(site, "127.0.0.1", "gina", PASSWORD)[0]
        statuses = [one.result()[0] for one in tries]
    looked_at, took = statuses.count(401), time.monotonic() - start
    check(set(statuses) == {401, 429} and looked_at <= 12 + took / 60, f"of {GUESSES} guesses few are looked at",
          looked_at, took)
    check(during == guess(site, "127.0.0.1", "gina", PASSWORD)[0] == 200,
          "from where gina was before her password is good meanwhile", during)
    for turn in range(20):  # on a slow machine a pause may be over by now: one more guess begins a longer one
        status, headers = guess(site, f"127.0.1.{turn + 2}", "gina", PASSWORD)
        if status == 429:
            break
        for i in range(8):
            guess(site, f"127.0.2.{i + 2}", "gina", f"guess {i}")
    check(status == 429 and 0 < int(headers["Retry-After"]) <= 60, "from elsewhere she waits a minute at most", headers["Retry-After"])
    check(me(site, page) == 200 and site.sign_in(), "who is signed in stays so, and the owner's link is good")
    status = site.raw("POST", "/api/v1/sign-in", json.dumps({"token": user(site, "token", "gina").stdout.strip()}))[0]
    check(status == 200, "a token too", status)
    lines = [line for line in audit(site, "sign-in-refused") if line["person"] == "gina"]
    check(1 <= len(lines) <= looked_at, "the log has those that were looked at", len(lines))


def main():
    with server.Server() as site:
        stolen_cookies(site)
        copied_database(site)
        removed(site)
        changed(site)
        guessing(site)
        old_database(site)
    lib.done()


main()
