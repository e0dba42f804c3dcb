#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Secrets that are planted in everything raw: the environment of a run, its output, the stack of a process that was
attached to, a recording that was imported.  Who may not measure those finds none of them, by any route, in any format,
by a ticket or in a stream; who may finds them all, or this test would look in the wrong places."""
import concurrent.futures
import gzip
import re
import shutil
import subprocess
import types
import zlib

import lib
import people
import server
import unixpeople
from lib import check

ENVIRONMENT, OUTPUT, STACK, WEBHOOK = (f"planted-{word}-0f3c9e51" for word in ("environment", "output", "stack", "webhook"))
SECRETS = (ENVIRONMENT, OUTPUT, STACK, WEBHOOK)
# Prints for as long as somebody may follow it; its environment is not in its arguments, which all see.
TALKER = """
import time
end = time.monotonic() + 2
while time.monotonic() < end:
    print('planted-output-' + '0f3c9e51', flush=True)
    sum(range(200000))
"""
BUSY = "\nwhile True:\n    sum(range(100000))"  # its environment stands at the top of its stack
FORMATS = ("script", "folded", "svg", "html", "json", "pprof", "speedscope", "firefox", "csv", "hdf5", "counters.csv",
           "perf.data", "import")
PYTHON = "/usr/bin/python3"
RAW = re.compile(r"^/runs/\d+(/output|/export/perf.data)?$")  # where each is planted


def secrets_in(data):
    """Those that can be read in it, packed or not."""
    texts = [data]
    for unpack in (gzip.decompress, zlib.decompress):
        try:
            texts.append(unpack(data))
        except (OSError, EOFError, zlib.error):
            pass
    return {secret for secret in SECRETS for text in texts if secret.encode() in text}


def addresses(site, runs, sessions):
    """Everything that can be got, of all runs and sessions, with what the routes need."""
    for path, methods in site.get("/openapi.json")["paths"].items():
        path = path.removeprefix("/api/v1")
        if "get" not in methods or path in ("/doctor", "/stream"):  # nothing of runs; below
            continue
        ids = runs if path.startswith("/runs/{") else sessions
        for number in ids if "{id}" in path else (0,):
            there = path.replace("{id}", str(number))
            if there.endswith(("callers", "callees", "lines")):
                there += "?function=main"
            elif there.endswith("/chart"):
                there += "?tid=1"
            elif there == "/events/check":
                there += "?expression=page-faults"
            if "{format}" in there:
                yield from (there.replace("{format}", name) for name in FORMATS)
            else:
                yield there
    for query in ("/runs?limit=1000", "/runs?removed=true", "/sessions?removed=true", *(f"/runs?search={word}" for word in SECRETS)):
        yield query


def search(person, paths):
    """Which secrets a person finds, and where; each address also by a ticket."""
    found = {}
    for path in paths:
        if path.startswith("/runs?search="):  # what is looked for is in the address, not in the answer
            status, got = person.ask("GET", path)
            if status == 200 and got["items"]:
                found.setdefault(path, set()).add("by searching")
            continue
        status, _, body = person.raw("GET", path)
        if secrets_in(body):
            found[path] = secrets_in(body)
        if "/export/" in path or path.endswith("/output"):
            ticket = person.ask("POST", "/tickets", {"path": f"/api/v1{path}"})[1]
            by_ticket = person.site.raw("GET", ticket["address"])[2]
            if secrets_in(by_ticket):
                found[path + " by ticket"] = secrets_in(by_ticket)
    return found


def follow(site, person, run, session, topics):
    """What streams tell of a run until it ends, in bytes."""
    asker = types.SimpleNamespace(address=site.address, token=person.token)
    told = []
    with server.Stream(asker, ",".join(["sessions", "queue", f"session:{session}", f"run:{run}",
                                        *(f"run:{run}:{topic}" for topic in topics)])) as stream:
        if stream.status != 200:
            return stream.status, b""
        for event in stream:
            told.append(str(event.data))
            if event.name == "run" and event.data["run"]["id"] == run and event.data["run"]["state"] in server.ENDED:
                break
    return stream.status, "".join(told).encode()


def joins_later(site, person, run):
    """Topics can be added to a stream; not that one."""
    asker = types.SimpleNamespace(address=site.address, token=person.token)
    with server.Stream(asker, "queue") as stream:
        number = stream.next("hello").data["stream"]
        return person.ask("POST", f"/stream/{number}/topics", {"add": [f"run:{run}:output"]})[0]


def talking(site, rob, sue, vera):
    """A run with secrets in its environment and output, followed while it goes on."""
    session = rob.session("rob's")
    status, run = rob.run(session, tool="both", events={"count": "page-faults", "sample": "cpu-clock"}, rate="49",
                          call_graph="dwarf,32768", environment=f"KEY={ENVIRONMENT}", webhook=f"http://127.0.0.1:9/{WEBHOOK}",
                          target={"kind": "command", "argv": [PYTHON, "-c", TALKER]})
    check(status == 201, "a run with secrets", status, run)
    site.wait(run["id"], "running")
    for person in (sue, vera):
        check(follow(site, person, run["id"], session, ["output"])[0] == 403, f"{person.name} can't follow the output")
        check(joins_later(site, person, run["id"]) == 403, "nor add it to a stream")
    # the stream of rob himself ends with the run: what it has said by then is all
    with server.Stream(types.SimpleNamespace(address=site.address, token=rob.token), f"run:{run['id']}:output") as own:
        said = str(own.next("output-snapshot", "output").data)
        while OUTPUT not in said:
            said += str(own.next("output").data)
        check(OUTPUT in said, "rob can")
    status, told = follow(site, vera, run["id"], session, ["counters", "tree", "heat", "lanes"])
    check(status == 200 and told and not secrets_in(told), "what others follow has none of it", secrets_in(told))
    ended = site.wait(run["id"])
    check(ended["state"] == "done", "it ends", ended["state"], ended["reason"])
    return session, run["id"]


def attached(site, rob, account):
    """A process of rob's Unix account, with a secret where its stack begins."""
    environment = {"PATH": "/usr/bin:/bin", "KEY": STACK}
    with subprocess.Popen([PYTHON, "-c", BUSY], user=account.pw_uid, group=account.pw_gid, extra_groups=[], cwd="/",
                          env=environment, stdin=subprocess.DEVNULL) as process:
        try:
            lib.until(lambda: lib.runs(process.pid, "python3"))
            session = rob.session("attached")
            for _ in range(10):  # until it was its turn while it was measured
                status, run = rob.run(session, tool="sample", events={"sample": "cpu-clock"}, rate="199", limit_s=0.5,
                                      call_graph="dwarf,65528", target={"kind": "process", "who": str(process.pid)})
                ended = site.wait(run["id"]) if status == 201 else run
                if (ended.get("facts") or {}).get("samples"):
                    break
            check(status == 201 and ended["state"] == "done", "rob attaches to a process of his", status, ended)
        finally:
            process.kill()
    return session, run["id"]


def imported(site, rob, session, run):
    data = rob.raw("GET", f"/runs/{run}/export/perf.data")[2]
    status, _, body = rob.raw("POST", f"/sessions/{session}/import?name=mine", data)
    number = int(re.search(rb'"id":(\d+)', body).group(1)) if status == 201 else 0
    check(number and site.wait(number)["state"] == "done", "and imports the recording", status, body[:200])
    return number


def main():
    accounts, scratch = unixpeople.enter("alice", "bob")
    try:
        with server.Server("--webhook", "http://127.0.0.1:9/") as site:
            rob = people.Person(site, "rob", "runner", "--unix", "alice")
            sue = people.Person(site, "sue", "runner", "--unix", "bob")
            vera = people.Person(site, "vera", "viewer")
            session, talker = talking(site, rob, sue, vera)
            other, process = attached(site, rob, accounts["alice"])
            again = imported(site, rob, other, process)
            paths = list(addresses(site, (talker, process, again), (session, other)))
            found = search(rob, [path for path in paths if RAW.search(path)])
            check(set().union(*found.values()) >= set(SECRETS), "who may measure it finds every secret",
                  {path: sorted(words) for path, words in found.items()})
            for path, secret in ((f"/runs/{talker}", ENVIRONMENT), (f"/runs/{talker}/output", OUTPUT),
                                 (f"/runs/{process}/export/perf.data", STACK), (f"/runs/{again}/export/perf.data", STACK)):
                check(secret in found.get(path, ()), f"{secret} is where it was planted: {path}")
                check(path.count("/") == 2 or secret in found.get(path + " by ticket", ()), "also by a ticket")
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                both = list(pool.map(lambda person: search(person, paths), (sue, vera)))
            for person, found in zip((sue, vera), both):
                check(not found, f"{person.name} finds none, in {len(paths)} addresses", found)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    lib.done()


main()
