# SPDX-License-Identifier: Apache-2.0
"""System binaries with damaged parts never crash what reads them, and never hold it up.

Programs at work are recorded with copies of their stacks; then copies of Python, sqlite3, libc, the dynamic
linker and their debug files, below --symfs, get random bytes in one part after the other: call frame
information, symbols, debug information, headers.  Each time the whole program reads the recording: unwinds, finds
names and inlined functions.  A sound run needs some tenths of a second of a processor, and a damaged one may need
ten times as much; five minutes of the wall are the limit for one that waits.
PERFOLIO_LONG=1: a thousand rounds instead of twelve.
"""
import os
import random
import re
import resource
import shutil
import subprocess
import tempfile

from lib import PERFOLIO, check, done, need_program, run

ROUNDS = 1000 if os.environ.get("PERFOLIO_LONG") else 12
LIMIT_S = 300
TIMES = 10  # what a damaged run may cost, in sound ones
FOLDER = tempfile.mkdtemp(prefix="perfolio-objects-")
ROOT = os.path.join(FOLDER, "root")
PYTHON = """
import json, re, sqlite3, time
rows = [{"a": i, "b": str(i) * 5} for i in range(300)]
db, end = sqlite3.connect(":memory:"), time.process_time() + %s
db.execute("create table t (a, b)")
while time.process_time() < end:
    json.loads(json.dumps(rows)); re.sub("a+", "b", "xaay" * 500)
    db.executemany("insert into t values (:a, :b)", rows); db.execute("select b, count(*) from t group by b").fetchall()
"""
# What a round may damage, by section; the headers are where the ELF header says.
KINDS = {
    "frames": r"\.eh_frame$|\.eh_frame_hdr|\.debug_frame",
    "names": r"\.symtab|\.strtab|\.dynsym|\.dynstr|\.gnu\.version|\.rela\.plt|\.plt",
    "debug": r"\.debug_|\.gnu_debugaltlink|\.gnu_debuglink",
    "headers": None,
}


class Copy:
    """A file below the root; damage is written in place, and taken back."""

    def __init__(self, path, source=None):
        self.path = ROOT + path
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        shutil.copyfile(source or path, self.path)
        self.places = {kind: [] for kind in KINDS}
        head = run(["readelf", "-hW", self.path]).stdout
        for kind, pattern in KINDS.items():
            self.places[kind] = self.headers(head) if not pattern else []
        for line in run(["readelf", "-SW", self.path]).stdout.splitlines():
            match = re.match(r" +\[ *\d+\] (\S+) +(\S+) +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", line)
            if match and match[2] != "NOBITS" and int(match[4], 16):
                for kind, pattern in KINDS.items():
                    if pattern and re.match(pattern, match[1]):
                        self.places[kind].append((int(match[3], 16), int(match[4], 16)))

    @staticmethod
    def headers(text):
        """The ELF header's latter part, program headers, section headers."""
        found = {name: int(value) for name, value in re.findall(
            r"(Start of program headers|Start of section headers|Number of program headers|"
            r"Number of section headers): +(\d+)", text)}
        return [(16, 48), (found["Start of program headers"], 56 * found["Number of program headers"]),
                (found["Start of section headers"], 64 * found["Number of section headers"])]

    def damage(self, kind, draw):
        """Gives what undoes it."""
        before = []
        with open(self.path, "r+b") as file:
            for _ in range(draw.choice((1, 3, 30, 1000))):
                offset, size = draw.choice(self.places[kind])
                # What is looked at is near the beginning of some and everywhere in others.
                at = offset + draw.randrange(min(size, draw.choice((64, 4096, size))))
                file.seek(at)
                before.append((at, file.read(1)))
                file.seek(at)
                file.write(bytes([draw.choice((0, 1, 0x7f, 0x80, 0xff, draw.randrange(256)))]))
        return before

    def restore(self, before):
        with open(self.path, "r+b") as file:
            for at, byte in reversed(before):
                file.seek(at)
                file.write(byte)


def record():
    data = os.path.join(FOLDER, "work.data")
    made = run([PERFOLIO, "record", "-q", "-e", "cpu-clock:u", "-F", "499", "--call-graph", "dwarf", "-o", data,
                "--", "/usr/bin/python3", "-c", PYTHON % 0.6])
    check(made.returncode == 0, "Python and sqlite at work are recorded", made.stderr)
    return data


def copies(data):
    """Of every file that the recording has samples in, and of its debug file."""
    paths = set(re.findall(r"\((/[^)]+)\)$", run([PERFOLIO, "script", "-F", "ip,dso", "-i", data]).stdout, re.M))
    found = []
    for path in sorted(path for path in paths if os.path.isfile(path)):
        found.append(Copy(path))
        build_id = re.search(r"Build ID: (\w\w)(\w+)", run(["readelf", "-n", path]).stdout)
        if build_id:
            debug = f"/usr/lib/debug/.build-id/{build_id[1]}/{build_id[2]}.debug"
            if os.path.exists(debug):
                found.append(Copy(debug))
    return found


def used():
    """Seconds of a processor, of all that have ended: what others run beside is not in it."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def look(data, command):
    """What it costs, or what is wrong.  Nothing is kept from one look to the next."""
    env = {**os.environ, "XDG_CACHE_HOME": os.path.join(FOLDER, "cache")}
    shutil.rmtree(env["XDG_CACHE_HOME"], ignore_errors=True)
    start = used()
    try:
        seen = subprocess.run([PERFOLIO, *command, "--symfs", ROOT, "-i", data], env=env, timeout=LIMIT_S,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return None, "does not end"
    if seen.returncode not in (0, 1) or b"Sanitizer" in seen.stderr:
        return None, (seen.returncode, seen.stderr[-800:])
    return used() - start, seen.stdout


def main():
    need_program("readelf")
    data = record()
    files = copies(data)
    debug = sum("/debug/" in file.path for file in files)
    check(len(files) - debug > 3, f"{len(files) - debug} system binaries and {debug} debug files are copied",
          *(file.path for file in files))
    script = ["script", "-F", "comm,ip,sym,dso"]
    # The report finds lines too; the picture has its own way through a profile.
    commands = (script, ["report", "--stdio", "--no-index", "--sort", "srcline,sym"],
                ["report", "--stdio", "--no-index", "--inline"])
    sound_s, sound = look(data, script)
    check(sound_s and sound.count(b"\n\n") > 100 and b"_PyEval" in sound,
          "undamaged they tell names and stacks", sound[-300:] if sound_s else sound)
    sound_s = max([sound_s or 0] + [look(data, command)[0] or 0 for command in commands[1:]])
    draw, slowest, other = random.Random(7), (0,), 0
    for kind in KINDS:
        bad, rounds = [], ROUNDS // len(KINDS)
        for number in range(rounds):
            undo = [(file, file.damage(kind, draw)) for file in files
                    if file.places[kind] and draw.random() < 0.7]
            command = commands[number % 3]
            took_s, said = look(data, command)
            if took_s is None:
                bad.append((number, command[0], said))
            else:
                slowest = max(slowest, (took_s, kind, number, command))
                other += command is script and said != sound
            for file, before in undo:
                file.restore(before)
        check(not bad, f"{kind}: {rounds} times damaged, read to its end each time", *bad[:3])
    check(other > 0, "damage was met", other)
    check(slowest[0] < TIMES * sound_s,
          f"the most costly took {slowest[0]:.2f} s of a processor, an undamaged one {sound_s:.2f} s", *slowest)
    last_s, last = look(data, script)
    check(last_s and last == sound, "what was damaged is as before")
    shutil.rmtree(FOLDER)
    done()


main()
