#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts the server with an example session, whose run it records now, and prints the link to it: `make run`.

    tools/run.py BUILD [OPTIONS of `perfolio serve`]
"""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

TITLE = "Example: how often words occur"
NOTES = "Made by `make run`: examples/wordfreq counts the words of a text that it makes up itself."
ENDED = ("done", "failed", "cancelled")


class Site:
    """The server's API, as its owner."""

    def __init__(self, link):
        self.address, self.token = re.match(r"(\S+)/#token=(\S+)", link).groups()

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.address + "/api/v1" + path, method=method,
            data=json.dumps(body).encode() if body is not None else None,
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as refused:
            text = refused.read().decode(errors="replace")
            with contextlib.suppress(ValueError, KeyError):
                text = json.loads(text)["error"]["message"]
            sys.exit(f"make run: {method} {path}: {text}")

    def example_session(self):
        for session in self.call("GET", "/sessions?limit=1000")["items"]:
            if session["title"] == TITLE:
                return session["id"]
        return self.call("POST", "/sessions", {"title": TITLE, "notes": NOTES})["id"]

    def record(self, session, program):
        """Counts and samples the program; the run, when all is done with it."""
        form = {"tool": "both", "live": True, "target": {"kind": "command", "argv": [program, "60000000", "2"]},
                "rate": "999", "call_graph": "fp", "interval_ms": 50, "tags": ["example"]}
        run = self.call("POST", f"/sessions/{session}/runs", form)["items"][0]["id"]
        while (state := self.call("GET", f"/runs/{run}"))["state"] not in ENDED:
            time.sleep(0.1)
        return state


def start(build, options):
    server = subprocess.Popen([os.path.join(build, "perfolio"), "serve", *options],
                              stdout=subprocess.PIPE, text=True, start_new_session=True)
    for line in server.stdout:
        if "token=" in line:
            return server, line.strip()
    sys.exit(server.wait() or 1)


def reachable(program, folder):
    """The program where every user may start it: the server starts programs as somebody else."""
    if os.geteuid():
        return os.path.abspath(program)
    os.chmod(folder, 0o755)
    return shutil.copy(program, folder)


def main():
    build, options = sys.argv[1], sys.argv[2:]
    server, link = start(build, options)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: server.terminate())
    with tempfile.TemporaryDirectory(prefix="perfolio-example-") as folder:
        site = Site(link)
        print("Recording the example ...", flush=True)
        session = site.example_session()
        run = site.record(session, reachable(os.path.join(build, "examples/wordfreq"), folder))
        if run["state"] != "done":
            print(f"The example run is {run['state']}: {run['reason']}")
        print(f"\nOpen\n\n    {site.address}/s/{session}?run={run['id']}#token={site.token}\n\nor ask for the flame tree of the run:\n\n"
              f"    curl -H 'Authorization: Bearer {site.token}' {site.address}/api/v1/runs/{run['id']}/tree\n\n"
              "Ctrl-C ends the server; what it has measured stays.", flush=True)
        sys.exit(server.wait())


main()
