# SPDX-License-Identifier: Apache-2.0
"""100,000 frames in a browser: until they are drawn, a zoom, a search; d3-flame-graph beside it.

As a program it opens a page in headless Chromium, which draws without a GPU, and prints what it saw:
    bench/page.py PAGE.html
"""
import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, "tests", "web")]
from browser import Browser  # noqa: E402
from goals import AtMost  # noqa: E402
from stacks import write_tree  # noqa: E402

TITLE = "page: 100,000 frames in a browser"
ROUNDS = 3
FRAMES = 100_000
GOALS = [
    AtMost("100,000 frames drawn after opening the page", "drawn_ms", 200, "ms", cpu="drawn_cpu_ms"),
    AtMost("one zoom among them", "zoom_ms", 50, "ms"),
    AtMost("one search among them", "search_ms", 50, "ms"),
]
FIGURES = {"drawn_ms": "until drawn", "drawn_cpu_ms": "CPU of its thread until then", "zoom_ms": "a zoom",
           "search_ms": "a search"}
D3 = """
import flamegraph from "d3-flame-graph";
import { select } from "d3-selection";
const chart = flamegraph().width(1400).minFrameSize(0).transitionDuration(0);
select("#chart").datum(JSON.parse(document.getElementById("data").textContent)).call(chart);
performance.mark("flame-drawn");
const wide = [...document.querySelectorAll("#chart g")].map((g) => g.__data__).filter((d) => d && d.depth === 2).slice(0, 5);
window.zoom = (i) => i % 2 ? chart.resetZoom() : chart.zoomTo(wide[i % wide.length]);
window.search = (i) => chart.search("method_" + i);
"""
OURS = """
const area = document.querySelector("#frames"), field = document.querySelector("#search");
const send = (type, x, y) => area.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, button: 0, bubbles: true }));
window.zoom = (i) => {
  const r = area.getBoundingClientRect(), x = r.left + 1 + area.clientWidth * (.2 + i / 20);
  const y = r.bottom - 3 - 18 * (i % 2 ? 0 : 3) - 9;
  send("pointerdown", x, y);
  send("pointerup", x, y);
};
window.search = (i) => { field.value = "method_" + i; field.dispatchEvent(new Event("input")); };
"""
# From the action until the frame with its result has been handed over to be shown.
MEASURE = """(async () => {
  const shown = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const times = [];
  for (let i = 0; i < ROUNDS; i++) {
    await shown();
    const start = performance.now();
    ACTION(i);
    await shown();
    times.push(performance.now() - start);
  }
  return times;
})()"""


def measure(page, action, rounds):
    return statistics.median(page.run(MEASURE.replace("ROUNDS", str(rounds)).replace("ACTION", action)))


def load(page, path):
    """Until the graph is there: from the start of the navigation, and the CPU time of the page's thread."""
    metrics = lambda: {row["name"]: row["value"] for row in page.ask("Performance.getMetrics")["metrics"]}
    page.go("about:blank")
    page.ask("Performance.disable")
    page.ask("Performance.enable", timeDomain="threadTicks")
    page.go("file://" + path)
    cpu = metrics()["TaskDuration"] * 1000
    drawn = page.run("""new Promise((done) => setTimeout(() => done(Math.max(
        performance.getEntriesByName("flame-drawn")[0].startTime,
        performance.getEntriesByName("first-contentful-paint")[0].startTime)), 500))""")
    return drawn, cpu


def look_at(path):
    with Browser() as browser:
        page = browser.open("about:blank", motion=False)
        time.sleep(2)  # a browser that has just started has other things to do
        loads = [load(page, path)]
        ours = page.run("!!document.querySelector('#frames')")
        loads += [load(page, path) for _ in range(4 if ours else 0)]
        if ours:
            page.run(OURS)
        rounds = 10 if ours else 1
        return {"drawn_ms": statistics.median(drawn for drawn, _ in loads),
                "drawn_cpu_ms": statistics.median(cpu for _, cpu in loads),
                "zoom_ms": measure(page, "zoom", rounds), "search_ms": measure(page, "search", rounds),
                "loads": loads}


def peer_page(perfolio, folded, scratch):
    """The same frames drawn by d3-flame-graph, if npm can be had."""
    place = os.path.join(ROOT, "build-test", "npm")
    if subprocess.run([os.path.join(ROOT, "tools", "npm.sh"), place], capture_output=True, check=False).returncode:
        return None
    source = os.path.join(place, "bench.js")
    with open(source, "w", encoding="utf-8") as file:
        file.write(D3)
    script = subprocess.run(["esbuild", source, "--bundle", "--minify", "--log-level=error", "--loader:.css=empty"],
                            check=True, capture_output=True, encoding="utf-8").stdout
    tree = subprocess.run([perfolio, "flame", folded, "--format", "json", "-o", "-"], check=True,
                          capture_output=True, encoding="utf-8").stdout
    page = os.path.join(scratch, "peer.html")
    with open(page, "w", encoding="utf-8") as file:
        file.write('<!doctype html><meta charset="utf-8"><div id="chart"></div><script id="data" type="application/json">' +
                   tree.replace("<", "\\u003c") + "</script><script>" + script + "</script>")
    return page


def commands(perfolio, scratch):
    folded, page = os.path.join(scratch, "tree.folded"), os.path.join(scratch, "tree.html")
    write_tree(folded, FRAMES)
    subprocess.run([perfolio, "flame", folded, "-o", page], check=True, capture_output=True)
    found = {"perfolio": [sys.executable, os.path.abspath(__file__), page]}
    peer = peer_page(perfolio, folded, scratch)
    if peer:
        found["d3-flame-graph"] = [sys.executable, os.path.abspath(__file__), peer]
    return found


def figures(result):
    return json.loads(result.text.strip().splitlines()[-1])


def print_table(runs):
    middle = {name: {key: statistics.median(run[key] for run in all_runs) for key in FIGURES}
              for name, all_runs in runs.items()}
    print(f"  {'median, ms':30}" + "".join(f"{name:>18}" for name in middle))
    for key, words in FIGURES.items():
        print(f"  {words:30}" + "".join(f"{middle[name][key]:18,.1f}" for name in middle), flush=True)
    if "d3-flame-graph" not in runs:
        print("  d3-flame-graph: not compared, npm has no packages here")


if __name__ == "__main__":
    print(json.dumps(look_at(sys.argv[1])))
