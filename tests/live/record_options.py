#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Options of `record` mean what they mean to perf: the attributes in the file are the same."""
import os
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, run, run_perf

need_program("perf")
need_root()
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-options-")
os.chdir(SCRATCH.name)
os.environ["HOME"] = SCRATCH.name

# By design in ours: one clock for everything, build-ids and namespaces always, the event that only
# tracks is part of the first one, ids are IDENTIFIER or none.  disabled and enable_on_exec tell how
# it was begun.
OURS = {"use_clockid: 1", "clockid: 1", "build_id: 1", "namespaces: 1", "bpf_event: 1", "comm: 1", "comm_exec: 1",
        "ksymbol: 1", "mmap: 1", "mmap2: 1", "task: 1"}
PERFS = {"disabled: 1", "enable_on_exec: 1"}
CASES = """-c 100000|-g|-s|-d|-W|--switch-events|-i|-a|-k raw|-k realtime|-I|--user-regs=sp|-D 1|--overwrite
-e {cpu-clock,task-clock}:S"""
if os.environ.get("PERFOLIO_LONG"):
    CASES += """|-F 99|-P|-R|--phys-data|--sample-cpu|--all-kernel|-C 0|--user-callchains -g|--kernel-callchains -g
-k CLOCK_BOOTTIME|--intr-regs=sp|--data-page-size|--code-page-size|--all-cgroups
-e sched:sched_switch --filter prev_pid!=0|-e page-faults -c 3"""


def attributes(name):
    """By event, the words of `perf evlist -v`; ids aside."""
    found = {}
    for line in run_perf("evlist", "-v", "-i", name).stdout.splitlines():
        event, colon, words = line.partition(": ")
        if colon and not line.startswith("#") and not event.startswith("dummy"):
            words = words.replace("|IDENTIFIER", "").replace("|ID", "").split(", ")
            found[event] = {word for word in words if word}
    return found


for case in CASES.replace("\n", "|").split("|"):
    words = case.split() if "-e" in case.split() else ["-e", "cpu-clock", *case.split()]
    perf = run_perf("record", "-q", "-N", *words, "-o", "perf.out", "--", "true")
    ours = run([PERFOLIO, "record", "-q", *words, "-o", "ours.out", "--", "true"])
    if perf.returncode:
        check(ours.returncode != 0, f"{case}: refused, as by perf", perf.stderr, ours.stderr)
        continue
    theirs, mine = attributes("perf.out"), attributes("ours.out")
    wrong = {event: (sorted(theirs.get(event, set()) - mine.get(event, set()) - PERFS),
                     sorted(mine.get(event, set()) - theirs.get(event, set()) - OURS))
             for event in theirs.keys() | mine.keys()}
    check(ours.returncode == 0 and theirs and not any(a or b for a, b in wrong.values()),
          f"{case}: the attributes are perf's", wrong, ours.stderr)

for words in (["-b"], ["-j", "any_call,u"]):
    ours = run([PERFOLIO, "record", "-e", "cpu-clock", *words, "-o", "x", "--", "true"])
    check(ours.returncode == 1 and "branches can't be recorded" in ours.stderr and not os.path.exists("x"),
          f"{' '.join(words)} on a clock is refused with the reason", ours.stderr)
for words in (["-k", "sundial"], ["--user-regs=nothing"], ["--switch-output=7x"]):
    ours = run([PERFOLIO, "record", *words, "--", "true"])
    check(ours.returncode == 2 and "it takes" in ours.stderr or "is no register" in ours.stderr,
          f"{' '.join(words)} is refused", ours.stderr)
done()
