# SPDX-License-Identifier: Apache-2.0
"""Damaged debug information never crashes the reader and never holds it up.

A program's debug sections get random bytes; each such file is asked for hundreds of addresses, with
a limit of time that a sound one needs a hundredth of.  PERFOLIO_LONG=1: a thousand instead of thirty.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib import SOURCE, check, done, need_program, program, run  # noqa: E402

ROUNDS = 1000 if os.environ.get("PERFOLIO_LONG") else 30
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


def main():
    need_program("g++")
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
                                       capture_output=True, errors="replace", timeout=60,
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
