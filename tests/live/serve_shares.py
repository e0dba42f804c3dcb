#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one person can't take from all others: the analysers' time, the answers of the machine, the disk, the queue."""
import concurrent.futures
import contextlib
import json
import os
import select
import signal
import socket

import lib
import peer
import server
import serve_import
from lib import check
from people import Owner, Person

SMALL = b"prog;main 3\n"


def send(person, session, data):
    """An import; its run."""
    status, _, body = person.raw("POST", f"/sessions/{session}/import?name=file", data)
    check(status == 201, f"{person.name} imports a file", status, body[:300])
    return json.loads(body)["id"]


def state(person, run):
    return person.ask("GET", f"/runs/{run}")[1]["state"]


def stuck(site, person, session, bomb):
    """An import whose analyser never ends, whatever time it has; its run and that process."""
    known = set(serve_import.analysers(site))
    run = send(person, session, bomb)

    def begun():
        # the one that looks at the beginning alone has ended when the run is there
        return next(iter(set(serve_import.analysers(site)) - known), None) if state(person, run) == "processing" else 0
    analyser = peer.until(begun)
    os.kill(analyser, signal.SIGSTOP)
    return run, analyser


def stop_all(site):
    """From now on no analyser ends by itself."""
    serve_import.take_analyser(site)
    for pid in serve_import.analysers(site):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)


def gone(pid):
    return peer.until(lambda: not os.path.exists(f"/proc/{pid}"))


def analysers(site, rob, sue):
    """One slow import keeps nobody from results, and ends when it is cancelled or removed."""
    bomb = serve_import.bomb()
    mine, hers = rob.session("slow"), sue.session("quick")
    first, analyser = stuck(site, rob, mine, bomb)
    others = [send(rob, mine, bomb) for _ in range(2)]
    check(site.wait(send(sue, hers, SMALL))["state"] == "done", "another's import does not wait for it")
    status, run = sue.run(hers, tool="both", target={"kind": "command", "argv": ["true"]})
    check(status == 201 and site.wait(run["id"])["state"] == "done", "nor do runs", run)
    check([state(rob, run) for run in [first, *others]] == ["processing"] * 3, "his own do")
    status, run = rob.ask("POST", f"/runs/{first}/cancel")
    check(status == 200 and run["state"] == "cancelled" and gone(analyser), "cancelling it ends its analyser", status, run)
    status, got = rob.ask("GET", f"/runs/{first}/top")
    check(status == 404 and "cancelled" in got["error"]["message"], "who looks at it does not begin it again", status, got)
    stop_all(site)
    check([rob.ask("DELETE", f"/runs/{run}")[0] for run in others] == [204] * 2 and serve_import.wait_for_none(site),
          "removing it does, too")
    check(rob.ask("POST", f"/runs/{others[0]}/restore")[0] == 200 and state(rob, others[0]) == "processing",
          "what comes back is looked at again")
    stop_all(site)
    status, got = rob.ask("DELETE", f"/sessions/{mine}")
    check(status == 204 and serve_import.wait_for_none(site), "its session can be removed, which ends it", status, got)
    check(rob.ask("POST", f"/sessions/{mine}/restore")[0] == 200 and serve_import.take_analyser(site), "and come back")
    rob.ask("DELETE", f"/sessions/{mine}")
    check(serve_import.wait_for_none(site), "no analyser is left")


def checks(supervisor):
    """Its processes that check an expression, as fast as can be: they don't live long."""
    try:
        with open(f"/proc/{supervisor}/task/{supervisor}/children", encoding="ascii") as file:
            pids = [int(word) for word in file.read().split()]
    except OSError:
        pids = peer.children(supervisor)
    found = []
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
            if b"--role=check" in file.read():
                found.append(pid)
    return found


class Flood:
    """Checks of one person at once, each asked again when it was answered."""

    def __init__(self, person):
        self.person, self.refused = person, []
        self.sockets = [self.ask() for _ in range(30)]

    def ask(self):
        site = self.person.site
        connection = socket.create_connection(site.address)
        connection.sendall((f"GET /api/v1/events/check?expression=*:*,cpu-clock HTTP/1.1\r\nHost: {site.address[0]}:"
                            f"{site.address[1]}\r\nAuthorization: Bearer {self.person.token}\r\n\r\n").encode())
        return connection

    def go_on(self):
        for connection in select.select(self.sockets, [], [], 0.005)[0]:
            answer = connection.recv(65536)
            if answer.startswith(b"HTTP/1.1 503"):
                self.refused.append(answer)
            self.sockets.remove(connection)
            connection.close()
            self.sockets.append(self.ask())

    def close(self):
        for connection in self.sockets:
            connection.close()


def questions(site, vera):
    """One who asks the machine more than it can answer keeps nobody else from asking."""
    supervisor = peer.children(site.process.pid)[0]
    flood, stopped = Flood(vera), set()

    def stuck_checks():  # which nothing but a kill ends
        flood.go_on()
        for pid in checks(supervisor):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                stopped.add(pid)
        stopped.difference_update([pid for pid in stopped if not peer.alive(pid)])
        return len(stopped) >= 2 and flood.refused
    check(peer.until(stuck_checks), "a viewer's questions are two at a time, and many more are refused", stopped)
    check(b"Retry-After: 1" in flood.refused[-1] and b"too-many" in flood.refused[-1], "as too many, for a second",
          flood.refused[-1])
    for path in ("/events/check?expression=cpu-clock", "/doctor"):
        status, got = site.ask("GET", path)
        check(status == 200, f"the owner's {path} is answered all the same", status, got)
    check(len(checks(supervisor)) == 2, "while there are just those two", stopped)
    flood.close()
    check(all(gone(pid) for pid in stopped), "and they end when who asked has gone")
    got = site.get("/events/check?expression=*:*,cpu-clock")
    check(len(got["events"]) <= 64 and (got["left_out"] or len(got["events"]) < 64), "a wildcard is not tried out whole",
          len(got["events"]), got["left_out"])


def queue(site, rob, sue):
    """People take turns, however many runs one of them has waiting; the owner may say otherwise."""
    mine, hers = rob.session("many"), sue.session("few")
    quick = {"tool": "count", "target": {"kind": "command", "argv": ["true"]}}
    _, long = rob.run(mine, tool="count", target={"kind": "command", "argv": ["sleep", "300"]})
    site.wait(long["id"], "running")
    made = rob.ask("POST", f"/sessions/{mine}/runs", {**quick, "repeats": 20})[1]["items"]
    first, second = (sue.run(hers, **quick)[1]["id"] for _ in range(2))

    def place(run):
        return site.get(f"/runs/{run}")["place"]
    check([place(first), place(second)] == [2, 4], "the second of one comes behind the first of the other",
          place(first), place(second))
    status, got = rob.ask("POST", f"/runs/{made[19]['id']}/move", {"before": first})
    check(status == 403, "nobody passes others by moving his own", status, got)
    status, got = rob.ask("POST", f"/runs/{made[19]['id']}/move", {"before": made[0]["id"]})
    check(status == 200 and [place(run) for run in (made[19]["id"], first, made[0]["id"], second)] == [1, 2, 3, 4],
          "among his own he may, which moves nobody else", got)
    status, got = site.ask("POST", f"/runs/{second}/move", {"before": made[19]["id"]})
    check(status == 200 and place(second) == 1, "the owner moves all", status, got)
    rob.ask("POST", f"/runs/{long['id']}/cancel")
    check(site.wait(long["id"])["state"] == "cancelled" and all(site.wait(run)["state"] == "done" for run in (first, second)),
          "then hers have their turns")


def streams(site, vera, sue):
    """A viewer who opens streams without end leaves some to others."""
    def begin(person):
        connection = socket.create_connection(site.address)
        connection.sendall((f"GET /api/v1/stream?topics=queue HTTP/1.1\r\nHost: {site.address[0]}:{site.address[1]}\r\n"
                            f"Authorization: Bearer {person.token}\r\n\r\n").encode())
        answer = connection.recv(4096)
        while answer.startswith(b"HTTP/1.1 429") and b"error" not in answer:
            answer += connection.recv(4096)
        return connection, answer
    mine = [begin(vera) for _ in range(70)]
    good = [answer.startswith(b"HTTP/1.1 200") for _, answer in mine]
    check(good == [True] * 64 + [False] * 6, "64 streams are one person's", sum(good))
    check(mine[-1][1].startswith(b"HTTP/1.1 429") and b"of yours" in mine[-1][1], "more are refused with words", mine[-1][1])
    others = [begin(sue), *(begin(Owner(site)) for _ in range(70))]
    check(all(answer.startswith(b"HTTP/1.1 200") for _, answer in others), "others have theirs, the owner as many as there are")
    for connection, _ in mine + others:
        connection.close()

    def again():
        connection, answer = begin(vera)
        connection.close()
        return answer.startswith(b"HTTP/1.1 200")
    check(peer.until(again), "those that end make room for others")


def answers(site, rob, vera):
    """Lists of runs with long commands are answered in parts: nobody makes the server write all of them at once."""
    session = rob.session("long")
    _, first = rob.run(session, tool="count", target={"kind": "command", "argv": ["sleep", "300"]})
    site.wait(first["id"], "running")
    made = []
    for _ in range(3):
        form = {"tool": "count", "target": {"kind": "command", "argv": ["true", "\x01" * 45000]}, "repeats": 12}
        status, got = rob.ask("POST", f"/sessions/{session}/runs", form)
        check(status == 201, "runs with long commands wait", status, str(got)[:300])
        made += [run["id"] for run in got["items"]]
    check(made == sorted(made) and len(made) == 36, "as many as were asked for, in their order", made)
    status, _, body = vera.raw("GET", "/queue")
    got = json.loads(body)
    ids = [run["id"] for run in got["items"]]
    check(status == 200 and ids == [first["id"], *made][:len(ids)] and 10 <= len(ids) < 20, "the queue's answer has the first", ids)
    check(got["left_out"] == 37 - len(ids) and [run["place"] for run in got["items"]] == list(range(len(ids))),
          "and says how many wait behind them", got["left_out"])
    check(len(body) < 16 << 20, "in less than 16 MB", len(body))
    found, before, sizes = [], "", []
    while before is not None:
        status, _, body = vera.raw("GET", f"/runs?session={session}&limit=1000{before}")
        got = json.loads(body)
        found += [run["id"] for run in got["items"]]
        sizes.append(len(body))
        before = f"&before={got['next']}" if got["next"] else None
    check(found == [first["id"], *made][::-1] and len(sizes) > 2 and max(sizes) < 16 << 20, "a list has more pages, with all of them",
          len(found), sizes)
    run = rob.ask("GET", f"/runs/{made[-1]}")[1]
    check(len(run["argv"][1]) == 45000, "and a run's own answer all of its words")
    check(rob.ask("DELETE", f"/sessions/{session}")[0] == 409, "while one of them runs its session stays")
    for one in [*made, first["id"]]:
        rob.ask("POST", f"/runs/{one}/cancel")
    check(site.wait(first["id"])["state"] == "cancelled" and site.get("/queue")["left_out"] == 0, "then the queue is empty")


def folded(size):
    """A profile of so many bytes that is like no other."""
    head = f"prog;{os.urandom(8).hex()} 1\n".encode()
    return head + b"prog;main 1\n" * (size // 12)


def disk():
    """Nobody fills it for all, and what was removed makes room at once."""
    with server.Server("--max-disk", "12M", "--max-share", "50") as site:
        rob, sue = Person(site, "rob", "runner"), Person(site, "sue", "runner")
        mine, hers = rob.session("much"), sue.session("little")
        sent = []
        for _ in range(12):
            status, _, body = rob.raw("POST", f"/sessions/{mine}/import?name=x", folded(1 << 20))
            if status != 201:
                break
            sent.append(json.loads(body)["id"])
            site.wait(sent[-1])
        got = json.loads(body)
        check(status == 507 and 4 <= len(sent) <= 6 and "--max-share" in got["error"]["message"],
              "half of the disk is one person's", len(sent), status, got)
        check(site.wait(send(sue, hers, folded(1 << 20)))["state"] == "done", "the other half is for others")
        for run in sent:
            rob.ask("DELETE", f"/runs/{run}")
        run = send(rob, mine, folded(1 << 20))
        check(site.wait(run)["state"] == "done", "what he removes makes room at once")
        run = site.wait(send(Owner(site), hers, folded(7 << 20)))
        check(run["state"] == "done", "the owner has no share", run["state"], run["reason"])
        big = folded(4 << 20)
        status, _, body = Owner(site).raw("POST", f"/sessions/{hers}/import?name=x", big)
        check(status == 507, "for all of it is full for everybody", status, body)
        check(site.ask("DELETE", f"/runs/{run['id']}")[0] == 204 and send(Owner(site), hers, big), "until one run is removed")


NOTES = {"title": "t", "notes": "n" * 65536}


def fill(person, most):
    """Sessions with long notes, until there is no room for more; those that were made, and the last answer."""
    made = []
    for _ in range(most):
        status, got = person.ask("POST", "/sessions", NOTES)
        if status != 201:
            break
        made.append(got["id"])
    return made, status, got


def rows():
    """What is no file takes room as well: notes, forms and commands, each as often as they are repeated."""
    with server.Server("--max-disk", "12M", "--max-share", "50") as site:
        rob, sue = Person(site, "rob", "runner"), Person(site, "sue", "runner")
        mine = rob.session("much")
        long = {"tool": "count", "target": {"kind": "command", "argv": ["true", "A" * 50000]}}
        status, got = rob.ask("POST", f"/sessions/{mine}/runs", {**long, "repeats": 1000})
        said = got.get("error", {})
        check(status == 413 and "1000 runs" in said["message"] and "fewer repeats" in said["remedy"], "repeats of much text are refused", status, got)
        check(site.get("/queue")["items"] == [] and rob.ask("GET", f"/sessions/{mine}")[1]["runs"] == 0, "all of them")
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            much = {**long, "repeats": 40}
            got = list(pool.map(lambda _: rob.ask("POST", f"/sessions/{mine}/runs", much)[0], range(12)))
        check(sorted(got) == [201] + [507] * 11, "of many that ask for room at once one has it", got)
        check(peer.until(lambda: rob.ask("DELETE", f"/sessions/{mine}")[0] == 204), "and it can be removed")
        mine = rob.session("much")
        made, status, got = fill(rob, 300)
        check(status == 507 and 70 <= len(made) <= 95 and "--max-share" in got["error"]["message"],
              "half of the disk is one person's for notes, too", len(made), status, got)
        status, got = rob.ask("POST", f"/sessions/{mine}/runs", long)
        check(status == 507, "and for runs with long commands", status, got)
        status, got = rob.ask("PATCH", f"/sessions/{mine}", {"notes": "n" * 65536})
        check(status == 507, "and for notes that become longer", status, got)
        status, got = rob.ask("PATCH", f"/sessions/{made[0]}", {"notes": ""})
        check(status == 200, "they may become shorter", status, got)
        check(sue.ask("POST", "/sessions", NOTES)[0] == 201, "others have room")
        more, status, got = fill(Owner(site), 300)
        size = os.stat(os.path.join(site.data, "perfolio.db")).st_size
        check(status == 507 and 60 <= len(more) <= 110 and size < 13 << 20, "--max-disk counts the database", len(more), size, got)
        check(all(Owner(site).ask("DELETE", f"/sessions/{session}")[0] == 204 for session in made + more), "the owner removes them")
        again, status, got = fill(Owner(site), 300)
        check(len(again) >= len(made + more) - 5, "which makes room at once", len(made), len(more), len(again), got)


def main():
    lib.need_root()
    with server.Server() as site:
        rob, sue = Person(site, "rob", "runner"), Person(site, "sue", "runner")
        analysers(site, rob, sue)
        vera = Person(site, "vera", "viewer")
        questions(site, vera)
        streams(site, vera, sue)
        answers(site, rob, vera)
        queue(site, rob, sue)
    disk()
    rows()
    lib.done()


if __name__ == "__main__":
    main()
