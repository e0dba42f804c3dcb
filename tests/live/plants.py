#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of programs that know the truth about themselves (tests/programs/plants.c).

    tests/live/plants.py            some of them, quickly: what `make test` runs
    tests/live/plants.py --long     all of them, on the machine as it is and beside 4 busy processes

No sentence may be wrong, what is said as sure must be true, the parts of the time add up to 100 %, and waiting for a CPU
is what the kernel has counted for the program itself.  A machine has other things to do, and then a program that would
run waits for a CPU: that is the truth then, and the kernel's own count of it says when.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

import lib
import server

CPU = r"It was limited by the CPU"
WAITS = r"It mostly waited, neither for a CPU nor for the disk: for \d+ %"
TURNS = r"Its threads mostly waited, neither for a CPU nor for the disk|Its threads took turns: they stopped to wait"
DISK = r"It was limited by the disk"
CALLS = r"It was limited by system calls|Mostly kernel time, probably system calls"
FAULTS = r"It was limited by page faults|Mostly kernel time, probably page faults"
SHORT = r"It started many short processes"
QUEUE = r"It mostly waited for a CPU|Its threads mostly waited for a CPU"


class Plant:
    """`says`: what the sentence is by itself, one for each rule that is right; `quick`: also in the short form."""

    def __init__(self, name, says, ms=1200, quick=False, names=None, never=None, begins="", **form):
        self.name, self.says, self.ms, self.quick = name, says, ms, quick
        self.names, self.never, self.begins, self.form = names, never, begins, form


# A page fault more or less is a system call or the kernel's own work: where two are right, both are given.
PLANTS = [
    Plant("spin", {"cpu-bound": CPU}, quick=True, names="spin"),
    Plant("spin", {"cpu-bound": CPU}, ms=50, quick=True),
    Plant("flat", {"cpu-bound": CPU}, ms=2500, quick=True, never="spread_"),
    Plant("calls", {"system-calls": CALLS}),
    Plant("faults", {"page-faults": FAULTS}),
    Plant("bandwidth", {"cpu-bound": CPU}),
    Plant("nice", {"cpu-bound": CPU}, names="spin"),
    Plant("threads", {"cpu-bound": CPU}, names="spin"),
    Plant("pool", {"cpu-bound": CPU}, quick=True, names="spin"),
    Plant("idlepool", {"waiting": WAITS}),
    Plant("locks", {"taking-turns": TURNS}, quick=True, never="`critical` alone|`spin` alone"),
    Plant("turns", {"taking-turns": TURNS, "waiting": WAITS}),
    Plant("sleeps", {"waiting": WAITS}, quick=True),
    Plant("sleepwork", {"waiting": WAITS}, ms=3000, quick=True),
    Plant("timers", {"waiting": WAITS}),
    Plant("poll", {"waiting": WAITS}),
    Plant("socketidle", {"waiting": WAITS}),
    Plant("pipes", {"taking-turns": TURNS, "waiting": WAITS}),
    Plant("sockets", {"taking-turns": TURNS, "waiting": WAITS}, never="_raw_spin_unlock_irqrestore"),
    Plant("fsync", {"disk": DISK}, quick=True),
    Plant("direct", {"disk": DISK}, quick=True),
    Plant("dsync", {"disk": DISK}),
    Plant("osync", {"disk": DISK}),
    Plant("directread", {"disk": DISK}),
    Plant("coldmap", {"disk": DISK}),
    Plant("processes", {"short-processes": SHORT}),
    Plant("forks", {"short-processes": SHORT}),
    Plant("children", {"cpu-bound": CPU}, ms=2000, names="spin"),
    Plant("twoonone", {"cpu-bound": CPU}, names="spin"),
    Plant("segfault", {"failed": CPU}, quick=True, begins=r"It ended with signal 11 \(Segmentation fault\) after \S+ \S+?(; its output may say why)?\. "),
    Plant("status", {"failed": CPU}, begins=r"It ended with exit status 3 after \S+ \S+?(; its output may say why)?\. "),
    Plant("forever", {"cpu-bound": CPU}, begins=r"It was ended after .*, its time limit\. ", limit_s=1),
    Plant("childrenforever", {"cpu-bound": CPU}, quick=True, begins=r"It was ended after .*, its time limit\. ", limit_s=1),
    Plant("forever", {"cpu-bound": CPU}, begins=r"It was stopped after \S+ \S+\. ", stop=True),
]


class Told:
    """A run that has ended, and what is said of it."""

    def __init__(self, site, session, plant, folder):
        argv = [lib.program("plants"), plant.name, str(plant.ms), os.path.join(folder, plant.name)]
        form = {"tool": "both", "target": {"kind": "command", "argv": argv}, "interval_ms": 100, **plant.form}
        stop = form.pop("stop", False)
        ident = site.run(session, form)
        if stop:
            site.wait(ident, ("running",) + server.ENDED)
            time.sleep(1)
            site.post(f"/runs/{ident}/cancel")
        self.run = site.wait(ident)
        self.overview = site.get(f"/runs/{ident}/overview")
        self.summary = site.get(f"/runs/{ident}/summary")
        self.sentence, self.sure = self.overview["sentence"], self.overview["sure"]
        self.rule = self.overview["findings"][0]["rule"]
        self.budget = self.overview.get("budget") or {}  # 0.1.0 has none
        self.run_parts = {part["name"]: part["percent"] for part in self.budget.get("run", [])}
        self.truth = self.read_truth(site, ident)

    def read_truth(self, site, ident):
        try:
            pieces = site.get(f"/runs/{ident}/output")["pieces"]
        except server.Refused:
            return None
        found = re.search(r"truth (\d+) (\d+) (\d+)", "".join(piece["text"] for piece in pieces))
        return [int(number) for number in found.groups()] if found else None

    def main_thread(self):
        rows = [row for row in self.budget["threads"] if row["tid"] and row["tid"] == row["pid"]]
        return min(rows, key=lambda row: row["tid"]) if rows else None

    def queue_is_most(self):
        """By the program's own schedstat where that is the only thread; else by the budget, whose figures are checked
        against those."""
        if self.truth and self.budget.get("thread_count") == 1:
            wall, ran, queued = self.truth
            return queued >= 0.9 * max(ran, wall - ran - queued)
        parts = self.run_parts
        work = next((one["value"] for one in self.overview["findings"][0]["evidence"]
                     if one["name"] == "waiting for a CPU, of who worked"), 0)
        return bool(parts) and (parts["cpu-queue"] >= max(parts.values()) or work > 30)


def check_sums(plant, told):
    sums = [sum(told.run_parts.values()), sum(part["percent"] for part in told.budget.get("all_threads", []))]
    sums += [sum(row["percent"].values()) for row in told.budget.get("threads", []) if int(row["life_ns"])]
    lib.check(len(sums) > 2 and all(abs(one - 100) < 0.01 for one in sums), f"{plant.name}: the parts are 100 %", sums)
    lib.check(told.budget.get("source") == "scheduler" and told.budget["complete"], f"{plant.name}: by the kernel's count",
              told.budget)
    wall = (int(told.run["ended_ns"]) - int(told.run["started_ns"])) / 1e9
    whole = sum(int(part["ns"]) for part in told.budget.get("run", [])) / 1e9
    # what outlives the program is ended by the supervisor, when it comes to it
    lib.check(abs(wall - whole) <= 0.02 * wall + 0.02 or (plant.name == "childrenforever" and whole >= wall),
              f"{plant.name}: of the time from start to end", wall, whole)


def is_as_schedstat(told):
    """The kernel's count for the thread itself, up to shortly before its end.  (It takes a thread that sleeps for one
    that waits when it moves its queue's place to another CPU, as kernels since 6.12 do: such a run is made again.)"""
    row = told.main_thread() if told.truth and told.budget else None
    if not row or told.budget["thread_count"] > 1:
        return True
    wall, ran, queued = told.truth
    rest = max(0, int(row["life_ns"]) - wall)  # before its main function and behind it
    near = lambda mine, its: abs(mine - its) <= 0.05 * its + 0.03 * wall + 1e7 + rest
    return near(int(row["ns"]["cpu-queue"]), queued) and near(int(row["ns"]["ran"]), ran)


def is_right(plant, told):
    """Whether the sentence is true, and whether it says more than nothing."""
    sentence = re.sub("^" + plant.begins, "", told.sentence) if plant.begins else told.sentence
    if plant.begins and sentence == told.sentence:
        return False, False  # how it ended does not come first
    if plant.never and re.search(plant.never, told.sentence):
        return False, False
    words = plant.says.get(told.rule)
    if words and re.match(words, sentence):
        # who stands out so far is named
        return True, not plant.names or f"`{plant.names}`" in sentence or told.summary["samples"] < 60
    if re.match(QUEUE, sentence):
        return told.queue_is_most(), True
    if told.rule == "mixed":  # where no part is larger than another by more than two points
        most = sorted(told.run_parts.values())[-2:]
        return most[1] < 50 and most[1] - most[0] < 2, True
    return not told.sure and told.rule in ("too-little", "off-cpu"), False


def check_one(site, session, folder, plant, load):
    for _ in range(3):
        told = Told(site, session, plant, folder)
        if is_as_schedstat(told):
            break
    lib.check(is_as_schedstat(told), f"{plant.name}: ran and waited for a CPU as its own schedstat has it", told.truth,
              told.budget.get("threads"))
    true, specific = is_right(plant, told)
    print(f"# {plant.name:16}{'loaded ' if load else ''}{'sure ' if told.sure else '     '}{told.sentence}")
    lib.check(true, f"{plant.name}{' beside others' if load else ''}: nothing wrong is said", told.sentence,
              told.run_parts, told.truth, told.budget.get("all_threads"))
    check_sums(plant, told)
    if plant.name == "childrenforever":  # P1: their time is not lost with them
        cpu = int(told.summary["cpu_ns"] or 0)
        ran = sum(int(row["ns"]["ran"]) for row in told.budget.get("threads", []))
        # what a hypervisor takes is running by the clock, and not in the group's account
        lib.check(cpu > 5e7 and 0.5 * ran <= cpu <= 1.1 * ran, "children that are killed: their CPU time is there", cpu, ran)
    if plant.ms == 50:  # U10: its end is its own, not that of its analysis
        wall = int(told.run["ended_ns"]) - int(told.run["started_ns"])
        queued = sum(int(row["ns"]["cpu-queue"]) for row in told.budget.get("threads", []))
        # what it waited before its main() is in its schedstat, not in its own time
        lib.check(told.truth and wall <= max(told.truth[0], told.truth[1] + told.truth[2]) + 2e7 +
                  max(0, queued - told.truth[2]),
                  "50 ms: the run is as long as the program", wall, told.truth)
    return true, specific, told.sure


def check_all(site, plants, load):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chmod(folder, 0o777)
        session = site.session("plants")
        kinds = {os.stat(folder).st_dev: subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True,
                                                         check=False).stdout.strip()}
        if "tmpfs" in kinds.values():  # nothing waits for a disk there
            plants = [plant for plant in plants if "disk" not in plant.says]
        return [check_one(site, session, folder, plant, load) for plant in plants]


def sum_up(results, load):
    wrong = sum(not true for true, _, _ in results)
    good = sum(true and specific for true, specific, _ in results)
    sure = sum(sure for _, _, sure in results)
    print(f"# {'beside 4 busy processes' if load else 'as the machine is'}: {len(results)} programs, {wrong} wrong, "
          f"{good} right and specific, {sure} sure")
    lib.check(good >= len(results) * 20 // 24, "most are told specifically", good, len(results))


def main():
    lib.need_root()
    long = "--long" in sys.argv
    only = [word for word in sys.argv[1:] if not word.startswith("-")]
    plants = [plant for plant in PLANTS if plant.name in only] if only else PLANTS if long else [
        plant for plant in PLANTS if plant.quick]
    with server.Server() as site:
        sum_up(check_all(site, plants, False), False)
        if long:
            busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(4)]
            try:
                sum_up(check_all(site, plants, True), True)
            finally:
                for one in busy:
                    one.kill()
                    one.wait()
    lib.done()


main()
