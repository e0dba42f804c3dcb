#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a browser sees of a run while it is made: a client that is cut off again and again ends up with
the tree of the finished run, and clients that misbehave, or are many, disturb nobody."""
import os
import random
import selectors
import shutil
import signal
import socket
import time

import apischema
import lib
import server
from lib import check

LONG = bool(os.environ.get("PERFOLIO_LONG"))
CLIENTS = 500 if LONG else 60
SAMPLES = 100000 if LONG else 10000  # of a recording at 9,999 Hz
PARTS = ("counters", "output", "tree", "heat", "lanes")
SCHEMAS = {"hello": "StreamHello", "ready": "StreamReady", "dropped": "StreamDropped", "change": "StreamChange",
           "run": "StreamRun", "queue": "StreamQueue", "points": "StreamPoints",
           "points-snapshot": "StreamPointsSnapshot", "output": "StreamOutput",
           "output-snapshot": "StreamOutputSnapshot", "tree": "StreamTree", "tree-snapshot": "StreamTree",
           "heat": "StreamHeat", "heat-snapshot": "StreamHeat",
           "lanes": "StreamLanes", "lanes-snapshot": "StreamLanes", "end": "StreamEnd"}
# Programs that come and go, so that the tree grows until the end.
MIXED = ["seq 30000 | awk '{s+=$1*$1} END {print s}'", "ls -R /usr/share/doc /usr/lib | sort | gzip -c | md5sum",
         "find /usr/share -name '*.py' | xargs cat | tr a-z A-Z | wc"]


class Work:
    """A program that computes until the test has seen enough of it, however long that takes."""

    def __init__(self, site, name):
        self.path = os.path.join(site.scratch, "enough-of-" + name)
        parts = "; ".join(f"[ -e {self.path} ] || {part}" for part in MIXED)
        self.target = {"kind": "command", "argv": ["sh", "-c", f"until [ -e {self.path} ]; do {parts}; done"]}

    def enough(self):
        with open(self.path, "wb"):
            pass


class Faulty(Exception):
    """The stream said something that its protocol does not allow."""


class View:
    """What a client knows of a run, by the rules of docs/stream.md and nothing else."""

    def __init__(self):
        self.trees, self.cells, self.rows, self.text = {}, {}, {}, {"stdout": "", "stderr": ""}
        self.seen, self.ended, self.states, self.skipped = {}, set(), [], 0
        self.counts, self.lanes = {}, {}

    def take(self, event):
        data = event.data
        self.counts[event.name] = self.counts.get(event.name, 0) + 1
        if "topic" in data:
            self.seen[data["topic"]] = data["at"]
        method = getattr(self, "take_" + event.name.replace("-", "_"), None)
        if method:
            method(data)

    def take_run(self, data):
        self.states.append(data["run"]["state"])

    def take_end(self, data):
        self.ended.add(data["topic"])

    def take_tree_snapshot(self, data):
        self.trees[data["event"]] = {"names": [], "nodes": [], "own": {}}
        self.take_tree(data)

    def take_tree(self, data):
        tree = self.trees.setdefault(data["event"], {"names": [], "nodes": [], "own": {}})
        if data["first"] != len(tree["nodes"]) or data["first_name"] != len(tree["names"]):
            raise Faulty(f"nodes from {data['first']} on, but {len(tree['nodes'])} are known")
        tree["names"] += data["names"]
        tree["nodes"] += zip(data["parents"], data["name_ids"], data["kinds"], strict=True)
        tree["own"].update(zip(data["changed"], zip(data["self"], data["counts"]), strict=True))
        tree["samples"], tree["event"] = data["samples"], data["event_name"]

    def take_heat_snapshot(self, data):
        self.cells[data["event"]] = {}
        self.take_heat(data)

    def take_heat(self, data):
        self.cells.setdefault(data["event"], {}).update(
            {(second, row): count for second, row, count in data["cells"]})

    def take_lanes_snapshot(self, data):
        self.lanes[data["event"]] = {"lanes": [], "cells": {}}
        self.take_lanes(data)

    def take_lanes(self, data):
        known = self.lanes.setdefault(data["event"], {"lanes": [], "cells": {}})
        if data["first"] != len(known["lanes"]):
            raise Faulty(f"lanes from {data['first']} on, but {len(known['lanes'])} are known")
        known["lanes"] += data["lanes"]
        known["cells"].update({(lane, slot): count for lane, slot, count in data["cells"]})
        known["left_out"], known["full"] = data["left_out"], data["full"]

    def lane_sums(self, event, kind):
        """CPU, or pid and tid → samples."""
        sums = {}
        for (lane, _), count in self.lanes[event]["cells"].items():
            facts = self.lanes[event]["lanes"][lane]
            if ("cpu" in facts) == (kind == "cpu"):
                key = facts["cpu"] if kind == "cpu" else (facts["pid"], facts["tid"])
                sums[key] = sums.get(key, 0) + count
        return sums

    def take_points_snapshot(self, data):
        self.rows = {}
        self.take_points(data)

    def take_points(self, data):
        for number, row in enumerate(data["rows"], data["first"]):
            if number in self.rows:
                raise Faulty(f"row {number} for the second time")
            self.rows[number] = row

    def take_output_snapshot(self, data):
        self.text = {"stdout": "", "stderr": ""}
        self.skipped = 0
        self.take_output(data)

    def take_output(self, data):
        self.skipped += data["skipped"]
        for piece in data["pieces"]:
            self.text[piece["stream"]] += piece["text"]

    def flat(self, event, group):
        """path of (name, kind) → (samples, count) of all nodes that have any, by program or by thread."""
        tree, paths = self.trees[event], []
        for number, (parent, name, kind) in enumerate(tree["nodes"]):
            step = (tree["names"][name], kind)
            above = paths[parent] if number else ()
            if KINDS[kind] == "group" and parent:  # a thread, on its program
                paths.append(above if group == "comm" else above[:1] + (step,))
            else:
                paths.append(above + (step,))
        own = {}
        for node, (samples, count) in tree["own"].items():
            if samples:
                add(own, paths[node], samples, count)
        return own


def add(own, path, samples, count):
    """Two functions may have one name: static ones do."""
    had = own.get(path, (0, 0))
    own[path] = (had[0] + samples, had[1] + int(count))


APART = 20000  # nodes: a larger tree does not tell all threads apart
KINDS = ["user", "library", "kernel", "jit", "inlined", "unknown", "group"]


def api_flat(site, run, event, group):
    """The same of GET /runs/ID/tree."""
    answer = site.get(f"/runs/{run}/tree?event={event}&group={group}&limit=1000000")
    paths, own = [], {}
    for node in answer["nodes"]:
        parent = paths[node["parent"]] if node["parent"] >= 0 else ()
        paths.append(parent + ((node["name"], KINDS.index(node["kind"])),))
        if node["self_samples"]:
            add(own, paths[-1], node["self_samples"], node["self_count"])
    return own, answer


def topics_of(run):
    return [f"run:{run}"] + [f"run:{run}:{part}" for part in PARTS]


def read_for(stream, view, seconds):
    """Takes events for so long, or until the run's topics have ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and len(view.ended) < len(PARTS):
        stream.socket.settimeout(max(0.01, end - time.monotonic()))
        try:
            view.take(next(stream))
        except TimeoutError:
            return


def follow_with_breaks(site, run, work, breaks, pause):
    """A client that loses its connection so often, and comes back in each of the ways there are."""
    view, last, chance, broken = View(), None, random.Random(7), 0
    while len(view.ended) < len(PARTS):
        topics = ",".join(topics_of(run))
        if broken % 3 == 2:  # where each topic was, by itself
            topics = ",".join(f"{name}@{view.seen[name]}" if name in view.seen else name
                              for name in topics_of(run))
        stream = site.stream(topics, None if broken % 3 == 2 else last)
        try:
            if broken == breaks:
                work.enough()
            read_for(stream, view, chance.uniform(0, 2 * pause) if broken < breaks else server.TIMEOUT)
        finally:
            last = stream.last or last
            stream.close(hard=True)
        if broken == breaks:
            break
        broken += 1
    return view, broken


def compare_with_results(site, run, view, what):
    """Everything the client has got against what the API says of the finished run."""
    check(view.trees and all(tree["samples"] > 100 for tree in view.trees.values()),
          f"{what}: a tree has come", view.counts)
    for event in view.trees:
        name = view.trees[event]["event"]
        apart = len(view.trees[event]["nodes"]) < APART
        for group in ("thread", "comm") if apart else ("comm",):
            ours, (theirs, answer) = view.flat(event, group), api_flat(site, run, name, group)
            check(ours == theirs, f"{what}: the tree of {name} by {group} is that of the API, sample for sample",
                  f"{len(ours)} and {len(theirs)} nodes with samples",
                  list(set(ours.items()) ^ set(theirs.items()))[:6])
        total = sum(samples for samples, _ in ours.values())
        check(total == answer["samples"] == sum(view.cells[event].values()),
              f"{what}: heatmap and tree have the same samples", total, answer["samples"],
              sum(view.cells[event].values()))
        for kind in ("cpu", "thread"):
            items = site.get(f"/runs/{run}/heatmap?lanes={kind}&limit=1000&width=1&event={name}")["items"]
            theirs = {item["cpu"] if kind == "cpu" else (item["pid"], item["tid"]): item["samples"] for item in items}
            ours = view.lane_sums(event, kind)
            check(ours and all(theirs.get(key) == count for key, count in ours.items()) and
                  len(theirs) - len(ours) == (view.lanes[event]["left_out"] if kind == "thread" else 0),
                  f"{what}: lanes by {kind} have the samples of the API", len(ours), len(theirs), list(set(ours.items()) ^ set(theirs.items()))[:6])


def test_reconnects(site):
    session = site.session("live")
    work, pause = Work(site, "reconnects"), 1 if LONG else 0.12
    run = site.run(session, {"tool": "both", "live": True, "target": work.target, "rate": "999",
                             "call_graph": "fp", "interval_ms": 100,
                             "events": {"sample": "cpu-clock", "count": "task-clock,page-faults"}})
    view, broken = follow_with_breaks(site, run, work, 20, pause)
    check(broken == 20, "the client was cut off 20 times", broken, view.counts)
    check(len(view.ended) == len(PARTS), "and saw the end of every topic", view.ended)
    found = site.wait(run)
    check(found["state"] == "done", "the run is done", found["state"], found["reason"])
    compare_with_results(site, run, view, "20 reconnects")
    raw = site.get(f"/runs/{run}/counters/raw?limit=100000")
    numbers = sorted(view.rows)
    check(numbers and numbers == list(range(len(numbers))), "no row of counters is missing or came twice",
          numbers[:5], len(numbers), str(raw)[:200])
    pieces = site.get(f"/runs/{run}/output?limit=10000000")["pieces"]
    text = {stream: "".join(piece["text"] for piece in pieces if piece["stream"] == stream)
            for stream in view.text}
    check(text["stdout"] and not view.skipped and text == view.text, "nor a piece of output", view.skipped,
          text["stdout"][-100:], view.text["stdout"][-100:])
    states = [state for at, state in enumerate(view.states) if state not in view.states[:at]]
    check(states[-1] == "done" and "running" in states, "its states came in their order", view.states)


def test_pace(site):
    """Everything comes as it is described, and several times a second; bench/ has the pace of an idle machine."""
    session, work = site.session("pace"), Work(site, "pace")
    run = site.run(session, {"tool": "both", "live": True, "target": work.target, "rate": "999",
                             "interval_ms": 100,
                             "events": {"sample": "cpu-clock", "count": "task-clock"}})
    view, times = View(), {"tree": [], "points": []}
    described, faults, names = apischema.Description(site.get("/openapi.json")), [], set()
    with site.stream(",".join(topics_of(run) + ["queue", f"session:{session}", "sessions"])) as stream:
        while len(view.ended) < len(PARTS):
            event = next(stream)
            view.take(event)
            names.add(event.name)
            faults += described.check(event.data, {"$ref": f"#/components/schemas/{SCHEMAS[event.name]}"},
                                      event.name)
            if event.name in times:
                times[event.name].append(time.monotonic())
            if len(times["tree"]) >= 8 and len(times["points"]) >= 10 and {"heat", "lanes", "output"} <= names:
                work.enough()
    check(not faults, "every event is what the API's description says", *faults[:5])
    check(names >= {"hello", "ready", "run", "queue", "points-snapshot", "points", "output", "tree-snapshot",
                    "tree", "heat-snapshot", "heat", "lanes-snapshot", "lanes", "end"}, "of each kind", set(SCHEMAS) - names)
    for name, got in times.items():
        gaps = [after - before for before, after in zip(got, got[1:])]
        # Busy machines stretch most of them; a pace of once a second would still be found out.
        check(min(gaps) < 0.6, f"{name} comes more than once a second", [f"{gap:.2f} s" for gap in gaps])
    site.wait(run)
    compare_with_results(site, run, view, "undisturbed")


def test_names(site):
    """Code that gets its names during the run, and of a program that is no longer there; the data folder is in /tmp."""
    folder = os.path.join(site.scratch, "vanishing")
    program, listed, end = (os.path.join(folder, name) for name in ("vanishing", "list", "end"))
    os.mkdir(folder)
    os.chmod(folder, 0o777)  # it deletes itself as another user
    shutil.copy(lib.program("jit"), program)
    run = site.run(site.session("names"), {"tool": "sample", "live": True, "rate": "999",
                                           "target": {"kind": "command", "argv": [program, listed, end]},
                                           "events": {"sample": "cpu-clock:u"}})
    view = View()
    with site.stream(",".join(topics_of(run))) as stream:
        read_until(stream, view, 100)
        check(not os.path.exists(program), "the program is gone, and its analyser follows")
        with open(listed, "wb"):
            pass
        read_until(stream, view, view.trees[0]["samples"] + 1000)
    with open(end, "wb"):
        pass
    check({"spin_in_deleted", "made_by_jit"} <= set(view.trees[0]["names"]),
          "a deleted program has names while it runs, and so has code that was named later", view.trees[0]["names"])
    check(site.wait(run)["state"] == "done", "its run is done")
    own = {row["function"]: row["self_samples"] for row in site.get(f"/runs/{run}/top?limit=20")["rows"]}
    check(min(own.get(name, 0) for name in ("made_by_jit", "spin_in_deleted")) > 100, "and so they are in its results", own)
    check(not [name for name in own if name.startswith("[perf-")], "with what was sampled before it had a name", own)


def test_web_side_killed(site):
    """The web side is killed in mid-recording; its successor has other ids, and the same tree at the end."""
    session, work = site.session("killed"), Work(site, "killed")
    run = site.run(session, {"tool": "sample", "live": True, "target": work.target, "rate": "999",
                             "events": {"sample": "cpu-clock"}})
    view = View()
    with site.stream(",".join(topics_of(run))) as stream:
        while not view.trees:
            view.take(next(stream))
        last = stream.last
        for pid in site.processes("web"):
            os.kill(pid, signal.SIGKILL)
        try:
            while True:
                last = stream.last
                view.take(next(stream))
        except (EOFError, OSError):
            pass
    stream, end = None, time.monotonic() + server.TIMEOUT
    while not stream and time.monotonic() < end:
        try:
            stream = site.stream(",".join(topics_of(run)), last)
        except (EOFError, OSError):
            time.sleep(0.1)
    check(stream is not None and stream.status == 200, "the web side is back, and so is the stream")
    with stream:
        read_for(stream, view, 1)
        work.enough()
        read_for(stream, view, server.TIMEOUT)
        check(int(stream.last.split("-")[0]) > int(last.split("-")[0]), "ids are of another epoch",
              last, stream.last)
    site.wait(run)
    compare_with_results(site, run, view, "a killed web side")


def test_topics(site):
    status, _ = site.ask("GET", "/stream?topics=queue", headers={"Authorization": "Bearer wrong"})
    check(status == 401, "nobody follows without signing in", status)
    with site.stream("queue") as stream:
        number = stream.next("hello").data["stream"]
        stream.next("ready")
        session = site.session("topics")
        check(site.post(f"/stream/{number}/topics", {"add": [f"session:{session}"], "remove": ["queue"]})
              == {"topics": [f"session:{session}"]}, "topics of an open stream are changed")
        site.call("PATCH", f"/sessions/{session}", {"title": "another"})
        event = stream.next("change")
        check(event.data["topic"] == f"session:{session}", "and it tells of the new ones", event)
        stream.socket.shutdown(socket.SHUT_WR)
        site.call("PATCH", f"/sessions/{session}", {"title": "a third"})
        check(stream.next("change"), "also one who has closed his side for writing")
    for bad in ("nonsense", "run:x", "run:1:%0d%0aX:%201"):
        status, body = site.ask("GET", f"/stream?topics={bad}")
        check(status == 400 and "unknown topic" in body["error"]["message"], f"refused: {bad}", status, body)


def test_removed_user(site):
    """Somebody who is removed is told no more: looked at every 10 s."""
    lib.run([lib.PERFOLIO, "user", "add", "--no-password", "--data", site.data, "vera"])
    made = lib.run([lib.PERFOLIO, "user", "token", "--data", site.data, "vera"])
    token, site.token = site.token, made.stdout.split()[-1]
    try:
        stream = site.stream("sessions", timeout=40)
    finally:
        site.token = token
    with stream:
        check(stream.next("ready") and stream.status == 200, "a viewer follows", made.stdout, made.stderr)
        lib.run([lib.PERFOLIO, "user", "remove", "--data", site.data, "vera"])
        time.sleep(11)
        site.session("secret")
        names = []
        try:
            for event in stream:
                names.append((event.name, event.data.get("reason")))
        except EOFError:
            pass
        check(names == [("dropped", "nobody is signed in any more")], "until he is removed", names)


def read_many(site, topics, count, ready):
    """A process of its own that reads so many streams until it is ended; it writes to `ready` at first."""
    pid = os.fork()
    if pid:
        return pid
    try:
        choose, text = selectors.DefaultSelector(), (
            f"GET /api/v1/stream?topics={topics} HTTP/1.1\r\nHost: {site.address[0]}:{site.address[1]}\r\n"
            f"Authorization: Bearer {site.token}\r\n\r\n").encode()
        for _ in range(count):
            one = socket.create_connection(site.address)
            one.sendall(text)
            choose.register(one, selectors.EVENT_READ)
        os.write(ready, b"x")
        while True:
            for key, _ in choose.select():
                if not key.fileobj.recv(1 << 16):
                    choose.unregister(key.fileobj)
    finally:
        os._exit(0)


def record_fast(site, session, work):
    # With room for more than a second: what is lost then was lost because somebody held the recorder up.
    return site.run(session, {"tool": "sample", "live": True, "rate": "9999", "call_graph": "fp",
                              "options": {"stat": "", "record": "-m 4M"},
                              "target": work.target, "events": {"sample": "cpu-clock"}})


def lost(site, run):
    found = site.wait(run)
    trust = (found.get("quality") or {}).get("trust", {})
    check(found["state"] == "done" and trust.get("samples", 0) > 1000, "9,999 Hz: the run is done", found)
    return trust.get("lost", 0) / max(1, trust.get("samples", 0) + trust.get("lost", 0))


def record_alone(site, session, number):
    """The share of samples that is lost while nobody looks on."""
    work = Work(site, f"alone-{number}")
    run = record_fast(site, session, work)
    with site.stream(f"run:{run}:tree") as stream:
        read_until(stream, View(), SAMPLES)
    work.enough()
    return lost(site, run)


def read_until(stream, view, samples):
    """Until the tree has so many."""
    while sum(tree["samples"] for tree in view.trees.values()) < samples:
        view.take(next(stream))


def record_among_many(site, session, number):
    """The same with streams by the hundred, some of which never read."""
    gate, work = Work(site, f"gate-{number}"), Work(site, f"many-{number}")
    before = site.run(session, {"tool": "count", "target": {
        "kind": "command", "argv": ["sh", "-c", f"until [ -e {gate.path} ]; do sleep 0.05; done"]}})
    run = record_fast(site, session, work)
    began, tell = os.pipe()
    pid = read_many(site, ",".join(topics_of(run)), CLIENTS, tell)
    deaf = [site.stream(",".join(topics_of(run))) for _ in range(5)]
    try:
        check(os.read(began, 1) == b"x", f"{CLIENTS} streams are open")
        with site.stream(",".join(topics_of(run))) as stream:
            gate.enough()
            view = View()
            read_until(stream, view, SAMPLES)
            work.enough()
            read_for(stream, view, server.TIMEOUT)
        share = lost(site, run)
        compare_with_results(site, run, view, f"among {CLIENTS} others")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(began)
        os.close(tell)
        for stream in deaf:
            stream.close(hard=True)
    check(site.wait(before)["state"] == "done", "the run before it, too")
    return share


def test_many(site):
    """Others who look on lose nothing for the recorder; what a busy machine loses, it does not lose each time."""
    session, seen = site.session("many"), []
    for number in range(3):
        seen.append((record_alone(site, session, number), record_among_many(site, session, number)))
        if seen[-1][1] <= seen[-1][0]:
            break
    words = [f"{100 * with_many:.3f} % with {CLIENTS} streams, {100 * without:.3f} % without" for without, with_many in seen]
    print(f"# lost: {words[-1]}")
    check(seen[-1][1] <= seen[-1][0], f"with {CLIENTS} streams and 5 that never read no more samples are lost", *words)


def main():
    with server.Server() as site:
        test_topics(site)
        test_pace(site)
        test_reconnects(site)
        test_names(site)
        test_web_side_killed(site)
        test_many(site)
        if LONG:
            test_removed_user(site)
        check(site.process.poll() is None, "the server is still there", site.words())
    lib.done()


main()
