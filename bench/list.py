# SPDX-License-Identifier: Apache-2.0
"""The whole list of events, tracepoints included; perfolio also tests which of them open."""
TITLE = "list: every event of this machine"
ROUNDS = 15


def commands(perfolio, _scratch):
    return {"perfolio": [perfolio, "list"], "perf": ["perf", "list"]}


def figures(result):
    return {"lines": result.text.count("\n")}
