# SPDX-License-Identifier: Apache-2.0
"""Call chains at 9,999 samples a second, all CPUs busy: what the recorder itself takes."""
import os
import re
import subprocess

TITLE = "record: -a -g -F 9999 for 10 s, all CPUs busy"
ROUNDS = 5
SECONDS = 10
BUSY = []


def commands(perfolio, scratch):
    chain = os.path.join(os.path.dirname(perfolio), "tests", "programs", "chain")
    BUSY.append(subprocess.Popen([chain, str(os.cpu_count()), "3600"], stdout=subprocess.DEVNULL))
    return {name: [program, "record", "-a", "-g", "-e", "cpu-clock", "-F", "9999",
                   "-o", os.path.join(scratch, name + ".data"), "--", "sleep", str(SECONDS)]
            for name, program in (("perfolio", perfolio), ("perf", "perf"))}


def finish():
    """Else the benchmarks that follow would be measured on busy CPUs."""
    while BUSY:
        busy = BUSY.pop()
        busy.kill()
        busy.wait()


def figures(result):
    samples = int(re.search(r"(?:record: |\()([\d,]+) samples", result.text).group(1).replace(",", ""))
    size = os.path.getsize(result.argv[result.argv.index("-o") + 1])
    return {"samples": samples, "bytes_a_sample": size / samples}
