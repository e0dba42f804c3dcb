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
TURNS = r"Its threads (mostly waited|waited more than they ran), neither for a CPU nor for the disk|Its threads stopped to wait [\d,]+ times a second"
DISK = r"It was limited by the disk|It waited for the disk for \d+ % of its .*, the largest part"
CALLS = r"It was limited by system calls|Mostly kernel time, (probably system calls|system calls or page faults)"
FAULTS = r"It was limited by page faults|Mostly kernel time, probably page faults"
MIXED = r"No single thing limited it: of its \S+ \S+ it ran for"
SHORT = r"It started (at least )?[\d,]+ processes, most of them short"
FUTEX, SLEEP, EVENTS, INPUT = r"\(futex\)", r"\(sleep\)", r"\(poll, select or epoll\)", r"\(read or receive\)"
STARTED = r"It mostly waited, not for a CPU: for \d+ %% of its .*, for I/O that it had started \(%s\); whether that was the disk's"
OWN = r"other threads of its own had the CPUs"


class Plant:
    """`says`: what the sentence is by itself, one for each rule that is right; `tells`: what it names then;
    `quick`: also in the short form."""

    def __init__(self, name, says, ms=1200, quick=False, names=None, tells=None, never=None, begins="", **form):
        self.name, self.says, self.ms, self.quick = name, says, ms, quick
        self.names, self.tells, self.never, self.begins, self.form = names, tells, never, begins, form


SIGNAL = r"It ended with signal %s after \S+ \S+?(; its output may say why)?\. "
# A page fault more or less is a system call or the kernel's own work: where two are right, both are given.
PLANTS = [
    Plant("spin", {"cpu-bound": CPU}, quick=True, names="spin"),
    Plant("spin", {"cpu-bound": CPU}, ms=50, quick=True),
    Plant("flat", {"cpu-bound": CPU}, ms=2500, quick=True, never="spread_"),
    Plant("calls", {"system-calls": CALLS}),
    Plant("faults", {"page-faults": FAULTS}),
    Plant("bandwidth", {"cpu-bound": CPU}),
    Plant("nice", {"cpu-bound": CPU}, names="spin"),
    Plant("nicethread", {"cpu-bound": CPU}, names="spin"),
    Plant("threads", {"cpu-bound": CPU}, names="spin", tells=OWN),
    Plant("pool", {"cpu-bound": CPU}, quick=True, names="spin"),
    Plant("oneofeight", {"cpu-bound": CPU}, names="spin"),
    Plant("idlepool", {"waiting": WAITS}),
    Plant("locks", {"taking-turns": TURNS}, quick=True, tells=FUTEX, never="limited by the CPU"),
    Plant("shortthreads", {"cpu-bound": CPU}, quick=True, names="critical|spin", never="mostly waited,"),
    Plant("manythreads", {"waiting": WAITS}, ms=800, quick=True, tells=SLEEP),
    Plant("hands", {"cpu-bound": CPU, "taking-turns": TURNS}, quick=True),
    Plant("turns", {"taking-turns": TURNS, "waiting": WAITS}, tells=FUTEX),
    Plant("sleeps", {"waiting": WAITS}, quick=True, tells=SLEEP),
    Plant("sleepwork", {"waiting": WAITS}, ms=3000, quick=True, tells=SLEEP),
    Plant("childsleeps", {"waiting": WAITS}, ms=2000, quick=True, tells=r"for time to pass " + SLEEP),
    Plant("sleepmix", {"waiting": WAITS}, tells=SLEEP),
    Plant("tie", {"mixed": MIXED}, quick=True, tells=SLEEP),
    Plant("stops", {"mixed": MIXED}, tells=r"it was stopped by a signal"),
    Plant("timers", {"waiting": WAITS}, tells=INPUT),
    Plant("poll", {"waiting": WAITS}, tells=EVENTS),
    Plant("epoll", {"waiting": WAITS}, tells=EVENTS),
    Plant("socketidle", {"waiting": WAITS}, tells=EVENTS),
    Plant("slowpipe", {"waiting": WAITS}, tells=SLEEP),
    Plant("pipes", {"taking-turns": TURNS, "waiting": WAITS}, tells=INPUT),
    Plant("sockets", {"taking-turns": TURNS, "waiting": WAITS}, tells=INPUT, never="_raw_spin_unlock_irqrestore"),
    Plant("fsync", {"disk": DISK}, quick=True),
    Plant("direct", {"disk": DISK}, quick=True),
    Plant("dsync", {"disk": DISK}),
    Plant("osync", {"disk": DISK}),
    Plant("directread", {"disk": DISK}),
    Plant("coldmap", {"disk": DISK}),
    Plant("aio", {"waiting": STARTED % "libaio"}, quick=True, never="nor for the disk"),
    Plant("uring", {"waiting": STARTED % "io_uring"}, quick=True, never="nor for the disk"),
    Plant("map", {"page-faults": FAULTS, "cpu-bound": CPU}),
    Plant("processes", {"short-processes": SHORT}),
    Plant("forks", {"short-processes": SHORT}),
    Plant("children", {"cpu-bound": CPU}, ms=2000, names="spin"),
    Plant("children200", {"cpu-bound": CPU}, names="spin"),
    Plant("twoonone", {"cpu-bound": CPU}, names="spin", tells=OWN),
    Plant("siblings", {"cpu-bound": CPU}, quick=True, names="spin", tells=OWN),
    Plant("segfault", {"failed": CPU}, quick=True, begins=SIGNAL % r"11 \(Segmentation fault\)"),
    Plant("abort", {"failed": CPU}, begins=SIGNAL % r"6 \(Aborted\)"),
    Plant("status", {"failed": CPU}, begins=r"It ended with exit status 3 after \S+ \S+?(; its output may say why)?\. "),
    Plant("forever", {"cpu-bound": CPU}, begins=r"It was ended at its time limit of 1 s, after \S+ \S+\. ", limit_s=1),
    Plant("childrenforever", {"cpu-bound": CPU}, quick=True, begins=r"It was ended at its time limit of 1 s, after \S+ \S+\. ", limit_s=1),
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
        self.work_parts = {part["name"]: part["percent"] for part in self.budget.get("busiest_threads", [])}
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

    def is_loaded(self):
        """Others had the CPUs for a good part of what the program would have run, by the kernel's count: its own where it
        is the only thread, else that of the budget, whose figures are checked against those."""
        if self.truth and self.budget.get("thread_count") == 1:
            wall, _, queued = self.truth
            return queued >= 0.05 * wall
        others = int((self.budget.get("queued_behind") or {}).get("others_ns", 0))
        whole = sum(int(part["ns"]) for part in self.budget.get("busiest_threads", []))
        return others >= 0.05 * whole or self.run_parts.get("cpu-queue", 0) >= 5


NEAR = 10  # points: parts that are nearer are named together


def shares_of(sentence):
    """Every share of time that it states, by the part it is of: "ran for 20 %", "waited for the disk for 8 %"."""
    words = {"ran": r"\bran for ([\d.]+) %", "cpu-queue": r"waited for a CPU for ([\d.]+) %",
             "disk": r"waited for (?:the disk|it) for ([\d.]+) %"}
    return {part: [float(one) for one in re.findall(pattern, sentence)] for part, pattern in words.items()}


def contradictions(told):
    """What the sentence states otherwise than the figures beside it, or as more than they are."""
    sentence, run, work, wrong = told.sentence, told.run_parts, told.work_parts, []
    for part, stated in shares_of(sentence).items():
        wrong += [f"{part}: {one} %" for one in stated if all(abs(one - known.get(part, -1)) > 0.51 for known in (run, work))]
    if "mostly waited" in sentence and max(run.get("cpu-queue", 0), run.get("disk", 0), run.get("other", 0),
                                           work.get("cpu-queue", 0), work.get("other", 0)) <= 52:
        wrong.append("mostly")
    behind = {key: int(value) for key, value in (told.budget.get("queued_behind") or {}).items()}
    if "while other programs had the CPUs" in sentence and told.rule != "cpu-queue" and behind["others_ns"] < behind["own_ns"]:
        wrong.append("other programs")
    if OWN in sentence and not behind.get("own_ns"):
        wrong.append("its own threads")
    if "the reason is not recorded" in sentence and any(
            wait["name"] != "unknown" and wait["percent"] > 0.6 * work["other"] for wait in told.budget["busiest_waits"]):
        wrong.append("reason")
    lead = sorted(run.values())[-2:]
    if told.sure and lead and lead[1] - lead[0] < 2:
        wrong.append("sure")
    return wrong


def check_sums(plant, told):
    sums = [sum(told.run_parts.values()), sum(part["percent"] for part in told.budget.get("all_threads", []))]
    sums += [sum(row["percent"].values()) for row in told.budget.get("threads", []) if int(row["life_ns"])]
    lib.check(len(sums) > 2 and all(abs(one - 100) < 0.01 for one in sums), f"{plant.name}: the parts are 100 %", sums)
    lib.check(told.budget.get("source") == "scheduler" and told.budget["complete"], f"{plant.name}: by the kernel's count",
              told.budget)
    run, every = ({part["name"]: int(part["ns"]) for part in told.budget.get(key, [])} for key in ("run", "all_threads"))
    lib.check(all(run[part] <= every[part] for part in run), f"{plant.name}: no part of the run is more than the threads'",
              run, every)
    wall = (int(told.run["ended_ns"]) - int(told.run["started_ns"])) / 1e9
    lib.check(not told.truth or wall >= told.truth[0] / 1e9 - 0.002, f"{plant.name}: as long as it says itself", wall, told.truth)
    if plant.name == "hands":  # one works at a time: what they ran together is what the run did
        lib.check(run["ran"] >= 0.98 * every["ran"] - 2e6, "hands: something runs whenever one of them does", run, every)
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


PARTS = {"cpu-queue": "cpu-queue", "waiting": "other", "cpu-bound": "ran", "disk": "disk"}


def is_right(plant, told):
    """Whether the sentence is true, and whether it says more than nothing."""
    sentence = re.sub("^" + plant.begins, "", told.sentence) if plant.begins else told.sentence
    if plant.begins and sentence == told.sentence:
        return False, False  # how it ended does not come first
    if (plant.never and re.search(plant.never, told.sentence)) or contradictions(told):
        return False, False
    words = plant.says.get(told.rule)
    if words and re.match(words, sentence):
        # who stands out so far is named, and what it waited for
        named = not plant.names or re.search(f"`({plant.names})`", sentence) or told.summary["samples"] < 60
        return True, bool(named) and (not plant.tells or bool(re.search(plant.tells, sentence)))
    # where others have the CPUs, what it does by itself is not the largest part any more: the parts tell
    rule = told.rule if told.rule != "failed" else "mixed" if re.match(MIXED, sentence) else "cpu-queue"
    expected = [PARTS[one] for one in plant.says if one in PARTS]
    near = max(told.run_parts.values()) - NEAR
    if rule == "mixed" and any(told.run_parts[part] > near for part in expected):
        return is_by_parts(rule, told), True
    # work of the kernel's own threads has to wait for a CPU, too, and who asked for it waits for them
    kernel = next((wait["percent"] for wait in told.budget["busiest_waits"] if wait["name"] == "kernel"), 0)
    if rule in ("mixed", *PARTS) and (told.is_loaded() or (rule == "waiting" and "inside the kernel" in sentence and
                                                           kernel > 50)):
        return is_by_parts(rule, told), True
    return not told.sure and told.rule in ("too-little", "off-cpu"), False


def is_by_parts(rule, told):
    """The parts of the run, or of its busiest threads, are as it says."""
    ranks = [sorted(sums.values()) for sums in (told.run_parts, told.work_parts)]
    if rule == "mixed":
        return ranks[0][-1] - ranks[0][-2] < (NEAR if ranks[0][-1] > 52 else 15)
    return any(sums[PARTS[rule]] == rank[-1] and rank[-1] - rank[-2] >= NEAR - 0.01
               for sums, rank in zip((told.run_parts, told.work_parts), ranks))


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
              contradictions(told), told.run_parts, told.work_parts, told.truth, told.budget.get("queued_behind"))
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
            plants = [plant for plant in plants if "disk" not in plant.says and plant.name not in ("aio", "uring")]
        if subprocess.run([lib.program("plants"), "uring", "1", os.path.join(folder, "try")], check=False,
                          stdout=subprocess.DEVNULL).returncode == 77:  # the machine forbids it
            plants = [plant for plant in plants if plant.name != "uring"]
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
