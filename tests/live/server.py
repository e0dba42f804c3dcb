# SPDX-License-Identifier: Apache-2.0
"""`perfolio serve` for the tests: started on a free port with a data folder of its own, asked, ended.

    with server.Server() as site:
        session = site.post("/sessions", {"title": "one"})
        run = site.run(session["id"], {"tool": "sample", "target": {"kind": "command", "command": "true"}})
        site.wait(run, "done")
        with site.stream(f"run:{run}") as stream:
            event = stream.next("run")

Nothing of the server's own code is used: HTTP is http.client's, and event streams are read here.
"""
import base64
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse

import lib

ENDED = ("done", "failed", "cancelled")
LEAKS = {"PERFOLIO_LEAKS": "1"}  # with AddressSanitizer: each process looks for memory it lost, and has no fence
TIMEOUT = 180  # of what takes a moment, on a machine that has other things to do


def numbers(column):
    """A column of the flame tree: LEB128 in base64."""
    found, value, shift = [], 0, 0
    for byte in base64.b64decode(column):
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            found.append(value)
            value = shift = 0
    return found


class Refused(Exception):
    """A reply that is no success: .status and .error, the API's {code, message, remedy}."""

    def __init__(self, method, path, status, body):
        self.status, self.body = status, body
        self.error = body.get("error", {}) if isinstance(body, dict) else {}
        super().__init__(f"{method} {path}: {status} {body}")


class Server:
    """A server of its own; `options` are further ones of `serve`, `data` a folder that is kept."""

    def __init__(self, *options, data=None, listen="127.0.0.1:0", env=None):
        self.scratch = None if data else tempfile.mkdtemp(prefix="perfolio-serve-")
        if self.scratch:
            os.chmod(self.scratch, 0o711)  # the web side is another user, and goes through it
        self.data = data or os.path.join(self.scratch, "data")
        self.options = [lib.PERFOLIO, "serve", "--listen", listen, "--data", self.data, *options]
        self.env = {**os.environ, **(env or {})}
        self.process = self.link = self.token = self.address = None
        self.log = tempfile.TemporaryFile("w+", prefix="perfolio-log-")
        self.start()

    def start(self):
        """Starts it, again after stop() or kill(), and takes the link that it prints."""
        self.process = subprocess.Popen(self.options, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True, env=self.env)
        for line in self.process.stdout:
            found = re.search(r"(https?://\S+?)/#token=(\S+)", line)
            if found:
                self.link, self.token = found.group(0), found.group(2)
                parts = urllib.parse.urlsplit(found.group(1))
                self.address = (parts.hostname, parts.port)
                return
        self.process.wait()
        self.process.stdout.close()
        raise RuntimeError(f"no server: {self.words()}")

    def start_again(self, timeout=120):
        """Until what is left of a server that was killed has ended, or others that had its port."""
        end = time.monotonic() + timeout
        while True:
            try:
                return self.start()
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.5)

    def words(self):
        """What it has said on standard error until now."""
        self.log.seek(0)
        return self.log.read()

    def stop(self, how=signal.SIGTERM, timeout=120):
        """Ends it and waits; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process.stdout.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind or lib.failed():
            for line in self.words().splitlines()[-20:]:
                print(f"#   the server said: {line}")
        self.stop()
        if re.search("LeakSanitizer|ERROR: Can.t open file", self.words()):  # PERFOLIO_LEAKS: src/base/leaks.h
            lib.check(False, "no process of the server has lost memory", self.words()[-8000:])
        self.log.close()
        if self.scratch:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def processes(self, role=None):
        """Process ids of the server's family by their command lines: all, or those of one role."""
        found = []
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if not entry.isdigit() or self.data.encode() not in words:
                continue
            if role is None or f"--role={role}".encode() in words:
                found.append(int(entry))
        return found

    def family(self):
        """Its processes, however they were started and whatever they call themselves."""
        parents = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                    parents[int(entry)] = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                pass
        found = {self.process.pid}
        for _ in range(5):
            found |= {pid for pid, parent in parents.items() if parent in found}
        return found

    # Asking

    def raw(self, method, path, body=None, headers=None, timeout=TIMEOUT):
        """One request as it stands; status, headers and bytes."""
        connection = http.client.HTTPConnection(*self.address, timeout=timeout)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()
        finally:
            connection.close()

    def ask(self, method, path, body=None, headers=None, timeout=TIMEOUT):
        """With the token, below /api/v1, JSON both ways; status and what came."""
        text = None if body is None else json.dumps(body)
        head = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        if text is not None:
            head["Content-Type"] = "application/json"
        status, _, got = self.raw(method, "/api/v1" + path, text, head, timeout)
        try:
            return status, json.loads(got) if got else None
        except ValueError:
            return status, got

    def sign_in(self, **body):
        """As a browser: the headers of its page from then on.  With nothing, the owner; status else in Refused."""
        status, head, got = self.raw("POST", "/api/v1/sign-in", json.dumps(body or {"token": self.token}))
        if status != 200:
            raise Refused("POST", "/sign-in", status, json.loads(got))
        return {"Cookie": head["Set-Cookie"].split(";")[0], "Perfolio-Proof": json.loads(got)["proof"],
                "Origin": f"http://{self.address[0]}:{self.address[1]}"}

    def call(self, method, path, body=None, **more):
        status, got = self.ask(method, path, body, **more)
        if status >= 300:
            raise Refused(method, path, status, got)
        return got

    def get(self, path, **more):
        return self.call("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.call("POST", path, {} if body is None else body, **more)

    # Runs

    def session(self, title="test"):
        return self.post("/sessions", {"title": title})["id"]

    def run(self, session, form):
        """Queues it; the id of the run, or of the first of its repeats."""
        made = self.post(f"/sessions/{session}/runs", form)
        return made["items"][0]["id"] if "items" in made else made["id"]

    def wait(self, run, states=ENDED, timeout=TIMEOUT):
        """Waits until the run is in one of the states; the run as it is then."""
        states = (states,) if isinstance(states, str) else states
        end = time.monotonic() + timeout
        while True:
            found = self.get(f"/runs/{run}")
            if found["state"] in states or found["state"] in ENDED or time.monotonic() > end:
                return found
            time.sleep(0.05)

    def stream(self, topics="", last=None, timeout=TIMEOUT, token=None):
        return Stream(self, topics, last, timeout, token)


class Event:
    """One of a stream: name, id (the last one that was sent) and data."""

    def __init__(self, name, ident, data):
        self.name, self.id, self.data = name, ident, data

    def __repr__(self):
        return f"{self.id} {self.name} {str(self.data)[:200]}"


class Stream:
    """An event stream, read event by event; .last is the id to come back with."""

    def __init__(self, server, topics="", last=None, timeout=TIMEOUT, token=None):
        self.socket = socket.create_connection(server.address, timeout=timeout)
        head = [f"GET /api/v1/stream?topics={topics} HTTP/1.1",
                f"Host: {server.address[0]}:{server.address[1]}",
                f"Authorization: Bearer {token or server.token}", "Accept: text/event-stream"]
        if last:
            head.append(f"Last-Event-ID: {last}")
        self.socket.sendall("\r\n".join([*head, "", ""]).encode())
        self.last, self.bytes, self.text, self.id = last, b"", b"", None
        self.status = self._read_head()

    def _more(self):
        got = self.socket.recv(1 << 16)
        if not got:
            raise EOFError("the stream has ended")
        self.bytes += got

    def _take(self, size):
        while len(self.bytes) < size:
            self._more()
        taken, self.bytes = self.bytes[:size], self.bytes[size:]
        return taken

    def _line(self):
        while b"\r\n" not in self.bytes:
            self._more()
        line, self.bytes = self.bytes.split(b"\r\n", 1)
        return line

    def _read_head(self):
        status = int(self._line().split()[1])
        while self._line():
            pass
        return status

    def _chunk(self):
        """The next piece of the body; it comes in chunks."""
        size = int(self._line(), 16)
        if not size:
            raise EOFError("the stream has ended")
        self.text += self._take(size)
        self._take(2)

    def __next__(self):
        while True:
            while b"\n\n" not in self.text:
                self._chunk()
            block, self.text = self.text.split(b"\n\n", 1)
            fields = dict(line.split(": ", 1) for line in block.decode().split("\n") if ": " in line)
            if "id" in fields:
                self.last = fields["id"]
            if "event" in fields:
                return Event(fields["event"], self.last, json.loads(fields["data"]))

    def __iter__(self):
        return self

    def next(self, *names):
        """The next event of one of these names; others are passed over."""
        return next(event for event in self if event.name in names)

    def close(self, hard=False):
        """hard: as if the machine had gone, with unread bytes and without a word."""
        if hard:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
