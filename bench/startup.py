# SPDX-License-Identifier: Apache-2.0
"""What counting adds to a program that does nothing."""
TITLE = "startup: stat of a program that does nothing"
ROUNDS = 25


def commands(perfolio, _scratch):
    return {"perfolio": [perfolio, "stat", "/bin/true"], "perf": ["perf", "stat", "/bin/true"]}
