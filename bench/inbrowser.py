# SPDX-License-Identifier: Apache-2.0
"""What benchmarks of the server's page have in common: each is also a program that prints its figures as JSON."""
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def tools(perfolio):
    """The tests' server, which has the name of a benchmark and so is found only now, and their browser."""
    os.environ["PERFOLIO"] = perfolio
    sys.path[:0] = [os.path.join(ROOT, "tests", "web"), os.path.join(ROOT, "tests", "live")]
    import server
    from browser import Browser
    return server.Server, Browser


def command(program, perfolio, *words):
    return {"perfolio": [sys.executable, os.path.abspath(program), os.path.abspath(perfolio), *words]}


def figures(result):
    return json.loads(result.text.strip().splitlines()[-1])


def print_figures(runs, words_of):
    run = runs["perfolio"][-1]
    for key, words in words_of.items():
        print(f"  {words:40}{run[key]:14,.1f}", flush=True)
