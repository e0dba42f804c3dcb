# SPDX-License-Identifier: Apache-2.0
"""
stat: intervals, repeated runs, threads and processes that run already, the whole system.
"""

import re

from case import case

from .programs import MAIN_AFTER_GATE, spin, thread_after_gate


@case("-I 10 over 100 ms", "perfolio stat -I 10 -x, -e instructions:u,cycles:u spin 25000000")
def interval(judge):
    rows = [row for row in judge.rows(before=1) if row.event == "instructions:u"]
    times = [float(row.before[0]) for row in rows]
    judge.equal("intervals", 11, len(rows))
    judge.equal("instructions:u of all", spin(25000000), sum(row.count for row in rows))
    judge.near("instructions:u of the 5th", 10e6, rows[4].count, 1)
    # The scheduler may keep stat waiting once; what is late must not stay late.
    late = [1000 * time - 10 * (i + 1) for i, time in enumerate(times[:10])]
    judge.between("ticks more than 0.5 ms late", 0, 1, sum(ms > 0.5 for ms in late))
    judge.between("drift at the end, ms", 0.0, 0.5, min(late[-2:]))


@case("-r 5", "perfolio stat -r 5 -e instructions:u,cycles:u,task-clock spin 1000000; "
      "perfolio stat -x, -r 5 -e instructions:u,cycles:u,task-clock spin 1000000")
def repeat(judge):
    rows = [line.split(",") for line in judge.err.splitlines() if line.count(",") > 4]
    counts = {cells[2]: cells for cells in rows}
    judge.equal("instructions:u, mean", str(spin(1000000)), counts["instructions:u"][0])
    judge.equal("instructions:u, spread", "0.00%", counts["instructions:u"][3])
    spread = float(counts["task-clock"][3].rstrip("%"))
    judge.between("task-clock, spread in %", 0.0, 1.0, spread)
    judge.says("the number of runs", "(5 runs)", judge.err)


# Threads wait at the fifo until stat watches them; the fifo is opened for both directions, for
# otherwise the shell would wait there for them before they are threads.
GATED = """
mkfifo gate
exec 3<>gate
threads 3 100000 <&3 &
sleep 1
"""


@case("--per-thread of a running process", GATED + """
perfolio stat --per-thread -x, -e instructions:u -p $! -- sh -c 'printf 1234 >gate; sleep 1'
wait""")
def per_thread(judge):
    rows = judge.rows(before=1)
    counts = sorted(row.count for row in rows)
    judge.equal("rows", 4, len(rows))
    for i, count in enumerate(counts[1:], 1):
        # The first instruction after the gate's system call to the last one: without the way there.
        judge.equal("thread of %d turns" % (100000 * i), thread_after_gate(100000 * i), count)
    judge.equal("rows that name their thread", 4,
                sum(bool(re.match(r"threads-\d+$", row.before[0])) for row in rows))


@case("a running process as a whole", GATED + """
perfolio stat -x, -e instructions:u -p $! -- sh -c 'printf 1234 >gate; sleep 1'
wait""")
def attach(judge):
    judge.equal("instructions:u", sum(thread_after_gate(100000 * i) for i in (1, 2, 3)) +
                MAIN_AFTER_GATE, judge.stat()["instructions:u"].count)


@case("the whole system, one second", "perfolio stat -a -x, -e cycles,task-clock,instructions sleep 1")
def system_wide(judge):
    rows = judge.stat()
    judge.near("cycles", 1e9, rows["cycles"].count, 0.5)
    judge.near("task-clock, ms", 1000.0, rows["task-clock"].count, 0.5)
    judge.between("instructions of an idle machine", 1e5, 1e7, rows["instructions"].count)


@case("--control: the second of two processes, counted", """
mkfifo first second control answer
exec 3<>first 4<>second 5<>control 6<>answer
threads 1 100000 <&3 & one=$!
threads 1 200000 <&4 & two=$!
sleep 1
perfolio stat -D -1 --control fifo:control,answer -x, -e instructions:u -p $one,$two -- sleep 3 &
sleep 1
printf 12 >&3           # counting is off
sleep 0.5
echo enable >&5; read -r word <&6; echo "$word"
printf 12 >&4
sleep 0.5
echo disable >&5; read -r word <&6; echo "$word"
wait""")
def control(judge):
    judge.equal("answers", "ack ack", " ".join(judge.out.split()))
    judge.equal("instructions:u", thread_after_gate(200000) + MAIN_AFTER_GATE,
                judge.stat()["instructions:u"].count)


@case("-D 40 of 100 ms", "perfolio stat -D 40 -x, -e instructions:u spin 25000000")
def delay(judge):
    judge.near("instructions:u", 60e6, judge.stat()["instructions:u"].count, 2)


@case("--timeout 50 of 100 ms", "perfolio stat --timeout 50 -x, -e instructions:u spin 25000000")
def timeout(judge):
    judge.near("instructions:u", 50e6, judge.stat()["instructions:u"].count, 2)
