# SPDX-License-Identifier: Apache-2.0
"""
list: what can be measured, on a machine where that is known.
"""

import json
import re

from case import case


@case("list: what opens", "perfolio list --json hw cache pmu sw")
def list_opens(judge):
    events = json.loads(judge.out)["events"]
    opens = {event["name"] for event in events if event.get("openable")}
    hardware = {event["name"] for event in events if event["kind"] in ("hw", "cache")}
    judge.equal("hardware and cache events that open", "cpu-cycles, instructions",
                ", ".join(sorted(opens & hardware)))
    errors = {event["errno"] for event in events if event["name"] in hardware - opens}
    judge.equal("the others' errors", "ENOENT", ", ".join(sorted(errors)))
    judge.equal("the PMU's own events", "armv8_pmuv3/cpu_cycles/, armv8_pmuv3/inst_retired/",
                ", ".join(sorted(name for name in opens if "/" in name)))
    judge.holds("software events that open", "faults among them",
                len([event for event in events if event["kind"] == "sw" and event["name"] in opens]),
                "page-faults" in opens)


@case("list: every tracepoint", """
perfolio list --json tracepoint
echo
echo == tracefs
cd /sys/kernel/tracing/events
for format in */*/format; do echo "$format"; done""")
def list_tracepoints(judge):
    ours = {event["name"] for event in json.loads(judge.out.partition("== ")[0])["events"]}
    kernels = {":".join(path.split("/")[:2]) for path in judge.part("tracefs").split()}
    kernels -= {name for name in kernels if name.startswith("ftrace:")}
    judge.equal("tracepoints", len(kernels), len(ours & kernels))


@case("list beside perf", """
perfolio list --json
echo
echo == perf
perf list --no-desc hw sw cache tracepoint""", boot="rich", short=False)
def list_twin(judge):
    ours = set()
    for event in json.loads(judge.out.partition("\n== ")[0])["events"]:
        ours |= {event["name"], event.get("alias")}
    theirs = set()
    for line in judge.part("perf").splitlines():
        entry = re.match(r"  (\S.*?) +\[(Hardware|Software|Tracepoint)", line)
        if entry:
            theirs |= set(entry[1].split(" OR "))
    missing = sorted(theirs - ours)
    judge.holds("names of perf list", "all of %d" % len(theirs),
                "%d%s" % (len(theirs) - len(missing), " without " + ", ".join(missing[:5])
                          if missing else ""),
                theirs and not missing)
