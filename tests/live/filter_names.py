# SPDX-License-Identifier: Apache-2.0
"""Filters go by the names that are shown, as perf's do, and not by the mangled ones that nobody sees.

The truth is perf's own text of the same recording: how many samples have a frame that is shown with the word.
"""
import json
import os
import re
import tempfile

from lib import PERFOLIO, SOURCE, check, done, need_program, run, run_perf


def perfs_samples(path, *options):
    """The stacks that perf prints, each a list of names."""
    text = run_perf("script", "-i", path, "-F", "comm,ip,sym", *options).stdout
    return [[line.split(None, 1)[1] for line in block.splitlines()[1:] if len(line.split(None, 1)) > 1]
            for block in text.split("\n\n") if block.strip()]


def holds(stacks, word, wanted=True):
    return sum(any(re.search(word, name) for name in stack) == wanted for stack in stacks)


def folded(path, *options):
    text = run([PERFOLIO, "fold", path, "--weight", "samples", *options]).stdout
    return sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines())


def top(path, *options):
    text = run([PERFOLIO, "query", path, "tree", "--weight", "samples", *options]).stdout
    return json.loads(text)["samples"]


def reported(path, *options):
    text = run([PERFOLIO, "report", path, "--json", "-g", "none", "--no-children", "-n", *options]).stdout
    return sum(row["self_samples"] for event in json.loads(text)["events"] for row in event["rows"])


def exported(path, *options):
    text = run([PERFOLIO, "export", path, "--format", "script", *options]).stdout
    return len([block for block in text.split("\n\n") if block.strip()])


def main():
    need_program("perf")
    need_program("g++")
    with tempfile.TemporaryDirectory(prefix="perfolio-names-") as folder:
        binary, path = os.path.join(folder, "bitmaps"), os.path.join(folder, "perf.data")
        built = run(["g++", "-O1", "-g", "-fno-omit-frame-pointer", "-o", binary,
                     os.path.join(SOURCE, "tests/programs/bitmaps.cc")])
        check(built.returncode == 0, "the program is built", built.stderr)
        made = run_perf("record", "-q", "-e", "cpu-clock", "-F", "999", "-g", "-o", path, binary, "1")
        check(made.returncode == 0, "perf records it", made.stderr)
        shown, raw = perfs_samples(path), perfs_samples(path, "--no-demangle")
        inside = holds(shown, "bitmap")
        check(0 < inside < holds(raw, "bitmap"), f"{inside} of {len(shown)} samples show the word, more hold it")
        for name, count in (("fold", folded), ("query", top), ("report", reported), ("export", exported)):
            check((got := count(path, "--grep", "bitmap")) == inside, f"{name} --grep: {inside}", got)
            check((got := count(path, "--exclude", "bitmap")) == len(shown) - inside,
                  f"{name} --exclude: {len(shown) - inside}", got)
            check((got := count(path, "--grep-raw", "bitmap")) == holds(raw, "bitmap"),
                  f"{name} --grep-raw: {holds(raw, 'bitmap')}", got)
        check((got := folded(path, "--focus", "bitmap")) == inside, f"fold --focus: {inside}", got)
        check((got := folded(path, "--focus", "bitmap", "--reverse")) == inside, "and from the leaf", got)
        text = run([PERFOLIO, "fold", path, "--hide", "bitmap"]).stdout
        check("count_bits" in text and "bitmap_or" not in text, "fold --hide leaves what is not shown so", text)
        text = run([PERFOLIO, "report", path, "--stdio", "-s", "parent", "-p", "bitmap", "-g", "none"]).stdout
        check("bitmap_or" in text and "count_bits" not in text, "report --sort parent", text)
    done()


main()
