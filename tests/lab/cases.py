# SPDX-License-Identifier: Apache-2.0
"""
What the guest runs and what must come out.

The programs' counts are known by hand: each has them at the head of its source in guest/.
"""

from case import case

# The guests, and QEMU's -icount shift of each: one instruction takes 1 cycle, or 2.
BOOTS = {"even": 0, "slow": 1}


def digits(*numbers):
    return sum(len(str(number)) for number in numbers)


def spin(turns):
    return 8 + 5 * digits(turns) + 4 * turns


def forks(n, turns):
    parent = 21 + 5 * digits(n, turns) + 18 * n
    return parent + sum(5 + 4 * turns * i for i in range(1, n + 1))


def thread(turns):
    return 10 + 4 * turns


def threads(n, turns):
    main = 18 + 5 * digits(n, turns) + 10 * n
    return main + sum(thread(turns * i) for i in range(1, n + 1))


# ---- the lab itself ----------------------------------------------------------------------------

@case("bare system calls", """
for program in 'spin 1000000' 'calls 10000' 'forks 3 1000' 'threads 3 1000'; do
    echo "== $program"
    witness $program </dev/zero
done""")
def witness(judge):
    for program, expected in (("spin 1000000", spin(1000000)), ("calls 10000", spin(10000)),
                              ("forks 3 1000", forks(3, 1000)),
                              ("threads 3 1000", threads(3, 1000))):
        count = dict(line.split() for line in judge.part(program).split("\n") if line)
        judge.equal(program + ": instructions:u", expected, int(count["instructions:u"]))
        judge.equal(program + ": cycles:u", expected, int(count["cycles:u"]))
        judge.equal(program + ": u and k make all", int(count["instructions"]),
                    int(count["instructions:u"]) + int(count["instructions:k"]))
