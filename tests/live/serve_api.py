#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every route of the API with real recordings, and every answer compared with its description."""
import concurrent.futures
import gzip
import http.server
import json
import os
import threading
import time
import urllib.parse

import apischema
import lib
import peer
import server
from lib import check

STEADY = os.path.abspath(lib.program("steady"))


class Site(server.Server):
    """Notes which routes were used, and what their answers lack."""

    description = None

    def __init__(self, *options, **more):
        self.used, self.faults = set(), []
        super().__init__(*options, **more)
        self.description = apischema.Description(self.get("/openapi.json"))

    def raw(self, method, path, body=None, headers=None, timeout=60):
        status, head, got = super().raw(method, path, body, headers, timeout)
        if self.description and path.startswith("/api/"):
            self.compare(method, urllib.parse.urlsplit(path).path, status, head, got)
        return status, head, got

    def compare(self, method, path, status, head, got):
        template, what = self.description.find("GET" if method == "HEAD" else method, path)
        if not what:
            return
        replies = what["responses"]
        reply = self.description.follow(replies.get(str(status), replies.get("default", {})))
        if str(status) not in replies and status not in (206, 304, 416) and status < 400:
            self.faults.append(f"{method} {template}: {status} is not described")
        if 200 <= status < 300:
            self.used.add((method, template))
        kind = (head["Content-Type"] or "").split(";")[0]
        if kind == "application/json" and got and head["Content-Encoding"] is None and method != "HEAD" and \
                "attachment" not in (head["Content-Disposition"] or ""):
            schema = reply.get("content", {}).get("application/json", {}).get("schema", {})
            self.faults += [f"{method} {template} {status}: {fault}"
                            for fault in self.description.check(json.loads(got), schema)[:3]]


def described(site):
    faults = site.description.faults()
    check(not faults, "the description is one", *faults[:10])
    check(len(list(site.description.operations())) > 50, "of all the API")


def signing_in(site):
    page = site.sign_in()
    check(site.raw("GET", "/api/v1/me", None, page)[0] == 200, "a token becomes a cookie with its proof")
    ticket = site.post("/tickets", {"path": "/api/v1/me"})
    check(site.raw("GET", ticket["address"])[0] == 200, "or a ticket")
    check(site.raw("POST", "/api/v1/sign-out", None, page)[0] == 204, "which is given back")


def sessions(site):
    one = site.post("/sessions", {"title": "One", "notes": "n", "tags": ["a", "b"]})
    two = site.post("/sessions", {"title": "Two"})
    changed = site.call("PATCH", f"/sessions/{one['id']}", {"title": "First", "archived": True, "tags": ["b", "c"]})
    check((changed["title"], changed["notes"], changed["archived"], changed["tags"]) ==
          ("First", "n", True, ["b", "c"]), "a session is changed", changed)
    listed = [[item["id"] for item in site.get(f"/sessions?{query}")["items"]]
              for query in ("", "search=fir", "tag=c", "archived=true", "archived=false", "limit=1")]
    check(listed == [[two["id"], one["id"]], [one["id"]], [one["id"]], [one["id"]], [two["id"]], [two["id"]]],
          "sessions are listed and searched", listed)
    page = site.get("/sessions?limit=1")
    rest = site.get(f"/sessions?limit=1&before={page['next']}")
    check(rest["items"][0]["id"] == one["id"] and rest["next"] is None, "page by page", page, rest)
    site.call("DELETE", f"/sessions/{two['id']}")
    check(site.ask("GET", f"/sessions/{two['id']}")[0] == 404 and
          [item["id"] for item in site.get("/sessions?removed=true")["items"]] == [two["id"]],
          "a session is removed")
    check(site.post(f"/sessions/{two['id']}/restore")["removed_until_ns"] is None, "and comes back")
    check(site.get("/tags")["items"] == ["b", "c"], "all tags")
    head = {"Authorization": f"Bearer {site.token}"}
    etag = site.raw("GET", f"/api/v1/sessions/{one['id']}", None, head)[1]["ETag"]
    status = site.raw("GET", f"/api/v1/sessions/{one['id']}", None, {**head, "If-None-Match": etag})[0]
    site.call("PATCH", f"/sessions/{one['id']}", {"archived": False})
    again = site.raw("GET", f"/api/v1/sessions/{one['id']}", None, {**head, "If-None-Match": etag})[0]
    check((status, again) == (304, 200), "an ETag holds until something changes", status, again)
    status, _, body = site.raw("PATCH", f"/api/v1/sessions/{one['id']}", '{"notes": "anew"}',
                               {**head, "If-None-Match": "*"})
    check(status == 200 and json.loads(body)["notes"] == "anew", "and what was changed is told in any case", status)
    return one["id"]


def queue(site, session):
    wait = {"tool": "count", "target": {"kind": "command", "command": "sleep 1000"},
            "events": {"count": "page-faults"}}
    first = site.run(session, wait)
    made = site.post(f"/sessions/{session}/runs", {**wait, "repeats": 3, "tags": ["x"]})["items"]
    ids = [run["id"] for run in made]
    check([run["form"]["batch"]["index"] for run in made] == [1, 2, 3], "repeats are runs in order")
    site.wait(first, "running")
    check([run["id"] for run in site.get("/queue")["items"]] == [first, *ids], "one runs, the rest wait")
    moved = site.post(f"/runs/{ids[2]}/move", {"before": ids[0]})
    check([run["id"] for run in moved["items"]] == [first, ids[2], ids[0], ids[1]], "a run is moved forward")
    site.post(f"/runs/{ids[2]}/move", {"before": None})
    check([run["id"] for run in site.get("/queue")["items"]] == [first, *ids], "and to the end")
    for action, paused in (("pause", True), ("reset", True), ("resume", False)):
        now = site.post(f"/runs/{first}/{action}")
        check((now["state"], now["paused"]) == ("running", paused), f"its counters: {action}", now)
    check(site.ask("POST", f"/runs/{ids[0]}/pause")[0] == 409, "a run that waits has none")
    listed = site.get(f"/sessions/{session}/runs?state=queued")["items"]
    check([run["id"] for run in listed] == ids[::-1], "runs of a session, by their state", listed)
    check(site.ask("GET", "/sessions/999/runs")[0] == 404, "and none of a session that there is not")
    for run in ids:
        check(site.post(f"/runs/{run}/cancel")["state"] == "cancelled", "a run that waits is cancelled")
    site.post(f"/runs/{first}/cancel")
    check(site.wait(first)["state"] == "cancelled", "and one that runs")
    check(site.ask("POST", f"/runs/{first}/cancel")[0] == 409, "once")
    again = site.post(f"/runs/{ids[0]}/retry")
    check(again["argv"] == ["sleep", "1000"] and again["id"] > ids[2], "a cancelled one is tried again")
    site.post(f"/runs/{again['id']}/cancel")
    site.wait(again["id"])
    changed = site.call("PATCH", f"/runs/{ids[0]}", {"tags": ["y"]})
    check(changed["tags"] == ["y"] and site.get("/runs?tag=y")["items"][0]["id"] == ids[0], "a run's tags")
    site.call("DELETE", f"/runs/{ids[0]}")
    check(site.ask("GET", f"/runs/{ids[0]}")[0] == 404, "a run is removed")
    check(site.post(f"/runs/{ids[0]}/restore")["id"] == ids[0], "and restored")
    states = {run["state"] for run in site.get("/runs?state=cancelled,failed")["items"]}
    check(states == {"cancelled"}, "runs by state", states)


def sums(rows):
    """By event what was counted since the counters were last set back, and in all."""
    since, whole = {}, {}
    for _, event, _, value, *_ in rows:
        if event < 0:
            since = {}
            continue
        for sum_of in (since, whole):
            sum_of[event] = sum_of.get(event, 0) + int(value)
    return since, whole


def check_totals(site, run, when):
    summary, plot = site.get(f"/runs/{run}/summary"), site.get(f"/runs/{run}/counters")
    raw = site.get(f"/runs/{run}/counters/raw?limit=100000")  # the last: it may have grown
    since, whole = sums(raw["rows"])
    totals = {line["index"]: int(line["total"]) for line in plot["lines"]}
    marks = [row[0] for row in raw["rows"] if row[1] < 0]
    check(len(marks) == 1 and plot["resets"] == marks and summary["reset_ns"] == marks[0],
          f"{when}: a reset is a mark in time", marks, plot["resets"], summary["reset_ns"])
    check(0 < int(summary["counters"][0]["total"]) <= totals[0] <= since[0] < whole[0],
          f"{when}: totals are of what comes after it", since, totals, whole, summary["counters"])
    return since, totals, summary


def resets(site, session):
    run = site.run(session, {"tool": "count", "interval_ms": 20, "events": {"count": "task-clock,page-faults"},
                             "target": {"kind": "command", "argv": ["sh", "-c", "while :; do :; done"]}})
    site.wait(run, "running")
    points = lambda: site.ask("GET", f"/runs/{run}/counters/raw?limit=100000")[1].get("rows", [])
    check(peer.until(lambda: sums(points())[1].get(0, 0) > 100_000_000), "something is counted")
    site.post(f"/runs/{run}/reset")
    check(peer.until(lambda: any(row[1] < 0 for row in points()) and sums(points())[0].get(0, 0) > 0), "and set back")
    check_totals(site, run, "while it runs")
    site.post(f"/runs/{run}/cancel")
    site.wait(run)
    check(peer.until(lambda: site.get(f"/runs/{run}")["facts"], 60), "what was stopped is read")
    since, totals, summary = check_totals(site, run, "at its end")
    check(totals == since and [int(one["total"]) for one in summary["counters"]] == [since[0], since[1]],
          "all agree", totals, since, summary["counters"])
    check([(one["unit"], one["scale"]) for one in summary["counters"]] == [("msec", 1e-6), ("", 1)],
          "counts have their units", summary["counters"])


def machine(site):
    host = site.get("/hosts")["items"][0]
    check(host["name"] == os.uname().nodename and host["kernel"] == os.uname().release, "the host", host)
    events = site.get("/events?search=page+fault&limit=5")
    check(events["items"] and all("fault" in json.dumps(item).lower() for item in events["items"]),
          "events are searched", events["items"][:1])
    check(site.get("/events/check?expression=page-faults")["valid"] is True, "an event is checked")
    check(site.get("/events/check?expression=no-such-event")["valid"] is False, "and one that is none")
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        many = list(pool.map(lambda _: site.ask("GET", "/events/check?expression=page-faults")[0], range(16)))
    check(many == [200] * 16, "many who ask at once have their turns", many)
    found = site.get(f"/processes?search={os.getpid()}")["items"]
    check(any(item["pid"] == os.getpid() for item in found), "processes are found", found[:2])
    check(site.get("/doctor"), "the doctor")
    check("127.0.0.1" in str(site.get("/server")), "and what it says of the server itself")
    plan = site.post("/plan", {"tool": "both", "target": {"kind": "command", "command": "sort 'a b'"}, "rate": "99",
                               "call_graph": "fp", "limit_s": 10, "events": {"count": "page-faults"}})
    check(plan["argv"] == ["sort", "a b"] and plan["command"] == "sort 'a b'" and plan["permitted"] and
          plan["expected"]["samples"] and plan["disk"]["room"] and
          plan["commands"]["perf"][1].startswith("perf record -F 99"), "a plan", plan)


def impossible(site, session):
    """What can't work is refused before it waits; what is only missing now is a warning."""
    command = {"kind": "command", "command": "true"}
    surely = [({"cpus": "999"}, "CPU 999 is not there"), ({"events": {"sample": "no-such-event"}}, "no-such-event"),
              ({"target": {"kind": "user", "who": "no-such-user"}}, "no user 'no-such-user'"),
              ({"target": {"kind": "process", "who": "999999999"}}, "no such process: 999999999"),
              ({"tool": "count", "events": {"count": "no-such-event"}}, "no-such-event")]
    for more, words in surely:
        form = {"tool": "sample", "target": command, "rate": "99", "events": {"sample": "cpu-clock"}, **more}
        plan = site.post("/plan", form)
        status, got = site.ask("POST", f"/sessions/{session}/runs", form)
        check(not plan["permitted"] and any(words in text and "\n" not in text for text in plan["refused"]) and
              status == 400 and words in got["error"]["message"] and got["error"]["remedy"],
              f"surely not: {words}", plan["refused"], status, got)
    perhaps = [({"target": {"kind": "command", "command": "no-such-program -x"}}, "no such command in PATH"),
               ({"target": {"kind": "command", "command": "./not-built-yet"}}, "no such program"),
               ({"target": {"kind": "command", "command": "/etc/passwd"}}, "may not run it"),
               ({"target": {"kind": "command", "command": "/etc"}}, "Is a directory"),
               ({"target": {"kind": "command", "command": "ls"}, "environment": "PATH=/no/such"}, "no such command"),
               ({"folder": "/no/such"}, "no such folder"), ({"rate": "90000000"}, "perf_event_max_sample_rate")]
    for more, words in perhaps:
        plan = site.post("/plan", {"tool": "sample", "target": command, "rate": "99", **more,
                                   "events": {"sample": "cpu-clock"}})
        check(plan["permitted"] and any(words in text for text in plan["warnings"]), f"perhaps: {words}", plan)
    plan = site.post("/plan", {"tool": "sample", "target": {"kind": "command", "command": "PATH/true"},
                               "folder": "/", "rate": "100", "events": {"sample": "cpu-clock"}})
    check(any("99 does not" in text for text in plan["notes"]), "notes are notes", plan)


def parameters(site, run):
    """What nobody reads is no wrong answer without a word."""
    for path, message, remedy in (("/runs?sesion=1", "unknown parameter `sesion` of GET /api/v1/runs", "session"),
                                  (f"/runs/{run}/flame?form=1", "unknown parameter `form`", "from, to"),
                                  ("/me?verbose=1", "unknown parameter `verbose`", "no parameters"),
                                  (f"/runs/{run}/flame?from=9&to=3", "from=9 is later than to=3", ""),
                                  (f"/runs/{run}/counters?from=9&to=3", "from=9 is later than to=3", ""),
                                  (f"/runs/{run}/export/svg?from=9&to=3", "from=9 is later than to=3", "")):
        status, got = site.ask("GET", path)
        check(status == 400 and message in got["error"]["message"] and remedy in got["error"]["remedy"],
              f"refused: {path}", status, got)


def measured(site, session):
    """A run of everything: counted and sampled, with what it prints."""
    form = {"tool": "both", "target": {"kind": "command", "command": f"sh -c '{STEADY} 0 300; echo out; echo err >&2'"},
            "environment": "A=1 B='x y'", "folder": "/", "events": {"count": "page-faults,task-clock",
                                                                    "sample": "cpu-clock"},
            "interval_ms": 50, "rate": "499", "call_graph": "fp", "notes": "note"}
    run = site.run(session, form)
    done = site.wait(run)
    check(done["state"] == "done" and done["ending"] == {"kind": "exit", "code": 0} and
          done["environment"] == ["A=1", "B=x y"] and int(done["usage"]["user_ns"]) > 10 ** 8 and
          done["facts"]["samples"] > 50 and done["bytes"] > 0, "a run is counted and sampled", done)
    again = site.post(f"/runs/{run}/rerun")["id"]
    site.ask("POST", f"/runs/{again}/cancel")  # refused where it is over already
    site.wait(again)
    first = site.get(f"/events?session={session}&limit=1")
    check(first["items"][0]["name"] == first["most_used"][0]["event"] and first["total"] > 100,
          "events that were used come first", first["items"][0]["name"], first["most_used"][:2])
    check("\n" not in json.dumps(done["usage"])[-3:] and not done["usage"]["notes"].endswith("\n"),
          "what was said ends without a line break", done["usage"])
    check(done["form"] == form, "its form is kept as it was sent", done["form"])
    return run, done


def results(site, run, done):
    tid = None
    for path in ("summary", "overview", "quality", "events", "threads", "counters?width=300", "counters/raw",
                 "counters/histogram?event=task-clock", "samples", "flame", "flame?reversed=true&depth=4", "tree",
                 "top", "heatmap", "heatmap?lanes=cpu", "output", "output?stream=stderr"):
        status, got = site.ask("GET", f"/runs/{run}/{path}")
        check(status == 200, f"GET {path}", status, str(got)[:300])
        if path == "threads" and status == 200:
            tid = find(got, "tid")
    top = site.get(f"/runs/{run}/top")
    name = urllib.parse.quote(find(top, "function") or find(top, "name") or "main")
    for path in (f"callers?function={name}", f"callees?function={name}", f"lines?function={name}",
                 f"chart?tid={tid}"):
        status, got = site.ask("GET", f"/runs/{run}/{path}")
        check(status == 200, f"GET {path}", status, str(got)[:300])
    tree = site.get(f"/runs/{run}/tree")
    check(str(done["facts"]["samples"]) in json.dumps(tree), "the tree has all samples of the run",
          done["facts"]["samples"], str(tree)[:300])
    text = "".join(piece["text"] for piece in site.get(f"/runs/{run}/output?stream=stdout").get("pieces", []))
    check("out\n" in text and "err" not in text, "what it printed", text)


def find(value, name):
    """The first member of that name, anywhere."""
    if isinstance(value, dict):
        if name in value and isinstance(value[name], (str, int)):
            return value[name]
        value = list(value.values())
    for inner in value if isinstance(value, list) else []:
        got = find(inner, name)
        if got is not None:
            return got
    return None


def files(site, session, run):
    head = {"Authorization": f"Bearer {site.token}"}
    formats = []
    for method, path, what in site.description.operations():
        if path.endswith("/export/{format}"):
            formats = next(one for one in what["parameters"] if one.get("name") == "format")["schema"].get("enum", [])
    check(len(formats) >= 10, "formats to download", formats)
    whole = b""
    for name in formats:
        status, got, body = site.raw("GET", f"/api/v1/runs/{run}/export/{name}", None, head)
        check(status == 200 and body and "attachment" in (got["Content-Disposition"] or ""), f"download as {name}",
              status, body[:200])
        whole = body if name == "perf.data" else whole
    if whole:
        status, got, part = site.raw("GET", f"/api/v1/runs/{run}/export/perf.data", None,
                                     {**head, "Range": "bytes=100-199"})
        check(status == 206 and part == whole[100:200] and got["Content-Range"] == f"bytes 100-199/{len(whole)}",
              "a part of it", status, got["Content-Range"])
        status, _, _ = site.raw("GET", f"/api/v1/runs/{run}/export/perf.data", None,
                                {**head, "Range": f"bytes={len(whole)}-"})
        check(status == 416, "and none behind its end", status)
        imported(site, session, "perf.data", whole, run)
    status, _, body = site.raw("GET", f"/api/v1/sessions/{session}/hdf5", None, head)
    check(status == 200 and body[:8] == b"\x89HDF\r\n\x1a\n", "a session as HDF5", status, body[:100])
    imported(site, session, "x.folded", b"a;b 3\na;c 4\n", None)
    imported(site, session, "x.folded.gz", gzip.compress(b"a;b 3\na;c 4\n"), None)
    status, _, got = site.raw("POST", f"/api/v1/sessions/{session}/import?name=junk", b"\x00\x01nothing", head)
    check(status == 400 and b"junk isn't a profile we can read" in got, "what is no recording is refused in words",
          status, got)


def imported(site, session, name, body, run):
    head = {"Authorization": f"Bearer {site.token}"}
    status, _, got = site.raw("POST", f"/api/v1/sessions/{session}/import?name={name}", body, head)
    made = site.wait(json.loads(got)["id"])
    wanted = site.get(f"/runs/{run}")["facts"]["samples"] if run else 7
    check(status == 201 and made["state"] == "done" and made["facts"]["samples"] == wanted, f"{name} is imported",
          made["state"], made["reason"], made["facts"])


def packed(site):
    head = {"Authorization": f"Bearer {site.token}", "Accept-Encoding": "gzip"}
    _, got, body = site.raw("GET", "/api/v1/openapi.json", None, head)
    check(got["Content-Encoding"] == "gzip" and "paths" in json.loads(gzip.decompress(body)),
          "a long answer is packed")
    status, got, body = site.raw("HEAD", "/api/v1/me", None, head)
    check(status == 200 and not body, "HEAD gives no body")


def streams(site, session):
    with site.stream(f"queue,session:{session}") as stream:
        hello = stream.next("hello").data
        site.post(f"/stream/{hello['stream']}/topics", {"add": ["sessions"], "remove": ["queue"]})
        site.call("PATCH", f"/sessions/{session}", {"notes": "told"})
        check(stream.next("change").data["id"] == session, "the stream tells of changes")
    site.used.add(("GET", "/api/v1/stream"))


class Hook(http.server.BaseHTTPRequestHandler):
    told = []

    def do_POST(self):
        Hook.told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def webhook():
    """One that the configuration allows is told; others are refused."""
    listener = http.server.HTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{listener.server_port}"
    form = {"tool": "count", "target": {"kind": "command", "command": "true"}, "events": {"count": "page-faults"}}
    with server.Server("--webhook", base + "/ci") as site:
        session = site.session()
        for url, wanted in ((base + "/cinema", 403), ("http://127.0.0.1:1/ci", 403), ("ftp://x/", 400),
                            ("http://example.com/ci", 400), (base + "/ci@evil", 403)):
            status, got = site.ask("POST", f"/sessions/{session}/runs", {**form, "webhook": url})
            check(status == wanted, f"{url.split('/', 3)[-1] or url}: not told", status, got)
        run = site.run(session, {**form, "webhook": base + "/ci/done"})
        state = site.wait(run)["state"]
        end = time.monotonic() + 120
        while not Hook.told and time.monotonic() < end:
            time.sleep(0.05)
        check(Hook.told and Hook.told[0]["runs"][0]["id"] == run and Hook.told[0]["runs"][0]["state"] == state,
              "a webhook is told of a run's end", Hook.told[:1])
    listener.shutdown()


def main():
    with Site() as site:
        described(site)
        signing_in(site)
        session = sessions(site)
        machine(site)
        impossible(site, session)
        queue(site, session)
        resets(site, session)
        run, done = measured(site, session)
        results(site, run, done)
        parameters(site, run)
        files(site, session, run)
        packed(site)
        streams(site, session)
        lines = site.get("/audit?limit=5")["items"]
        check(len(lines) == 5 and lines[0]["person"] == "owner", "the log of what was done")
        missing = {(method, path) for method, path, _ in site.description.operations()} - site.used
        check(not missing, "every route was used", *sorted(missing))
        check(not site.faults, "every answer is as described", *site.faults[:20])
        check("ended with" not in site.words(), "the web side was never started again", site.words())
    webhook()
    lib.done()


main()
