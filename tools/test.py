#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs everything that has to pass: builds, tests, sanitizers, fuzzing, the lab (`make test`).

    tools/test.py            all of it
    tools/test.py WORD...    only the steps that have one of the words in their name

Each kind of build has a folder in build-test/, kept for the next time.  Steps of one phase share the
machine; what measures time runs alone at the end.  A test that measures and failed runs once more, alone:
what holds then is named as unsteady and does not fail the run.  The last line sums up every single test.
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as xml

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build-test")
REPORTS = os.path.join(WORK, "sanitizer-reports")
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
# They measure, or wait for programs that do: a machine that stood still for a second can fail them.
MEASURING = {"web", "serve", "safe", "live", "own", "beside", "lab", "plain"}
FEW = 3  # more that fail at once is no bad luck
FUZZ_SECONDS = os.environ.get("FUZZ_SECONDS", "2")
FUZZ_SEED = os.environ.get("FUZZ_SEED", "1")  # 0: another one each time

BUILDS = {
    "gcc": ("gcc", []),
    # clang's warnings come with these.
    # One build for the sanitized run of all tests and for the fuzzers, which want the same checks.  What ends at
    # the first report anyway (halt_on_error) compiles in two thirds of the time if the compiler knows.
    "asan": ("clang", ["-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dfuzzing=true",
                       "-Doptimization=1", "-Dc_args=-fno-sanitize-recover=all"]),
    "tsan": ("clang", ["-Db_sanitize=thread", "-Db_lundef=false", "-Doptimization=0"]),
}


class Step:
    """A command whose outcome counts; `run` returns (passed, failed, skipped) and leaves a log."""

    def __init__(self, name):
        self.name = name
        self.log = os.path.join(WORK, "logs", name.replace(" ", "-").replace(",", "") + ".txt")

    def call(self, *command, env=None):
        with open(self.log, "ab") as log:
            log.write(("$ " + shlex.join(command) + "\n").encode())
            log.flush()
            return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log,
                                  stderr=log, env={**os.environ, **(env or {})},
                                  check=False).returncode


class Build(Step):
    def __init__(self, kind):
        super().__init__(f"{kind}: build")
        self.kind = kind

    def run(self):
        compiler, options = BUILDS[self.kind]
        folder = os.path.join(WORK, self.kind)
        status = 0
        if not os.path.exists(os.path.join(folder, "build.ninja")):
            status = self.call("meson", "setup", folder, "--werror", *options,
                               env={"CC": compiler})
        status = status or self.call("ninja", "--quiet", "-C", folder)
        return (0, 1, 0) if status else (1, 0, 0)


class Tests(Step):
    """Suites of `meson test`, counted one by one from its logs."""

    def __init__(self, kind, *suites, without=()):
        super().__init__(f"{kind}: {', '.join(suites)}" + (f" without {', '.join(without)}" if without else ""))
        self.kind, self.suites, self.without = kind, suites, without
        self.broken = []

    def sanitizer_options(self):
        """Reports go to files: a test that expects failure must not hide one."""
        common = f"log_path={REPORTS}/{self.kind}:exitcode=99:halt_on_error=1"
        return {
            "ASAN_OPTIONS": common + ":detect_stack_use_after_return=1",
            "UBSAN_OPTIONS": common + ":print_stacktrace=1",
            "TSAN_OPTIONS": common,
        }

    def wanted(self):
        """The words that tell meson which."""
        return [*[word for suite in self.suites for word in ("--suite", suite)],
                *[word for suite in self.without for word in ("--no-suite", suite)]]

    def run(self):
        folder = os.path.join(WORK, self.kind)
        slow = self.kind in ("asan", "tsan")
        logbase = os.path.basename(self.log).removesuffix(".txt").replace(":", "")
        results = os.path.join(folder, "meson-logs", logbase)
        for kind in (".junit.xml", ".json"):
            if os.path.exists(results + kind):
                os.unlink(results + kind)
        fixed = fixed_addresses() if self.kind == "tsan" else []
        status = self.call(*fixed, "meson", "test", "-C", folder, "--no-rebuild",
                           "--logbase", logbase,
                           # Limits end what hangs; a machine that is merely slow must not meet them.
                           "--timeout-multiplier", "4", *self.wanted(),
                           env=self.sanitizer_options() if slow else None)
        passed, failed, skipped = count_cases(results + ".junit.xml")
        self.broken = self.tell_broken(results + ".json")
        # A program that crashed has run too few cases rather than failed ones.
        failed = max(failed, len(self.broken), 1 if status else 0)
        if not passed + failed + skipped:
            with open(self.log, "a", encoding="utf-8") as log:
                log.write(f"no tests in {self.name}\n")
            failed = 1
        return passed, failed, skipped

    def tell_broken(self, path):
        """The test programs that did not end well, by meson's own account; why goes to the log's end."""
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as lines:
            broken = [test for test in map(json.loads, lines) if test["result"] not in ("OK", "SKIP")]
        with open(self.log, "a", encoding="utf-8") as log:
            for test in broken:
                log.write(f"{test['name']}: {test['result']}\n{what_failed(test)}\n")
        return [test["name"].split(" / ")[-1] for test in broken]

    def may_be_luck(self):
        return 0 < len(self.broken) <= FEW and not set(self.suites) - MEASURING


class Again(Tests):
    """The few tests of a step that failed, once more and alone."""

    def __init__(self, step):
        super().__init__(step.kind, *step.suites)
        self.name = f"{step.kind}: {', '.join(step.broken)} again"
        self.log = step.log.removesuffix(".txt") + "-again.txt"
        self.chosen = step.broken

    def wanted(self):
        return self.chosen


def what_failed(test):
    """The checks that failed with what they printed, and the end of what went to stderr."""
    lines, telling = [], False
    for line in (test.get("stdout") or "").splitlines():
        if not line.startswith("#"):
            telling = line.startswith("not ok")
        if telling:
            lines.append(line)
    return "\n".join([line[:400] for line in lines[:25] + (test.get("stderr") or "").splitlines()[-12:]])


def fixed_addresses():
    """Newer kernels spread mappings wider than clang 14's ThreadSanitizer can take; some containers
    don't allow to change that."""
    fixed = ["setarch", "-R"]
    allowed = subprocess.run([*fixed, "true"], stderr=subprocess.DEVNULL, check=False)
    return [] if allowed.returncode else fixed


def count_cases(path):
    passed = failed = skipped = 0
    if not os.path.exists(path):
        return 0, 0, 0
    with open(path, encoding="utf-8", errors="replace") as file:
        text = NOT_XML.sub("?", file.read())  # meson copies what tests print as it is
    for case in xml.fromstring(text).iter("testcase"):
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            failed += 1
        elif "skipped" in kinds:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


class Fuzz(Step):
    def __init__(self, target):
        super().__init__(f"fuzz: {target} for {FUZZ_SECONDS} s")
        self.target = target

    def run(self):
        status = self.call(os.path.join(ROOT, "fuzz", "run.sh"), os.path.join(WORK, "asan"),
                           self.target, FUZZ_SECONDS, FUZZ_SEED)
        return (0, 1, 0) if status else (1, 0, 0)


class Reports(Step):
    """Nothing that a sanitizer said may go unnoticed, whatever the tests made of it."""

    # What the search for leaks says of a process that is killed meanwhile: nothing was found.
    KILLED = re.compile(r"(==\d+==Unable to get registers from thread \d+\.\n)+")

    def __init__(self):
        super().__init__("sanitizers: no reports")

    def is_finding(self, report):
        with open(report, encoding="utf-8", errors="replace") as file:
            return not self.KILLED.fullmatch(file.read())

    def run(self):
        reports = [report for report in sorted(glob.glob(REPORTS + "/*")) if self.is_finding(report)]
        for report in reports:
            self.call("cat", report)
        return (0, 1, 0) if reports else (1, 0, 0)


def fuzz_targets():
    return sorted(os.path.basename(path)[:-2] for path in glob.glob(f"{ROOT}/fuzz/fuzz-*.c"))


def phases():
    """Phases follow each other; the lanes of a phase run side by side."""
    yield [[Build("gcc"), Build("tsan")], [Build("asan")]]
    # Unit tests, serve, web and own record, which perf must not do meanwhile; mostly serve and web wait.
    yield [[Tests("gcc", "web")],
           [Tests("asan", "unit", "cli", "fuzz"), Tests("asan", "own"), Tests("gcc", "unit", "cli")],
           [Tests("asan", "serve")],
           [Tests("asan", "safe"), Tests("tsan", "unit")]]
    # The first lane mostly waits for its programs; what needs a CPU and records nothing has the time that is left.
    yield [[Tests("asan", "live", without=("beside", "own"))],
           [Tests("gcc", "check"), Tests("asan", "beside")],
           [Tests("gcc", "lab"), Tests("asan", "corpus")] + [Fuzz(target) for target in fuzz_targets()]]
    yield [[Tests("gcc", "plain")]]


class Runner:
    def __init__(self, words):
        self.words, self.totals, self.lock = words, [0, 0, 0], threading.Lock()
        self.unlucky = []

    def wanted(self, step):
        return not self.words or any(word in step.name for word in self.words)

    def run_lane(self, steps):
        for step in filter(self.wanted, steps):
            failed = self.run_step(step)
            if failed and isinstance(step, Tests) and step.may_be_luck():
                self.unlucky.append((step, failed))

    def run_step(self, step):
        started = time.monotonic()
        counts = step.run()
        with self.lock:
            self.totals = [a + b for a, b in zip(self.totals, counts)]
            self.report(step, counts, time.monotonic() - started)
        return counts[1]

    def run_again(self):
        """What passes alone is no failure; it is named, for it should have passed at once."""
        unsteady = []
        for step, failed in self.unlucky:
            if not self.run_step(Again(step)):
                self.totals[1] -= failed
                unsteady += step.broken
        return unsteady

    def report(self, step, counts, seconds):
        passed, failed, skipped = counts
        words = f"{passed} passed" + (f", {skipped} skipped" if skipped else "")
        print(f"{'FAIL' if failed else 'ok':4} {seconds:6.1f} s  {step.name:34} "
              + (f"{failed} failed, " if failed else "") + words, flush=True)
        if failed and os.path.exists(step.log):
            with open(step.log, encoding="utf-8", errors="replace") as log:
                for line in log.read().splitlines()[-40:]:
                    print("     | " + line)
            print(f"     the whole log: {os.path.relpath(step.log, ROOT)}", flush=True)


def main():
    runner = Runner(sys.argv[1:])
    subprocess.run(["rm", "-rf", REPORTS, os.path.join(WORK, "logs")], check=True)
    os.makedirs(os.path.join(WORK, "logs"))
    os.makedirs(REPORTS)
    os.chmod(REPORTS, 0o1777)  # some tests run the program as another user
    started = time.monotonic()
    for lanes in phases():
        threads = [threading.Thread(target=runner.run_lane, args=(lane,)) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if runner.totals[1] and not runner.words and "build" in lanes[0][0].name:
            break  # what does not build cannot be tested
    unsteady = runner.run_again()
    runner.run_lane([Reports()])
    passed, failed, skipped = runner.totals
    print(f"{time.monotonic() - started:.0f} s in all")
    if unsteady:
        print(f"unsteady, passed when run alone: {', '.join(unsteady)}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


sys.exit(main())
