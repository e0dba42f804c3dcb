# SPDX-License-Identifier: Apache-2.0
"""The kernel lies elsewhere after every boot: its addresses keep their names.

Recordings of others are read with a list of symbols that is made for them: once as if it were of
the recorded boot, once of another one.  perf does the same and is asked beside us.
"""
import json
import os
import random
import re
import shutil
import tempfile

import perfsamples
from lib import PERFOLIO, SOURCE, check, done, need_program, run

CORPUS = os.environ.get("PERFOLIO_CORPUS") or os.path.join(SOURCE, "..", "shared", "corpus")
FOLDER = tempfile.mkdtemp(prefix="perfolio-boots-")
MOVED = 0x3200000
FILES = ["lnt__fib2-aarch64.perf_data", "quipper__perf.data.branch-4.14",
         "quipper__perf.data.hybrid_topology", "quipper__perf.data.callgraph-3.8"]


def rows(recording, *options):
    """{(object, symbol): samples}"""
    result = run([PERFOLIO, "report", "-i", recording, "--no-index", "--json", "-g", "none",
                  "--no-children", "--sort", "dso,symbol", *options])
    found = {}
    for event in json.loads(result.stdout)["events"]:
        for row in event["rows"]:
            key = row["object"], row["symbol"]
            found[key] = found.get(key, 0) + row["self_samples"]
    return found


def write_list(name, anchor, base, functions):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{base:016x} T {anchor}\n")
        for number, start in enumerate(functions):
            file.write(f"{start:016x} t made_up_{number}\n")
        file.write(f"{functions[-1] + 0x1000:016x} T _etext\n")
    return path


def perf_names(recording, kallsyms):
    """{name: samples} of the sampled kernel addresses."""
    text = run(["perf", "script", "-i", recording, "--kallsyms", kallsyms, "-F", "ip,sym",
                "-G"]).stdout
    names = {}
    for name in re.findall(r"made_up_\d+", text):
        names[name] = names.get(name, 0) + 1
    return names


def check_recording(name):
    recording = os.path.join(CORPUS, "perfdata", name)
    if not os.path.exists(recording):
        print(f"# {name}: skipped, it is not there")
        return
    told = run(["perf", "script", "-i", recording, "--show-mmap-events"]).stdout
    place = re.search(r"@ 0x(\w+)\]: x \[kernel.kallsyms\](_\w+)", told)
    base, anchor = int(place.group(1), 16), place.group(2)
    functions = [base + step for step in range(0x100, 12 << 20, 0x3000)]
    here = write_list("here", anchor, base, functions)
    moved = write_list("moved", anchor, base + MOVED, [f + MOVED for f in functions])
    first, second = rows(recording, "--kallsyms", here), rows(recording, "--kallsyms", moved)
    named = sum(count for (_, symbol), count in first.items() if symbol.startswith("made_up"))
    check(named > 0 and first == second,
          f"{name}: {named} samples of the kernel have the same names after another boot",
          sorted(set(first.items()) ^ set(second.items()))[:6])
    theirs, mine = perf_names(recording, moved), {}
    for (_, symbol), count in second.items():
        if symbol.startswith("made_up"):
            mine[symbol] = mine.get(symbol, 0) + count
    check(mine == theirs, f"{name}: and they are perf's", mine, theirs)


def check_running():
    """This kernel, recorded as if it had been elsewhere."""
    place = {}
    with open("/proc/kallsyms", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            place.setdefault(words[2], int(words[0], 16))
    start, end = place.get("_text", 0), place.get("_etext", 0)
    if not start or not end:
        print("# the running kernel: skipped, its addresses are hidden")
        return
    addresses = [random.randrange(start, end) for _ in range(2000)]
    found = []
    for shift in (0, MOVED):
        recording = os.path.join(FOLDER, f"boot-{shift}")
        perfsamples.write(recording, [(start - shift, end - start, start - shift,
                                       "[kernel.kallsyms]_text")],
                          [a - shift for a in addresses], perfsamples.KERNEL)
        # These recordings do not say which kernel they are of: then it must be given.
        found.append(rows(recording, "--kallsyms", "/proc/kallsyms"))
        lost = rows(recording)
        check(bool(shift) == all(symbol == "[unknown]" for _, symbol in lost),
              f"a kernel that nothing identifies, moved by {shift:#x}: "
              f"{'no' if shift else 'its'} names")
    check(found[0] == found[1] and len(found[0]) > 500,
          f"the running kernel: {len(found[0])} functions by the same names after a boot")


def main():
    need_program("perf")
    random.seed(7)
    for name in FILES:
        check_recording(name)
    check_running()
    shutil.rmtree(FOLDER)
    done()


main()
