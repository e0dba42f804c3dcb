# SPDX-License-Identifier: Apache-2.0
"""
The machine before perfolio: the emulated PMU as bare system calls see it, and the unit tests as
arm64 programs.
"""

import re

from case import case

from .programs import forks, spin, threads


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


# The server's are left out but for control groups, of which only the guest has version 2 with its
# controllers: the guest has neither its libraries nor the users that it becomes.
@case("unit tests", """
for test in /bin/unit-*; do
    case $test in *-jobs | *-server) continue ;; esac
    echo "== ${test#/bin/}"
    $test
done
echo "== unit-jobs, control groups"
unit-jobs 'jobgroup_*'""", boot="rich", short=False)
def unit_tests(judge):
    for part in judge.out.split("== ")[1:]:
        name, _, tap = part.partition("\n")
        planned = re.search(r"^1\.\.(\d+)$", tap, re.M)
        passed = len(re.findall(r"^ok ", tap, re.M))
        judge.equal(name + ": passed", int(planned[1]) if planned else "a plan", passed)
    judge.equal("control groups that could not be tried", 0, judge.out.count("# no control groups"))
