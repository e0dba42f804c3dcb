#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Text of `perf script` with more columns (-F) holds the same functions as the text without them."""
import os
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, program, run, run_perf

need_program("perf")
need_root()
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-columns-")
os.chdir(SCRATCH.name)

# All of perf's that software events can have; the others need a CPU's branch records or its trace.
FIELDS = ["addr", "symoff", "period", "iregs", "uregs", "brstack", "flags", "data_src", "weight", "ins_lat", "bpf-output",
          "callindent", "insn", "insnlen", "phys_addr", "misc", "tod", "data_page_size", "code_page_size", "trace", "synth", "ipc"]
TOGETHER = [["phys_addr", "weight", "addr"], ["iregs", "uregs"], ["data_page_size", "code_page_size"],
            ["phys_addr", "data_page_size", "insn", "insnlen", "iregs"], ["misc", "tod", "data_src", "ins_lat", "phys_addr"]]
FORMS = {"chains": [], "lines": ["-G"], "lines without objects": ["-G", "-F", "-dso"]}


def folded(words, fields):
    fields = ["-F", ",".join("+" + field for field in fields)] if fields else []
    text = run_perf("script", "-i", "perf.out", *words, *fields)
    if text.returncode:
        return None, text.stderr
    made = run([PERFOLIO, "export", "--format", "folded", "-"], input=text.stdout)
    return sorted(made.stdout.splitlines()), made.stderr


run_perf("record", "-q", "-e", "page-faults", "-c", "3", "-g", "-d", "--phys-data", "-W", "--data-page-size", "--code-page-size",
         "--intr-regs=ax,sp,ip", "--user-regs=ax,sp,ip", "--sample-cpu", "-k", "CLOCK_MONOTONIC", "-o", "perf.out", "--",
         program("names"))
for form, words in FORMS.items():
    plain, errors = folded(words, [])
    check(plain and not errors, f"{form}: read", errors)
    for fields in [[field] for field in FIELDS] + TOGETHER:
        got, errors = folded(words, fields)
        if got is None:
            check(True, f"{form}, {' '.join(fields)} # SKIP perf refuses: {errors.strip()[:80]}")
        else:
            check(got == plain and not errors, f"{form}: the same functions with {' '.join(fields)}",
                  errors, [line for line in got if line not in plain][:3])
done()
