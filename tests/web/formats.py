#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What we write, in the programs that it is for: pprof, speedscope, d3-flame-graph, h5py, and by the
rules of the Firefox Profiler's importer.  Their totals have to be ours."""
import base64
import concurrent.futures
import csv
import functools
import glob
import html
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PERFOLIO = os.environ["PERFOLIO"]
SOURCE = os.environ["PERFOLIO_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "corpus"))
from corpus import CORPUS  # noqa: E402

PPROF = os.path.join(CORPUS, "pprof")
results = []

# Two events, three threads, inlined and nameless functions, names that no format likes.
SCRIPT = """\
prog 10/10 [000] 1.000000: 1000 cycles:
\t1 std::map<a, b>::find(char const*) (inlined)
\t1 <main> & "co", 'é' (/bin/prog)

prog 10/11 [001] 1.001000: 2000 cycles:
\t2 [unknown] (/lib/libc.so.6)
\t1 <main> & "co", 'é' (/bin/prog)

it's, "x" 12/12 [000] 1.002500: 3000 cycles:
\tffffffff81000000 do_sys_open ([kernel.kallsyms])
\t1 </script><b>;&amp; (/bin/prog)

prog 10/10 [000] 2.000000: 1 faults:
\t1 <main> & "co", 'é' (/bin/prog)

"""


def check(name, good, *why):
    results.append(good)
    print(f"{'ok' if good else 'not ok'} {len(results)} - {name}")
    for line in [] if good else "\n".join(map(str, why)).splitlines()[:20]:
        print("#", line[:400])
    sys.stdout.flush()


def skip(name, why):
    """What `make test` installs may be absent elsewhere; where CI=true says so, that is a failure."""
    if os.environ.get("CI") == "true":
        check(name, False, why)
        return
    results.append(True)
    print(f"ok {len(results)} - {name} # SKIP {why}")


def perfolio(*words):
    done = subprocess.run([PERFOLIO, *words], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace") if not done.returncode else None


def export(folder, path, suffix, *options):
    written = os.path.join(folder, os.path.basename(path) + "." + suffix)
    done = subprocess.run([PERFOLIO, "export", path, "-o", written, *options], capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{path} as {suffix}: {done.stderr.decode()}")
    return written


@functools.lru_cache(maxsize=None)
def rows(path):
    return list(csv.DictReader(io.StringIO(perfolio("export", path, "--format", "csv"))))


def totals(path, column="period"):
    """{event: sum}, as we read it ourselves."""
    sums = {}
    for row in rows(path):
        sums[row["event"]] = sums.get(row["event"], 0) + int(row[column])
    return sums


def inputs(folder):
    """Something of every kind: our own text, and recordings and texts of others where they are."""
    script = os.path.join(folder, "made.txt")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    others = ["perfscript/FlameGraph/perf-java-stacks-01.txt", "perfdata/quipper__perf.data.callgraph-3.8",
              "pprof/parca/testdata__alloc_objects.pb.gz", "pprof/google-pprof/cppbench.thread"]
    found = [os.path.join(CORPUS, name) for name in others]
    return [script] + [path for path in found if os.path.exists(path)]


# ---- pprof ----

def pprof_program():
    """The program itself: `go tool` only starts it."""
    if not shutil.which("go"):
        return None
    done = subprocess.run(["go", "tool", "-n", "pprof"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def pprof_totals(program, folder, path):
    """{type: sum of values above zero} of `pprof -raw`; None if it reads no profile there."""
    done = subprocess.run([program, "-raw", "-symbolize=none", path], capture_output=True, check=False,
                          env={**os.environ, "PPROF_TMPDIR": folder, "HOME": folder})
    text = done.stdout.decode("utf-8", "replace")
    found = re.search(r"^Samples:\n(.*?)\n(.*?)^Locations", text, re.S | re.M)
    if done.returncode or not found:
        return None
    types = [re.sub(r"/[^/]*$", "", word) or "samples" for word in found[1].split()]
    sums = dict.fromkeys(types, 0)
    for line in found[2].splitlines():
        values = re.match(r"\s*((?:-?\d+ *)+):[ \d]*$", line)
        for name, value in zip(types, values[1].split() if values else []):
            # A difference of two profiles has values below zero, which a flame graph can't show.
            sums[name] += max(int(value), 0)
    return {name: value for name, value in sums.items() if value}


def with_stack(path):
    """pprof -raw leaves out samples that have no stack at all."""
    sums = {}
    for row in rows(path):
        if row["stack"] not in ("", "[no stack]"):
            sums[row["event"]] = sums.get(row["event"], 0) + int(row["period"])
    return sums


def compare_pprof(program, folder, path):
    theirs = pprof_totals(program, folder, path)
    ours = with_stack(path)
    written = pprof_totals(program, folder, export(folder, path, "pb.gz"))
    return path, theirs, ours, written


def pprof(folder, paths):
    program = pprof_program()
    if not program:
        skip("pprof", "no go")
        return
    profiles = [path for path in sorted(glob.glob(os.path.join(PPROF, "*", "*"))) if os.path.isfile(path)]
    # pprof's reports are no profiles: it refuses each of them.
    reports = [path for path in profiles if "reports" in path]
    profiles = [path for path in profiles if "reports" not in path]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        refused = pool.map(lambda path: pprof_totals(program, folder, path), reports[:3])
        compared = list(pool.map(lambda path: compare_pprof(program, folder, path), profiles))
        check("pprof refuses its own reports", not any(refused), reports[:3])
    for path, theirs, ours, written in compared:
        name = os.path.relpath(path, PPROF)
        check(f"{name}: pprof and we read the same", theirs == ours, theirs, ours)
        whole = totals(path)  # with the samples that have no stack, which we write as a frame of that name
        check(f"{name}: pprof reads what we write", written == whole, written, whole)
    if os.path.isdir(PPROF):
        check("enough profiles", len(profiles) >= 25, len(profiles))
    for path in paths:
        ours, samples = with_stack(path), totals(path, "samples")
        written = pprof_totals(program, folder, export(folder, path, "pb.gz")) or {}
        check(f"{os.path.basename(path)}: pprof reads the events", ours == {name: written.get(name) for name in ours},
              ours, written)
        for event, count in samples.items():
            beside = written.get(event + "_samples", written.get("samples", count))
            check(f"{os.path.basename(path)}: and the samples of {event}", beside == count, beside, count)
    pprof_details(program, folder, paths[0])


def pprof_details(program, folder, path):
    written = export(folder, path, "details.pb.gz")
    run = lambda *words: subprocess.run([program, "-symbolize=none", *words, written], capture_output=True, check=False,  # noqa: E731
                                        env={**os.environ, "PPROF_TMPDIR": folder, "HOME": folder}).stdout.decode()
    top = run("-top", "-sample_index=cycles")
    check("pprof -top has the total and names", "of 6000 total" in top and "do_sys_open" in top and
          "std::map<a, b>::find" in top and "(inline)" in top and "[libc.so.6]" in top, top)
    focused = run("-top", "-sample_index=cycles", "-tagfocus=thread=prog")
    check("labels choose threads", "50.00%" in focused or " 3000 " in focused, focused)
    tags = run("-tags", "-sample_index=cycles")
    check("labels of process and thread", all(key + ":" in tags for key in ("comm", "thread", "pid", "tid")), tags)


# ---- in a browser ----

def dump_dom(folder, address):
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader",
         "--window-size=1200,5000",  # speedscope fills only the lines of its table that are seen
         "--user-data-dir=" + os.path.join(folder, "chromium"), "--virtual-time-budget=20000", "--dump-dom",
         address], capture_output=True, timeout=240, check=False)
    return done.stdout.decode("utf-8", "replace")


def speedscope(folder, modules, path, event):
    """Its table of functions: [total, self, name] each."""
    written = export(folder, path, "speedscope.json", "-e", event)
    loader = os.path.join(folder, "load.js")
    with open(written, "rb") as file, open(loader, "w", encoding="utf-8") as out:
        out.write(f'speedscope.loadFileFromBase64("x.json", "{base64.b64encode(file.read()).decode()}");')
        # Its table measures itself once; if that was too early, again when it hears of a new size.
        out.write('for (const s of [1, 2, 4, 8]) setTimeout(() => dispatchEvent(new Event("resize")), 1000 * s);')
    page = os.path.join(modules, "speedscope", "dist", "release", "index.html")
    dom = dump_dom(folder, f"file://{page}#localProfilePath={loader}&view=sandwich")
    table = []
    for row in re.findall(r"<tr.*?</tr>", dom, re.S):
        cells = [html.unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<td.*?</td>", row, re.S)]
        if len(cells) == 3:
            table.append([int(re.match(r"[\d,]+", cell)[0].replace(",", "")) for cell in cells[:2]] + cells[2:])
    want = totals(path)[event]
    name = f"{os.path.basename(path)} {event}"
    check(f"speedscope's total of {name}", table and sum(row[1] for row in table) == want, table, want, dom[-500:])
    return table


def in_speedscope(folder, modules, paths):
    for path in paths[:2]:
        for event in totals(path):
            table = speedscope(folder, modules, path, event)
            if path == paths[0] and event == "cycles":
                names = {row[2]: row[:2] for row in table}
                check("speedscope's functions", names.get("<main> & \"co\", 'é'") == [3000, 0] and
                      names.get("std::map<a, b>::find(char const*)") == [1000, 1000] and
                      names.get("[libc.so.6]") == [2000, 2000] and names.get("prog") == [3000, 0] and
                      names.get("</script><b>;&amp;") == [3000, 0], names)


D3 = """
import flamegraph from "d3-flame-graph";
import { select } from "d3-selection";
const chart = flamegraph().width(1000).minFrameSize(0).transitionDuration(0);
select("#chart").datum(DATA).call(chart);
const frames = [...document.querySelectorAll("#chart g")].map((g) => g.__data__).filter((d) => d && d.data);
document.getElementById("result").textContent = JSON.stringify(frames.map((d) => [d.data.name, d.value]));
"""


def nodes(tree):
    yield tree["name"], tree["value"]
    for child in tree.get("children", []):
        yield from nodes(child)


def in_d3(folder, modules, paths):
    source = os.path.join(os.path.dirname(modules), "page.js")
    bundle = os.path.join(folder, "page.js")
    with open(source, "w", encoding="utf-8") as file:
        file.write(D3)
    subprocess.run(["esbuild", source, "--bundle", "--log-level=error", "--outfile=" + bundle], check=True)
    for path in paths[:2]:
        event = list(totals(path))[0]
        with open(export(folder, path, "json", "-e", event), encoding="utf-8") as file:
            tree = json.load(file)
        page = os.path.join(folder, "page.html")
        with open(page, "w", encoding="utf-8") as file:
            file.write('<!doctype html><meta charset="utf-8"><div id="chart"></div><pre id="result"></pre><script>'
                       "const DATA=" + json.dumps(tree).replace("<", "\\u003c") + "</script>"
                       '<script src="page.js"></script>')
        found = re.search(r'<pre id="result">(.*?)</pre>', dump_dom(folder, "file://" + page), re.S)
        drawn = json.loads(html.unescape(found[1])) if found and found[1] else []
        want = sorted(map(list, nodes(tree)))
        check(f"d3-flame-graph draws all frames of {os.path.basename(path)} with their values",
              sorted(drawn) == want and tree["value"] == totals(path)[event], drawn[:5], want[:5])


def browser(folder, paths):
    for program in ("chromium", "esbuild"):
        if not shutil.which(program):
            skip("speedscope and d3-flame-graph", f"no {program}")
            return
    modules = os.path.join(SOURCE, "build-test", "npm", "node_modules")
    if not os.path.isdir(modules):
        skip("speedscope and d3-flame-graph", "not installed: tools/npm.sh build-test/npm")
        return
    in_speedscope(folder, modules, paths)
    in_d3(folder, modules, paths)


# ---- HDF5 ----

READ_HDF5 = """
import json, sys, h5py
out = {}
for path in sys.argv[1:]:
    with h5py.File(path) as f:
        samples = f["samples"][:]
        texts = lambda table, column: [text.decode() for text in f[table][column]]
        names, comms, events = texts("functions", "name"), texts("threads", "comm"), texts("events", "name")
        parent, function = f["stacks"]["parent"], f["stacks"]["function"]
        def stack(i):
            frames = []
            while i:
                frames.append(names[function[i]])
                i = parent[i]
            return frames
        out[path] = {
            "columns": list(samples.dtype.names),
            "attributes": {k: str(v) for k, v in f.attrs.items()},
            "rows": [[int(s["time"]), events[s["event"]], int(s["period"]), int(s["samples"]), int(s["pid"]), int(s["tid"]),
                      int(s["cpu"]), int(s["ip"]), names[s["function"]] if s["function"] >= 0 else "",
                      ";".join(frame.replace(";", ":") for frame in reversed(stack(s["stack"])))]
                     for s in samples],
            "totals": {n: int(p) for n, p in zip(events, f["events"]["period"])},
            "stacks": [stack(s["stack"]) for s in samples[:5]],
            "comms": comms,
        }
print(json.dumps(out))
"""


def hdf5(folder, paths):
    python = next((path for path in ("python3", "/usr/bin/python3") if not subprocess.run(
        [path, "-c", "import h5py"], capture_output=True, check=False).returncode), None)
    if not python:
        skip("HDF5", "no h5py")
        return
    files = {export(folder, path, "h5"): path for path in paths}
    done = subprocess.run([python, "-c", READ_HDF5, *files], capture_output=True, text=True, check=False)
    if done.returncode:
        check("h5py reads what we write", False, done.stderr[-1500:])
        return
    read = json.loads(done.stdout)
    for file, path in files.items():
        got, name = read[file], os.path.basename(path)
        check(f"{name}: HDF5 columns", got["columns"] == ["time", "event", "period", "samples", "pid", "tid", "cpu",
                                                          "ip", "function", "stack"] and
              got["attributes"]["title"] == name, got["columns"], got["attributes"])
        want = [[int(r["time_ns"] or 0), r["event"], int(r["period"]), int(r["samples"]), int(r["pid"] or -1),
                 int(r["tid"] or -1), int(r["cpu"] or -1), int(r["ip"] or "0", 16), r["function"], r["stack"]]
                for r in rows(path)]
        check(f"{name}: HDF5 has the rows of CSV", got["rows"] == want, got["rows"][:3], want[:3])
        check(f"{name}: HDF5 totals", {k: v for k, v in got["totals"].items() if v} == totals(path), got["totals"])
    check("HDF5 stacks", read[list(files)[0]]["stacks"][0] == ["std::map<a, b>::find(char const*)",
                                                               "<main> & \"co\", 'é'"],
          read[list(files)[0]]["stacks"])


# ---- the Firefox Profiler ----

def firefox_faults(p):
    """What its importer and its selectors take for granted in a processed profile (version 60): columns
    as long as their tables, indices that lead somewhere, parents before children, sorted times."""
    meta, shared = p["meta"], p["shared"]
    if not isinstance(meta["preprocessedProfileVersion"], int) or meta["preprocessedProfileVersion"] > 60:
        yield "version"
    if not meta["interval"] > 0 or not isinstance(meta["product"], str) or meta["markerSchema"] != []:
        yield "meta"
    if meta["categories"][0]["color"] != "grey" or any(c["subcategories"][0] != "Other" for c in meta["categories"]):
        yield "categories"
    columns = {
        "stackTable": "frame prefix",
        "frameTable": "address inlineDepth category subcategory func nativeSymbol innerWindowID line column",
        "funcTable": "name isJS relevantForJS resource source lineNumber columnNumber",
        "resourceTable": "type lib name host",
        "nativeSymbols": "libIndex address name functionSize",
        "sources": "uuid filename",
    }
    for table, names in columns.items():
        for name in names.split():
            if len(shared[table][name]) != shared[table]["length"]:
                yield f"length of {table}.{name}"
    strings, stacks, frames = shared["stringArray"], shared["stackTable"], shared["frameTable"]
    funcs, resources = shared["funcTable"], shared["resourceTable"]
    within = lambda values, count: all(isinstance(v, int) and 0 <= v < count for v in values)  # noqa: E731
    if len(set(strings)) != len(strings) or not all(isinstance(s, str) for s in strings):
        yield "strings"
    if not within(stacks["frame"], frames["length"]) or not within(frames["func"], funcs["length"]):
        yield "frames"
    if any(prefix is not None and not 0 <= prefix < i for i, prefix in enumerate(stacks["prefix"])):
        yield "a parent behind its child"
    if not within(frames["category"], len(meta["categories"])) or set(frames["subcategory"]) - {0}:
        yield "frames' categories"
    for i, prefix in enumerate(stacks["prefix"]):
        depth = frames["inlineDepth"][stacks["frame"][i]]
        outer = frames["inlineDepth"][stacks["frame"][prefix]] if prefix is not None else -1
        if depth and depth != outer + 1:
            yield "depth of inlining"
    if not within(funcs["name"], len(strings)) or not within(resources["name"], len(strings)):
        yield "names"
    if any(r != -1 and not 0 <= r < resources["length"] for r in funcs["resource"]):
        yield "resources"
    if not within(resources["lib"], len(p["libs"])) or set(resources["type"]) - {1}:
        yield "libs"
    for lib in p["libs"]:
        if set(lib) != {"arch", "name", "path", "debugName", "debugPath", "breakpadId", "codeId"}:
            yield "a lib"
    for thread in p["threads"]:
        yield from firefox_thread_faults(thread, stacks["length"])


def firefox_thread_faults(thread, stacks):
    samples = thread["samples"]
    if not isinstance(thread["pid"], str) or not isinstance(thread["tid"], int) or not thread["name"]:
        yield "a thread's identity"
    if any(len(samples[name]) != samples["length"] for name in ("stack", "time", "weight")):
        yield "length of samples"
    if samples["time"] != sorted(samples["time"]) or samples["weightType"] not in ("samples", "tracing-ms", "bytes"):
        yield "times"
    if any(stack is not None and not 0 <= stack < stacks for stack in samples["stack"]):
        yield "stacks of samples"
    if any(thread["markers"][name] != [] for name in ("data", "name", "startTime", "endTime", "phase", "category")):
        yield "markers"


def firefox(folder, paths):
    for path in paths:
        with open(export(folder, path, "firefox.json"), encoding="utf-8") as file:
            profile = json.load(file)
        name = os.path.basename(path)
        faults = list(firefox_faults(profile))
        check(f"{name}: by the Firefox Profiler's rules", not faults, faults[:10])
        sums = {}
        for thread in profile["threads"]:
            kind = thread["samples"]["weightType"]
            sums[kind] = sums.get(kind, 0) + sum(thread["samples"]["weight"])
        bytes_events = {event for event in totals(path) if event.endswith("space")}
        want = sum(count for event, count in totals(path, "samples").items() if event not in bytes_events)
        check(f"{name}: its samples", sums.get("samples", 0) == want, sums, want)
        if bytes_events:
            want = sum(totals(path)[event] for event in bytes_events)
            check(f"{name}: its bytes", sums.get("bytes") == want, sums, want)


def script(folder, paths):
    """Our own text is read back with equal totals, through any of the formats."""
    for path in paths:
        again = export(folder, path, "script")
        check(f"{os.path.basename(path)}: perf script text has the same totals", totals(again) == totals(path),
              totals(again), totals(path))


def main():
    with tempfile.TemporaryDirectory(prefix="perfolio-formats-") as folder:
        paths = inputs(folder)
        script(folder, paths)
        firefox(folder, paths)
        hdf5(folder, paths)
        pprof(folder, paths)
        browser(folder, paths)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


sys.exit(main())
