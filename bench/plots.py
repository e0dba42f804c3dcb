# SPDX-License-Identifier: Apache-2.0
"""The Counters tab of the server's page: a million points drawn, panned and zoomed; a live plot that does not grow.

As a program it starts servers and prints what a headless Chromium, which draws without a GPU, saw:
    bench/plots.py PERFOLIO [SECONDS]
SECONDS is how long the live plot is watched: 60, or 600 where PERFOLIO_LONG=1.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from goals import AtMost
import inbrowser

POINTS = 1_000_000
LONG = os.environ.get("PERFOLIO_LONG") == "1"
SECONDS = 600 if LONG else 60
TITLE = f"plots: {POINTS:,} points of counters in the page of the server, and {SECONDS} s live at 100 points a second"
ROUNDS = 1
WARM = 30  # seconds of the live plot before its memory is looked at
COLD = ["perfolio"]
EVENTS = "task-clock,context-switches,page-faults,cpu-migrations,minor-faults,major-faults,cpu-clock,task-clock:u"
GOALS = [
    AtMost("panning eight plots, the time between pictures of 95 in 100", "pan_p95_ms", 17, "ms"),
    AtMost("panning all curves in one plot, of 95 in 100", "together_p95_ms", 17, "ms"),
    AtMost("a step of the wheel", "wheel_ms", 50, "ms"),
    AtMost("drawn once the points are there", "draw_ms", 200, "ms"),
    # In a short time it also sees the engine compile what is used often.
    AtMost("a live plot, growth of the heap a minute", "live_kb_min", 20 if LONG else 150, "KB"),
    AtMost("and of its nodes and listeners in all", "live_nodes", 20, "more"),  # texts that are written anew come and go
]
FIGURES = {"points": "points of the run", "open_ms": "until drawn, everything included", "draw_ms": "from the answer until drawn",
           "wheel_ms": "a step of the wheel", "pan_p50_ms": "panning eight plots, median", "pan_p95_ms": "panning eight plots, 95 in 100",
           "pan_script_ms": "of it the page's thread, CPU a picture", "together_p50_ms": "panning one plot of all, median",
           "together_p95_ms": "panning one plot of all, 95 in 100", "live_seconds": "seconds of the live plot",
           "live_points": "points that it has got", "live_heap_kb": "its heap at the end, KB", "live_kb_min": "growth a minute, KB",
           "live_nodes": "more nodes and listeners"}
ACTIONS = """
const over = () => document.querySelector(".u-over");
const send = (type, x) => {
  const box = over().getBoundingClientRect();
  over().dispatchEvent(new PointerEvent(type, { clientX: box.left + x, clientY: box.top + 20, button: 0, bubbles: true, pointerId: 1 }));
};
const shown = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
const rest = () => new Promise((done) => setTimeout(done, 600));
const turn = (by) => over().dispatchEvent(new WheelEvent("wheel", { deltaY: by, clientX: over().getBoundingClientRect().left + 600, bubbles: true, cancelable: true }));
window.wheels = async () => {
  const times = [];
  for (let i = 0; i < 12; i++) {
    await rest();
    await shown();
    const start = performance.now();
    turn(-120);
    await shown();
    times.push(performance.now() - start);
  }
  return times;
};
window.pan = async () => {
  const times = [];
  await rest();
  send("pointerdown", 600);
  let last = await new Promise(requestAnimationFrame);
  for (let i = 1; i <= 240; i++) {
    send("pointermove", 600 + 400 * Math.sin(i / 30));
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  send("pointerup", 600);
  return times.slice(10).sort((a, b) => a - b);
};
"""
DRAWN = "performance.getEntriesByName('plots-drawn')[0]?.startTime ?? 0"
ANSWERED = "performance.getEntriesByType('resource').find((entry) => entry.name.includes('/counters?')).responseEnd"


def press(tab, words):
    tab.press(words, "[role=radio]")


def pan(tab, found, name):
    times = tab.page.run("pan()")
    found[f"{name}_p50_ms"], found[f"{name}_p95_ms"] = times[len(times) // 2], times[int(len(times) * 0.95)]
    return len(times)


def script_ms(tab):
    rows = tab.page.ask("Performance.getMetrics")["metrics"]
    return next(row["value"] for row in rows if row["name"] == "TaskDuration") * 1000


def look(browser, site, run):
    from tab import Tab
    found = {"points": site.get(f"/runs/{run}/counters?width=10")["points"]}
    opens, draws = [], []
    for number in range(6):
        tab = Tab(browser, site, run, "counters")
        drawn = tab.until(DRAWN)
        if number:  # code and answers are read once
            opens.append(drawn)
            draws.append(drawn - tab.page.run(ANSWERED))
        if number < 5:
            tab.close()
    found["open_ms"], found["draw_ms"] = statistics.median(opens), statistics.median(draws)
    tab.page.run(ACTIONS)
    found["wheel_ms"] = statistics.median(tab.page.run("wheels()"))
    press(tab, "Drag: pan")
    tab.page.ask("Performance.enable", timeDomain="threadTicks")
    before = script_ms(tab)
    pictures = pan(tab, found, "pan")
    found["pan_script_ms"] = (script_ms(tab) - before) / pictures
    press(tab, "Together")
    tab.page.run("rest()")
    pan(tab, found, "together")
    tab.close()
    return found


def slope(times, values):
    """The median of the slopes between any two of them: one that is off does not count."""
    points = list(zip(times, values))
    return statistics.median((b[1] - a[1]) / (b[0] - a[0]) for at, a in enumerate(points) for b in points[at + 1:])


def memory(tab):
    """The least of several looks: a collection leaves what a message on its way still holds."""
    used = []
    for _ in range(5):
        tab.page.ask("HeapProfiler.collectGarbage")
        used.append(tab.page.ask("Runtime.getHeapUsage")["usedSize"] / 1024)
        time.sleep(0.03)
    counts = tab.page.ask("Memory.getDOMCounters")
    return min(used), counts["nodes"] + counts["jsEventListeners"]


def live(browser, site, seconds):
    """A run that is followed at 100 points a second: its memory after garbage is collected, again and again."""
    from tab import Tab
    command = "while :; do seq 3000 | sort -r >/dev/null; sleep 0.05; done"
    form = {"tool": "count", "live": True, "interval_ms": 10, "limit_s": seconds + WARM + 60, "events": {"count": EVENTS},
            "target": {"kind": "command", "argv": ["sh", "-c", command], "who": "", "children": True}}
    run = site.run(site.session("live"), form)
    site.wait(run, "running")
    tab = Tab(browser, site, run, "counters")
    tab.until(DRAWN, 60)
    time.sleep(WARM)
    start, times, heaps, nodes = time.monotonic(), [], [], []
    while not times or times[-1] < seconds:
        used, count = memory(tab)
        times.append(time.monotonic() - start)
        heaps.append(used)
        nodes.append(count)
        time.sleep(max(2, seconds / 40))
    points = site.get(f"/runs/{run}/counters?width=10")["points"]
    site.ask("POST", f"/runs/{run}/cancel")
    tab.close()
    half = len(nodes) // 2
    return {"live_seconds": times[-1], "live_points": points, "live_heap_kb": heaps[-1], "live_kb_min": 60 * slope(times, heaps),
            "live_nodes": max(0, max(nodes[half:]) - max(nodes[:half])), "live_heaps_kb": [round(heap) for heap in heaps]}


def main(perfolio, seconds=SECONDS):
    Server, Browser = inbrowser.tools(perfolio)
    tool = os.path.join(os.path.dirname(os.path.abspath(perfolio)), "bench", "serverdata")
    with tempfile.TemporaryDirectory(prefix="perfolio-bench-") as scratch:
        os.chmod(scratch, 0o711)
        data = os.path.join(scratch, "data")
        run = subprocess.run([tool, data, "-", "0", str(POINTS)], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
        with Server(data=data) as site, Browser() as browser:
            found = look(browser, site, int(run))
    with Server() as site, Browser() as browser:
        found.update(live(browser, site, int(seconds)))
    print(json.dumps(found))


def commands(perfolio, _scratch):
    return inbrowser.command(__file__, perfolio)


figures = inbrowser.figures


def print_table(runs):
    inbrowser.print_figures(runs, FIGURES)


if __name__ == "__main__":
    main(*sys.argv[1:3])
