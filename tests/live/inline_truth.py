# SPDX-License-Identifier: Apache-2.0
"""Inlined functions and lines of random addresses, as addr2line, eu-addr2line and llvm-addr2line.

Three large binaries (perfolio itself, libc and python3.11 with their packages of debug information)
and one of C++ templates, built in every way that debug information is written in.  The peers have
errors of their own, so an answer is right that equals one of theirs; what equals none must have
one of these reasons, each checked:

  padding   the address lies in no function (no symbol's size covers it): peers show what is before
  bare      the object says nothing of that code: peers show a symbol, without a line
  naming    chain and lines are a peer's; where it has another name, that is the ELF symbol, which
            peers show in place of a name that DWARF has without its linkage name
  artificial  of link-time optimised code addr2line names the file <artificial>, all else is the same

PERFOLIO_LONG=1: 10,000 addresses a binary instead of 1,000, older and rarer ways of writing, Rust.
"""
import bisect
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib import PERFOLIO, SOURCE, check, done, need_program, program, run  # noqa: E402

LONG = os.environ.get("PERFOLIO_LONG")
COUNT = 10000 if LONG else 1000
PEERS = ("addr2line", "eu-addr2line", "llvm-addr2line")
FOLDER = tempfile.mkdtemp(prefix="perfolio-inline-")


def ask(command, addresses):
    """[[(name, "file:line"), ...]] of each address; None if it did not answer all."""
    text = subprocess.run(command, input="".join(f"0x{a:x}\n" for a in addresses),
                          capture_output=True, text=True, errors="replace", check=False).stdout
    answers, name = [], None
    for line in text.splitlines():
        if name is None and re.fullmatch(r"0x[0-9a-f]+", line):
            answers.append([])
        elif name is None:
            name = re.sub(r" inlined (at|in) .*", "", line)
        else:
            line = re.sub(r" \(discriminator \d+\)$", "", line)
            line = re.sub(r":\?$", ":0", re.sub(r":(\d+):\d+$", r":\1", line))
            answers[-1].append((name, os.path.normpath(line)))
            name = None
    return answers if len(answers) == len(addresses) else None


def sections(path):
    """{name: (address, size)} of the sections."""
    found = {}
    for line in run(["readelf", "-SW", path]).stdout.splitlines():
        match = re.match(r" +\[ *\d+\] (\S+) +\S+ +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)", line)
        if match:
            found[match[1]] = (int(match[2], 16), int(match[3], 16))
    return found


class Symbols:
    """Those of a file by address."""

    def __init__(self, path):
        self.rows = []
        for line in run(["nm", "-S", path]).stdout.splitlines():
            match = re.match(r"([0-9a-f]+) ([0-9a-f]+ )?[tTwWiI] ([^@]*)", line)
            if match:
                self.rows.append((int(match[1], 16), int(match[2] or "0", 16), match[3]))
        self.rows.sort()
        self.starts = [row[0] for row in self.rows]

    def names(self, address):
        """What starts last before it."""
        behind = bisect.bisect_right(self.starts, address)
        first = bisect.bisect_left(self.starts, self.starts[behind - 1]) if behind else 0
        return {row[2] for row in self.rows[first:behind]}

    def covered(self, address):
        behind = bisect.bisect_right(self.starts, address)
        return any(start + size > address for start, size, _ in self.rows[max(0, behind - 40):behind])


def same_but_names(ours, theirs, allowed):
    return len(ours) == len(theirs) and all(
        o[1] == t[1] and (o[0] == t[0] or t[0] in allowed) for o, t in zip(ours, theirs))


def same_but_artificial(ours, theirs, allowed):
    def plain(frames):
        return [(name, place.rsplit(":", 1)[-1]) for name, place in frames]
    return "<artificial>" in str(theirs) and same_but_names(plain(ours), plain(theirs), allowed)


def reason(address, ours, answers, symbols):
    """Why an answer is right; None if nothing of what was asked yet says so."""
    for peer, theirs in answers.items():
        if ours == theirs:
            return peer
    allowed = symbols.names(address)
    if any(same_but_names(ours, theirs, allowed) for theirs in answers.values()):
        return "naming"
    if any(same_but_artificial(ours, theirs, allowed) for theirs in answers.values()):
        return "artificial"
    if len(ours) == 1 and ours[0][0] == "??" and not symbols.covered(address):
        return "padding"
    if ours == [("??", "??:0")] and all(len(theirs) == 1 and theirs[0][1].endswith(":0")
                                        for theirs in answers.values()):
        return "bare"
    return None


def debug_file(path):
    """The file that a package of debug information has for it; or None."""
    match = re.search(r"Build ID: ([0-9a-f]+)", run(["readelf", "-nW", path]).stdout)
    found = f"/usr/lib/debug/.build-id/{match[1][:2]}/{match[1][2:]}.debug" if match else ""
    return found if os.path.exists(found) else None


def compare(name, path, debug, count):
    start, size = sections(path)[".text"]
    draw = random.Random(name)
    addresses = [start + draw.randrange(size) for _ in range(count)]
    ours = dict(zip(addresses, ask([program("inlines"), path], addresses)))
    theirs = {address: {} for address in ours}
    symbols, reasons, left = Symbols(debug), collections.Counter(), list(ours)
    for peer in PEERS:  # the slower ones only where the first says something else
        answers = ask([peer, "-a", "-i", "-f", "-e", debug], left) or []
        for address, answer in zip(left, answers):
            theirs[address][peer] = answer
        whys = {a: reason(a, ours[a], theirs[a], symbols) for a in left}
        reasons.update(why for why in whys.values() if why)
        left = [address for address, why in whys.items() if not why]
    strange = [f"{a:x} ours {ours[a]}, theirs {theirs[a]}" for a in left]
    deepest = max(len(frames) for frames in ours.values())
    check(not strange, f"{name}: {len(ours)} addresses, up to {deepest} frames: {dict(reasons)}",
          *strange[:4])
    check(sum(len(frames) > 1 for frames in ours.values()) * 50 > len(ours),
          f"{name}: some of them are inlined")


def kept(name, path):
    """Answers out of what earlier runs kept, of the same addresses and of others."""
    start, size = sections(path)[".text"]
    draw = random.Random(name)
    asked = [[start + draw.randrange(size) for _ in range(200)] for _ in range(3)]
    asked.append([address + draw.randrange(-8, 8) for part in asked for address in part])
    os.environ["INLINES_CACHE"] = os.path.join(FOLDER, "kept")
    got = [ask([program("inlines"), path], part) for part in (*asked, *asked)]
    del os.environ["INLINES_CACHE"]
    expected = [ask([program("inlines"), path], part) for part in (*asked, *asked)]
    check(got == expected, f"{name}: what is kept answers as the debug information does")
    check(any(file.startswith("lines-") for file in os.listdir(os.path.join(FOLDER, "kept"))),
          f"{name}: and it is kept")


def large():
    compare("perfolio", os.path.abspath(PERFOLIO), PERFOLIO, COUNT)
    kept("perfolio", os.path.abspath(PERFOLIO))
    for path in ("/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/python3.11"):
        debug = debug_file(path)
        if debug:
            compare(os.path.basename(path), path, debug, COUNT)
        else:
            print(f"# no debug information of {path}: libc6-dbg, python3.11-dbg")


def build(name, *command):
    path = os.path.join(FOLDER, name)
    run(["cp", os.path.join(SOURCE, "tests/programs/templates.cc"), FOLDER])
    made = run([*command, "-O2", "-c", "templates.cc", "-o", name + ".o"], cwd=FOLDER, timeout=300)
    if made.returncode == 0:
        made = run([command[0], name + ".o", "-o", name], cwd=FOLDER, timeout=300)
    check(made.returncode == 0, f"{name}: {' '.join(command)}", made.stderr)
    return path


def every_address(path):
    start, size = sections(path)[".text"]
    return ask([program("inlines"), path], range(start, start + size))


def expect_same(what, path, expected):
    got = every_address(path)
    differ = [i for i, (a, b) in enumerate(zip(got, expected)) if a != b]
    check(got and len(got) == len(expected) and not differ,
          f"{what}: all {len(expected)} addresses as before", *[(got[i], expected[i]) for i in differ[:3]])


def moved(path, name):
    copy = os.path.join(FOLDER, name)
    shutil.copy(path, copy)
    return copy


def split(name, compiler, packer, version, expected):
    path = build(name, compiler, f"-gdwarf-{version}", "-gsplit-dwarf")
    expect_same(f"{compiler}, split DWARF {version}", path, expected)
    packed = run([packer, "-e", path, "-o", path + ".dwp"], cwd=FOLDER)
    if packed.returncode == 0:
        os.rename(f"{path}.dwo", f"{path}.gone")
        expect_same(f"{compiler}, a package of DWARF {version}", path, expected)


def gcc():
    plain = build("g5", "g++", "-gdwarf-5")
    compare("gcc, DWARF 5", plain, plain, 1000)
    expected = every_address(plain)
    four = build("g4", "g++", "-gdwarf-4", "-gz")
    expect_same("gcc, DWARF 4, compressed", four, expected)
    split("gs5", "g++", "dwp", 5, expected)
    if LONG:
        expect_same("gcc, DWARF 3", build("g3", "g++", "-gdwarf-3"), expected)
        expect_same("gcc, 64-bit DWARF", build("g64", "g++", "-g", "-gdwarf64"), expected)
        expect_same("gcc, .zdebug", build("gzz", "g++", "-gdwarf-4", "-gz=zlib-gnu"), expected)
        split("gs4", "g++", "dwp", 4, expected)
        old = build("g2", "g++", "-gdwarf-2", "-gstrict-dwarf")
        compare("gcc, DWARF 2", old, old, 1000)
        few = build("g1", "g++", "-g1")
        compare("gcc, -g1", few, few, 1000)
    return plain, four, expected


def dwz(plain, four, expected):
    if not shutil.which("dwz"):
        return
    alone, first, second = moved(plain, "dwz1"), moved(plain, "dwz2"), moved(four, "dwz3")
    check(run(["dwz", alone]).returncode == 0, "dwz runs")
    expect_same("dwz, one file", alone, expected)
    run(["objcopy", "--decompress-debug-sections", second])
    common = os.path.join(FOLDER, "common.debug")
    made = run(["dwz", "-m", common, first, second], cwd=FOLDER)
    check(made.returncode == 0 and ".gnu_debugaltlink" in sections(second), "dwz -m runs",
          made.stderr)
    expect_same("dwz, a file for many", second, expected)
    os.rename(common, common + ".gone")
    lost = every_address(second)
    check([[os.path.basename(place) for _, place in frames] for frames in lost] ==
          [[os.path.basename(place) for _, place in frames] for frames in expected],
          "dwz, that file gone: the lines are still there")


def clang():
    if not shutil.which("clang++"):
        return
    plain = build("c5", "clang++", "-gdwarf-5")
    compare("clang, DWARF 5", plain, plain, 1000)
    expected = every_address(plain)
    split("cs5", "clang++", "llvm-dwp", 5, expected)
    if LONG:
        expect_same("clang, DWARF 4", build("c4", "clang++", "-gdwarf-4"), expected)
        split("cs4", "clang++", "llvm-dwp", 4, expected)
    lines = build("cl", "clang++", "-gline-tables-only")
    compare("clang, line tables only", lines, lines, 1000)


def rust():
    if not LONG or not shutil.which("rustc"):
        return
    source = os.path.join(FOLDER, "r.rs")
    with open(source, "w", encoding="utf-8") as file:
        file.write("use std::collections::BTreeMap;\nfn main() { let mut m = BTreeMap::new();\n"
                   "for a in std::env::args() { *m.entry(a).or_insert(0u64) += 1; }\n"
                   "let mut v: Vec<_> = m.iter().map(|(k, n)| (n * 3, k.len())).collect();\n"
                   "v.sort_by(|a, b| b.cmp(a)); println!(\"{:?}\", v); }\n")
    made = run(["rustc", "-O", "-g", source, "-o", os.path.join(FOLDER, "r")], timeout=300)
    if made.returncode == 0:
        compare("rust", os.path.join(FOLDER, "r"), os.path.join(FOLDER, "r"), 300)


def main():
    for name in ("addr2line", "g++", "readelf"):
        need_program(name)
    global PEERS
    PEERS = tuple(peer for peer in PEERS if shutil.which(peer))
    large()
    dwz(*gcc())
    clang()
    rust()
    shutil.rmtree(FOLDER, ignore_errors=True)
    done()


main()
