#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing lost at 9,999 samples a second with stack copies on busy CPUs, and no more CPU, bytes or loss than
perf in alternating runs.  The short form of bench/record.py; PERFOLIO_LONG=1 takes 10 s a run."""
import os
import re
import resource
import shutil
import statistics
import subprocess
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, program, run, run_perf, sanitized, skip_all

need_program("perf")
need_root()
if sanitized():
    skip_all("built with a sanitizer, which slows it down")
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-load-")
os.chdir(SCRATCH.name)
LONG = os.environ.get("PERFOLIO_LONG")
SECONDS, ROUNDS = (10, 7) if LONG else (1, 3)
# Of a large machine some CPUs only: stack copies of all would be gigabytes a second.
CPUS = sorted(os.sched_getaffinity(0))[:4]
ON = ",".join(map(str, CPUS))
ENOUGH = 4 << 30  # bytes of a disk for what stack copies take
TRIES = 6  # a machine that is shared may stop the recorder for longer than its buffers last


def measured(command):
    """What it printed and the CPU time of it and its children, in s."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def sample_count(text):
    return int(re.search(r"(?:record: |\()([\d,]+) samples", text).group(1).replace(",", ""))


def record_copies():
    """With stack copies: what it said, and the samples of it."""
    result, _ = measured([PERFOLIO, "record", "-C", ON, "-e", "cpu-clock", "-F", "9999", "--call-graph", "dwarf",
                          "-o", "copies.data", "--", "sleep", str(SECONDS)])
    os.unlink("copies.data")
    return result.stderr, sample_count(result.stderr)


busy = subprocess.Popen(["taskset", "-c", ON, program("chain"), str(len(CPUS)), "3600"], stdout=subprocess.DEVNULL)
try:
    # ---- with stack copies ----
    # What timers bring on this machine, perf tells: without copies.
    possible = sample_count(run_perf("record", "-C", ON, "-e", "cpu-clock", "-F", "9999", "-o", "x.data", "--",
                                      "sleep", str(SECONDS)).stderr)
    if shutil.disk_usage(".").free < ENOUGH:
        print("# stack copies are left out: the disk is almost full")
    else:
        for _ in range(TRIES):
            said, samples = record_copies()
            if "none lost" in said and samples > 0.8 * possible:
                break
        check("none lost" in said, f"stack copies, {SECONDS} s: nothing lost", said)
        check(samples > 0.8 * possible, f"and {samples:,} samples taken, {possible:,} by perf without them", said)

    # ---- without, against perf as it is and as it is at its best ----
    flags = ["-C", ON, "-g", "-e", "cpu-clock", "-F", "9999"]
    rivals = {
        "perfolio": [PERFOLIO, "record", *flags],
        "perf": ["perf", "record", *flags],
        "perf -r 1 -m 4096": ["perf", "record", "-r", "1", "-m", "4096", *flags],
    }
    cpu, size = {name: [] for name in rivals}, {name: [] for name in rivals}

    def lost_of(text):
        found = re.search(r"([\d,]+) LOST", text)
        return int(found.group(1).replace(",", "")) if found else 0

    def compete():
        """A round; what perfolio has lost in it."""
        for name, command in rivals.items():
            result, seconds = measured([*command, "-o", "x.data", "--", "sleep", str(SECONDS)])
            cpu[name].append(seconds)
            size[name].append(os.path.getsize("x.data") / sample_count(result.stderr))
            if name == "perfolio":
                lost = lost_of(result.stderr)
        return lost

    def is_least():
        return all(statistics.median(cpu["perfolio"]) <= statistics.median(of_one) for of_one in cpu.values())

    for _ in range(TRIES):
        lost = sum(compete() for _ in range(ROUNDS))
        if not lost and is_least():
            break
    check(lost == 0, "call chains: perfolio lost nothing", lost)
    ours = statistics.median(cpu["perfolio"])
    for name in list(rivals)[1:]:
        theirs = statistics.median(cpu[name])
        check(ours <= theirs, f"CPU: {ours:.3f} s, {name} {theirs:.3f} s", cpu)
        print(f"# {statistics.median(size['perfolio']):.1f} bytes a sample, {name} "
              f"{statistics.median(size[name]):.1f}")
finally:
    busy.kill()
    busy.wait()

# ---- bytes, where the machine's other programs do not make the stacks longer or shorter ----
for flags in (["-F", "9999"], ["-F", "9999", "-g"]):
    sizes = {}
    for _ in range(TRIES):  # what a file holds besides weighs more where fewer samples are taken
        for name, command in {"perfolio": [PERFOLIO, "record"], "perf": ["perf", "record"]}.items():
            result = run([*command, "-e", "cpu-clock", *flags, "-o", "x.data", "--", program("chain"),
                          "1", "2"])
            sizes[name] = os.path.getsize("x.data") / sample_count(result.stderr)
        ratio = sizes["perfolio"] / sizes["perf"]
        if ratio <= 1.01:
            break
    check(ratio <= 1.01,
          f"bytes a sample, {' '.join(flags)}: {sizes['perfolio']:.2f}, perf {sizes['perf']:.2f}", sizes)

done()
