#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may do what: unsigned requests to every route, other sites, other hosts, roles, and text that
would be SQL, a path or a shell's line elsewhere."""
import concurrent.futures
import csv
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import ssl
import urllib.parse
import warnings

import lib
import server
from lib import check

HOSTILE = ["'; DROP TABLE run; --", "\" OR 1=1 --", "../../../etc/passwd", "%00", "a\x01b", "$(id)", "`id`",
           "<script>alert(1)</script>", "💥" * 20, "{\"a\":1}", "\\", "%s%n%x", "A" * 5000]


def operations(site):
    """All that the API's description has, with numbers for what is in braces."""
    found = []
    for path, methods in site.get("/openapi.json")["paths"].items():
        for method, what in methods.items():
            found.append((method.upper(), re.sub(r"{\w+}", "1", path), what))
    return found


def unsigned(site):
    refused, bad = 0, []
    for method, path, what in operations(site):
        for head in ({}, {"Authorization": "Bearer " + "x" * 43}, {"Authorization": "Basic eDp5"},
                     {"Cookie": f"perfolio-{site.address[1]}={site.token}"}):
            status, _, body = site.raw(method, path, "{}" if method in ("POST", "PATCH") else None, head)
            if what.get("security") == []:
                continue
            refused += status == 401
            if status != 401 or b'"sign-in"' not in body:
                bad.append((method, path, head, status))
    check(refused > 100 and not bad, "an unsigned request is refused by every route", bad[:5])


def the_link(site):
    """What the printed link does is done by the page: the server never sees what follows the #."""
    check(f"/#token={site.token}" in site.link, "the token is in what browsers keep to themselves", site.link)
    status, headers, _ = site.raw("GET", f"/?token={site.token}", None, {"Accept": "text/html"})
    check("Set-Cookie" not in headers, "a token in an address signs nobody in", status, headers)
    status, headers, body = site.raw("POST", "/api/v1/sign-in", json.dumps({"token": site.token}))
    text = headers["Set-Cookie"]
    check("HttpOnly" in text and "SameSite=Strict" in text, "no script reads the cookie, no site sends it")
    check(json.loads(body)["proof"] not in text, "and its proof is another thing", body)


def kept_over_a_restart(site):
    held = site.sign_in()
    old, port = site.token, site.address[1]
    site.stop()
    site.options[site.options.index("--listen") + 1] = f"127.0.0.1:{port}"
    site.start_again()  # the port is anybody's meanwhile
    check(site.raw("GET", "/api/v1/me", None, held)[0] == 200,
          "a browser stays signed in when the server is started again")
    check(site.raw("GET", "/api/v1/me", None, {"Authorization": f"Bearer {old}"})[0] == 401,
          "the token of before is worth nothing")


def other_sites(site):
    mine = f"http://{site.address[0]}:{site.address[1]}"
    held = site.sign_in()
    body = json.dumps({"title": "x"})
    rows = [(held, 201), ({**held, "Origin": "http://evil.example"}, 403),
            ({name: value for name, value in held.items() if name != "Origin"}, 403),
            ({**held, "Origin": "null"}, 403),
            ({**held, "Origin": mine + ".evil.example"}, 403),
            ({**held, "Origin": mine.replace("http", "https")}, 403),
            ({"Authorization": f"Bearer {site.token}"}, 201),
            ({"Authorization": f"Bearer {site.token}", "Origin": "http://evil.example"}, 403)]
    for head, wanted in rows:
        status = site.raw("POST", "/api/v1/sessions", body, head)[0]
        check(status == wanted, f"a change from {head.get('Origin', 'nowhere')} "
              f"with a {'cookie' if 'Cookie' in head else 'token'}: {wanted}", status)
    status, headers, _ = site.raw("GET", "/api/v1/me", None, held)
    check(status == 200 and "Access-Control-Allow-Origin" not in headers, "no other site may read")
    csp = headers["Content-Security-Policy"]
    check("default-src 'self'" in csp and "unsafe" not in csp and "frame-ancestors 'none'" in csp and
          headers["X-Content-Type-Options"] == "nosniff", "the headers that fence the page in", csp)
    status, _, _ = site.raw("POST", "/api/v1/sign-in", json.dumps({"token": site.token}),
                            {"Origin": "http://evil.example"})
    check(status == 403, "no other site signs somebody in", status)


def other_hosts(site):
    for host, wanted in ((f"127.0.0.1:{site.address[1]}", 200), (f"localhost:{site.address[1]}", 200),
                         ("evil.example", 421), (f"evil.example:{site.address[1]}", 421),
                         ("127.0.0.1", 421), ("", 421), (f"127.0.0.1:{site.address[1]}@evil", 421)):
        status = site.raw("GET", "/api/v1/me", None,
                          {"Host": host, "Authorization": f"Bearer {site.token}"})[0]
        check(status == wanted, f"Host: {host or '(empty)'} gives {wanted}", status)
    with socket.create_connection(site.address, timeout=60) as connection:
        connection.sendall(b"GET /api/v1/me HTTP/1.0\r\n\r\n")
        check(connection.recv(100).split()[1:2] in ([b"400"], [b"421"]), "a request without a Host is refused")


def paths(site):
    head = {"Authorization": f"Bearer {site.token}"}
    leaked = []
    for path in ("/../../../etc/passwd", "/..%2f..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
                 "/assets/../../../../etc/passwd", "//etc/passwd", "/api/v1/runs/..%2f..%2fetc%2fpasswd",
                 "/api/v1/runs/1/export/..%2f..%2fetc%2fpasswd", "/perfolio.db", "/files/", "/partial/1",
                 "/api/v1/runs/1%00", "/api/v1/runs/0x1", "/api/v1/runs/1e0", "/api/v1/runs/-1",
                 "/api/v1/runs/18446744073709551617"):
        status, _, body = site.raw("GET", path, None, head)
        if status != (400 if "%00" in path else 404) or b"root:" in body or b"SQLite" in body:
            leaked.append((path, status))
    check(not leaked, "no path leads to a file", leaked)


def roles(site):
    """Users made beside the running server, as `perfolio user add` makes them."""
    made = {}
    for name, role in (("vera", "viewer"), ("rob", "runner")):
        add = lib.run([lib.PERFOLIO, "user", "add", "--role", role, "--data", site.data, name],
                      input="a long password\n")
        check(add.returncode == 0, f"a {role} is added while the server runs", add.stderr)
        made[name] = site.sign_in(name=name, password="a long password")
        _, _, body = site.raw("GET", "/api/v1/me", None, made[name])
        check(json.loads(body).get("role") == role, f"{name} signs in", body)
    bad = []
    for method, path, what in operations(site):
        if what.get("x-role") != "runner":
            continue
        status, _, body = site.raw(method, path, "{}" if method != "GET" else None,
                                   made["vera"])
        if status != 403 or b'"role"' not in body:
            bad.append((method, path, status))
    check(not bad, "a viewer may run and change nothing", bad)
    viewer = made["vera"]
    check(site.raw("GET", "/api/v1/sessions", None, viewer)[0] == 200, "a viewer looks")
    runner = made["rob"]
    status, _, body = site.raw("POST", "/api/v1/sessions", json.dumps({"title": "rob's"}), runner)
    check(status == 201, "a runner adds", body)
    lines = site.get("/audit")["items"]
    check(any(line["person"] == "rob" and line["action"] == "session-add" for line in lines),
          "and the log knows who it was", lines[:3])
    number = json.loads(body)["id"]
    with site.stream("queue") as stream:
        where = f"/api/v1/stream/{stream.next('hello').data['stream']}/topics"
        status = site.raw("POST", where, json.dumps({"remove": ["queue"]}), viewer)[0]
        kept = site.post(where.removeprefix("/api/v1"), {"add": ["sessions"]})["topics"]
        check(status == 404 and sorted(kept) == ["queue", "sessions"],
              "nobody changes what somebody else's stream follows", status, kept)
    site.raw("PATCH", f"/api/v1/sessions/{number}", json.dumps({"notes": "x"}), runner)
    check(site.raw("POST", "/api/v1/sign-out", None, runner)[0] == 204, "rob signs out")
    lines = [(line["person"], line["action"]) for line in site.get("/audit")["items"]]
    check(("rob", "session-change") in lines and ("rob", "sign-out") in lines, "which is in the log, too", lines[:4])
    check(site.raw("GET", "/api/v1/me", None, runner)[0] == 401, "and his cookie is worth nothing now")
    status, _, body = site.raw("POST", "/api/v1/sign-in", json.dumps({"name": "rob", "password": "guess"}))
    other = site.raw("POST", "/api/v1/sign-in", json.dumps({"name": "nobody-here", "password": "guess"}))
    check(status == other[0] == 401 and body == other[2], "a wrong name and a wrong password are the same")
    for _ in range(20):
        status = site.raw("POST", "/api/v1/sign-in", json.dumps({"name": "rob", "password": "guess"}))[0]
        if status == 429:
            break
    check(status == 429, "who guesses has to wait", status)
    status, _, body = site.raw("POST", "/api/v1/sign-in", json.dumps({"name": "rob", "password": "a long password"}))
    check(status == 429 and b"as rob have failed" in body, "while the password is not looked at", status, body)
    status = site.raw("POST", "/api/v1/sign-in", json.dumps({"name": "vera", "password": "a long password"}))[0]
    check(status == 200, "and keeps no other name out", status)
    status = site.raw("POST", "/api/v1/sign-in", json.dumps({"token": site.token}))[0]
    check(status == 200, "nor who has a token", status)


def flooding(site):
    """Who is not signed in makes the server's disk and memory no fuller, and keeps nobody waiting."""
    def rows():
        return [row for row in site.get("/audit?limit=500")["items"] if row["action"] == "sign-in-refused"]

    def sign_in(**body):
        return site.raw("POST", "/api/v1/sign-in", json.dumps(body))[0]

    before = len(rows())
    statuses = {sign_in(token="x", name=f"{i}-" + "n" * 900000) for i in range(30)}
    check(statuses == {401, 429} and len(rows()) - before <= 10 and max(len(row["person"]) for row in rows()) <= 64,
          "wrong tokens with names that are long leave little in the log", statuses, len(rows()))
    check(sign_in(name="n" * 900000, password="x") == sign_in(name="'; --", password="x") == 400,
          "names that no user can have are not looked for")
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        tries = [pool.submit(sign_in, name=f"guess-{i}", password="x") for i in range(48)]
        check(site.ask("GET", "/events/check?expression=page-faults")[0] == 200, "while many try passwords others work")
        statuses = {one.result() for one in tries}
    check(statuses <= {401, 429} and 401 in statuses, "and all of them are refused", statuses)


def downloads(site):
    """Those that are long in the making, here because nobody starts analysers, keep nobody out."""
    head = {"Authorization": f"Bearer {site.token}"}
    _, _, body = site.raw("POST", f"/api/v1/sessions/{site.session()}/import?name=few", b"main;a 1\n", head)
    run = json.loads(body)["id"]
    site.wait(run)
    with open(f"/proc/{site.processes('web')[0]}/stat", encoding="ascii") as file:
        supervisor = int(file.read().rsplit(")", 1)[1].split()[1])
    os.kill(supervisor, signal.SIGSTOP)
    try:
        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            asked = [pool.submit(site.raw, "GET", f"/api/v1/runs/{run}/export/svg?title={i}", None, head)
                     for i in range(24)]
            concurrent.futures.wait(asked, 1)
            status = None
            try:
                status = site.raw("POST", "/api/v1/sign-in", json.dumps({"token": site.token}), timeout=30)[0]
            except TimeoutError:
                pass
            check(status == 200 and not any(one.done() for one in asked),
                  "while 24 downloads wait others sign in", status)
            os.kill(supervisor, signal.SIGCONT)
            statuses = {one.result()[0] for one in asked}
    finally:
        os.kill(supervisor, signal.SIGCONT)
    check(statuses == {200}, "and all of them come in the end", statuses)


# Tries what it can do to the analyser that follows its recording.
ASSASSIN = """
import os, signal, time
def analysers():
    for name in os.listdir('/proc'):
        try:
            with open(f'/proc/{name}/cmdline', 'rb') as words, open(f'/proc/{name}/stat') as stat:
                parent = int(stat.read().rsplit(')', 1)[1].split()[1])
                if b'--role=analyser' in words.read().split(bytes(1)) and parent == os.getppid():
                    yield int(name)
        except (OSError, ValueError, IndexError):
            pass
end = time.monotonic() + 30
while not (found := list(analysers())) and time.monotonic() < end:
    time.sleep(0.01)
for pid in found:
    for what in (lambda: os.kill(pid, signal.SIGKILL), lambda: open(f'/proc/{pid}/mem', 'rb'),
                 lambda: os.listdir(f'/proc/{pid}/fd'), lambda: open(f'/proc/{pid}/environ', 'rb'),
                 lambda: os.kill(os.getppid(), 0)):
        try:
            what()
            print('done')
        except PermissionError:
            print('refused')
"""


def shielded(site):
    """A program and the analyser of its recording open the same files, and are still not the same user."""
    if os.geteuid():
        print("# SKIP shielded analysers: without root all is one user")
        return
    run = site.run(site.session(), {"tool": "sample", "live": True, "events": {"sample": "cpu-clock"},
                                    "target": {"kind": "command", "argv": ["/usr/bin/python3", "-c", ASSASSIN]}})
    ended = site.wait(run)
    said = "".join(piece["text"] for piece in site.get(f"/runs/{run}/output")["pieces"]).split()
    check(ended["state"] == "done" and said and set(said) == {"refused"},
          "a program can't end or look into the analyser of its recording", said, ended["state"], ended["reason"])


def hostile_text(site):
    session = site.session("hostile")
    bad = []
    for text in HOSTILE:
        title = text[:250]
        made = site.post("/sessions", {"title": title, "notes": text, "tags": [text[:50]]})
        back = site.get(f"/sessions/{made['id']}")
        if (back["title"], back["notes"], back["tags"]) != (title, text, [text[:50]]):
            bad.append(("session", text))
        form = {"tool": "count", "target": {"kind": "command", "argv": ["true", text]}, "notes": text,
                "events": {"count": "page-faults"}, "tags": [text[:50]]}
        run = site.run(session, form)
        back = site.get(f"/runs/{run}")
        if back["argv"] != ["true", text] or back["form"]["notes"] != text:
            bad.append(("run", text))
        for query in ("search", "tag", "state", "session", "before"):
            quoted = urllib.parse.quote(text)
            for where in ("/sessions", "/runs"):
                status, _ = site.ask("GET", f"{where}?{query}={quoted}")
                if status not in (200, 400):
                    bad.append((where, query, text, status))
        for member, value in (("environment", f"A='{text}"), ("rate", text), ("call_graph", text),
                              ("cpus", text), ("folder", text), ("webhook", text), ("tool", text)):
            status, got = site.ask("POST", f"/sessions/{session}/runs", {**form, member: value})
            if status not in (400, 403) or "error" not in got:
                bad.append((member, text, status))
        site.ask("POST", f"/runs/{run}/cancel")
    check(not bad, "text is text in every field: SQL, paths, scripts, control characters", bad[:5])
    with sqlite3.connect(f"file:{site.data}/perfolio.db?mode=ro", uri=True) as database:
        check(database.execute("PRAGMA integrity_check").fetchone() == ("ok",), "the database is whole")


def listening(folder):
    """Beyond this machine nobody gets in without signing in."""
    refused = lib.run([lib.PERFOLIO, "serve", "--open", "--listen", "0.0.0.0:0", "--data", folder], timeout=120)
    check(refused.returncode != 0 and "sign in" in refused.stderr,
          "--open is refused where other machines come in", refused.stderr)
    with server.Server("--insecure", listen="0.0.0.0:0") as site:
        site.address = ("127.0.0.1", site.address[1])
        check(site.raw("GET", "/api/v1/me")[0] in (401, 421), "a server on all addresses asks who it is")


def encrypted(folder):
    """TLS with a key of our own, as a client that checks it sees it."""
    if not shutil.which("openssl"):
        lib.check(os.environ.get("CI") != "true", "openssl is installed")
        return
    cert, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
    made = lib.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1",
                    "-keyout", key, "-out", cert])
    if made.returncode:
        print(f"# no certificate: {made.stderr[-200:]}")
        return
    with server.Server("--tls-cert", cert, "--tls-key", key) as site:
        connection = http.client.HTTPSConnection(*site.address, timeout=60,
                                                 context=ssl.create_default_context(cafile=cert))
        connection.request("POST", "/api/v1/sign-in", json.dumps({"token": site.token}))
        reply = connection.getresponse()
        check(reply.status == 200 and "Secure" in reply.headers["Set-Cookie"],
              "TLS with the key that was given, and a cookie for TLS alone", reply.status, reply.headers)
        check("max-age=" in (reply.headers["Strict-Transport-Security"] or ""), "browsers are told to come by TLS only",
              reply.headers)
        connection.close()
        old = ssl.create_default_context(cafile=cert)
        old.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        try:
            with socket.create_connection(site.address, timeout=20) as plain, \
                    old.wrap_socket(plain, server_hostname=site.address[0]) as secure:
                said = secure.version()
        except OSError as error:
            said = str(error)
        check("TLSv1" not in said, "TLS before 1.2 is not spoken", said)


def formulas(site):
    """Names of an imported file that a spreadsheet would calculate."""
    head = {"Authorization": f"Bearer {site.token}"}
    lines = b"".join(sign + b"cmd;" + sign + b"SUM(1+1) 1\n" for sign in (b"=", b"+", b"-", b"@"))
    session = site.session("formulas")
    status, _, body = site.raw("POST", f"/api/v1/sessions/{session}/import?name=x", lines, head)
    check(status == 201, "names may be anything", body)
    run = site.wait(json.loads(body)["id"])
    status, _, body = site.raw("GET", f"/api/v1/runs/{run['id']}/export/csv", None, head)
    cells = [cell for row in csv.reader(body.decode().splitlines()) for cell in row]
    check(status == 200 and "'=SUM(1+1)" in cells and not [cell for cell in cells if cell[:1] in tuple("=+-@")],
          "no name in CSV is a formula", cells)


def main():
    with server.Server() as site:
        unsigned(site)
        the_link(site)
        other_sites(site)
        other_hosts(site)
        paths(site)
        hostile_text(site)
        roles(site)
        flooding(site)
        downloads(site)
        formulas(site)
        shielded(site)
        scratch = site.scratch
        listening(os.path.join(scratch, "other"))
        encrypted(scratch)
        kept_over_a_restart(site)
    lib.done()


main()
