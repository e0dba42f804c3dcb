# SPDX-License-Identifier: Apache-2.0
"""A recording as perf prints it, made by rule: two events, two processes with three threads, two CPUs, six seconds."""

STACKS = [
    ["main", "parse", "read_word"],
    ["main", "parse", "malloc"],
    ["main", "work", "malloc", "brk_more"],
    ["main", "work", "sort", "sort", "compare"],
    ["main", "work", "sort", "compare"],
    ["main", "work", "sort"],
    ["loop", "std::map<int, std::vector<char>>::find(int const&)", "work"],
]
THREADS = [("prog", 70, 70), ("prog", 70, 71), ("helper", 80, 80)]
START = 100.0


def samples():
    """(time in seconds, comm, pid, tid, cpu, event, period, stack outermost first); none from 2.5 to 3 s."""
    made = []
    for i in range(1200):
        at = i * 0.005
        if 2.5 <= at < 3:
            continue
        comm, pid, tid = THREADS[i % 7 % 3]
        stack = STACKS[(i * 5 + i // 100) % len(STACKS)] if comm == "prog" else STACKS[6]
        made.append((START + at, comm, pid, tid, i % 2, "cycles", 1000 + i % 3, stack))
        if i % 4 == 0:
            made.append((START + at + 0.001, comm, pid, tid, i % 2, "page-faults", 1, ["main", "toucher"]))
    return made


def script():
    lines = []
    for time, comm, pid, tid, cpu, event, period, stack in samples():
        lines.append(f"{comm} {pid}/{tid} [{cpu:03d}] {time:.6f}: {period} {event}:")
        for name in reversed(stack):
            lines.append(f"\t{0x400000 + (sum(map(ord, name)) % 4096):x} {name}+0x10 (/usr/bin/{comm})")
        lines.append("")
    return "\n".join(lines) + "\n"
