# SPDX-License-Identifier: Apache-2.0
"""
record: as many samples as the count says, each with its whole chain, in a file that opens anywhere.
"""

import base64
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from case import case

from .programs import chain

TURNS, PERIOD = 10_000_000, 1_000_000
FRAMES = 4  # inner, middle, outer, _start


def chains(text):
    """The addresses of each sample, innermost first."""
    return [re.findall(r"^\s+([0-9a-f]+)", block, re.M)
            for block in text.split("\n\n") if block.strip()]


def judge_chains(judge, where, text):
    expected = chain(TURNS) // PERIOD
    found = chains(text)
    judge.equal("samples, %s" % where, expected, len(found))
    judge.equal("of them with all %d frames" % FRAMES, expected,
                sum(len(frames) == FRAMES for frames in found))
    judge.equal("places where the callers call", 1, len({tuple(frames[1:]) for frames in found}))


def host_program():
    root = Path(__file__).resolve().parents[3]
    return os.environ.get("PERFOLIO", str(root / "build" / "perfolio"))


def bring_here(judge, folder):
    """The recording that the guest printed as `gzip -c | base64` under "== file"; its path."""
    path = os.path.join(folder, "rec.data")
    packed = base64.b64decode(judge.part("file"))
    Path(path).write_bytes(subprocess.run(["gzip", "-dc"], input=packed, check=True,
                                          stdout=subprocess.PIPE).stdout)
    return path


@case("cycles by period", """
perfolio record -q -e cycles:u -c %d -g -o rec.data chain %d
status=$?
echo "== status"
echo $status
echo "== script"
perfolio script -i rec.data -F ip
echo "== file"
gzip -c rec.data | base64""" % (PERIOD, TURNS))
def by_period(judge):
    judge.equal("exit status", "0", judge.part("status").strip())
    judge_chains(judge, "read in the guest", judge.part("script"))
    with tempfile.TemporaryDirectory() as folder:
        path = bring_here(judge, folder)
        readers = {"perfolio": [host_program(), "script", "-i", path, "-F", "ip"]}
        if shutil.which("perf"):
            readers["perf"] = ["perf", "script", "-i", path, "-F", "ip"]
        for name, command in readers.items():
            if shutil.which(command[0]):
                text = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL).stdout
                judge_chains(judge, "read here by %s" % name, text)


@case("children and threads by period", """
for program in forks threads; do
    echo "== $program"
    perfolio record -q -e cycles:u -c 100000 -o $program.data $program 3 1010000 </dev/zero
    perfolio script -i $program.data -F tid | sort | uniq -c
done""")
def inherited(judge):
    for program in ("forks", "threads"):
        counts = sorted(int(line.split()[0]) for line in judge.part(program).splitlines()
                        if line.strip())
        # The i-th of them spins 1,010,000 turns i times, four instructions each.  Each time that they
        # take turns on a CPU they hand on what they have of a period; the sum does not change by it.
        for count, expected in zip(counts[-3:], (40, 80, 121)):
            judge.between("samples of one of the %s" % program, expected - 4, expected + 4, count)
        judge.between("samples of all %s" % program, 241, 244, sum(counts[-3:]))


@case("system calls by name", """
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
perfolio script record syscall-counts -q -o rec.data calls 1000
status=$?
echo "== status"
echo $status
echo "== here"
perfolio script syscall-counts -i rec.data --json
echo "== file"
gzip -c rec.data | base64""")
def calls_by_name(judge):
    """arm64's numbers are not those of the machine that this runs on."""
    judge.equal("exit status", "0", judge.part("status").strip())
    texts = {"in the guest": judge.part("here")}
    if shutil.which(host_program()):
        with tempfile.TemporaryDirectory() as folder:
            texts["here"] = subprocess.run(
                [host_program(), "script", "syscall-counts", "--json", "-i",
                 bring_here(judge, folder)], check=False, text=True,
                stdout=subprocess.PIPE).stdout
    for where, text in texts.items():
        rows = json.loads(text)["calls"] if text else []
        counts = {row["syscall"]: row["calls"] for row in rows}
        judge.equal("getppid, read %s" % where, 1000, counts.get("getppid"))


@case("the kernel's code beside the samples", """
perfolio record -q --kcore -e cycles:k -c 10000 -o rec calls 1000
status=$?
echo "== status"
echo $status
echo "== folder"
cd rec && find . -type f | sort && cd ..
echo "== text"
grep -w _stext /proc/kallsyms
echo "== head"
dd if=rec/kcore_dir/kcore bs=4096 count=1 2>/dev/null | base64
echo "== calls"
perfolio script -i rec -F ip,sym | grep -c ' [a-z][a-z_0-9]*$'
sed 's/ \\([tTwW]\\) \\([a-z]\\)/ \\1 kept_\\2/' rec/kcore_dir/kallsyms >list
rm -f rec/kcore_dir/kallsyms
mv list rec/kcore_dir/kallsyms
echo "== kept"
perfolio script -i rec -F ip,sym | grep -c ' kept_[a-z_0-9]*$'""")
def with_kernel(judge):
    judge.equal("exit status", "0", judge.part("status").strip())
    judge.equal("in the folder", "./data ./kcore_dir/kallsyms ./kcore_dir/kcore ./kcore_dir/modules",
                " ".join(judge.part("folder").split()))
    head = base64.b64decode(judge.part("head"))
    pieces = [struct.unpack_from("<IIQQQQ", head, 64 + 56 * i) for i in range(struct.unpack_from("<H", head, 56)[0])]
    text = int(judge.part("text").split()[0], 16)
    judge.equal("code from _stext on", 1, sum(start == text & ~4095 and size > 1 << 20 for _, _, _, start, _, size in pieces))
    judge.equal("names of the folder's list", judge.part("calls").strip(), judge.part("kept").strip())
    judge.equal("more than ten of them", True, int(judge.part("calls")) > 10)
