# SPDX-License-Identifier: Apache-2.0
"""
What doctor says of a machine where nearly everything works: the lines that a host without a PMU,
without kprobes and with a refused function tracer never shows.  Debian's kernel also has a level 3
of perf_event_paranoid that upstream does not have.
"""

import json
import re

from case import case


def findings(text):
    return {finding["id"]: finding for finding in json.loads(text)["findings"]}


@case("doctor as root", """
echo "== json"; perfolio doctor --json
echo "== instances"; ls /sys/kernel/tracing/instances | wc -l""")
def doctor_as_root(judge):
    found = findings(judge.part("json"))
    for name in ("hardware-counters", "counter-sampling", "clock-sampling", "permission",
                 "cgroups", "tracepoints", "uprobes", "kprobes", "function-tracing", "bpf", "btf",
                 "kernel-symbols"):
        judge.equal(name, "ok", found[name]["state"])
    judge.equal("counters, the cycle counter included", "7", found["hardware-counters"]["what"])
    judge.says("CPU", "Cortex-A57", found["cpu"]["what"])
    judge.says("machine", "virtual, under QEMU", found["machine"]["what"])
    judge.says("function tracing", "works, with call graphs", found["function-tracing"]["what"])
    # arm64 loads such programs since 6.0 and can attach them since 6.4.
    linux = tuple(map(int, re.search(r"Linux (\d+)\.(\d+)", found["machine"]["what"]).groups()))
    judge.says("BPF programs at the entry of functions, Linux %d.%d" % linux,
               "work, also on entry" if linux >= (6, 4) else "work, but not on entry",
               found["bpf"]["what"])
    judge.equal("tracing instances left behind", "0", judge.part("instances").strip())


@case("doctor as an ordinary user", """
before=$(cat /proc/sys/kernel/perf_event_paranoid)
for level in 3 2 1 0; do
    echo $level >/proc/sys/kernel/perf_event_paranoid
    echo "== $level"; su nobody -c 'perfolio doctor --json'
    status=$?
    echo "== exit at $level" >&2; echo $status >&2
done
mount -o remount,gid=65534,mode=750 /sys/kernel/tracing
echo "== tracefs"; su nobody -c 'perfolio doctor --json'
mount -o remount,gid=0,mode=700 /sys/kernel/tracing
echo $before >/proc/sys/kernel/perf_event_paranoid""")
def doctor_as_user(judge):
    for level, status, reach in ((3, "1", "may measure nothing"),
                                 (2, "0", "without the kernel's part"),
                                 (1, "0", "no whole CPUs"),
                                 (0, "0", "the kernel and whole CPUs")):
        found = findings(judge.part(str(level)))
        judge.says("level %d" % level, reach, found["permission"]["what"])
        judge.equal("level %d: exit status" % level, status,
                    judge.part("exit at %d" % level).strip())
    judge.equal("tracepoints", "missing", found["tracepoints"]["state"])
    found = findings(judge.part("tracefs"))
    judge.says("tracepoints after the remedy", "can be counted", found["tracepoints"]["meaning"])
