# SPDX-License-Identifier: Apache-2.0
"""The server with a web side that the test speaks for (tests/programs/peer.c)."""
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile

import lib

PIECE = struct.Struct("=QII")
STDOUT, STDERR = 1, 2
COUNT, SAMPLE, BOTH = 1, 2, 3
COMMAND, PROCESS, THREAD, USER, HOST = range(5)


def alive(pid):
    """Whether a process runs; one that only waits to be collected does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def marked(text):
    """The processes that have this in their environment."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if text.encode() in file.read().split(b"\0") and alive(name):
                    found.append(int(name))
        except OSError:
            pass
    return found


def children(parent):
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == parent:
                    found.append(int(name))
        except (OSError, ValueError):
            continue
    return found


def until(condition, seconds=120):
    """As lib's, for longer: a server and its programs are many processes."""
    return lib.until(condition, seconds)


class Peer:
    def __init__(self, *options, folder=None, user=None):
        self.folder = folder or tempfile.mkdtemp(prefix="perfolio-peer-")
        os.chmod(self.folder, 0o755)
        self.user = user  # who starts the server, where that is not who runs the test
        if user:
            os.chown(self.folder, user, user)
        self.path = os.path.join(self.folder, "peer.sock")
        self.files = os.path.join(self.folder, "data")
        self.options = options
        self.number = 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        os.chmod(self.path, 0o777)
        self.listener.listen()
        self.listener.settimeout(120)
        self.server = self.connection = self.lines = None
        self.start_server()

    def start_server(self):
        environment = dict(os.environ, PERFOLIO_PEER=self.path,
                           PERFOLIO_REAL=os.path.abspath(lib.PERFOLIO))
        self.server = subprocess.Popen(
            [lib.program("peer"), "serve", "--data", self.files, "--listen", "127.0.0.1:0",
             *self.options], env=environment, stdout=subprocess.PIPE, text=True, user=self.user,
            group=self.user, extra_groups=[] if self.user else None)
        self.accept()

    def accept(self):
        """Waits for the next web side; what it is told before `ready` is given back."""
        self.connection = self.listener.accept()[0]
        self.connection.settimeout(240)
        self.lines = self.connection.makefile("rw")
        told = []
        while not told or told[-1]["type"] != "ready":
            told.append(self.receive())
        return told

    def supervisor(self):
        """The process inside the guard."""
        return next(iter(children(self.server.pid)), None)

    def send(self, **message):
        self.lines.write(json.dumps(message) + "\n")
        self.lines.flush()

    def receive(self):
        line = self.lines.readline()
        if not line:
            raise EOFError("the web side has ended")
        return json.loads(line)

    def wait_for(self, kind):
        while (message := self.receive())["type"] != kind:
            pass
        return message

    def file(self, name):
        return os.path.join(self.files, f"{name}-{self.number}")

    def start(self, *argv, **more):
        """Starts a run that counts, unless it is told else; its number."""
        self.number += 1
        message = {"type": "start", "run": self.number, "tool": COUNT, "target": COMMAND,
                   "argv": argv, "interval_ns": 100_000_000, "count_events": "task-clock",
                   "rate": "", "output": self.file("output"), "series": self.file("series"),
                   "recording": self.file("recording"), "folder": "", "cpus": "", "who": "",
                   "sample_events": "", "call_graph": ""}
        message.update(more)
        self.send(**message)
        return self.number

    def ran(self, *argv, **more):
        """A run to its end: `ended`, after which it is forgotten."""
        number = self.start(*argv, **more)
        ended = self.wait_for("ended")
        assert ended["run"] == number, ended
        self.send(type="forget", run=number)
        return ended

    def output(self, stream=STDOUT):
        """What the last run printed, and the times of the pieces."""
        try:
            with open(self.file("output"), "rb") as file:
                data = file.read()
        except FileNotFoundError:
            data = b""
        text, times, at = b"", [], 0
        while at + PIECE.size <= len(data):  # it may be written to meanwhile
            time_ns, which, size = PIECE.unpack_from(data, at)
            at += PIECE.size
            if which == stream:
                text += data[at:at + size]
                times.append(time_ns)
            at += size
        return text, times

    def stop(self):
        self.server.send_signal(signal.SIGTERM)
        status = self.server.wait(120)
        self.server.stdout.close()
        return status

    def close(self):
        if self.server.poll() is None:
            self.stop()
        self.listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)
