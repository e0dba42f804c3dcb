#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What perfolio records, perf reads: without a warning, the same samples, the same stacks."""
import os
import re
import subprocess
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, program, run, run_perf, sanitized, skip_all
from perffile import PerfFile, texts

need_program("perf")
need_root()
if sanitized():
    skip_all("built with a sanitizer: what reads is perf, and record's other tests have what writes")
os.environ["DEBUGINFOD_URLS"] = ""  # perf would ask the network for names
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-record-")
os.chdir(SCRATCH.name)
CHAIN = [program("chain"), "2", "0.3"]
# What perf would look up in the programs is not asked here, and takes it long.
PERF_SCRIPT = ["perf", "script", "--no-inline"]


def record(name, *flags, command=None, status=0):
    result = run([PERFOLIO, "record", *flags, "-o", name, "--", *(command or CHAIN)])
    check(result.returncode == status, f"record {' '.join(flags)}", result.stderr)
    return result


def said(result):
    """Samples by the closing line: all, and by event."""
    line = re.search(r"perfolio record: ([\d,]+) samples?(?: of (\S+)| \((.*?)\))? in", result.stderr)
    if not line:
        return 0, {}
    total = int(line.group(1).replace(",", ""))
    if line.group(2):
        return total, {line.group(2): total}
    return total, {name: int(count.replace(",", ""))
                   for name, count in re.findall(r"(\S+) ([\d,]*\d)(?:, |$)", line.group(3))}


def silent(result):
    return result.returncode == 0 and not result.stderr.strip()


def check_readers(name, flags):
    """Every reader of perf takes it without a word on standard error."""
    readers = {
        "script": PERF_SCRIPT + ["-i", name],
        "report": ["perf", "report", "--stdio", "--no-inline", "-g", "none", "-i", name],
        "evlist": ["perf", "evlist", "-v", "-i", name],
        "buildid-list": ["perf", "buildid-list", "-i", name],
        "inject": ["perf", "inject", "-i", name, "-o", name + ".injected"],
        "inject -b": ["perf", "inject", "-b", "-i", name, "-o", name + ".injected"],
    }
    wrong = []
    for reader, command in readers.items():
        result = run(command)
        if not silent(result):
            wrong.append(f"perf {reader}: status {result.returncode}: {result.stderr.strip()}")
    check(not wrong, f"perf reads it without a warning: record {' '.join(flags)}", *wrong)


def event_counts(name):
    result = run(PERF_SCRIPT + ["-F", "event", "-G", "-i", name])
    counts = {}
    for line in result.stdout.splitlines():
        event = line.strip().rstrip(":")
        if event:
            counts[event] = counts.get(event, 0) + 1
    return counts


MODES = [
    ["-F", "997"],
    ["-F", "997", "-g"],
    ["-F", "997", "--call-graph", "dwarf"],
    ["-F", "997", "-a", "-g"],
    ["-F", "997", "-e", "cpu-clock,page-faults", "-g"],
    ["-e", "sched:sched_switch,cpu-clock", "-F", "499", "-a"],
    ["-e", "sched:sched_switch", "-a"],
    ["-F", "997", "-z"],
    ["-F", "997", "-z", "-a", "--call-graph", "dwarf,1024"],
    ["-e", "sched:sched_switch", "-z", "-a"],
    ["-F", "997", "-d", "-T", "--sample-cpu", "--switch-events", "--all-cgroups", "-s"],
    ["-c", "1000000", "-e", "cpu-clock"],
    ["-F", "997", "--overwrite", "-a"],
]
for number, flags in enumerate(MODES):
    name = f"mode{number}.data"
    total, by_event = said(record(name, *flags))
    check(total > 10, f"there are samples: {' '.join(flags)}", by_event)
    check_readers(name, flags)
    counts = event_counts(name)
    check(counts == by_event or sum(counts.values()) == total == sum(by_event.values()),
          f"perf finds the samples that were said: {' '.join(flags)}", counts, by_event)

# A group that is read with its leader: perf shows a line for each member of a sample.
group = ["-F", "997", "-e", "{cpu-clock,page-faults}:S"]
total, _ = said(record("group.data", *group))
check_readers("group.data", group)
counts = event_counts("group.data")
check(counts.get("cpu-clock") == total and 0 < counts.get("page-faults", 0) <= total,
      "a :S group gives the leader's samples and the member's counts", counts, total)

# -n gives no samples, and perf says so itself.
record("none.data", "-n")
result = run(PERF_SCRIPT + ["-i", "none.data"])
check(silent(result) and not result.stdout, "-n records no sample", result.stderr)

# ---- stacks ----


def chains(name):
    """The functions of each sample of the test program, innermost first."""
    text = run(PERF_SCRIPT + ["--comm", "chain", "-F", "comm,ip,sym", "-i", name]).stdout
    return [[line.split()[1].split("+")[0] for line in block.splitlines()[1:] if len(line.split()) > 1]
            for block in text.split("\n\n") if block.strip()]


# gcc gives leaf no frame of its own, so that frame pointers skip its caller.
WHOLE = {"fp": ["middle", "outer", "work"], "dwarf": ["leaf", "inner", "middle", "outer", "work"]}


def whole_share(name, words):
    inside = [chain for chain in chains(name) if "leaf" in chain]
    found = [chain for chain in inside
             if any(chain[at:at + len(words)] == words for at in range(len(chain)))]
    return len(found) / len(inside) if inside else 0


for mode in ("fp", "dwarf"):
    for _ in range(5):  # the last stacks of a busy machine's few samples differ from one time to the next
        record("ours.data", "-F", "997", "--call-graph", mode)
        run_perf("record", "-q", "-e", "cpu-clock", "-F", "997", "--call-graph", mode, "-o", "theirs.data",
                 *CHAIN)
        ours, theirs = [whole_share(name, WHOLE[mode]) for name in ("ours.data", "theirs.data")]
        if ours >= 0.9 and ours >= theirs - 0.05:
            break
    check(ours >= 0.9 and ours >= theirs - 0.05,
          f"stacks by {mode}: the whole chain in {100 * ours:.0f} % (perf's recording {100 * theirs:.0f} %)")

# ---- pipe mode ----
for flags in (["-F", "997", "-g", "-a"], ["-e", "sched:sched_switch", "-a"], ["-F", "997", "-a", "-z"]):
    for reader in (PERF_SCRIPT, ["perf", "report", "--stdio", "-g", "none"]):
        with subprocess.Popen([PERFOLIO, "record", *flags, "-o", "-", "--", *CHAIN],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as recorder:
            result = subprocess.run(reader + ["-i", "-"], stdin=recorder.stdout, text=True,
                                    errors="replace", capture_output=True, check=False)
            words = recorder.stderr.read().decode()
        check(silent(result) and len(result.stdout.splitlines()) > 10,
              f"pipe: record {' '.join(flags)} -o - | {' '.join(reader[:2])}", result.stderr, words)

# ---- what the machine can't do ----
result = record("branches.data", "-b", status=1)
check("branches" in result.stderr and not os.path.exists("branches.data"),
      "-b is refused with a reason and leaves no file", result.stderr)
check(run_perf("record", "-b", "-e", "cpu-clock", "-o", "x.data", "true").returncode != 0,
      "perf refuses it too")

# ---- the header, against perf's own ----
record("ours.data", "-e", "cpu-clock,sched:sched_switch")
run_perf("record", "-q", "-k", "mono", "-e", "cpu-clock,sched:sched_switch", "-o", "theirs.data", *CHAIN)
ours, theirs = PerfFile("ours.data").features(), PerfFile("theirs.data").features()
for feature in ("HOSTNAME", "OSRELEASE", "ARCH", "NRCPUS", "CPUDESC", "CPUID", "TOTAL_MEM",
                "CPU_TOPOLOGY", "CACHE", "MEM_TOPOLOGY", "CLOCKID"):
    check(ours.get(feature) == theirs.get(feature), f"{feature} is the same as perf's",
          ours.get(feature), theirs.get(feature))
for feature in ("VERSION", "CMDLINE", "EVENT_DESC", "NUMA_TOPOLOGY", "PMU_MAPPINGS", "SAMPLE_TIME",
                "CLOCK_DATA", "BUILD_ID", "TRACING_DATA"):
    check(feature in ours, f"{feature} is there")
check(texts(ours["CMDLINE"])[1:3] == ["record", "-e"], "CMDLINE is the command line",
      texts(ours["CMDLINE"]))
formats = ours["TRACING_DATA"].find(b"name: sched_switch")
check(ours["TRACING_DATA"][:formats + 1000] == theirs["TRACING_DATA"][:formats + 1000],
      "the tracepoint's format is the same as perf's")
check("BRANCH_STACK" not in ours and "COMPRESSED" not in ours and "GROUP_DESC" not in ours,
      "no feature that there is nothing to say for")
check("COMPRESSED" in PerfFile("mode7.data").features(), "COMPRESSED with -z")
check("GROUP_DESC" in PerfFile("group.data").features(), "GROUP_DESC with a group")

# ---- the fields, against perf's own ----
FIELDS = [["-F", "997"], ["-F", "997", "-g"], ["-F", "997", "-a"], ["-c", "100000"],
          ["-F", "997", "-a", "-g"], ["-F", "997", "-d"], ["-F", "997", "--sample-cpu"]]
for flags in FIELDS:
    flags = [*flags, "-e", "cpu-clock"]
    record("ours.data", *flags)
    run_perf("record", "-q", *flags, "-o", "theirs.data", *CHAIN)
    kinds = [set(re.search(r"cpu-clock:.*?sample_type: (\S+),",
                           run_perf("evlist", "-v", "-i", name).stdout).group(1).split("|"))
             - {"ID", "IDENTIFIER"} for name in ("ours.data", "theirs.data")]
    check(kinds[0] == kinds[1], f"samples hold the fields of perf's: {' '.join(flags)}", *kinds)

# ---- -c on a tracepoint: of a program that makes always the same calls ----
CALLS = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=1000"]
every, tenth = (said(run([PERFOLIO, "record", "-e", "raw_syscalls:sys_enter", *period, "-o", "calls.data", "--",
                          *CALLS]))[0] for period in ([], ["-c", "10"]))
# Each CPU that it ran on keeps what is left of a period.
check(every > 2000 and every / 10 - os.cpu_count() - 1 <= tenth <= every / 10 + 1,
      f"-c 10 records a tenth of the hits ({tenth:,} of {every:,})")

done()
