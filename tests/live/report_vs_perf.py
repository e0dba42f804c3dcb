# SPDX-License-Identifier: Apache-2.0
"""report beside perf's own on the same recordings: the share of each symbol, and call trees.

perf shows a row and a branch for each address without a name; they are added up to our [unknown],
and trees are compared where every frame on the way has a name.  A stub that we name (f@plt) and perf
does not counts as unknown on both sides.
"""
import os
import re
import shutil
import tempfile

from lib import PERFOLIO, busy_redis, check, done, need_program, run, run_perf

SQL = ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<300000) "
       "SELECT count(*), sum(x*x%7), max(hex(x)) FROM c;")
PYTHON = ("import json,re\nd=[{'a':i,'b':str(i)} for i in range(30000)]\n"
          "for _ in range(3): s=json.dumps(d); json.loads(s); re.findall('1[0-9]+',s)")
CLOCK = "import time\nfor _ in range(3000000): time.time()"
C_SOURCE = "#include <stdio.h>\n#include <stdlib.h>\n" + "".join(
    f"int f{i}(int x) {{ int s = 0; for (int k = 0; k < x; k++) s += k * {i} % (x + 1); "
    f"return s + printf(\"%d\", s); }}\n" for i in range(300))
# A share printed with two places, from two programs that round alike.
ROOM = 0.0101
GAP_ROOM = 0.1  # where frames have no names
ROW = re.compile(r"^ +([0-9.]+)% +(?:([0-9.]+)% +)?(\S.*?) {2,}(\S+) +\[(.)\] (.*)$")


def workloads(folder):
    source = os.path.join(folder, "many.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(C_SOURCE)
    return {
        "sqlite3": ["sqlite3", ":memory:", SQL],
        "gcc": ["gcc", "-O2", "-c", "-o", "/dev/null", source],
        "python3": ["/usr/bin/python3", "-c", PYTHON],
        "the vdso": ["/usr/bin/python3", "-c", CLOCK],
    }


def is_unknown(symbol):
    return (symbol == "[unknown]" or symbol.endswith("@plt") or
            re.fullmatch(r"(0x)?[0-9a-f]{1,16}", symbol) is not None)


def rows_of(text):
    """Shares by object and symbol; names of threads are cut by perf and left out."""
    shares = {}
    for line in text.splitlines():
        found = ROW.match(line)
        if not found:
            continue
        symbol = found[6].rstrip()
        key = (found[4], "[unknown]" if is_unknown(symbol) else symbol)
        shares.setdefault(key, [0, 0])
        shares[key][0] += float(found[1])
        shares[key][1] += 1
    return shares


def compare_shares(name, ours, theirs):
    """Each row is rounded by itself, so sums may be apart by half a unit for each row."""
    mine, other = rows_of(ours), rows_of(theirs)
    wrong = []
    for key in sorted(mine.keys() | other.keys()):
        a, b = mine.get(key, [0, 0]), other.get(key, [0, 0])
        room = ROOM if key[1] != "[unknown]" else ROOM + 0.005 * (a[1] + b[1])
        room += 0.005 * (max(a[1], b[1]) - 1)
        if abs(a[0] - b[0]) > room:
            wrong.append(f"{key}: {a[0]:.2f} here, {b[0]:.2f} by perf")
    check(len(mine) > 20, f"{name}: there are rows", ours[:2000])
    check(not wrong, f"{name}: {len(mine)} symbols have perf's shares", *wrong[:20])


def branches(text):
    """Call trees as a dictionary: row and path of names to the share in front of the last one.

    And the rows that have frames without a name.
    """
    found, gaps, row, stack = {}, set(), None, []
    for line in text.splitlines():
        head = ROW.match(line)
        if head:
            row, stack = (head[4], head[6].rstrip()), []
            continue
        frame = re.match(r"^([ |]*)(?:--(-)?(?:([0-9.]+)%--)?)?([^ |].*)$", line)
        if not row or not frame or line.startswith("#"):
            continue
        indent = len(frame[1])
        stack = [entry for entry in stack if entry[0] < indent or
                 (entry[0] == indent and frame[3] is None and not frame[2])]
        stack.append((indent, frame[4].strip(), frame[3]))
        if frame[3] is not None:
            found[(row, tuple(entry[1] for entry in stack))] = float(frame[3])
        if is_unknown(frame[4].strip()):
            gaps.add(row)
    return found, gaps


def compare_trees(name, gaps, ours, theirs):
    """Shares of branches.

    perf makes a branch of each address that has no name, here they are one: where a row has such
    frames, shown or too small for that, only those branches are compared that both have.  And perf
    may leave a sample of such a row out of its tree.
    """
    (mine, _), (other, _) = branches(ours), branches(theirs)
    wrong, compared = [], 0
    for key in sorted(mine.keys() | other.keys()):
        a, b = mine.get(key), other.get(key)
        if any(is_unknown(part) for part in (key[0][1],) + key[1]) or (
                key[0] in gaps and (a is None or b is None)):
            continue
        compared += 1
        if abs((a or 0) - (b or 0)) > (GAP_ROOM if key[0] in gaps else ROOM):
            wrong.append(f"{key}: {a} here, {b} by perf")
    check(not wrong, f"{name}: {compared} branches are perf's", *wrong[:10])
    return compared


def report(program, path, *options):
    return run([program, "report", "-i", path, "--stdio", *options]).stdout


def compare(name, command, path):
    made = run_perf("record", "-q", "-e", "cpu-clock", "-F", "4999", "-g", "-o", path, *command)
    if not check(os.path.exists(path), f"{name}: recorded", made.stderr):
        return 0
    ours, theirs = (report(program, path, "--no-children", "-g", "none")
                    for program in (PERFOLIO, "perf"))
    compare_shares(name, ours, theirs)
    check(ours.splitlines()[:8] == theirs.splitlines()[:8], f"{name}: the head is perf's",
          ours[:500], theirs[:500])
    check("# Trust: " in ours, f"{name}: says how far it can be trusted")
    gaps = set().union(*(branches(report(PERFOLIO, path, children, "-g", "callee,0"))[1]
                         for children in ("--no-children", "--children")))
    return sum(compare_trees(f"{name}, {' '.join(options)}", gaps,
                             *(report(program, path, *options) for program in (PERFOLIO, "perf")))
               for options in (("--no-children", "-g", "caller"), ("--no-children", "-g", "callee"),
                               ("--children", "-g", "caller")))


def main():
    need_program("perf")
    need_program("redis-benchmark")
    compared = 0
    with tempfile.TemporaryDirectory(prefix="perfolio-report-") as folder:
        for name, command in workloads(folder).items():
            if not shutil.which(command[0]):
                print(f"# {name} is not installed and was left out")
                continue
            compared += compare(name, command, os.path.join(folder, name + ".data"))
        with busy_redis(folder) as pid:
            compared += compare("redis", ["-p", str(pid), "sleep", "1"],
                                os.path.join(folder, "redis.data"))
    check(compared > 50, f"{compared} branches were compared")
    done()


main()
