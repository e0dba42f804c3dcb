# SPDX-License-Identifier: Apache-2.0
"""A large recording as text, every frame named.

Both write to /dev/null: what is measured is making the text, not where it goes.
"""
import subprocess

import recording

TITLE = "script: a recording of the whole host as text"
ROUNDS = 3
shape = {}


def commands(perfolio, _scratch):
    path = recording.make()
    with subprocess.Popen([perfolio, "script", "-i", path], stdout=subprocess.PIPE) as text:
        shape["lines"] = sum(part.count(b"\n") for part in iter(lambda: text.stdout.read(1 << 20), b""))
    return {name: ["sh", "-c", f"exec {program} script -i {path} >/dev/null"]
            for name, program in (("perfolio", perfolio), ("perf", "perf"))}


def figures(result):
    return {**shape, "ns_a_line": result.figures["cpu_ms"] * 1e6 / shape["lines"]}
