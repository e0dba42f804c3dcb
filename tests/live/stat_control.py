#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`stat --control`: a script brackets a part of itself, and only that part is counted."""
import os
import re
import tempfile
import time

from lib import PERFOLIO, check, done, need_root, program, run

STEADY = program("steady")


class Script:
    """A shell script that talks to stat over two fifos; faults are its measure, a known number."""

    def __init__(self, folder):
        self.ctl, self.ack = os.path.join(folder, "ctl"), os.path.join(folder, "ack")
        os.mkfifo(self.ctl)
        os.mkfifo(self.ack)

    def word(self, word):
        return f"echo {word} > {self.ctl}; read answer < {self.ack}; echo \"$answer\"; "

    def run(self, script, *arguments):
        result = run([PERFOLIO, "stat", "-x,", "-e", "faults", "--control",
                      f"fifo:{self.ctl},{self.ack}", *arguments, "sh", "-c", script])
        lines = [line for line in result.stderr.splitlines() if ",faults," in line]
        return result, [line.split(",") for line in lines]


def faults(rows):
    """The last count, which stands two fields before the event's name."""
    count = rows[-1][rows[-1].index("faults") - 2] if rows else ""
    return int(count) if count.isdigit() else -1


def work(pages):
    return f"{STEADY} {pages} 1; "


def main(folder):
    script = Script(folder)

    result, rows = script.run(work(3000) + script.word("enable") + work(500) +
                              script.word("disable") + work(3000), "-D", "-1")
    check(500 <= faults(rows) < 1500, f"enable and disable: {faults(rows)} faults of some 7,000",
          result.stderr)
    check(result.stdout.split() == ["ack", "ack"], "both are acknowledged", result.stdout)
    check("Events enabled" in result.stderr and "Events disabled" in result.stderr,
          "and said, as perf does", result.stderr)

    result, rows = script.run(work(3000) + script.word("reset") + work(500))
    check(500 <= faults(rows) < 1500, f"reset: {faults(rows)} faults after it", result.stderr)

    # How long it can be from there on, the script tells: on a busy machine longer than all of it elsewhere.
    result, rows = script.run("sleep 0.5; date +%s%N; " + script.word("reset") + work(10), "-e",
                              "duration_time")
    took = re.search(r"^(\d+),ns,duration_time", result.stderr, re.M)
    most = time.time_ns() - int((result.stdout.split() + ["0"])[0])
    check(took and 0 < int(took[1]) <= most, "and the time begins with it", result.stderr, most)

    result, rows = script.run(work(300) + script.word("ping") + work(300))
    check(result.stdout.split() == ["ack"] and faults(rows) > 600, "ping changes nothing",
          result.stdout, result.stderr)

    result, rows = script.run(script.word("nonsense") + work(300))
    check("unknown word 'nonsense'" in result.stderr and result.stdout.split() == ["ack"],
          "a word that is not known is said, and answered: its sender waits", result.stderr)

    result, rows = script.run(script.word("enable faults") + work(500) +
                              script.word("disable faults") + script.word("enable cycels") +
                              work(3000), "-D", "-1", "-e", "minor-faults")
    check(500 <= faults(rows) < 1500 and "<not counted>,,minor-faults" in result.stderr and
          "Event faults enabled" in result.stderr and "no event 'cycels'" in result.stderr,
          f"one event by its name: {faults(rows)} faults, and none of the other", result.stderr)

    result, rows = script.run(f"echo stop > {script.ctl}; exec sleep 1000")
    check(result.returncode == 0 and faults(rows) > 0, "stop ends the run", result.stderr)

    result, rows = script.run(script.word("disable") + work(3000) + script.word("enable") +
                              work(400), "-I", "10000", "--summary")
    check(400 <= faults(rows) < 1500 and len(rows) >= 3,
          "with -I each word ends an interval", result.stderr)

    result, rows = script.run(work(3000), "-D", "-1")
    check(rows and rows[0][0] == "<not counted>", "never enabled: no count is shown", result.stderr)

    # descriptors that we were given
    ctl_read, ctl_write = os.pipe()
    ack_read, ack_write = os.pipe()
    os.write(ctl_write, b"enable\ndisable\nenable\n")
    result = run([PERFOLIO, "stat", "-D", "-1", "-x,", "-e", "faults", "--control",
                  f"fd:{ctl_read},{ack_write}", STEADY, "200", "200"],
                 pass_fds=(ctl_read, ack_write))
    check(os.read(ack_read, 100) == b"ack\n\0" * 3, "fd: three words, three answers", result.stderr)


need_root()
with tempfile.TemporaryDirectory() as temporary:
    main(temporary)
done()
