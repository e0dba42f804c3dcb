# SPDX-License-Identifier: Apache-2.0
"""10,000 random addresses of each object: the same function as perf, nm and addr2line say.

perf is asked through a made recording.  nm lists what covers an address by its ELF size, of which
our name must be one; addr2line -f needs debug information, so it is asked where there is some.
What differs from perf is counted by reason; a difference without a reason fails.
"""
import bisect
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perfsamples  # noqa: E402
from lib import check, done, need_program, program, run  # noqa: E402

COUNT = 10000
BASE = 0x7f0000000000
FOLDER = tempfile.mkdtemp(prefix="perfolio-truth-")

CPP = """
#include <map>
#include <string>
namespace outer {
template <class T> struct Box {
    T v; Box(T x) : v(x) {} virtual ~Box() {}
    __attribute__((noinline)) T spin(T n) const { T s = v; while (n--) s += n; return s; } };
std::map<std::string, int> make(int n) {
    std::map<std::string, int> m; while (n--) m[std::to_string(n)]++; return m; } }
int main() { outer::Box<long> b(3); auto m = outer::make(7);
    auto l = [&](int k) { return b.spin(k) + (long)m.size(); }; return (int)l(9) & 1; }
"""
RUST = """
use std::collections::HashMap;
trait Work { fn run(&self, n: u64) -> u64; }
struct Foo<T>(T);
impl Work for Foo<u64> { #[inline(never)] fn run(&self, n: u64) -> u64 { n ^ self.0 } }
fn main() { let mut m = HashMap::new(); m.insert("a", Foo(3u64).run(4)); println!("{:?}", m); }
"""


def compiled(name, source, *command):
    """The path of a program made of the source, or None where its compiler is missing."""
    if not shutil.which(command[0]):
        return None
    path = os.path.join(FOLDER, name)
    with open(path + ".src", "w", encoding="utf-8") as file:
        file.write(source)
    made = run([*command, path + ".src", "-o", path], timeout=300)
    return path if made.returncode == 0 else None


def ours(kind, path, addresses, *options):
    """State and {address: (name, offset) or None}."""
    asked = subprocess.run([program("names"), *(options or ["demangle=1"]), kind, path],
                           input="\n".join(f"{a:x}" for a in addresses), capture_output=True,
                           text=True, errors="replace", check=True).stdout.splitlines()
    result = {}
    for line in asked[1:]:
        address, rest = line.split(" ", 1)
        if rest == "-":
            result[int(address, 16)] = None
        else:
            start, name = rest.split(" ", 1)
            result[int(address, 16)] = (name, int(address, 16) - int(start, 16))
    return asked[0], result


def stubs_of(path, known):
    """(start, size, names) of the stubs that objdump names, with their versions cut off.

    Those of functions chosen at run time it names by the address of the chooser, *ABS*+0xa9720.
    """
    rows, at = {}, {}
    for start, _, names in known:
        at.setdefault(start, set()).update(name.split("@")[0] + "@plt" for name in names)
    text = run(["objdump", "-d", "-j", ".plt", "-j", ".plt.got", "-j", ".plt.sec", path]).stdout
    heads = re.findall(r"^([0-9a-f]{16}) <(.+)@plt>:$", text, re.M)
    for start, name in heads:
        rows[int(start, 16)] = at.get(int(name[8:], 16), set()) if name.startswith("*ABS*+0x") \
            else {name.split("@")[0] + "@plt"}
    return [(start, 16, names) for start, names in rows.items()]


class Truth:
    """What nm and objdump say covers an offset of a file."""
    def __init__(self, path, source):
        self.segments = perfsamples.code_segments(path)
        self.rows = nm_rows(source)
        self.rows += stubs_of(path, self.rows)
        self.rows.sort(key=lambda row: row[:2])
        self.starts = [row[0] for row in self.rows]
        self.path = path

    def address(self, offset):
        return next(addr + offset - off for off, size, addr in self.segments
                    if off <= offset < off + size)

    def has(self, offset, name):
        expected = covering(self.rows, self.starts, self.address(offset))
        return any(name in (e, e.split("@")[0]) for e in expected)

    def mangled(self, offsets):
        """Ours, as they stand in the file."""
        return {o: n and n[0] for o, n in ours("file", self.path, offsets, "demangle=0")[1].items()}


def reason(name, mine, theirs, offset, truth):
    """Why a name may differ from perf 6.1's, found out elsewhere, or None."""
    if not mine or not truth or not truth.has(offset, name):
        return None
    if mine[0].endswith("@plt"):
        return "stubs, of which perf knows .plt alone and by their order; ours is objdump's name"
    if theirs is None:
        return "overlapping symbols, where perf finds none; ours covers it by nm's size"
    return None


def compare(label, theirs, mine, truth=None):
    reasons, wrong = {}, []
    differing = [a for a, name in mine.items() if theirs.get(a) != name]
    mangled = truth.mangled(differing) if truth and differing else {}
    for address in differing:
        name = mine[address]
        why = reason(mangled.get(address), name, theirs.get(address), address, truth)
        if why:
            reasons[why] = reasons.get(why, 0) + 1
        else:
            wrong.append(f"{address:x}: perf {theirs.get(address)}, ours {name}")
    for why, count in reasons.items():
        print(f"# {label}: {count} differ: {why}")
    check(not wrong, f"{label}: {len(mine) - len(differing)} of {len(mine)} names as perf's, the "
          "rest explained", *wrong[:10])


def nm_rows(source):
    """Sorted (start, size, names) of the functions that nm lists, from both its tables."""
    rows = {}
    for option in ([], ["-D"]):
        for line in run(["nm", "-S", "--defined-only", *option, source]).stdout.splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in "tTwWiuU":
                start, size = int(words[0], 16), int(words[1], 16)
                rows.setdefault((start, size), set()).add(words[3])
    return sorted((start, size, names) for (start, size), names in rows.items())


def covering(rows, starts, address):
    """Names of all rows that cover the address; functions are seldom longer than the look back."""
    at = bisect.bisect_right(starts, address)
    names = set()
    for start, size, row_names in rows[max(0, at - 64):at]:
        if start <= address < start + size:
            names |= row_names
    return names


def against_nm(label, path, source, offsets):
    """Where nm knows a function with a size, our mangled name is one of its names."""
    segments = perfsamples.code_segments(path)
    rows = nm_rows(source)
    starts = [row[0] for row in rows]
    asked = subprocess.run([program("names"), "file", path],
                           input="\n".join(f"{o:x}" for o in offsets), capture_output=True,
                           text=True, errors="replace", check=True).stdout.splitlines()[1:]
    known, wrong = 0, []
    for line in asked:
        offset, rest = line.split(" ", 1)
        offset = int(offset, 16)
        address = next(addr + offset - off for off, size, addr in segments
                       if off <= offset < off + size)
        expected = covering(rows, starts, address)
        name = None if rest == "-" else rest.split(" ", 1)[1]
        if expected:
            known += 1
            if name not in expected and not any(e.split("@")[0] == name for e in expected):
                wrong.append(f"{address:x}: nm {sorted(expected)[:4]}, ours {name}")
    check(known > 0 and not wrong, f"{label}: nm covers {known} of {len(asked)}, ours is its name",
          *wrong[:10])


def outermost(text):
    """Of each address the function that others are inlined into: the last but one line."""
    groups = text.split("\n0x")
    return [group.splitlines()[-2] for group in groups]


def against_addr2line(label, path, offsets):
    """addr2line -f goes by DWARF, and by the symbols where that says nothing."""
    segments = perfsamples.code_segments(path)
    addresses = [next(addr + o - off for off, size, addr in segments if off <= o < off + size)
                 for o in offsets]
    told = outermost(subprocess.run(["addr2line", "-a", "-f", "-i", "-e", path],
                                    input="\n".join(f"{a:x}" for a in addresses),
                                    capture_output=True, text=True, check=True).stdout)
    asked = subprocess.run([program("names"), "file", path],
                           input="\n".join(f"{o:x}" for o in offsets), capture_output=True,
                           text=True, errors="replace", check=True).stdout.splitlines()[1:]
    rows = nm_rows(path)
    starts = [row[0] for row in rows]
    wrong, same = [], 0
    for address, name, line in zip(addresses, told, asked):
        rest = line.split(" ", 1)[1]
        mine = None if rest == "-" else rest.split(" ", 1)[1]
        if name == mine:
            same += 1
        elif name != "??" and name in covering(rows, starts, address):
            if mine not in covering(rows, starts, address):  # else: two names of one function
                wrong.append(f"{address:x}: addr2line {name}, ours {mine}")
    check(same > 0 and not wrong, f"{label}: addr2line says the same of {same} of {len(told)}, "
          "the rest is another alias or lies between functions", *wrong[:10])


def random_offsets(path):
    segments = perfsamples.code_segments(path)
    total = sum(size for _, size, _ in segments)
    offsets = []
    for _ in range(COUNT):
        at = random.randrange(total)
        for offset, size, _ in segments:
            if at < size:
                offsets.append(offset + at)
                break
            at -= size
    return offsets


def check_file(label, path, debug=False):
    offsets = sorted(set(random_offsets(path)))
    recording = os.path.join(FOLDER, "perf.data")
    mappings = []
    for offset, size, _ in perfsamples.code_segments(path):
        first = offset & ~0xfff
        mappings.append((BASE + first, (offset + size - first + 0xfff) & ~0xfff, first, path))
    perfsamples.write(recording, mappings, [BASE + o for o in offsets])
    theirs = {a - BASE: name for a, name in perfsamples.names(recording).items()}
    state, mine = ours("file", path, offsets)
    print(f"# {label}: {state}")
    source = state.split(" ")[1]
    compare(label, theirs, mine, Truth(path, source))
    if shutil.which("nm") and state.split(" ")[0] in ("full", "partial"):
        against_nm(label, path, source, offsets)
    if debug and shutil.which("addr2line"):
        against_addr2line(label, path, offsets[::10])


def against_list(mine):
    """The kernel's own list has no sizes: ours is one of the names at the last start before."""
    names = {}
    with open("/proc/kallsyms", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[1] in "tTwW":
                names.setdefault(int(words[0], 16), set()).add(words[2])
    starts = sorted(names)
    wrong = []
    for address, found in mine.items():
        expected = names[starts[bisect.bisect_right(starts, address) - 1]]
        if not found or found[0] not in expected:
            wrong.append(f"{address:x}: {sorted(expected)[:4]}, ours {found}")
    check(not wrong, f"kernel: {len(mine)} names as its own list has them", *wrong[:10])


def check_kernel():
    symbols = {}
    with open("/proc/kallsyms", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            symbols.setdefault(words[2], int(words[0], 16))
    start, end = symbols.get("_text", 0), symbols.get("_etext", 0)
    if not start or not end:
        print("# kernel: skipped, its addresses are hidden")
        return
    addresses = sorted({random.randrange(start, end) for _ in range(COUNT)})
    recording = os.path.join(FOLDER, "perf.data")
    perfsamples.write(recording, [(start, 2**64 - 1 - start, start, "[kernel.kallsyms]_text")],
                      addresses, perfsamples.KERNEL)
    theirs = perfsamples.names(recording)
    state, mine = ours("kernel", "[kernel.kallsyms]", addresses)
    print(f"# kernel: {state}")
    compare("kernel", theirs, mine)
    against_list(mine)
    # As if it had been recorded before a boot that moved it by 16 MiB.
    moved = [a - (16 << 20) for a in addresses]
    _, again = ours("kernel", "[kernel.kallsyms]", moved, "demangle=1", "anchor=_text",
                    "kallsyms=/proc/kallsyms",
                    f"base={start - (16 << 20):x}")
    check([again[m] for m in moved] == [mine[a] for a in addresses],
          "kernel: the same names when it was elsewhere while recording")


def objects():
    """(label, path or None, has debug information)"""
    maps = open("/proc/self/maps", encoding="utf-8").read()
    libc = next((line.split()[-1] for line in maps.splitlines() if "/libc.so" in line), None)
    python = shutil.which("python3.11", path="/usr/bin") or shutil.which("python3", path="/usr/bin")
    yield "libc", libc, False
    yield "python3", os.path.realpath(python) if python else None, False
    node = shutil.which("node")
    yield "node", os.path.realpath(node) if node else None, False
    yield "C++", compiled("cpp", CPP, "g++", "-x", "c++", "-O1", "-g", "-static"), True
    yield "C++ with stubs", compiled("stubs", CPP, "g++", "-x", "c++", "-O1", "-g"), True
    yield "Rust", compiled("rust", RUST, "rustc", "-O", "-g"), False


def main():
    need_program("perf")
    need_program("readelf")
    need_program("nm")
    need_program("objdump")
    random.seed(20240615)
    for label, path, debug in objects():
        if path:
            check_file(label, path, debug)
        else:
            print(f"# {label}: skipped, not installed")
    check_kernel()
    shutil.rmtree(FOLDER)
    done()


main()
