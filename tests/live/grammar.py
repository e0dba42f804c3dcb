# SPDX-License-Identifier: Apache-2.0
"""The event grammar against perf's: both open the same text, and strace shows what they ask for."""
import glob
import os
import re
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, run

FIELDS = ["type", "config", "config1", "config2", "exclude_user", "exclude_kernel", "exclude_hv",
          "exclude_idle", "exclude_host", "exclude_guest", "precise_ip", "pinned", "exclusive",
          "bp_type", "bp_addr", "bp_len"]

TEXTS = """cycles cpu-cycles:u cycles:k cycles:h cycles:uk cycles:G cycles:H cycles:GH cycles:uGH
cycles:I cycles:D cycles:e instructions:p instructions:pp instructions:ppp instructions:upp
cycles:Gp branches idle-cycles-frontend stalled-cycles-backend ref-cycles bus-cycles
cs faults:u migrations minor-faults major-faults:k alignment-faults emulation-faults dummy:u
cgroup-switches task-clock:u cpu-clock:k
L1-dcache L1-dcache-loads L1-dcache-load-misses l1d-misses-read l1-d-write-miss LLC-prefetches
L1-icache-speculative-load iTLB-loads branch-load-misses bpu-misses node-stores L2-refs
r1a8 r53003c:u 1:2 4:0x1a8 mem:0x1000/8:rw mem:0x1000:x mem:0x2000/1:w:u mem:4096/2
msr/tsc/ tsc msr/event=0/ msr/config=0/ msr/r0/ msr/tsc,name=x/
cycles/config1=7,name=y/u faults//u faults/name=z/k sched:sched_switch sched:sched_switch:k
sched:sched_sw* {cycles,faults}:u {cs:u,faults}:k {faults,cs:k}:D g{cs,faults}
breakpoint/config=0/""".split()

WRONG = """cs, ,cs cs,,cs cs:uu cs:pppp cs:z foo {cs}} msr/tsc msr/nothing/ msr/tsc=x/ sched:nothing
CS cycles/bogus=1/ mem:x {} msr/event=1,/""".split()


def opened(command):
    """The attrs of every perf_event_open, as strace decodes them, in order."""
    calls = []
    # Leaks are looked for with ptrace, which strace has taken.
    options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    with tempfile.TemporaryDirectory() as folder:
        # A file a process: in one, calls of two processes would break each other's lines.
        run(["strace", "-ff", "-v", "-o", os.path.join(folder, "t"), "-e", "trace=perf_event_open",
             *command], env={**os.environ, "ASAN_OPTIONS": options})
        for path in sorted(glob.glob(os.path.join(folder, "t.*"))):
            with open(path, encoding="ascii", errors="replace") as file:
                for call in re.findall(r"perf_event_open\(\{(.*?)\}, -?\d+,", file.read()):
                    fields = dict(re.findall(r"(\w+)=([^,{}]*?)(?= /\*|[,}]|$)", call))
                    calls.append(tuple(fields.get(name, "0") for name in FIELDS))
    return calls


def first_tries(calls):
    """One a kind of event: where the kernel refuses, both try again with less."""
    tries = {}
    for attr in calls:
        tries.setdefault((attr[0], attr[1]), attr)
    return tries


def shown(attr):
    return ", ".join(f"{n} {a}" for n, a in zip(FIELDS, attr) if a != "0")


def main():
    need_program("perf")
    need_program("strace")
    need_root()
    for text in TEXTS:
        ours = first_tries(opened([PERFOLIO, "stat", "-e", text, "true"]))
        perfs = opened(["perf", "stat", "-e", text, "true"])
        # Of a group whose leader is not supported perf opens the leader only.
        both = [key for key in ours if key in first_tries(perfs)]
        check(both and all(ours[key] in perfs for key in both), f"{text} opens what perf opens",
              *[shown(attr) for attr in ours.values()], "perf:", *[shown(attr) for attr in perfs])
    for text in WRONG:
        ours = run([PERFOLIO, "stat", "-e", text, "true"])
        perfs = run(["perf", "stat", "-e", text, "true"])
        check(ours.returncode == 2 and "^" in ours.stderr and perfs.returncode,
              f"{text} is refused, as perf refuses it", ours.stderr, perfs.stderr)
    done()


main()
