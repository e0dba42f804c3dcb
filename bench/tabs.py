# SPDX-License-Identifier: Apache-2.0
"""The Flame tab of the server's page: 100,000 frames until drawn, a zoom, a search, panning; a large run opened.

As a program it starts a server, hands it both files and prints what a headless Chromium, which draws without a
GPU, saw:
    bench/tabs.py PERFOLIO TREE.folded RECORDING
"""
import json
import os
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE]
from goals import AtMost  # noqa: E402
import recording  # noqa: E402
from stacks import write_tree  # noqa: E402

TITLE = "tabs: a run's graph in the page of the server"
ROUNDS = 1
FRAMES = 100_000
GOALS = [
    AtMost("100,000 frames drawn once they are there", "draw_ms", 200, "ms"),
    AtMost("one zoom among them", "zoom_ms", 50, "ms"),
    AtMost("one search among them", "search_ms", 50, "ms"),
    AtMost("panning, the time between pictures of 95 in 100", "pan_p95_ms", 17, "ms"),
    AtMost("a run of 820,000 samples opened from its index", "open_ms", 500, "ms"),
]
FIGURES = {"frames": "frames that were drawn", "draw_ms": "from the answer until drawn", "zoom_ms": "a zoom", "search_ms": "a search",
           "pan_p50_ms": "panning, median", "pan_p95_ms": "panning, 95 in 100", "samples": "samples of the large run",
           "open_ms": "until it is drawn, everything included"}
ACTIONS = """
const area = document.querySelector(".flame-frames"), field = document.querySelector(".flame-find input");
area.setPointerCapture = () => {};
const send = (type, x, y) => area.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, button: 0, bubbles: true, pointerId: 1 }));
const bounds = () => area.getBoundingClientRect();
const shown = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
const rest = () => new Promise((done) => setTimeout(done, 300));
window.zoom = (i) => {
  const x = bounds().left + 1 + area.clientWidth * (.2 + i / 20), y = bounds().bottom - 3 - 18 * (i % 2 ? 0 : 3) - 9;
  send("pointerdown", x, y);
  send("pointerup", x, y);
};
window.search = (i) => { field.value = "method_" + i; field.dispatchEvent(new Event("input", { bubbles: true })); };
window.measure = async (action) => {
  const times = [];
  for (let i = 0; i < 10; i++) {
    await rest();
    await shown();
    const start = performance.now();
    action(i);
    await shown();
    times.push(performance.now() - start);
  }
  return times;
};
window.pan = async () => {
  const times = [], y = bounds().top + 200;
  window.zoom(0);
  await rest();
  send("pointerdown", bounds().left + 700, y);
  let last = await new Promise(requestAnimationFrame);
  for (let i = 1; i <= 180; i++) {
    send("pointermove", bounds().left + 700 - 3 * i, y);
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  send("pointerup", bounds().left, y);
  return times.slice(10).sort((a, b) => a - b);
};
"""
DRAWN = "performance.getEntriesByName('flame-drawn')[0]?.startTime ?? 0"
ANSWERED = "performance.getEntriesByType('resource').find((entry) => entry.name.includes('/flame?') || entry.name.endsWith('/flame')).responseEnd"


def bring(site, session, path):
    head = {"Authorization": f"Bearer {site.token}", "Content-Type": "application/octet-stream"}
    with open(path, "rb") as file:
        status, _, got = site.raw("POST", f"/api/v1/sessions/{session}/import?name={os.path.basename(path)}", file, head, 600)
    if status >= 300:
        sys.exit(f"import: {status} {got}")
    run = json.loads(got)["id"]
    done = site.wait(run, timeout=600)
    if done["state"] != "done":
        sys.exit(f"import: {done['reason']}")
    return run, done["facts"]["samples"]


def opened(browser, site, run, query):
    """A tab of its own, and when its graph was drawn."""
    from tab import Tab
    tab = Tab(browser, site, run, "flame", query)
    drawn = tab.until(DRAWN)
    return tab, drawn


def look(browser, site, tree, large):
    found = {"samples": large[1]}
    for run, query in ((large[0], ""), (tree[0], "least=0.000000000001")):
        opened(browser, site, run, query)[0].close()  # code and index are read once
    times = []
    for _ in range(5):
        tab, drawn = opened(browser, site, large[0], "")
        times.append(drawn)
        tab.close()
    found["open_ms"] = statistics.median(times)
    times = []
    for _ in range(5):
        tab, drawn = opened(browser, site, tree[0], "least=0.000000000001")
        times.append(drawn - tab.page.run(ANSWERED))
        if len(times) < 5:
            tab.close()
    found["draw_ms"] = statistics.median(times)
    time.sleep(1)
    tab.page.run(ACTIONS)
    found["zoom_ms"] = statistics.median(tab.page.run("measure(zoom)"))
    found["search_ms"] = statistics.median(tab.page.run("measure(search)"))
    tab.page.run("search('x')")
    pans = tab.page.run("pan()")
    found["pan_p50_ms"], found["pan_p95_ms"] = pans[len(pans) // 2], pans[int(len(pans) * 0.95)]
    found["frames"] = len(site.get(f"/runs/{tree[0]}/tree?limit=1000000")["nodes"])
    return found


def main(perfolio, folded, large):
    os.environ["PERFOLIO"] = perfolio
    # Only here: a benchmark has the name of the tests' server.
    sys.path[:0] = [os.path.join(ROOT, "tests", "web"), os.path.join(ROOT, "tests", "live")]
    import server
    from browser import Browser
    with server.Server() as site, Browser() as browser:
        session = site.session("bench")
        print(json.dumps(look(browser, site, bring(site, session, folded), bring(site, session, large))))


def commands(perfolio, scratch):
    folded = os.path.join(scratch, "tree.folded")
    write_tree(folded, FRAMES)
    return {"perfolio": [sys.executable, os.path.abspath(__file__), os.path.abspath(perfolio), folded, recording.make()]}


def figures(result):
    return json.loads(result.text.strip().splitlines()[-1])


def print_table(runs):
    run = runs["perfolio"][-1]
    for key, words in FIGURES.items():
        print(f"  {words:40}{run[key]:14,.1f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4])
