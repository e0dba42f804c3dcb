# SPDX-License-Identifier: Apache-2.0
"""
Stacks of a program without frame pointers, copied in the guest and unwound there and here.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from case import case

from .recording import bring_here, host_program

KINDS = {"plain": "run_plain", "recursion": "run_recursion", "alloca": "run_alloca",
         "plt": "run_plt", "signal": "run_signal"}
OUTERMOST = ["work", "work_all", "thread", "main"]
SCRIPT = "script -F comm,ip,sym"


def guest_files():
    root = Path(__file__).resolve().parents[3]
    return os.path.join(os.environ.get("PERFOLIO_LAB_DIR", root / "build" / "lab"), "even", "tree")


def stacks(text):
    """The functions of each sample, innermost first."""
    return [re.findall(r"^\s+[0-9a-f]+ (\S+)", block, re.M)
            for block in text.split("\n\n") if block.strip()]


def is_whole(frames, function):
    """The program's own functions down to main, and the start behind it."""
    own = [name for name in frames if name in OUTERMOST or name == function]
    return own == [function] + OUTERMOST and frames[-1] == "_start"


def judge_stacks(judge, where, kind, text):
    found = stacks(text)
    inside = [frames for frames in found if KINDS[kind] in frames]
    judge.between("%s: samples in %s" % (where, KINDS[kind]), 15, 60, len(inside))
    judge.equal("%s: of them whole" % where, len(inside),
                sum(is_whole(frames, KINDS[kind]) for frames in inside))
    if kind == "signal":
        handlers = [frames for frames in inside if "on_signal" in frames]
        judge.equal("%s: handlers with the function that they interrupt" % where, len(handlers),
                    sum("__pthread_kill_implementation" in " ".join(frames)
                        for frames in handlers))


@case("stacks copied on arm64", "".join("""
perfolio record -q -e cycles:u -c 1000000 --call-graph dwarf -o %s.data stacks %s 0.03
echo "== %s"
perfolio %s -i %s.data
""" % (kind, kind, kind, SCRIPT, kind) for kind in KINDS) + """
echo "== file"
gzip -c recursion.data | base64""")
def copied_stacks(judge):
    for kind in KINDS:
        judge_stacks(judge, "there", kind, judge.part(kind))
    if shutil.which(host_program()):
        with tempfile.TemporaryDirectory() as folder:
            command = [host_program(), *SCRIPT.split(), "--symfs", guest_files(), "-i",
                       bring_here(judge, folder)]
            text = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE).stdout
            judge_stacks(judge, "here", "recursion", text)
