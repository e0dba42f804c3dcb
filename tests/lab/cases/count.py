# SPDX-License-Identifier: Apache-2.0
"""
stat: plain counts, to the last instruction.
"""

from case import case

from .programs import forks, forks_parent, spin, threads, threads_main


@case("a loop", "perfolio stat -x, -e instructions:u,cycles:u spin 1000000")
def loop(judge):
    rows = judge.stat()
    judge.equal("instructions:u", spin(1000000), rows["instructions:u"].count)
    judge.equal("cycles:u", spin(1000000), rows["cycles:u"].count)
    judge.equal("share of the time", 100.0, rows["cycles:u"].share)
    judge.equal("instructions per cycle", 1.0, float(rows["instructions:u"].metric))


@case("the same under other names", """
perfolio stat -x, -e r08:u,armv8_pmuv3/inst_retired/u,armv8_pmuv3/event=0x8/u spin 1000000
perfolio stat -x, -e inst_retired:u,INST_RETIRED:u,instructions/name=mine/u spin 1000000""")
def names(judge):
    rows = judge.rows()
    judge.equal("events", 6, len(rows))
    for row in rows:
        judge.equal(row.event, spin(1000000), row.count)


@case("user and kernel", """
perfolio stat -x, -e instructions:u,instructions:k,instructions calls 10000""")
def split(judge):
    rows = judge.stat()
    user, kernel, both = (rows[name].count for name in
                          ("instructions:u", "instructions:k", "instructions"))
    judge.equal("instructions:u of 10,000 system calls", spin(10000), user)
    judge.equal("u and k make all", both, user + kernel)
    judge.between("instructions:k for each call", 100, 1000, kernel / 10000)


@case("inherited by children and threads", """
for options in '' --no-inherit; do
    echo "== forks $options" >&2
    perfolio stat $options -x, -e instructions:u forks 3 1000
    echo "== threads $options" >&2
    perfolio stat $options -x, -e instructions:u threads 3 1000 </dev/zero
done""")
def inherit(judge):
    for part, expected in (("forks ", forks(3, 1000)), ("threads ", threads(3, 1000)),
                           ("forks --no-inherit", forks_parent(3, 1000)),
                           ("threads --no-inherit", threads_main(3, 1000))):
        judge.equal(part.strip() + ": instructions:u", expected,
                    judge.stat(judge.part(part))["instructions:u"].count)


@case("an ordinary user", """
for level in 2 3; do
    echo $level >/proc/sys/kernel/perf_event_paranoid
    echo "== level $level" >&2
    su -s /bin/sh nobody -c 'perfolio stat -x, -e instructions spin 1000000'
done""")
def ordinary_user(judge):
    # At 2 the kernel's part is left out, and the name says so.
    rows = judge.stat(judge.part("level 2"))
    judge.equal("perf_event_paranoid 2: instructions:u", spin(1000000),
                rows["instructions:u"].count)
    judge.says("perf_event_paranoid 3, only Debian has it", "perf_event_paranoid",
               judge.part("level 3"))
    judge.equal("perf_event_paranoid 3: counts shown", 0, len(judge.rows(text=judge.part("level 3"))))
