#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every route for everybody: the routes are those of the API's description, and one table says what each person gets.
A route without a row fails, and so does a row without a route."""
import http.client
import json
import sys
import urllib.parse

import lib
import people
import server
from lib import check

COLUMNS = ("nobody", "viewer", "maker", "other runner", "owner", "removed user", "other origin", "other port's cookie")
# The maker is a runner, and what is in the address is of his making; he comes from another origin, too: with the cookie
# and the proof of his own page.  Another port gets his cookie and nothing else.
IN = "let in"  # whatever comes of it: neither 401 nor 403

# What GET gives: the same from another origin, whose page can't read it.
ALL = (401, 200, 200, 200, 200, 401, 200, 401)
RUNNERS = (401, 403, 200, 200, 200, 401, 200, 401)
RAW = (401, 403, 200, 200, 200, 401, 200, 401)  # of a command: the other runner's programs run as the same account


def post(runners, viewer=403):
    return (401, viewer, runners, runners, runners, 401, 403, 401)


def change(status):
    """Of what the maker has made."""
    return (401, 403, status, 403, status, 401, 403, 401)


# A word behind the path tells rows of one route apart: the format.
TABLE = {
    "POST /sign-in": (400, 400, 400, 400, 400, 400, 403, 400),  # with neither token nor name
    "POST /sign-out": post(204, 204),
    "POST /tickets": post(200, 200),
    "GET /me": ALL,
    "GET /openapi.json": ALL,
    "GET /sessions": ALL,
    "POST /sessions": post(201),
    "GET /sessions/{id}": ALL,
    "PATCH /sessions/{id}": change(200),
    "DELETE /sessions/{id}": change(204),
    "POST /sessions/{id}/restore": change(200),
    "GET /sessions/{id}/runs": ALL,
    "POST /sessions/{id}/runs": change(201),
    "POST /sessions/{id}/import": change(201),
    "GET /sessions/{id}/hdf5": (401, IN, IN, IN, IN, 401, IN, 401),  # libhdf5 need not be there
    "GET /runs": ALL,
    "GET /runs/{id}": ALL,
    "PATCH /runs/{id}": change(200),
    "DELETE /runs/{id}": change(204),
    "POST /runs/{id}/restore": change(200),
    "POST /runs/{id}/cancel": change(409),  # it has ended
    "POST /runs/{id}/pause": change(409),
    "POST /runs/{id}/resume": change(409),
    "POST /runs/{id}/reset": change(409),
    "POST /runs/{id}/move": change(409),
    "POST /runs/{id}/retry": change(409),
    "POST /runs/{id}/rerun": change(201),
    "GET /queue": ALL,
    "POST /plan": post(200),
    "GET /events": ALL,
    "GET /events/check": ALL,
    "GET /processes": RUNNERS,
    "GET /hosts": ALL,
    "GET /doctor": ALL,
    "GET /server": RUNNERS,
    "GET /tags": ALL,
    "GET /audit": RUNNERS,
    "GET /runs/{id}/export/{format} perf.data": RAW,
    "GET /runs/{id}/export/{format} script": RAW,
    "GET /runs/{id}/export/{format} svg": ALL,
    "GET /runs/{id}/export/{format} folded": ALL,
    "GET /runs/{id}/export/{format} counters.csv": ALL,
    "GET /runs/{id}/output": RAW,
    "GET /stream": ALL,
    "GET /stream output": RAW,
    "POST /stream/{id}/topics": post(404, 404),  # nobody's stream
    "GET /runs/{id}/summary": ALL,
    "GET /runs/{id}/overview": ALL,
    "GET /runs/{id}/quality": ALL,
    "GET /runs/{id}/events": ALL,
    "GET /runs/{id}/threads": ALL,
    "GET /runs/{id}/counters": ALL,
    "GET /runs/{id}/counters/raw": ALL,
    "GET /runs/{id}/counters/histogram": ALL,
    "GET /runs/{id}/samples": ALL,
    "GET /runs/{id}/flame": ALL,
    "GET /runs/{id}/tree": ALL,
    "GET /runs/{id}/top": ALL,
    "GET /runs/{id}/callers": ALL,
    "GET /runs/{id}/callees": ALL,
    "GET /runs/{id}/heatmap": ALL,
    "GET /runs/{id}/chart": ALL,
    "GET /runs/{id}/lines": ALL,
}
FORM = {"tool": "count", "events": {"count": "page-faults"}, "target": {"kind": "command", "argv": ["true"]}}
BODIES = {
    "POST /sign-in": {},
    "POST /tickets": {"path": "/api/v1/me"},
    "POST /sessions": {"title": "one more"},
    "PATCH /sessions/{id}": {"notes": "seen"},
    "POST /sessions/{id}/runs": FORM,
    "PATCH /runs/{id}": {"tags": ["seen"]},
    "POST /runs/{id}/move": {"before": None},
    "POST /plan": FORM,
    "POST /stream/{id}/topics": {"add": ["queue"]},
}
# Why somebody is refused, by column; a right that is for runners says so to viewers.
CODES = {"nobody": {"sign-in"}, "removed user": {"sign-in"}, "other port's cookie": {"no-proof"},
         "viewer": {"role", "raw"}, "other runner": {"not-yours"}, "other origin": {"wrong-origin"}}


def operation(row):
    return row.partition("} ")[0] + "}" if "} " in row else " ".join(row.split()[:2])


def complete(site):
    """The table has a row for each operation of the description, and the other way round."""
    found = {f"{method.upper()} {path.removeprefix('/api/v1')}" for path, methods in
             site.get("/openapi.json")["paths"].items() for method in methods}
    rows = {operation(row) for row in TABLE}
    check(not found - rows, "every route has a row", sorted(found - rows))
    check(not rows - found, "every row has a route", sorted(rows - found))


def heads(site, rob):
    """Who asks, by column."""
    sue, vera = people.Person(site, "sue", "runner"), people.Person(site, "vera", "viewer")
    gone = people.Person(site, "gone", "runner")
    people.user(site, "remove", "gone")
    page = site.sign_in(token=rob.token)
    return dict(zip(COLUMNS, (
        {}, vera.head, rob.head, sue.head, {"Authorization": f"Bearer {site.token}"}, gone.head,
        {**page, "Origin": "http://evil.example"}, {"Cookie": page["Cookie"], "Origin": page["Origin"]})))


class Things:
    """What is in the addresses: a session of the maker's, with a run that has everything."""

    def __init__(self, site, rob):
        self.site = site
        self.session = rob.session("rob's")
        status, run = rob.run(self.session, tool="both", events={"count": "page-faults", "sample": "cpu-clock"},
                              rate="999", environment="SECRET=1",
                              target={"kind": "command", "argv": [lib.program("steady"), "100", "200"]})
        check(status == 201 and site.wait(run["id"])["state"] == "done", "the run of the addresses", status, run)
        self.run = run["id"]
        self.function = site.get(f"/runs/{self.run}/top?limit=1")["rows"][0]["function"]
        self.tid = site.get(f"/runs/{self.run}/threads")["rows"][0]["tid"]

    def address(self, row):
        method, path = operation(row).split()
        word = row.removeprefix(operation(row)).strip()
        path = path.replace("{id}", str(self.run if path.startswith("/runs") else self.session))
        path = path.replace("{format}", word)
        path += {"/events/check": "?expression=page-faults", "/stream": f"?topics=run:{self.run}"}.get(path, "")
        if path.endswith(("callers", "callees", "lines")):
            path += f"?function={urllib.parse.quote(self.function)}"
        if path.endswith("/chart"):
            path += f"?tid={self.tid}"
        return method, path + (f":{word}" if path.startswith("/stream?") and word else "")

    def before(self, row):
        """What is brought back is gone first."""
        if row.endswith("restore"):
            self.site.ask("DELETE", self.address(row)[1].removesuffix("/restore"))

    def after(self, row):
        if row.startswith("DELETE") or row.endswith("restore"):
            self.site.ask("POST", self.address(row)[1].removesuffix("/restore") + "/restore")
        if row == "POST /runs/{id}/rerun" or row == "POST /sessions/{id}/runs":
            for run in self.site.get("/queue")["items"]:
                self.site.wait(run["id"])  # a session that is at it can't be removed


def ask(site, method, path, head, body):
    """Status and code; of a stream only that it begins."""
    connection = http.client.HTTPConnection(*site.address, timeout=server.TIMEOUT)
    try:
        connection.request(method, "/api/v1" + path, body=body, headers=head)
        reply = connection.getresponse()
        if reply.headers.get_content_type() == "text/event-stream":
            return reply.status, ""
        got = reply.read()
    finally:
        connection.close()
    if reply.status < 400:
        return reply.status, ""
    return reply.status, json.loads(got)["error"]["code"]


def body_of(row):
    if row == "POST /sessions/{id}/import":
        return b"main;work 1\n"
    return json.dumps(BODIES[row]) if row in BODIES else None


def cell(site, things, row, name, head, wanted):
    """None, or what is wrong."""
    things.before(row)
    method, path = things.address(row)
    status, code = ask(site, method, path, head, body_of(row))
    things.after(row)
    fits = status not in (401, 403) if wanted == IN else status == wanted
    if status in (401, 403) and fits and row != "POST /sign-in":
        fits = code in CODES[name] | ({"raw"} if name == "other runner" else set())
    return None if fits else (name, method, path, status, code, "not", wanted)


def noted(site):
    """Each kind of refusal has left a line, or the one that says that there were more."""
    lines = people.lines(site, "refused")
    check(any("vera has the role viewer" in line for line in lines), "viewers that were refused are in the log", lines[:5])
    check(any("is rob's" in line for line in people.lines(site, "refused", "sue")), "and other runners", lines[:5])


def main():
    with server.Server() as site:
        complete(site)
        rob = people.Person(site, "rob", "runner")
        persons, things = heads(site, rob), Things(site, rob)
        asked = 0
        for row, statuses in TABLE.items():
            assert len(statuses) == len(COLUMNS), row
            wrong = []
            for name, wanted in zip(COLUMNS, statuses):
                wrong.append(cell(site, things, row, name, persons[name], wanted))
                asked += 1
            check(not any(wrong), row, *filter(None, wrong))
        noted(site)
        print(f"# {asked} requests", file=sys.stderr)
    lib.done()


main()
