# SPDX-License-Identifier: Apache-2.0
"""Damaged debug information never crashes the reader and never holds it up.

A program's debug sections get random bytes; each such file is asked for hundreds of addresses, with
a limit of time that a sound one needs a hundredth of.  PERFOLIO_LONG=1: a thousand instead of thirty.
And a file that is sound but would take hours is given up, and whoever looks at a recording of it is told.
"""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib import PERFOLIO, SOURCE, check, done, need_program, program, run  # noqa: E402

ROUNDS = 1000 if os.environ.get("PERFOLIO_LONG") else 30
BUSY = """
__attribute__((noinline)) void spin(void) { for (volatile int i = 0; i < 200000000; i++); }
int main(void) { spin(); return 0; }
"""
FOLDER = tempfile.mkdtemp(prefix="perfolio-hostile-")


def sections(path):
    """(offset, size) of the sections of debug information, and (address, size) of the code."""
    debug, code = [], None
    for line in run(["readelf", "-SW", path]).stdout.splitlines():
        match = re.match(r" +\[ *\d+\] (\S+) +\S+ +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)", line)
        if match and match[1].startswith(".debug_"):
            debug.append((int(match[3], 16), int(match[4], 16)))
        if match and match[1] == ".text":
            code = (int(match[2], 16), int(match[4], 16))
    return debug, code


def damage(data, places, draw):
    bad = bytearray(data)
    for _ in range(draw.choice((1, 4, 30, 300))):
        offset, size = draw.choice(places)
        bad[offset + draw.randrange(size)] = draw.choice((0, 1, 0x7f, 0x80, 0xff,
                                                         draw.randrange(256)))
    return bytes(bad)


def endless(start, size):
    """Sections of debug information: 50,000 functions, each with the same 50,000 ranges."""
    abbrev = bytes((1, 0x11, 1, 0x11, 1, 0x12, 6, 0, 0,    # unit: low_pc, high_pc
                    2, 0x2e, 0, 0x55, 0x17, 0, 0, 0))      # function: ranges
    unit = struct.pack("<BQI", 1, start, size) + struct.pack("<BI", 2, 0) * 50000 + b"\0"
    info = struct.pack("<IHIB", len(unit) + 7, 4, 0, 8) + unit
    ranges = b"".join(struct.pack("<QQ", i, i + 1) for i in range(1, 50001)) + bytes(16)
    return {".debug_abbrev": abbrev, ".debug_info": info, ".debug_ranges": ranges}


def give_up():
    """From the recording of a program to what a user sees of one whose debug information never ends."""
    path, recording = os.path.join(FOLDER, "plain"), os.path.join(FOLDER, "plain.data")
    made = run(["gcc", "-O1", "-fno-omit-frame-pointer", "-Wl,--build-id", "-x", "c", "-o", path, "-"],
               input=BUSY)
    check(made.returncode == 0, "a program without debug information is built", made.stderr)
    made = run([PERFOLIO, "record", "-q", "-e", "cpu-clock:u", "-F", "499", "--call-graph", "fp", "-o",
                recording, path])
    check(made.returncode == 0, "and recorded", made.stderr)
    options = []
    for name, data in endless(*sections(path)[1]).items():
        with open(path + name, "wb") as file:
            file.write(data)
        options += ["--add-section", f"{name}={path}{name}"]
    check(run(["objcopy", *options, path]).returncode == 0, "it gets debug information that never ends")
    told = f"{path}: its debug information takes more work than its size explains"
    for command in (["script", "-F", "ip,sym,srcline", "-i"], ["report", "--stdio", "--inline", "-i"],
                    ["report", "--stdio", "--sort", "srcline,sym", "-i"],
                    ["flame", "--inline", "-o", "-"]):
        seen = run([PERFOLIO, *command, recording])
        check(seen.returncode == 0 and told in seen.stderr, f"{command[0]}: it is given up, and said",
              seen.returncode, seen.stderr)
        check("spin" in seen.stdout, f"{command[0]}: the rest is there", seen.stdout[:500])


def main():
    need_program("g++")
    give_up()
    path = os.path.join(FOLDER, "program")
    for flags in (["-gdwarf-4"], ["-gdwarf-5"]):
        made = run(["g++", "-O2", *flags, os.path.join(SOURCE, "tests/programs/templates.cc"), "-o",
                    path], timeout=300)
        check(made.returncode == 0, f"built with {flags[0]}", made.stderr)
        debug, (start, size) = sections(path)
        with open(path, "rb") as file:
            data = file.read()
        draw, bad, answered = random.Random(flags[0]), [], 0
        questions = "".join(f"{start + draw.randrange(size):x}\n" for _ in range(300))
        for number in range(ROUNDS):
            with open(path, "wb") as file:
                file.write(damage(data, debug, draw))
            try:
                asked = subprocess.run([program("inlines"), path], input=questions, text=True,
                                       capture_output=True, errors="replace", timeout=300,
                                       check=False)
                answered += asked.stdout.count(":") > 300
                if asked.returncode:
                    bad.append((number, asked.returncode, asked.stderr[-500:]))
            except subprocess.TimeoutExpired:
                bad.append((number, "does not end"))
        check(not bad, f"{ROUNDS} damaged files, {answered} of them still answered for", *bad[:3])
    shutil.rmtree(FOLDER)
    done()


main()
