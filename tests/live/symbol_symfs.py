# SPDX-License-Identifier: Apache-2.0
"""A recording of another architecture with that machine's files below --symfs.

The samples are made up, the arm64 program and its libc are real; readelf and perf tell the truth.
"""
import bisect
import json
import os
import random
import shutil
import subprocess
import tempfile

import perfsamples
from lib import PERFOLIO, check, done, need_program, program, run, skip_all

FOLDER = tempfile.mkdtemp(prefix="perfolio-symfs-")
ROOT = os.path.join(FOLDER, "root")
BASE = 0x7f0000000000
COUNT = 5000
SOURCE = """
#include <stdio.h>
__attribute__((noinline)) int inner(int n) { return printf("%d", n); }
__attribute__((noinline)) int outer(int n) { return inner(n * 3) + 1; }
int main(int argc, char **argv) { (void)argv; return outer(argc); }
"""
LIBC = "/usr/aarch64-linux-gnu/lib/libc.so.6"


def functions(path):
    """Sorted (address, size, name) of both tables, as readelf has them."""
    rows = set()
    for line in run(["readelf", "-sW", path]).stdout.splitlines():
        words = line.split()
        if len(words) >= 8 and words[3] in ("FUNC", "IFUNC", "NOTYPE") and words[6] != "UND":
            size = int(words[2], 16 if words[2].startswith("0x") else 10)
            rows.add((int(words[1], 16), size, words[7].split("@")[0]))
    return sorted(rows)


def covering(rows, starts, address):
    at = bisect.bisect_right(starts, address)
    return {name for start, size, name in rows[max(0, at - 64):at]
            if start <= address < start + size}


def report(recording, *options):
    result = run([PERFOLIO, "report", "-i", recording, "--no-index", "--json", "-g", "none",
                  "--no-children", "--sort", "symbol", *options])
    return {row["symbol"]: row["self_samples"]
            for event in json.loads(result.stdout)["events"] for row in event["rows"]}


def ours(inside, offsets):
    """{offset: name or None}"""
    asked = subprocess.run([program("names"), f"symfs={ROOT}", "file", inside],
                           input="\n".join(f"{o:x}" for o in offsets), capture_output=True,
                           text=True, check=True).stdout.splitlines()[1:]
    return {int(line.split()[0], 16): line.split(" ", 2)[2] if line.count(" ") > 1 else None
            for line in asked}


def is_explained(mine, theirs, covered, sizeless):
    """Stubs are named by us alone; behind them nothing is, though perf lets _init reach there."""
    return mine.endswith("@plt") if mine else not covered and theirs in sizeless


def check_object(label, inside):
    """Its path as the other machine knew it; the file lies below the root."""
    path = ROOT + inside
    segments = perfsamples.code_segments(path)
    offsets = sorted({offset + random.randrange(size) for offset, size, _ in segments
                      for _ in range(COUNT)})
    recording = os.path.join(FOLDER, "perf.data")
    mappings = [(BASE + (o & ~0xfff), (s + 0x1fff) & ~0xfff, o & ~0xfff, inside)
                for o, s, _ in segments]
    perfsamples.write(recording, mappings, [BASE + o for o in offsets])
    theirs = perfsamples.names(recording, "--symfs", ROOT)
    mine = ours(inside, offsets)
    rows = functions(path)
    starts = [row[0] for row in rows]
    sizeless = {name for _, size, name in rows if not size}
    known, wrong = 0, []
    for offset in offsets:
        address = next(a + offset - o for o, s, a in segments if o <= offset < o + s)
        covered = covering(rows, starts, address)
        known += bool(covered)
        their = theirs[BASE + offset] and theirs[BASE + offset][0]
        if covered and mine[offset] not in covered:
            wrong.append(f"{address:x}: readelf {covered}, ours {mine[offset]}")
        elif mine[offset] != their and not is_explained(mine[offset], their, covered, sizeless):
            wrong.append(f"{address:x}: perf {their}, ours {mine[offset]}")
    check(known > COUNT / 5 and not wrong,
          f"{label}: {len(offsets)} names as perf's, and readelf's where it covers ({known})",
          *wrong[:10])
    counted = report(recording, "--symfs", ROOT)
    check(sum(count for name, count in counted.items() if name != "[unknown]") ==
          sum(name is not None for name in mine.values()), f"{label}: report shows them", counted)
    lost = report(recording)
    check(set(lost) == {"[unknown]"}, f"{label}: without --symfs there are none", lost)


def main():
    need_program("perf")
    need_program("readelf")
    if not shutil.which("aarch64-linux-gnu-gcc"):
        skip_all("aarch64-linux-gnu-gcc is not installed")
    random.seed(11)
    source = os.path.join(FOLDER, "source.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE)
    os.makedirs(ROOT + "/opt/far/lib")
    run(["aarch64-linux-gnu-gcc", "-O1", "-static", "-Wl,--build-id", source, "-o",
         ROOT + "/opt/far/prog"])
    check_object("an arm64 program", "/opt/far/prog")
    if os.path.exists(LIBC):
        shutil.copy(LIBC, ROOT + "/opt/far/lib/libc.so.6")
        check_object("its libc", "/opt/far/lib/libc.so.6")
    shutil.rmtree(FOLDER)
    done()


main()
