#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""script --follow reads along while perfolio or perf still writes, and ends with the recording."""
import os
import signal
import subprocess
import tempfile
import time

from lib import PERFOLIO, check, done, need_program, need_root, program, run, run_perf, until

need_program("perf")
need_root()
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-follow-")
os.chdir(SCRATCH.name)
FIELDS = "comm,tid,time,event,ip"


def lines(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()


def follow(label, name, recorder):
    """Lines that came while it was written; the text at the end."""
    until(lambda: os.path.exists(name) and os.path.getsize(name) > 4096)
    with open("out", "w", encoding="utf-8") as out, open("err", "w", encoding="utf-8") as err:
        reader = subprocess.Popen([PERFOLIO, "script", "--follow", "-F", FIELDS, "-i", name],
                                  stdout=out, stderr=err)
    # It goes on until they have come several times, or should have long ago.
    counts, begun = [0], time.monotonic()
    while len(set(counts)) < 4 and time.monotonic() - begun < 60:
        time.sleep(0.05)
        counts.append(len(lines("out")))
    recorder.send_signal(signal.SIGINT)
    recorder.wait(120)
    try:
        status = reader.wait(120)
    except subprocess.TimeoutExpired:
        status = "it does not end"
        reader.kill()
        reader.wait()
    whole = run_perf("script", "-F", FIELDS, "-i", name).stdout.splitlines()
    check(status == 0 and lines("out") == whole and not lines("err"),
          f"{label}: {len(whole):,} lines, the same as perf finds afterwards", status,
          len(lines("out")), lines("err"))
    check(len(set(counts)) == 4, f"{label}: they come while it is written", set(counts))


CHAIN = program("chain")
for label, flags in (("perfolio record", []), ("perfolio record -z", ["-z"]),
                     ("perfolio record --no-buffering", ["--no-buffering"])):
    follow(label, "x.data", subprocess.Popen(
        [PERFOLIO, "record", "-q", "-e", "cpu-clock", "-F", "997", *flags, "-o", "x.data", "--", CHAIN, "1", "1000"],
        stdout=subprocess.DEVNULL))
    os.unlink("x.data")
follow("perf record", "p.data", subprocess.Popen(
    ["perf", "record", "-q", "-e", "cpu-clock", "-F", "9997", "-m", "16", "-o", "p.data", "--", CHAIN, "1", "1000"],
    stdout=subprocess.DEVNULL))

# A pipe is its own end.
piped = run(["sh", "-c", f"{PERFOLIO} record -q -e cpu-clock -F 997 -o - -- {CHAIN} 1 0.5 2>/dev/null | "
                         f"{PERFOLIO} script --follow -F {FIELDS} -i -"])
check(piped.returncode == 0 and len(piped.stdout.splitlines()) > 20 and not piped.stderr,
      "through a pipe", len(piped.stdout.splitlines()), piped.stderr)
done()
