# SPDX-License-Identifier: Apache-2.0
"""What the server answers about a run of a million samples and a million points, one client, by HTTP.

Every range is asked for once: nothing of an answer is there from before.  Memory is that of all the
server's processes, each shared page counted once, before anything was asked.
"""
import http.client
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

import recording
from goals import AtMost

SAMPLES = 1000000
POINTS = 1000000
TIMES = 25
TITLE = f"server: answers about {SAMPLES:,} samples and {POINTS:,} points of counters"
ROUNDS = 3
GOALS = [
    AtMost("flame tree of any range", "flame_ms", 25, "ms", cpu="flame_cpu_ms"),
    AtMost("flame tree, packed", "flame_kb", 500, "KB"),
    AtMost("heatmap", "heatmap_ms", 15, "ms", cpu="heatmap_cpu_ms"),
    AtMost(f"counters, {POINTS:,} points at 1,500 px", "counters_ms", 20, "ms",
           cpu="counters_cpu_ms"),
    AtMost("all processes of an idle server", "idle_mb", 40, "MB"),
]


def commands(perfolio, _scratch):
    return {"perfolio": [sys.executable, os.path.abspath(__file__), perfolio, recording.make()]}


def shape(_runs):
    return [f"{SAMPLES:,} samples, grown from {recording.shape(recording.make())}"]


def figures(result):
    return json.loads(result.text.splitlines()[-1])


class Server:
    """`perfolio serve` on a data folder, and one connection to it."""

    def __init__(self, perfolio, data):
        self.process = subprocess.Popen([perfolio, "serve", "--listen", "127.0.0.1:0", "--data", data],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        found = None
        while not found:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("no server")
            found = re.search(r"http://([^:/]+):(\d+)/#token=(\S+)", line)
        self.head = {"Authorization": f"Bearer {found.group(3)}", "Accept-Encoding": "gzip"}
        self.connection = http.client.HTTPConnection(found.group(1), int(found.group(2)), timeout=60)

    def get(self, path):
        """Milliseconds until all of it was here, and how many bytes came."""
        start = time.perf_counter()
        self.connection.request("GET", path, headers=self.head)
        reply = self.connection.getresponse()
        body = reply.read()
        took = time.perf_counter() - start
        if reply.status != 200:
            raise RuntimeError(f"{path}: {reply.status} {body[:500]}")
        return took * 1e3, len(body)

    def family(self):
        """The process and all below it."""
        found = [self.process.pid]
        for pid in found:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                    found += [int(child) for child in file.read().split()]
        return found

    def memory_mb(self, kind):
        """Of all its processes: Pss counts each shared page once, Rss once a process."""
        total = 0
        for pid in self.family():
            with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
                total += int(re.search(rf"^{kind}:\s+(\d+)", file.read(), re.M).group(1))
        return total / 1024

    def cpu_ms(self):
        """What all its threads have used."""
        total = 0
        for pid in self.family():
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
                    total += int(file.read().split()[0])
        return total / 1e6

    def stop(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait()


def ask(server, name, path, ranges):
    """Medians of all these questions, and the mean of the CPU time that they took the server."""
    before = server.cpu_ms()
    got = [server.get(path + extra) for extra in ranges]
    return {f"{name}_ms": statistics.median(one[0] for one in got),
            f"{name}_cpu_ms": (server.cpu_ms() - before) / len(got),
            f"{name}_kb": max(one[1] for one in got) / 1e3}


def random_ranges(first, last):
    """Any of them: from a thousandth of the run to all of it, nowhere twice."""
    chosen = random.Random(1)
    for _ in range(TIMES):
        length = (last - first) * chosen.uniform(0.001, 1)
        start = first + (last - first - length) * chosen.random()
        yield f"from={int(start)}&to={int(start + length)}"


def measure(server, run):
    base = f"/api/v1/runs/{run}"
    figures_of = {"idle_mb": server.memory_mb("Pss"), "idle_rss_mb": server.memory_mb("Rss"),
                  "processes": len(server.family())}
    first_ms, _ = server.get(f"{base}/summary")
    server.connection.request("GET", f"{base}/flame", headers={**server.head, "Accept-Encoding": ""})
    flame = json.loads(server.connection.getresponse().read())
    first, last = int(flame["start_ns"]), int(flame["end_ns"])
    questions = {
        "flame": (f"{base}/flame?", random_ranges(first, last)),
        "whole_flame": (f"{base}/flame?", [f"to={last + 1 + i}" for i in range(TIMES)]),
        "reversed": (f"{base}/flame?reversed=1&", random_ranges(first, last)),
        "heatmap": (f"{base}/heatmap?", [f"to={last + 1 + i}" for i in range(TIMES)]),
        "counters": (f"{base}/counters?width=1500&", [f"from={1 + i}" for i in range(TIMES)]),
        "top": (f"{base}/top?", random_ranges(first, last)),
    }
    for name, (path, ranges) in questions.items():
        figures_of.update(ask(server, name, path, list(ranges)))
    return {**figures_of, "open_ms": first_ms, "frames": len(flame["functions"])}


def main():
    perfolio, source = sys.argv[1:]
    tool = os.path.join(os.path.dirname(os.path.abspath(perfolio)), "bench", "serverdata")
    with tempfile.TemporaryDirectory(prefix="perfolio-bench-") as scratch:
        os.chmod(scratch, 0o711)
        data = os.path.join(scratch, "data")
        run = subprocess.run([tool, data, source, str(SAMPLES), str(POINTS)], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.strip()
        server = Server(perfolio, data)
        try:
            print(json.dumps(measure(server, run)))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
