# SPDX-License-Identifier: Apache-2.0
"""The Flame tab of the server's page: 100,000 frames until drawn, a zoom, a search, panning; a large run opened, and
what people do with it: colours, icicle, another thread, another range of time.

As a program it starts a server, hands it both files and prints what a headless Chromium, which draws without a
GPU, saw:
    bench/tabs.py PERFOLIO TREE.folded RECORDING
"""
import json
import os
import statistics
import sys
import time

from goals import AtMost
import inbrowser
import recording
from stacks import write_tree

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
FIGURES = {"frames": "frames in the graph", "draw_ms": "from the answer until drawn", "zoom_ms": "a zoom, until its last picture",
           "zoom_p95_ms": "an animated zoom, 95 in 100 pictures", "search_ms": "a search", "colours_ms": "other colours",
           "icicle_ms": "icicle", "leaf_ms": "leaf first", "pan_p50_ms": "panning, median", "pan_p95_ms": "panning, 95 in 100",
           "samples": "samples of the large run", "open_ms": "until it is drawn, everything included",
           "thread_ms": "another thread of it", "range_ms": "another range of its time"}
ACTIONS = """
const choose = (label, value) => {
  const field = [...document.querySelectorAll("label")].find((one) => one.textContent.startsWith(label)).querySelector("select");
  field.value = value;
  field.dispatchEvent(new Event("change", { bubbles: true }));
};
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
const press = (text) => [...document.querySelectorAll(".flame-bar button")].find((button) => button.textContent === text).click();
window.icicle = () => press("Icicle");
window.leaf = () => press("Leaf first");
window.colours = (i) => choose("Colours", ["name", "warm", "object", "kind"][i % 4]);
window.animated = async () => {
  const times = [];
  for (let i = 0; i < 10; i++) {
    await rest();
    let last = await new Promise(requestAnimationFrame);
    window.zoom(i);
    for (let end = last + 180; last < end;) {
      const now = await new Promise(requestAnimationFrame);
      times.push(now - last);
      last = now;
    }
  }
  return times.sort((a, b) => a - b);
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
# From a choice of samples until their graph is drawn, once each.
CHOSEN = """
(async (choices) => {
  const said = () => document.querySelector(".flame-subtitle span").textContent, times = [];
  const field = [...document.querySelectorAll("label")].find((one) => one.textContent.startsWith("Thread"))?.querySelector("select");
  for (const choice of choices) {
    const before = said(), start = performance.now();
    if (typeof choice === "string") {
      field.value = choice;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    } else {
      const map = document.querySelector(".time-heat"), box = map.getBoundingClientRect();
      map.setPointerCapture = () => {};
      for (const [type, part] of [["pointerdown", choice[0]], ["pointermove", choice[1]], ["pointerup", choice[1]]]) {
        map.dispatchEvent(new PointerEvent(type, { clientX: box.left + part * box.width, clientY: box.top + 20, button: 0, bubbles: true, pointerId: 1 }));
        await new Promise((done) => setTimeout(done));
      }
    }
    while (said() === before) await new Promise((done) => setTimeout(done));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    times.push(performance.now() - start);
    await new Promise((done) => setTimeout(done, 300));
  }
  return times;
})
"""
MOST = "most=500000"  # all frames of the tree
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


def opened(browser, site, run, query, name="flame", motion=True):
    """A tab of its own, and when its graph was drawn."""
    from tab import Tab
    tab = Tab(browser, site, run, name, query, motion=motion)
    drawn = tab.until(DRAWN)
    return tab, drawn


def act(browser, site, tree, found):
    """What is done to 100,000 frames; the last picture is the first where nothing moves."""
    tab, _ = opened(browser, site, tree, MOST, motion=False)
    time.sleep(1)
    tab.page.run(ACTIONS)
    for name in ("zoom", "search", "colours", "icicle", "leaf"):
        found[name + "_ms"] = statistics.median(tab.page.run(f"measure({name})"))
        if name == "search":
            tab.page.run("search('x')")
    tab.close()
    tab, _ = opened(browser, site, tree, MOST)
    time.sleep(1)
    tab.page.run(ACTIONS)
    times = tab.page.run("animated()")
    found["zoom_p95_ms"] = times[int(len(times) * 0.95)]
    pans = tab.page.run("pan()")
    found["pan_p50_ms"], found["pan_p95_ms"] = pans[len(pans) // 2], pans[int(len(pans) * 0.95)]
    tab.close()


def choose(browser, site, run, found):
    """Other samples of the large run."""
    tids = [f"t{row['tid']}" for row in site.get(f"/runs/{run}/threads?limit=6")["rows"]]
    tab, _ = opened(browser, site, run, "")
    found["thread_ms"] = statistics.median(tab.page.run(f"{CHOSEN}({json.dumps(tids)})"))
    tab.close()
    tab, _ = opened(browser, site, run, "", "time")
    time.sleep(1)
    found["range_ms"] = statistics.median(tab.page.run(f"{CHOSEN}({json.dumps([[i / 10, i / 10 + 0.15] for i in range(6)])})"))
    tab.close()


def look(browser, site, tree, large):
    found = {"samples": large[1]}
    for run, query in ((large[0], ""), (tree[0], MOST)):
        opened(browser, site, run, query)[0].close()  # code and index are read once
    times = []
    for _ in range(5):
        tab, drawn = opened(browser, site, large[0], "")
        times.append(drawn)
        tab.close()
    found["open_ms"] = statistics.median(times)
    times = []
    for _ in range(5):
        tab, drawn = opened(browser, site, tree[0], MOST)
        times.append(drawn - tab.page.run(ANSWERED))
        found["frames"] = tab.page.run("performance.getEntriesByName('flame-drawn')[0].detail")
        tab.close()
    found["draw_ms"] = statistics.median(times)
    if found["frames"] < FRAMES:
        sys.exit(f"only {found['frames']:,} frames were drawn")
    act(browser, site, tree[0], found)
    choose(browser, site, large[0], found)
    return found


def main(perfolio, folded, large):
    Server, Browser = inbrowser.tools(perfolio)
    with Server() as site, Browser() as browser:
        session = site.session("bench")
        print(json.dumps(look(browser, site, bring(site, session, folded), bring(site, session, large))))


def commands(perfolio, scratch):
    folded = os.path.join(scratch, "tree.folded")
    write_tree(folded, FRAMES + 100)
    return inbrowser.command(__file__, perfolio, folded, recording.make())


figures = inbrowser.figures


def print_table(runs):
    inbrowser.print_figures(runs, FIGURES)


if __name__ == "__main__":
    main(*sys.argv[1:4])
