#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flame graphs of real programs: Redis under load as a process and on the host, a build by gcc as a command and as
a user's. The widest towers are those that the kernel's clocks and perf tell of."""
import json
import os
import re
import signal
import subprocess
import tempfile

import lib

RATE = "499"


def flame(folder, *words):
    """The children of the root, and the whole tree, of a graph."""
    path = os.path.join(folder, "out.json")
    done = lib.run([lib.PERFOLIO, "flame", "-F", RATE, "-o", path, *words], cwd=folder)
    if not lib.check(done.returncode == 0, f"flame {' '.join(words)[:40]}", done.stderr):
        return {}, {"name": "all", "value": 1, "self": 0}
    with open(path, encoding="utf-8") as file:
        tree = json.load(file)
    return {child["name"]: child for child in tree.get("children", [])}, tree


def selves(node, found=None, name=None):
    """{function: what it weighs itself}; what is inlined counts for the function that it is in, as in perf."""
    found = {} if found is None else found
    name = name if node.get("kind") == "inlined" else node["name"]
    found[name] = found.get(name, 0) + node["self"]
    for child in node.get("children", []):
        selves(child, found, name)
    return found


def total(node, name):
    """What the outermost frames of that name weigh."""
    if node["name"] == name:
        return node["value"]
    return sum(total(child, name) for child in node.get("children", []))


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def comm(pid):
    with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
        return file.read().strip()


def perf_record(folder, *words):
    """perf's own recording; None if it gave up, as perf 6.1 does beside others' on some kernels."""
    path = os.path.join(folder, "perf.data")
    made = lib.run_perf("record", "-q", "-e", "cpu-clock", "-F", RATE, "-g", "-o", path, *words)
    return path if made.returncode == 0 else None


def samples(weight):
    """How many samples make so much CPU time."""
    return max(weight / 1e9 * int(RATE), 1)


def room(share, *numbers):
    """Five times what chance makes of a share, or of the difference of two, of so many samples each."""
    return 5 * (share * (1 - share) * sum(1 / number for number in numbers)) ** 0.5


def perf_shares(path, sort):
    """{row: per cent}, as perf reports a recording."""
    text = lib.run(["perf", "report", "-i", path, "--no-children", "-g", "none", "--no-inline", "--stdio", "-s", sort,
                    "-t", "|"]).stdout
    rows = [line.split("|") for line in text.splitlines() if line and line[0] != "#"]
    return {re.sub(r"^\[.\] ", "", row[1].strip()): float(row[0].strip().rstrip("%")) for row in rows}


def of_redis(folder):
    with lib.busy_redis(folder) as pid:
        asking = int(lib.until(lambda: lib.run(["pgrep", "-f", f"redis-benchmark -s {folder}"]).stdout.split())[0])
        server = comm(pid)
        for duration in ("600ms", "3s", "10s"):  # longer where what is recorded is not what it did on the whole
            before = cpu_ticks(pid), cpu_ticks(asking)
            towers, _ = flame(folder, "-a", "--duration", duration)
            spent = [now - then for now, then in zip((cpu_ticks(pid), cpu_ticks(asking)), before)]
            widths = [towers.get(name, {"value": 0})["value"] for name in (server, "redis-benchmark")]
            near = max(0.12, room(0.5, samples(sum(widths))))
            holds = all(widths) and abs(widths[0] / sum(widths) - spent[0] / sum(spent)) < near
            if holds:
                break
        lib.check(holds, "-a: server and client have the shares that the kernel counts", widths, spent)
        towers, tree = flame(folder, "-p", str(pid), "--duration", "600ms")
    lib.check(list(towers) == [server] and total(tree, "main") > 0.9 * tree["value"] and
              total(tree, "aeMain") > 0.9 * tree["value"], "-p: the stacks are whole, from main on",
              towers.keys(), total(tree, "main"), total(tree, "aeMain"), tree["value"])
    # One second differs from the next one, so perf reads the same recording.
    truth = perf_shares(os.path.join(folder, "out.perf.data"), "sym")
    found = selves(tree)
    wide = {name: (share, 100 * found.get(name, 0) / tree["value"]) for name, share in truth.items()
            if share >= 2 and not name.startswith("0x")}
    lib.check(wide and all(abs(ours - share) < 0.02 for share, ours in wide.values()),
              "-p: what perf finds most of is as wide here", wide)


def write_build(folder):
    """Three sources and the script that compiles them, two at a time."""
    for number in range(3):
        with open(os.path.join(folder, f"u{number}.c"), "w", encoding="utf-8") as file:
            for function in range(80):
                file.write(f"int f{number}_{function}(int *a, int n) {{ int s = {function};\n"
                           f"for (int i = 0; i < n; i++) {{ if (a[i] % {function + 3} == 1) s += a[i] * i;"
                           f" else a[i] ^= s << (i & 7); }} return s; }}\n")
    path = os.path.join(folder, "build.sh")
    with open(path, "w", encoding="utf-8") as file:
        file.write("cd \"$(dirname \"$0\")\" && printf '0\\n1\\n2\\n' | "
                   "xargs -P 2 -I @ gcc -O2 -c u@.c -o u@.o\n")
    return path


def as_perf(folder, script, shares, number):
    """One build differs from the next one."""
    for _ in range(4):
        path = perf_record(folder, "--", "sh", script)
        if not path:
            return
        truth = perf_shares(path, "comm")
        holds = all(abs(shares.get(name, 0) - truth.get(name, 0)) <
                    max(12, 100 * room(truth.get(name, 0) / 100, number, number)) for name in ("cc1", "as", "gcc"))
        if holds:
            break
    lib.check(holds, "a build: perf gives its programs the same shares", shares, truth)


def of_build(folder):
    script = write_build(folder)
    lib.run(["sh", script])  # what it needs is in memory from now on
    towers, tree = flame(folder, "--", "sh", script)
    shares = {name: 100 * tower["value"] / tree["value"] for name, tower in towers.items()}
    widest = max(shares, key=shares.get, default=None)
    lib.check(widest == "cc1" and shares.get("as", 0) > 0 and "ld" not in shares,
              "a build: the compiler itself is widest, the assembler is there", shares)
    as_perf(folder, script, shares, samples(tree["value"]))
    lib.check(total(towers.get("cc1", tree), "main") > 0.8 * towers.get("cc1", tree)["value"],
              "a build: the compiler's stacks are whole, from main on",
              total(towers.get("cc1", tree), "main"), shares)


def of_user(folder):
    os.chmod(folder, 0o777)
    script = write_build(folder)
    user = lib.own_user("games").pw_name
    with subprocess.Popen(["sh", "-c", f"while :; do sh {script}; done"], user=user, start_new_session=True,
                          stderr=subprocess.DEVNULL) as build:
        try:
            towers, tree = flame(folder, "-u", user, "--duration", "600ms")
        finally:
            os.killpg(build.pid, signal.SIGKILL)
    widest = max(towers, key=lambda name: towers[name]["value"], default=None)
    lib.check(widest == "cc1" and not {"redis-benchmark", "python3"} & set(towers),
              "-u: the widest tower is the compiler's, nobody else's is there",
              {name: tower["value"] for name, tower in towers.items()}, tree["value"])


def main():
    for name in ("perf", "redis-benchmark", "gcc"):
        lib.need_program(name)
    lib.need_root()
    with tempfile.TemporaryDirectory(prefix="perfolio-flame-") as folder:
        of_redis(folder)
        of_build(folder)
    with tempfile.TemporaryDirectory(prefix="perfolio-user-") as folder:
        of_user(folder)
    lib.done()


main()
