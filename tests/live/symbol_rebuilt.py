# SPDX-License-Identifier: Apache-2.0
"""A program that is rebuilt, cut and overwritten again and again while we read it never kills us."""
import json
import os
import random
import shutil
import tempfile
import threading

import perfsamples
from lib import PERFOLIO, check, done, run, skip_all

FOLDER = tempfile.mkdtemp(prefix="perfolio-rebuilt-")
BASE = 0x7f0000000000
ROUNDS = 500 if os.environ.get("PERFOLIO_LONG") else 60


def sources():
    """Two different real files of some size."""
    found = []
    for path in ("/usr/bin/gdb", "/usr/bin/perf", "/usr/bin/python3.11", "/usr/bin/bash",
                 "/usr/bin/git", os.path.realpath(PERFOLIO)):
        if os.path.exists(path) and os.path.getsize(path) > 1 << 20:
            with open(path, "rb") as file:
                found.append(file.read())
    return found[-2:]


def rewrite(path, contents, ended):
    """What linkers and install programs do to a file, and worse."""
    chance = random.Random(5)
    while not ended.is_set():
        data = chance.choice(contents)
        kind = chance.randrange(4)
        with open(path, "r+b") as file:
            if kind == 0:
                file.truncate(chance.randrange(len(data)))
            elif kind == 1:  # cut to nothing and written again, piece by piece
                file.truncate(0)
                for at in range(0, len(data), 1 << 20):
                    file.write(data[at:at + (1 << 20)])
            elif kind == 2:
                file.write(data)
            else:  # a hole of noise
                file.seek(chance.randrange(len(data)))
                file.write(chance.randbytes(4096))


def main():
    contents = sources()
    if len(contents) < 2:
        skip_all("no two large programs to copy")
    path = os.path.join(FOLDER, "prog")
    recording = os.path.join(FOLDER, "perf.data")
    with open(path, "wb") as file:
        file.write(contents[0])
    addresses = [BASE + random.randrange(1 << 20) for _ in range(200)]
    perfsamples.write(recording, [(BASE, 1 << 20, 0, path)], addresses)
    ended = threading.Event()
    thread = threading.Thread(target=rewrite, args=(path, contents, ended))
    thread.start()
    worst, states = [], set()
    try:
        for _ in range(ROUNDS):
            result = run([PERFOLIO, "report", "-i", recording, "--no-index", "--json", "-g",
                          "none"], env={**os.environ, "XDG_CACHE_HOME": FOLDER})
            if result.returncode:
                worst.append(f"status {result.returncode}: {result.stderr[:200]}")
                continue
            rows = json.loads(result.stdout)["events"][0]["rows"]
            if sum(row["self_samples"] for row in rows) != len(addresses):
                worst.append("samples are missing")
            states.add(len(rows) > 1)
    finally:
        ended.set()
        thread.join()
    check(not worst, f"{ROUNDS} reports of a program that is being rewritten", *worst[:5])
    print(f"# with names and without: {sorted(states)}")
    shutil.rmtree(FOLDER)
    done()


main()
