# SPDX-License-Identifier: Apache-2.0
"""Call trees of a large recording, from the callers' side.

perf keeps a branch for each address that leads nowhere and may want more memory than there is, so
it runs under a limit of both memory and time, and is then said to have failed.
"""
import recording

TITLE = "report: call trees of a recording of the whole host"
ROUNDS = 3
LIMIT_KB = 16 << 20
LIMIT_SECONDS = 600


def commands(perfolio, _scratch):
    path = recording.make()
    theirs = (f"ulimit -v {LIMIT_KB}; timeout {LIMIT_SECONDS} perf report -i {path} --stdio -g caller "
              f"| tail -c 1000; true")
    return {
        "perfolio": [perfolio, "report", "-i", path, "--no-index", "-g", "caller"],
        "perf": ["sh", "-c", theirs],
    }
