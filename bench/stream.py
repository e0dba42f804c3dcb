# SPDX-License-Identifier: Apache-2.0
"""What it costs the web side to tell many event streams of a run; perf has nothing that is like it."""
import json
import os

from goals import AtLeast, AtMost

CLIENTS = 500
SECONDS = 10
TITLE = f"stream: {CLIENTS} event streams, 8 counters and 2 KB of tree ten times a second"
ROUNDS = 3
# `events_least` is what the worst client got: points and trees, hello, states and ready before them.
GOALS = [AtMost(f"the web side with {CLIENTS} event streams", "core_percent", 100, "% of a core"),
         AtLeast("updates of the client that got the fewest", "updates_least", 10, "a second")]


def commands(perfolio, _scratch):
    return {"perfolio": [os.path.join(os.path.dirname(perfolio), "bench", "stream"), str(CLIENTS),
                         str(SECONDS)]}


def figures(result):
    found = json.loads(result.text.splitlines()[-1])
    return {"core_percent": 100 * found["cores"], "web_memory_mb": found["memory_mb"],
            "updates_least": (found["events_least"] - 4) / 2 / SECONDS,
            "mb_sent": found["mb_sent"], "dropped": found["dropped"]}
