#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other projects' texts and profiles through our importers, against those projects' own results."""
import collections
import glob
import gzip
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from corpus import CORPUS, need_corpus

PERFOLIO = os.environ["PERFOLIO"]
SCRIPTS = os.path.join(CORPUS, "perfscript")
FOLDED = os.path.join(CORPUS, "folded")
PPROF = os.path.join(CORPUS, "pprof")
results = []


def check(name, good, why=""):
    results.append(good)
    print(f"{'ok' if good else 'not ok'} {len(results)} - {name}")
    for line in ([] if good else str(why).splitlines()[:20]):
        print("#", line[:300])


def run(*words, stdin=None):
    return subprocess.run([PERFOLIO, *words], capture_output=True, input=stdin, check=False)


def lines(data):
    return data.decode("utf-8", "surrogateescape").splitlines()


def difference(want, got):
    want, got = set(want), set(got)
    return "\n".join([f"want {line}" for line in sorted(want - got)[:5]] +
                     [f"got  {line}" for line in sorted(got - want)[:5]])


def collapsed_by_flamegraph():
    """The same lines as stackcollapse-perf.pl, for every option."""
    expected = sorted(glob.glob(os.path.join(SCRIPTS, "FlameGraph", "expected", "*-collapsed-*.txt")))
    check("FlameGraph's results are there", len(expected) >= 42, expected)
    for path in expected:
        stem, option = os.path.basename(path)[:-4].rsplit("-collapsed-", 1)
        done = run("fold", "--like", "stackcollapse-perf:" + option,
                   os.path.join(SCRIPTS, "FlameGraph", stem + ".txt"))
        with open(path, "rb") as file:
            want = file.read()
        check(f"stackcollapse-perf --{option} {stem}", done.stdout == want,
              difference(lines(want), lines(done.stdout)))


def collapsed_by_inferno():
    expected = sorted(glob.glob(os.path.join(SCRIPTS, "inferno", "expected", "*.txt")))
    check("inferno's results are there, and nobody else's besides", len(expected) >= 5 and
          {os.path.basename(os.path.dirname(path)) for path in glob.glob(os.path.join(SCRIPTS, "*", "expected"))} ==
          {"inferno", "FlameGraph"})
    for path in expected:
        stem, option = re.fullmatch(r"(.*)-collapsed-?(.*)\.txt", os.path.basename(path)).groups()
        source = os.path.join(SCRIPTS, "inferno", stem + ".txt")
        like = "inferno-collapse-perf" + (":" + option if option else "")
        with open(path, "rb") as file:
            want = lines(file.read())
        if stem == "no-events":  # an empty file is an error for us: nobody wants an empty answer
            done = run("fold", "--like", like, source)
            check("an empty text is said to be empty", done.returncode == 1 and
                  b"is empty" in done.stderr and not done.stdout and not want, done.stderr)
            continue
        if stem == "single-line-stacks":
            # Two events, cycles:u and cycles, of which inferno makes one sum; we never add two.
            got = [line for event in ("cycles:u", "cycles")
                   for line in lines(run("fold", "--like", like, "-e", event, source).stdout)]
        else:
            got = lines(run("fold", "--like", like, source).stdout)
        check(f"{like} {stem}", sorted(got) == sorted(want), difference(want, got))


def all_perfscript():
    """Every text gives samples; lines that are not understood are told."""
    # Cut in the middle of its last line by whoever made it.
    cut = {"perf.test01"}
    for path in sorted(glob.glob(os.path.join(SCRIPTS, "*", "*"))):
        name = os.path.basename(path)
        if os.path.isdir(path) or os.path.getsize(path) == 0:
            continue
        done = run("fold", path)
        if name == "simpleperf-task-clock.trace.gz":  # no text: simpleperf's own binary form
            check(f"{name} is refused by name", done.returncode == 1 and b"simpleperf" in done.stderr)
            continue
        told = b"not understood" in done.stderr
        check(f"reads {name}", done.returncode == 0 and done.stdout and told == (name in cut),
              done.stderr.decode("utf-8", "replace"))


def packed():
    """Packed or through a pipe, it is the same."""
    path = os.path.join(SCRIPTS, "FlameGraph", "perf-iperf-stacks-pidtid-01.txt")
    want = run("fold", path).stdout
    with open(path, "rb") as file:
        text = file.read()
    check("gzip through a pipe", run("fold", "-", stdin=gzip.compress(text)).stdout == want)
    check("plain through a pipe", run("fold", "-", stdin=text).stdout == want)
    again = run("fold", "-", stdin=want).stdout
    check("folded again is the same", again == want, difference(lines(want), lines(again)))


def titles(path):
    """(name, samples) of every frame of an SVG, and how often."""
    found = collections.Counter()
    for title in xml.parse(path).getroot().iter("{http://www.w3.org/2000/svg}title"):
        match = re.match(r"(.*) \(([\d,]+) (?:samples|frames|.*), ", title.text or "", re.S)
        if match:
            found[re.sub(r"_\[[kwij]\]$", "", match[1]), match[2]] += 1
    return found


DIFF = "folded/inferno/differential__perf-cycles-instructions-01-collapsed-all-diff.txt"
VERTX = "perfscript/FlameGraph/perf-vertx-stacks-01.txt"
# Inferno's pictures: of which input, with which of our options. Perf script text is folded in inferno's way
# first, as it was there.
PICTURES = {
    "austin__flame": ("folded/inferno/austin__flames.txt",),
    "fractional-samples__fractional-reversed": ("folded/inferno/fractional-samples__zero-fractionals.txt", "--reverse"),
    "differential__diff": (DIFF, "--inverted"),
    "differential__diff-negated": (DIFF,),
    "colors__js": ("perfscript/FlameGraph/expected/perf-js-stacks-01-collapsed-all.txt", "--color", "name"),
    "colors__java": ("perfscript/FlameGraph/perf-java-stacks-01.txt", "--color", "object"),
    "inverted__inverted": (VERTX, "--inverted"),
    "options__colordiffusion": (VERTX, "--color", "warm"),
    "palette-map__consistent-palette": (VERTX,),
    "options__notes_with_symbols": (DIFF, "--notes", "a < b & 'c'"),
    "options__title_simple": (DIFF, "--title", "a"),
    "options__subtitle_simple": (DIFF, "--subtitle", "a"),
    **{"options__" + name: (DIFF,) for name in (
        "count_name_simple", "count_name_with_symbols", "font_type_monospace", "font_type_sans-serif", "font_type_serif",
        "font_type_with_quote", "name_type_simple", "name_type_with_backslash", "name_type_with_quote", "notes_simple")},
}
# Those that cannot be the same, and why.
OTHER_PICTURES = {
    "base__multi-base": "stacks begin at the innermost such frame that is no leaf there, at the outermost here",
    "base__single-base": "the same",
    "colors__deterministic": "its input is not here",
    "factor__factor-2.5": "counts times 2.5, which we have no option for",
    "fractional-samples__with-space-reversed": "fractions are cut off there and kept here",
    "nameattr__nameattr": "another file gives frames other titles there",
    "nameattr__nameattr_duplicate_attributes": "the same",
    "example-perf": "made by another version of the script than the results beside it: <> is missing from names",
}


def picture_of(folder, source, options):
    path = os.path.join(CORPUS, source)
    if source.startswith("perfscript") and "expected" not in source:
        like = os.path.join(folder, "like.txt")
        with open(like, "wb") as file:
            file.write(run("fold", "--like", "inferno-collapse-perf:all", path).stdout)
        path = like
    out = os.path.join(folder, "out.svg")
    done = run("flame", path, "-o", out, "--min-width", "0", *options)
    return (titles(out) if done.returncode == 0 else None), done.stderr


def inferno_pictures():
    """The frames of inferno's SVGs: the same names with the same counts."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (source, *options) in PICTURES.items():
            theirs = titles(os.path.join(FOLDED, "inferno", "expected", name + ".svg"))
            if source == VERTX:  # inferno had no name for it then, and has now
                theirs["[libc-2.15.so]", "3"] += theirs.pop(("", "3"))
            ours, said = picture_of(folder, source, options)
            check(f"the frames of {name}", ours == theirs and ours,
                  said if ours is None else (theirs - ours, ours - theirs))
    there = {os.path.basename(path)[:-4] for top in (SCRIPTS, FOLDED)
             for path in glob.glob(os.path.join(top, "*", "expected", "*.svg"))}
    check("every picture is compared, or it is said why not", there == set(PICTURES) | set(OTHER_PICTURES),
          there ^ (set(PICTURES) | set(OTHER_PICTURES)))


def recursion():
    folder = os.path.join(FOLDED, "inferno-collapse-recursive")
    with open(os.path.join(folder, "results_basic-collapsed.txt"), "rb") as file:
        want = sorted(lines(file.read()))
    got = lines(run("fold", "--collapse-recursion", os.path.join(folder, "basic.txt")).stdout)
    check("recursion folds as inferno folds it", got == want, (got, want))


SNIPPET = re.compile(r"^```\w*\n(.*?)^```", re.M | re.S)
HEAD = re.compile(r"^\s*(\S+)\s+\d+(?:/\d+)?\s+(?:\[\d+\]\s+)?\d+\.\d+:\s+(?:(\d+)\s+)?\S+:")
FRAME = re.compile(r"^\s+[0-9a-f]+ (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$")


def snippet_lines(text):
    """What a snippet folds to, by a few lines of Python."""
    found, frames, comm, weight = collections.Counter(), [], None, 0
    for line in text.splitlines() + [None]:
        head = HEAD.match(line) if line else None
        if (head or line is None) and comm:
            found[";".join([comm] + frames[::-1])] += weight
        if head:
            comm, weight, frames = head[1], int(head[2] or 1), []
        elif line and line.strip():
            name, path = FRAME.match(line).groups()
            frames.append(name if name != "[unknown]" else f"[{path.rsplit('/', 1)[-1]}]")
    return sorted(f"{stack} {weight}" for stack, weight in found.items())


def seeds():
    """Snippets of perf script text in the notes that people write, some with blank lines between frames."""
    folder = os.path.join(CORPUS, "..", "seeds")
    texts = []
    for path in sorted(glob.glob(os.path.join(folder, "*.txt"))):
        with open(path, encoding="utf-8") as file:
            texts += [text for text in SNIPPET.findall(file.read()) if HEAD.match(text)]
    if not os.path.isdir(folder):
        print("# no seeds: their snippets are not read")
        return
    check("there are snippets, one with blank lines between frames",
          len(texts) >= 4 and any(re.search(r"\)\n\n +7", text) for text in texts), len(texts))
    for text in texts:
        done = run("fold", "-", stdin=text.encode())
        told = re.sub(rb"^perfolio: values are nanoseconds of .*\n", b"", done.stderr)
        check(f"the snippet of {text.split()[0]}", sorted(lines(done.stdout)) == snippet_lines(text) and not told,
              (lines(done.stdout), snippet_lines(text), done.stderr))
        done = run("flame", "-", "-o", "-", "--idle", stdin=text.encode())
        check("and its picture", done.returncode == 0 and xml.fromstring(done.stdout) is not None, done.stderr)


def all_folded():
    """Sums by a few lines of Python."""
    other = re.compile(r"nameattr|\.map$|results_|utf16|diff-folded/bad|differential__|fractional")
    for path in sorted(glob.glob(os.path.join(FOLDED, "*", "*.txt"))):
        if other.search(path):  # not folded stacks, or looked at by the unit tests
            continue
        with open(path, "rb") as file:
            found = [re.fullmatch(r"([^#].*?)\s+(\d+)", line.strip()) for line in lines(file.read())]
        want = sum(int(match[2]) for match in found if match)
        got = sum(int(line.rsplit(" ", 1)[1]) for line in lines(run("fold", path).stdout))
        check(f"the sum of {os.path.relpath(path, FOLDED)}", got == want and got, (got, want))


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {tag & 7}")
        yield tag >> 3, value


def pprof_totals(data):
    """{type: sum of its values}, read without any of our code."""
    strings, types, totals = [], [], collections.Counter()
    for number, value in fields(data):
        if number == 6:
            strings.append(value.decode("utf-8", "replace"))
        elif number == 1:
            types.append(dict(fields(value)).get(1, 0))
    for number, value in fields(data):
        if number != 2:
            continue
        values = []
        for inner, part in fields(value):
            if inner == 2 and isinstance(part, bytes):
                at = 0
                while at < len(part):
                    one, at = varint(part, at)
                    values.append(one)
            elif inner == 2:
                values.append(part)
        for index, one in enumerate(values):
            name = strings[types[index]] if index < len(types) else ""
            if one < 1 << 63:  # a delta of two profiles has values below zero, which we leave out
                totals[name or "samples"] += one
    return totals


def printed_totals(path):
    """{type: sum} of what pprof has printed of a profile; None where nobody kept that."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        types, samples = re.search(r"^Samples:\n(.*?)\n(.*?)^Locations", file.read(), re.S | re.M).groups()
    totals = collections.Counter()
    for values in re.findall(r"^ *((?:\d+ *)+):[ \d]*$", samples, re.M):
        for name, value in zip(types.split(), values.split()):
            totals[name.split("/")[0]] += int(value)
    return dict(totals)


def all_pprof():
    count = 0
    for path in sorted(glob.glob(os.path.join(PPROF, "*", "*"))):
        if os.path.isdir(path) or "reports" in path:
            continue
        name = os.path.relpath(path, PPROF)
        with open(path, "rb") as file:
            data = file.read()
        if data[:2] == b"\x1f\x8b":
            want = {name: total for name, total in pprof_totals(gzip.decompress(data)).items() if total}
        else:  # the forms before profile.proto
            want = printed_totals(os.path.join(PPROF, "google-pprof", "expected", os.path.basename(path) + ".string"))
        if want is None:
            continue
        got = {}
        for event in want:
            done = run("fold", "-e", event, path)
            got[event] = sum(int(line.rsplit(" ", 1)[1]) for line in lines(done.stdout))
        check(f"the totals of {name}", got == want, (got, want))
        count += 1
    check("enough pprof profiles", count >= 20, count)


def main():
    need_corpus()
    collapsed_by_flamegraph()
    collapsed_by_inferno()
    all_perfscript()
    packed()
    inferno_pictures()
    recursion()
    seeds()
    all_folded()
    all_pprof()
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


sys.exit(main())
