# SPDX-License-Identifier: Apache-2.0
"""The same with 8 KB of stack copied into every sample: how many of them arrive."""
import os

import record

TITLE = "copies: -a --call-graph dwarf -F 9999 for 10 s, all CPUs busy"
ROUNDS = 2


def commands(perfolio, scratch):
    return {name: ["--call-graph=dwarf" if word == "-g" else word for word in argv]
            for name, argv in record.commands(perfolio, scratch).items()}


def finish():
    record.finish()


def figures(result):
    found = record.figures(result)
    wanted = 9999 * record.SECONDS * (os.cpu_count() or 1)
    return {**found, "percent_of_9999": 100 * found["samples"] / wanted}
