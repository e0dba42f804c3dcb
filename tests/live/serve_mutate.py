#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutated files of every format, sent to a server, with every download and view asked for: no answer of 5xx, no report
of a sanitizer, memory and disk within limits, and the server goes on.

    serve_mutate.py [SECONDS [FIRST_SEED]]

PERFOLIO_LONG=1 stands for 1,800 seconds.  A seed makes the same file each time.
"""
import glob
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import lib
import server
from lib import check

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 1800 if os.environ.get("PERFOLIO_LONG") else 8
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
EXPORTS = ("script", "folded", "svg", "html", "json", "pprof", "speedscope", "firefox", "csv", "hdf5", "perf.data")
VIEWS = ("summary", "overview", "quality", "events", "threads", "flame", "tree", "top", "heatmap", "chart")
MB = 1 << 20
MOST_MEMORY = (4000 if lib.sanitized() else 1500) * MB  # of all processes of the server
MOST_DISK = 2000 * MB
A_SESSION = 40  # files, before it is removed


def made(folder):
    """Stacks in every format that we read and write; the same bytes each time."""
    path = os.path.join(folder, "made.folded")
    with open(path, "w", encoding="utf-8") as file:
        for i in range(60):
            frames = [f"std::vector<int>::f{(i * 7 + depth * depth) % 23}" for depth in range(i % 9 + 1)]
            file.write(f"main;{';'.join(frames)};leaf_[k] {i * i + 1}\n")
    yield path
    for name in ("pprof", "script"):
        subprocess.run([lib.PERFOLIO, "export", "--format", name, "-o", f"{path}.{name}", path], check=True,
                       stderr=subprocess.DEVNULL)
        yield f"{path}.{name}"


def originals(folder):
    """What is mutated: the fuzzers' seeds, exports, small bombs; plain and packed."""
    found = []
    for kind in ("folded", "perfscript", "pprof", "perfdata"):
        for path in sorted(glob.glob(os.path.join(lib.SOURCE, "fuzz/corpus", kind, "*"))):
            with open(path, "rb") as file:
                data = file.read()
            # the first byte of some is the fuzzer's choice of options
            found.append(data if kind in ("folded", "perfdata") else data[1:])
    for path in made(folder):
        with open(path, "rb") as file:
            found.append(file.read())
    frames = ";".join(f"f{i}" for i in range(1500))
    found.append(f"{frames} 900000\n{frames};g 9000000000\n".encode())
    found.append(b"a;" * 20000 + b"b 5\n")
    found += [gzip.compress(data, mtime=0) for data in found[::3]]
    found.append(gzip.compress(b"main;work 5\n" * 500000, mtime=0))
    return found


def mutate(chance, data, others):
    data = bytearray(data)
    for _ in range(chance.choice((0, 0, 1, 1, 2, 3, 8))):
        at = chance.randrange(len(data) + 1)
        what = chance.randrange(8)
        if what == 0 and data:
            data[at % len(data)] ^= 1 << chance.randrange(8)
        elif what == 1:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 16)))
        elif what == 2:
            del data[at:at + chance.randrange(1, 64)]
        elif what == 3:
            piece = data[at:at + chance.randrange(1, 256)]
            data[at:at] = piece * chance.choice((1, 2, 8, 1000))
        elif what == 4:
            other = chance.choice(others)
            start = chance.randrange(len(other) + 1)
            data[at:at] = other[start:start + chance.randrange(1, 512)]
        elif what == 5:
            size = chance.choice((1, 2, 4, 8))
            value = chance.choice((0, 1, 0x7F, 0x80, 0xFF, 2 ** (8 * size) - 1, 2 ** (8 * size - 1), 2 ** (4 * size)))
            data[at:at + size] = (value % 2 ** (8 * size)).to_bytes(size, "little")
        elif what == 6:
            del data[at:]
        else:
            data[at:at] = chance.choice((b"\x1b[2J", b"\0", b"\n", b";", b" 18446744073709551615\n", "\u202e".encode()))
        del data[4 * MB:]
    return gzip.compress(bytes(data), mtime=0) if chance.random() < 0.1 else bytes(data)


def memory(site):
    """What its processes hold of their own; a sanitizer's shadow counts where it is used."""
    return sum(int(lib.status_of(pid).get("VmRSS", "0 kB").split()[0]) * 1024 for pid in site.family())


def disk(folder):
    return int(subprocess.run(["du", "-sk", folder], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[0]) * 1024


def watch_memory(fuzzing, over):
    """Analysers are there for a moment only."""
    while not over.wait(0.05):
        fuzzing.most_memory = max(fuzzing.most_memory, memory(fuzzing.site))


class Fuzzing:
    def __init__(self, site):
        self.site, self.session, self.bad = site, None, []
        self.sent = self.done = self.asked = self.files = 0
        self.most_memory = self.most_disk = 0

    def ask(self, seed, path):
        status, _, body = self.site.raw("GET", "/api/v1" + path, None, {"Authorization": f"Bearer {self.site.token}"})
        self.asked += 1
        if status >= 500:
            self.bad.append((seed, path, status, body[:300]))

    def send(self, seed, data):
        if self.session is None:
            self.session = self.site.session("mutated")
        name = urllib.parse.quote(f"seed-{seed}")
        status, _, body = self.site.raw("POST", f"/api/v1/sessions/{self.session}/import?name={name}", data,
                                        {"Authorization": f"Bearer {self.site.token}"})
        self.sent += 1
        if status >= 500:
            self.bad.append((seed, "import", status, body[:300]))
        if status == 201:
            run = self.site.wait(json.loads(body)["id"])
            self.done += run["state"] == "done"
            if run["state"] == "done":
                for name in VIEWS:
                    self.ask(seed, f"/runs/{run['id']}/{name}")
                for name in EXPORTS:
                    self.ask(seed, f"/runs/{run['id']}/export/{name}")
        self.files += 1
        if self.files % A_SESSION == 0:
            self.most_disk = max(self.most_disk, disk(self.site.data))
            self.site.call("DELETE", f"/sessions/{self.session}")
            self.session = None


def main():
    with tempfile.TemporaryDirectory(prefix="perfolio-mutate-") as folder:
        os.chmod(folder, 0o777)
        end, seed, others = time.monotonic() + SECONDS, SEED, originals(folder)
        env = dict(server.LEAKS)
        if "log_path" not in os.environ.get("ASAN_OPTIONS", ""):
            env["ASAN_OPTIONS"] = f"log_path={folder}/asan:halt_on_error=1:exitcode=99"
            env["UBSAN_OPTIONS"] = f"log_path={folder}/ubsan:halt_on_error=1:exitcode=99:print_stacktrace=1"
        with server.Server(env=env) as site:
            fuzzing, over = Fuzzing(site), threading.Event()
            watcher = threading.Thread(target=watch_memory, args=(fuzzing, over), daemon=True)
            watcher.start()
            while time.monotonic() < end or fuzzing.sent < 20:
                chance = random.Random(seed)
                fuzzing.send(seed, mutate(chance, chance.choice(others), others))
                seed += 1
            over.set()
            watcher.join()
            fuzzing.most_disk = max(fuzzing.most_disk, disk(site.data))
            check(site.get("/me")["role"] == "owner", "the server answers")
            said = site.words()
        reports = glob.glob(os.path.join(folder, "*san*"))
        print(f"# seeds {SEED} to {seed - 1}: {fuzzing.sent} files, {fuzzing.done} read, {fuzzing.asked} requests; "
              f"at most {fuzzing.most_memory // MB} MB of memory, {fuzzing.most_disk // MB} MB on disk")
        check(fuzzing.done * 10 > fuzzing.sent, "some are still profiles", fuzzing.done)
        check(not fuzzing.bad, "no answer is the server's fault", fuzzing.bad[:5])
        check(not reports and "Sanitizer" not in said, "no sanitizer has reported",
              [open(path, encoding="utf-8", errors="replace").read()[:3000] for path in reports[:2]], said[-2000:])
        check(fuzzing.most_memory < MOST_MEMORY, "memory stays within its limit", fuzzing.most_memory // MB, "MB")
        check(fuzzing.most_disk < MOST_DISK, "and so does the disk", fuzzing.most_disk // MB, "MB")


if __name__ == "__main__":
    main()
    lib.done()
