#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flame and Time of the server's page in a browser: every control, its figures against the API's.

The recording is made by rule (made_script.py) and comes in as a text; a second run is recorded by the server
while the page looks on.
"""
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
import urllib.parse

from browser import Browser
from made_script import samples, script
from tab import Tab

import lib
import server

NS = 1_000_000_000
LISTED = "[...document.querySelectorAll('.flame-table tbody tr')].map((row) => row.dataset.function)"


def check(name, good, why=""):
    if not lib.check(good, name, str(why)[:1500]) and Tab.latest:
        folder = os.path.join(os.path.dirname(lib.PERFOLIO), "meson-logs")
        picture = os.path.join(folder if os.path.isdir(folder) else tempfile.gettempdir(), f"tabs-{os.getpid()}-{lib.failed()}.png")
        with contextlib.suppress(OSError, RuntimeError):
            print(f"#   at {Tab.latest.run('location.href')}")
            Tab.latest.shot(picture)
            print(f"#   a picture of the tab that was opened last: {picture}")


def bring(site, session, name, data):
    """A file as a run of the session."""
    head = {"Authorization": f"Bearer {site.token}", "Content-Type": "application/octet-stream"}
    status, _, got = site.raw("POST", f"/api/v1/sessions/{session}/import?name={name}", data, head)
    if status >= 300:
        raise RuntimeError(f"import: {status} {got}")
    return json.loads(got)["id"]


def percent(part, whole):
    return round(100 * part / whole, 2)


def near(shown, expected):
    """Shares as they are shown, within what rounding does."""
    return shown.keys() == expected.keys() and all(
        abs(a - b) <= 0.011 for name in shown for a, b in zip(shown[name], expected[name]))


def top(site, run, **query):
    """{function: (self, total)} in shares of 100 from the API."""
    words = urllib.parse.urlencode({"limit": 100000, **query})
    answer = site.get(f"/runs/{run}/top?{words}")
    return {row["function"]: (row["self_percent"], row["total_percent"]) for row in answer["rows"]}


def tree(site, run, **query):
    words = urllib.parse.urlencode({"limit": 100000, **query})
    return site.get(f"/runs/{run}/tree?{words}")["nodes"]


def matched(nodes, expression):
    """The share of frames that match, nested ones once, from the API's tree."""
    inside, found = [], 0
    for node in nodes:
        above = node["parent"] >= 0 and inside[node["parent"]]
        hit = node["kind"] != "group" and bool(re.search(expression, node["name"]))
        if hit and not above:
            found += node["total_percent"]
        inside.append(above or hit)
    return round(found, 2)


def zoom_steps(tab):
    """How many widths the part that is seen has on its way: slower each time, as a busy machine skips pictures."""
    most = 0
    for factor in (1, 4, 16, 64):
        tab.slowly(factor)
        tab.page.run("(() => { const seen = document.querySelector('.flame-minimap .seen'); window.widths = new Set(); "
                     "new MutationObserver(() => window.widths.add(seen.style.width)).observe(seen, { attributes: true }); })()")
        tab.page.click(*tab.place(1, 0.9))
        tab.still()
        most = max(most, tab.page.run("window.widths.size"))
        tab.slowly(1)
        if most >= 3:
            break
        tab.key("Escape", code=27)
        tab.still()
    return most


def looking(browser, site, run):
    """Hover, zoom, search, palettes, icicle, minimap, keys."""
    tab = Tab(browser, site, run, "flame", motion=True).ready()
    nodes = tree(site, run)
    prog = next(node for node in nodes if node["name"] == "prog")
    name, facts = tab.hover(1, 0.9)
    check("hovering shows the API's total and self", name == "prog" and
          facts["total"].endswith(f"{prog['total_percent']:.2f} %") and
          f"{prog['total_samples']:,} samples" in facts["total"] and facts["self"].endswith("0.00 %"), (name, facts, prog))
    check("and the object of a function", tab.hover(2, 0.9)[1].get("object") == "/usr/bin/prog", tab.hover(2, 0.9))
    check("a click zooms, with pictures between", zoom_steps(tab) >= 3 and tab.param("zoom") is not None)
    check("the minimap shows which part is seen", tab.page.run("!!document.querySelector('.flame-minimap .seen').offsetParent"))
    left = "document.querySelector('.flame-minimap .seen').getBoundingClientRect().left"
    was = tab.page.run(left)
    tab.drag(".flame-minimap", (0.9, 0.5), (0.6, 0.5))
    check("and moves it", tab.until(f"{left} < {was - 20}"), (was, tab.page.run(left)))
    address = tab.page.run("location.pathname + location.search")
    tab.key("Escape", code=27)
    tab.still()
    check("Esc resets the zoom", tab.param("zoom") is None and tab.hover(1, 0.99)[0] == "prog", tab.param("zoom"))
    other = Tab(browser, site, run, "flame", address.partition("?")[2]).ready()
    check("an address opens where it was zoomed", other.hover(1, 0.01)[0] == "prog" and
          other.hover(1, 0.99)[0] == "prog", (address, other.hover(1, 0.01)))
    other.close()
    for expression in ("malloc|brk", "^sort$", "std::map"):
        tab.type(expression)
        expected = matched(nodes, expression)
        check(f"search for {expression} covers the API's share", abs(float(tab.text(".flame-matched").split()[1]) - expected) <= 0.011,
              (tab.text(".flame-matched"), expected))
    tab.type("(")
    check("a bad expression is said", tab.text(".flame-matched") == "not a regular expression")
    tab.key("Escape", code=27)
    seen = set()
    for palette in ("kind", "name", "warm", "object"):
        tab.select("Colours", palette)
        tab.until("document.querySelector('.flame-legend').textContent")
        seen.add((tab.picture(".flame-frames canvas"), tab.text(".flame-legend")))
    check("palettes have pictures of their own and legends", len({picture for picture, _ in seen}) == 4 and
          all(legend for _, legend in seen), [legend for _, legend in seen])
    check("the legend names objects", any("helper" in legend and "prog" in legend for _, legend in seen))
    tab.press("Icicle")
    check("icicle: the root is on top", tab.hover(0, 0.5, inverted=True)[0] == "all" and tab.param("icicle") == "1")
    tab.press("Undo")
    check("undo takes it back", tab.hover(0, 0.5)[0] == "all" and tab.param("icicle") is None)
    tab.close()


def keys(browser, site, run):
    tab = Tab(browser, site, run, "flame").ready()
    tab.blur()
    chosen = []
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        tab.key(key)
        chosen.append(tab.text(".flame-chosen .flame-name"))
    check("arrows move", chosen == ["all", "prog", "helper", "prog", "main", "prog"], chosen)
    tab.key("Enter", code=13)
    check("Enter zooms", tab.param("zoom") is not None)
    tab.page.key("z", modifiers=2)
    tab.settle()
    check("Ctrl-Z takes it back", tab.param("zoom") is None)
    tab.key("/")
    check("/ leads to the search", tab.page.run("document.activeElement.type") == "search")
    tab.blur()
    tab.key("?")
    check("? shows the keys", tab.page.run("document.querySelector('.flame-help').open"))
    tab.press("Close")
    tab.blur()
    tab.key("g")
    tab.key("s")
    check("g s leads to the sessions from here too", tab.until("location.pathname === '/'"))
    tab.close()


def changes(browser, site, run):
    """Focus, hide, collapse, leaf first: the table has the API's figures for the same."""
    tab = Tab(browser, site, run, "flame").ready()
    check("self and total of the table are the API's", near(tab.rows(), top(site, run)), tab.rows())
    heads = [tab.page.run(LISTED)]
    for order in ("Total", "Function"):
        tab.press(order, ".flame-table th button")
        heads.append(tab.page.run(LISTED))
    check("and are sorted as asked", heads[2] == sorted(heads[2]) and heads[1][0] == "main" and heads[0][0] != "main", heads)
    tab.press("Self", ".flame-table th button")
    for word, query in (("Focus", {"focus": "^sort$"}), ("Hide", {"hide": "^sort$"})):
        tab.page.run("document.querySelector('tr[data-function=sort] button').click()")
        tab.settle()
        tab.press(word)
        tab.page.run("document.querySelector('tr[aria-selected=true] button')?.click()")
        tab.settle()
        check(f"{word.lower()} has the API's figures", near(tab.rows(), top(site, run, **query)), (tab.rows(), top(site, run, **query)))
        check(f"and {word.lower()} is in the trail", tab.texts(".flame-trail button") == [
              f"{'Focus' if word == 'Focus' else 'Hidden'}: sort ✕"], tab.texts(".flame-trail button"))
        tab.press("Undo")
        check(f"undo takes {word.lower()} back", near(tab.rows(), top(site, run)) and not tab.texts(".flame-trail button"))
    tab.press("Collapse recursion")
    rows = sum(node["name"] == "sort" for node in tree(site, run, collapse=1))
    check("recursion collapses as the API's", rows == sum(node["name"] == "sort" for node in tree(site, run)) - 1 and
          near(tab.rows(), top(site, run, collapse=1)), rows)
    tab.page.run("document.querySelector('.flame-trail button').click()")
    tab.settle()
    tab.press("Leaf first")
    leaf = max((node for node in tree(site, run, reversed=1) if node["kind"] != "group"), key=lambda node: node["total_samples"])
    tab.type(f"^{re.escape(leaf['name'])}$")
    tab.page.run("document.querySelector('.flame-table td button').click()")
    tab.settle()
    check("leaf first has the API's widest leaf", f"total" in tab.text(".flame-chosen") and
          f"{leaf['total_percent']:.2f} %" in tab.text(".flame-chosen"), (tab.text(".flame-chosen"), leaf))
    tab.close()


def choosing(browser, site, run):
    """Threads, processes, events; the names that are copied."""
    tab = Tab(browser, site, run, "flame").ready()
    threads = site.get(f"/runs/{run}/threads")["rows"]
    thread = next(row for row in threads if row["tid"] == 71)
    tab.select("Thread", "t71")
    tab.until(f"document.querySelector('.flame-subtitle').textContent.includes('{thread['samples']:,} samples')")
    check("a thread has the API's samples", f"{thread['samples']:,} samples" in tab.text(".flame-subtitle") and
          near(tab.rows(), top(site, run, tid=71)), (tab.text(".flame-subtitle"), thread))
    tab.select("Thread", "p70")
    both = sum(row["samples"] for row in threads if row["pid"] == 70)
    tab.until(f"document.querySelector('.flame-subtitle').textContent.includes('{both:,} samples')")
    check("a process has those of its threads", near(tab.rows(), top(site, run, pid=70)) and tab.param("who") == "p70",
          tab.text(".flame-subtitle"))
    tab.press("Undo")
    tab.until(f"document.querySelector('.flame-subtitle').textContent.includes('{thread['samples']:,} samples')")
    check("undo goes back to the thread before", tab.param("who") == "t71" and near(tab.rows(), top(site, run, tid=71)), tab.param("who"))
    tab.select("Thread", "")
    tab.select("Event", "page-faults")
    tab.until("document.querySelector('.flame-subtitle').textContent.startsWith('page-faults')")
    tab.press("Undo")
    tab.until("document.querySelector('.flame-subtitle').textContent.startsWith('cycles')")
    check("and to the event before", tab.param("event") is None and near(tab.rows(), top(site, run)), tab.param("event"))
    tab.select("Event", "page-faults")
    tab.until("document.querySelector('.flame-subtitle').textContent.startsWith('page-faults')")
    check("another event has its own graph", near(tab.rows(), top(site, run, event="page-faults")) and
          "toucher" in tab.rows(), tab.rows())
    browser.ask("Browser.grantPermissions", {"origin": tab.root, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    tab.page.run("document.querySelector('tr[data-function=toucher] button').click()")
    tab.settle()
    tab.press("Copy name")
    copied = tab.until("navigator.clipboard.readText().catch((e) => String(e))")
    check("a name is copied", copied == "toucher", copied)
    tab.close()


def closer(browser, site, run):
    """Of a tree with more frames than are sent, a zoom brings those inside."""
    tab = Tab(browser, site, run, "flame", "most=4").ready()
    flame = site.get(f"/runs/{run}/flame?most=4")
    check("frames that are left out are said", flame["hidden"] > 0 and f"{flame['hidden']:,} frames" in tab.text(".flame-foot"),
          (flame["hidden"], tab.text(".flame-foot")))
    tab.until("![...document.querySelectorAll('.flame-table tbody tr')].some((row) => row.dataset.function === '[not shown]')")
    seen, whole = tab.rows(), top(site, run)
    check("the table has the sums of all frames", near(seen, whole), (seen, whole))
    tab.page.click(*tab.place(2, 0.9))
    chosen = tab.text(".flame-chosen .flame-name")
    tab.until("performance.getEntriesByType('resource').some((entry) => entry.name.includes('inside='))")
    tab.settle()
    inside = site.get(f"/runs/{run}/flame?most=4&inside={tab.param('zoom')}")
    check("a zoom brings more of them", inside["hidden"] < flame["hidden"] and f"{inside['hidden']:,} frames" in tab.text(".flame-foot") and
          {"parse", "work"} <= set(inside["functions"]), (chosen, inside["functions"], tab.text(".flame-foot")))
    tab.close()


def not_drawn(flame):
    """The share of what stands for frames that were not sent."""
    columns = {name: server.numbers(column) for name, column in flame["columns"].items()}
    name = flame["functions"].index("[not shown]")
    return sum(self for face, self in zip(columns["face"], columns["self"]) if columns["of"][face] == name) / int(flame["count"])


def cut(browser, site, run):
    """A graph of which few frames were sent: every figure is that of all samples, whatever was done to it."""
    for changes, query in (("focus:sort", {"focus": "^sort$"}), ("hide:sort", {"hide": "^sort$"}), ("collapse", {"collapse": 1}),
                           ("reverse", {}), ("hide:main,reverse", {"hide": "^main$"}), ("focus:prog", {"comm": "prog"})):
        tab = Tab(browser, site, run, "flame", f"most=4&changes={changes}").ready()
        expected = site.get(f"/runs/{run}/flame?{urllib.parse.urlencode({'most': 4, 'reversed': int('reverse' in changes), **query})}")
        check(f"{changes} of a cut graph has the API's figures", near(tab.rows(), top(site, run, **query)), (tab.rows(), top(site, run, **query)))
        whole = site.get(f"/runs/{run}/flame")["count"]
        said = f"shown: {int(expected['count']):,} cycles" if expected["count"] != whole else "samples"
        share = f"{100 * not_drawn(expected):.2f} % of the samples end in them"
        check(f"{changes}: what is shown and what is not drawn is said", said in tab.text(".flame-subtitle") and
              f"{expected['hidden']:,} frames" in tab.text(".flame-foot") and share in tab.text(".flame-foot"),
              (tab.text(".flame-subtitle"), said, tab.text(".flame-foot"), share))
        nodes = tree(site, run, **query)
        for expression in ("compare|brk", "^sort$"):
            tab.type(expression)
            found = matched(nodes, expression)
            check(f"{changes}: search for {expression} covers the API's share", abs(float(tab.text(".flame-matched").split()[1]) - found) <= 0.011,
                  (tab.text(".flame-matched"), found))
        tab.close()
    tab = Tab(browser, site, run, "flame", "most=4&changes=reverse").ready()
    tab.page.click(*tab.place(1, 0.9))
    tab.until("performance.getEntriesByType('resource').some(({ name }) => name.includes('inside=') && name.includes('changes=reverse'))")
    tab.settle()
    inside = site.get(f"/runs/{run}/flame?most=4&reversed=1&inside={tab.param('zoom')}")
    check("a zoom in a changed graph brings what is inside", f"{inside['hidden']:,} frames" in tab.text(".flame-foot"),
          (inside["hidden"], tab.text(".flame-foot")))
    tab.close()


def functions(browser, site, run):
    """The Functions tab: its table and neighbours."""
    tab = Tab(browser, site, run, "functions", "who=t71").ready(".functions tbody tr")
    read = "Object.fromEntries([...document.querySelectorAll('.functions .scroll tbody tr')].map((row) => " \
           "[row.dataset.function, [parseFloat(row.cells[0].textContent), parseFloat(row.cells[2].textContent)]]))"
    check("functions of a thread have the API's figures", near(tab.page.run(read), top(site, run, tid=71)), tab.page.run(read))
    tab.select("Thread", "")
    tab.until(f"Object.keys({read}).includes('compare')")
    tab.until("document.querySelector('.functions table').ariaBusy !== 'true'")
    check("and those of all", near(tab.page.run(read), top(site, run)), tab.page.run(read))
    tab.page.run("document.querySelector('.functions tr[data-function=malloc] button').click()")
    tab.until("!!document.querySelector('.around tbody tr button')")
    callers = {row["function"] for row in site.get(f"/runs/{run}/callers?function=malloc")["functions"][0]["rows"]}
    tab.page.run("[...document.querySelectorAll('.around a')].find((a) => a.textContent === 'Show in the flame graph').click()")
    tab.until("!!document.querySelector('.flame-matched')?.textContent")
    check("and leads to its frames", tab.text(".flame-matched") == f"matched: {top(site, run)['malloc'][1]:.2f} %", tab.text(".flame-matched"))
    tab.page.run("history.back()")
    tab.until("!!document.querySelector('.around tbody tr button')")
    check("a function's callers are the API's", set(tab.texts(".around table[aria-label='Called by'] button")) == callers, callers)
    tab.close()


def between(browser, site, run, query=""):
    """Callers above, callees below; also of a graph of which few frames were sent."""
    tab = Tab(browser, site, run, "flame", query).ready()
    if not query:
        tab.page.run("document.querySelector('tr[data-function=malloc] button').click()")
        tab.settle()
        tab.press("Callers and callees")
    mine = site.get(f"/runs/{run}/callers?function=malloc")["functions"][0]
    head = tab.text(".flame-sandwich header p")
    check("a function's total and self are the API's", f"{mine['total_percent']:.2f} %" in head and
          f"self" in head and f"{mine['self_percent']:.2f} %" in head, (head, mine))
    left = 0.0
    shown = {}
    for row in sorted(mine["rows"], key=lambda row: row["function"]):
        width = row["samples"] / mine["total_samples"]
        name, facts = tab.hover(1, left + width / 2, nth=0)
        shown[name] = facts["total"].rsplit(", ", 1)[1]
        left += width
    check("its callers stand above with the API's shares", shown == {
          row["function"]: f"{row['percent']:.2f} %" for row in mine["rows"]}, (shown, mine["rows"]))
    callees = site.get(f"/runs/{run}/callees?function=malloc")["functions"][0]["rows"]
    name, facts = tab.hover(1, 0.02, nth=1, inverted=True)
    check("and what it calls below", name == callees[0]["function"] and
          facts["total"].endswith(f"{callees[0]['percent']:.2f} %"), (name, facts, callees))
    tab.page.run("document.querySelector('tr[data-function=sort] button').click()")
    tab.settle()
    check("a row of the table brings another function there", tab.param("sandwich") == "sort", tab.param("sandwich"))
    tab.press("Back to the whole graph")
    check("and back", tab.param("sandwich") is None and tab.page.run("document.querySelectorAll('.flame-frames').length") == 1)
    tab.close()


def between_cut(browser, site, run):
    between(browser, site, run, "most=4&sandwich=malloc")


def flame_samples(site, run, start, end, **query):
    words = urllib.parse.urlencode({"from": start, "to": end, **query})
    return site.get(f"/runs/{run}/flame?{words}")["samples"]


def heat(browser, site, run):
    """The map: its cells, a range that is dragged, the range's graph and table."""
    tab = Tab(browser, site, run, "time").ready(".time-heat canvas")
    answer = site.get(f"/runs/{run}/heatmap?rows=50")
    left, top_, width, height = tab.box(".time-heat")
    wrong = []
    for column, row in ((0, 0), (2, 10), (2, 30), (5, 49)):
        tab.page.move(left + (column + 0.5) * width / answer["columns"], top_ + (49.5 - row) * height / 50)
        tab.settle()
        said, count = tab.text(".time-said output"), answer["counts"][column * 50 + row]
        if not said.endswith(f": {count:,} samples"):
            wrong.append((column, row, said, count))
    check("cells say the API's samples", not wrong, wrong)
    tab.page.run("document.querySelector('.time-seconds summary').click()")
    tab.settle()
    shown = [int(text) for text in tab.texts(".time-seconds tbody td:nth-child(2)")]
    expected = [sum(answer["counts"][i * 50:(i + 1) * 50]) for i in range(answer["columns"])]
    made = [sum(1 for s in samples() if s[5] == "cycles" and int(s[0] - 100.0 + 1e-9) == i) for i in range(6)]
    check("the table beside it has them by second", shown == expected == made, (shown, expected, made))
    tab.page.run("document.querySelector('.time-heat').focus()")
    for key, more in (("ArrowRight", {}), ("ArrowRight", {}), ("ArrowUp", {}), ("ArrowRight", {"modifiers": 8}), ("Enter", {"code": 13})):
        tab.key(key, **more)
    first = int(tab.param("from")) - int(answer["start_ns"]), int(tab.param("to")) - int(answer["start_ns"])
    check("keys choose a time too", first == (1.02 * NS, 2.04 * NS), first)
    tab.key("Escape", code=27)
    check("and Esc all of it", tab.param("from") is None)
    tab.drag(".time-heat", (1.5 / answer["columns"], 0.5), (3.5 / answer["columns"], 0.11))
    start, end = tab.param("from"), tab.param("to")
    chosen = flame_samples(site, run, start, end)
    truth = sum(1 for s in samples() if s[5] == "cycles" and int(start) <= round(s[0] * NS) < int(end))
    tab.until(f"document.querySelector('.flame-subtitle').textContent.includes('{chosen:,} samples')")
    check("dragging chooses a time, and its graph has the API's samples", chosen == truth and
          f"{chosen:,} samples" in tab.text(".flame-subtitle"), (start, end, chosen, truth, tab.text(".flame-subtitle")))
    check("the table too", near(tab.rows(), top(site, run, **{"from": start, "to": end})), tab.rows())
    check("and the lines above show the same time", tab.page.run("document.querySelector('.time-counters .u-select').clientWidth") > 50)
    tab.press("Undo")
    check("undo takes the time back", tab.param("from") is None and near(tab.rows(), top(site, run)), tab.param("from"))
    tab.drag(".time-heat", (1.5 / answer["columns"], 0.5), (3.5 / answer["columns"], 0.11))
    tab.page.run("(() => { const ask = window.fetch; window.fetch = (...what) => String(what[0]?.url ?? what[0]).includes('/heatmap') ? "
                 "new Promise((done) => setTimeout(done, 300)).then(() => ask(...what)) : ask(...what); })()")  # the map comes last
    tab.select("Event", "page-faults")
    faults = flame_samples(site, run, start, end, event="page-faults")
    tab.until(f"document.querySelector('.flame-subtitle').textContent.includes('{faults:,} samples')")
    check("any event has its map", f"{faults:,} samples" in tab.text(".flame-subtitle") and
          tab.texts(".time-seconds tbody td:nth-child(2)") == [
              str(sum(1 for s in samples() if s[5] == "page-faults" and int(s[0] - 100.0 + 1e-9) == i)) for i in range(6)],
          (faults, tab.text(".flame-subtitle"), tab.texts(".time-seconds tbody td:nth-child(2)")))
    tab.close()


def lanes(browser, site, run):
    tab = Tab(browser, site, run, "time").ready(".time-heat canvas")
    for word, kind in (("CPUs", "cpu"), ("Threads", "thread")):
        tab.press(word)
        tab.until(f"document.querySelector('.time-names button')?.textContent.startsWith('CPU') === {'true' if kind == 'cpu' else 'false'}")
        answer = site.get(f"/runs/{run}/heatmap?lanes={kind}")
        names = [f"CPU {item['cpu']}" if kind == "cpu" else f"{item['comm']} {item['tid']}" for item in answer["items"]]
        check(f"{word} have a lane each", tab.texts(".time-names button") == names, (tab.texts(".time-names button"), names))
        left, top_, width, height = tab.box(".time-lanes .time-plot")
        tab.page.move(left + 0.3 * width, top_ + height / len(names) / 2)
        tab.settle()
        check("a lane says the API's samples", tab.text(".time-said output").endswith(
              f"of {answer['items'][0]['samples']:,} in the lane"), tab.text(".time-said output"))
        tab.page.run("document.querySelectorAll('.time-names button')[1].click()")
        lane = answer["items"][1]
        tab.until(f"document.querySelector('.flame-subtitle').textContent.includes('{lane['samples']:,} samples')")
        check("its name shows only its samples", f"{lane['samples']:,} samples" in tab.text(".flame-subtitle") and
              tab.param("who") == (f"c{lane['cpu']}" if kind == "cpu" else f"t{lane['tid']}"), tab.text(".flame-subtitle"))
    tab.drag(".time-lanes .time-plot", (0.2, 0.5), (0.4, 0.5))
    start, end = tab.param("from"), tab.param("to")
    expected = flame_samples(site, run, start, end, tid=answer["items"][1]["tid"])
    tab.until(f"document.querySelector('.flame-subtitle').textContent.includes('{expected:,} samples')")
    check("dragging over lanes chooses a time", f"{expected:,} samples" in tab.text(".flame-subtitle"), (start, end, expected))
    lane_keys(tab, site, run, answer)
    tab.close()


def lane_keys(tab, site, run, answer):
    tab.page.run("document.querySelector('.time-lanes .time-plot').focus()")
    tab.key("Escape", code=27)
    check("Esc in lanes shows all of the time", tab.param("from") is None)
    for key, more in [("ArrowRight", {})] * 3 + [("ArrowDown", {}), ("ArrowRight", {"modifiers": 8}), ("Enter", {"code": 13})]:
        tab.key(key, **more)
    begin, whole = int(answer["from_ns"]), int(answer["to_ns"]) - int(answer["from_ns"])
    part = [round((int(tab.param(name)) - begin) / whole, 4) for name in ("from", "to")]
    check("arrows choose a time in lanes", part == [0.02, 0.04], part)
    before = tab.param("who")
    tab.key(" ")
    check("and Space a lane", before == f"t{answer['items'][1]['tid']}" and tab.param("who") is None, (before, tab.param("who")))
    tab.key(" ")
    expected = flame_samples(site, run, tab.param("from"), tab.param("to"), tid=answer["items"][1]["tid"])
    tab.until(f"document.querySelector('.flame-subtitle').textContent.includes('{expected:,} samples')")
    check("with the API's samples", tab.param("who") == before and f"{expected:,} samples" in tab.text(".flame-subtitle"), tab.text(".flame-subtitle"))
    tab.page.run("document.querySelector('.time-seconds summary').click()")
    tab.settle()
    check("lanes are a table too", tab.texts(".time-seconds tbody td:nth-child(2)") == [f"{item['samples']:,}" for item in answer["items"]],
          tab.texts(".time-seconds tbody td:nth-child(2)"))


def chart(browser, site, run):
    tab = Tab(browser, site, run, "time", "who=t71&below=chart").ready(".time-chart canvas")
    answer = site.get(f"/runs/{run}/chart?tid=71")
    spans = [i for i, level in enumerate(answer["level"]) if level == 0]
    widest = max(spans, key=lambda i: answer["length"][i])
    whole = int(answer["to_ns"]) - int(answer["from_ns"])
    begin = answer["t"][widest] - (int(answer["from_ns"]) - int(answer["start_ns"]))
    name, facts = tab.hover(1, (begin + answer["length"][widest] / 2) / whole, inverted=True)
    count = answer["count"][widest]
    check("the chart of a thread has the API's spans at their times", name == answer["functions"][answer["function"][widest]]["name"] and
          f"{count:,} sample" in facts["total"], (name, facts, count))
    check("and says how many samples it has", f"{answer['samples']:,} samples" in tab.text(".time-chart"), tab.text(".time-chart"))
    tab.page.run("document.querySelector('.time-chart .flame-frames').focus()")
    for key in ("ArrowDown", "ArrowDown"):
        tab.key(key)
    check("arrows move in it", tab.text(".time-chart [role=status] .flame-name") == name, tab.text(".time-chart [role=status]"))
    tab.page.run("document.querySelector('.time-chart summary').click()")
    tab.settle()
    longest = sorted(range(len(answer["length"])), key=lambda i: (-answer["length"][i], answer["level"][i]))[:100]
    start, end = (str(int(answer["start_ns"]) + second * NS) for second in (1, 2))
    part = Tab(browser, site, run, "time", f"who=t71&below=chart&from={start}&to={end}").ready(".time-chart canvas")
    inside = site.get(f"/runs/{run}/chart?tid=71&from={start}&to={end}")
    check("of a chosen time it has that time's samples", 0 < inside["samples"] < answer["samples"] and
          f"{inside['samples']:,} samples" in part.text(".time-chart"), (inside["samples"], part.text(".time-chart")))
    part.close()
    check("and its longest spans are a table", tab.texts(".time-chart tbody td:nth-child(2)") == [
          f"{answer['length'][i] / 1e9:.3f} s" for i in longest], tab.texts(".time-chart tbody td:nth-child(2)")[:5])
    tab.close()


def watch_cells(browser, site, run):
    """Samples in the map of a run that goes on, twice."""
    tab = Tab(browser, site, run, "time").ready(".time-heat canvas")
    tab.page.run("document.querySelector('.time-seconds summary').click()")
    sum_ = "[...document.querySelectorAll('.time-seconds tbody td:nth-child(2)')].reduce((sum, e) => sum + Number(e.textContent.replace(',', '')), 0)"
    first = tab.until(sum_)
    found = [first, tab.until(f"(() => {{ const now = {sum_}; return now > {first} && now; }})()")]
    tab.close()
    return found


def watch_lanes(browser, site, run):
    """Lanes of a run that goes on, twice; then the map of a thread alone and its samples."""
    tab = Tab(browser, site, run, "time", "lanes=thread").ready(".time-names button")
    tab.page.run("document.querySelector('.time-seconds summary').click()")
    sums = "[...document.querySelectorAll('.time-seconds tbody td:nth-child(2)')].reduce((sum, e) => sum + Number(e.textContent.replace(',', '')), 0)"
    first = tab.until(sums)
    found = [first, tab.until(f"(() => {{ const now = {sums}; return now > {first} && now; }})()", 10)]
    who = tab.until("[...document.querySelectorAll('.flame-who option')].find((option) => option.value[0] === 't' && "
                    "option.textContent.startsWith('wordfreq'))?.value")
    lane = tab.until(f"[...document.querySelectorAll('.time-names button')].find((b) => b.textContent === 'wordfreq {who[1:]}')?.textContent")
    tab.press("CPUs")
    tab.until("document.querySelector('.time-names button')?.textContent.startsWith('CPU')")
    cpus = tab.texts(".time-names button")
    tab.press("Seconds")
    tab.select("Thread", who)
    tab.page.run("document.querySelector('.time-seconds:not([open]) summary')?.click()")
    alone = tab.until(sums)
    tab.close()
    return found, lane, cpus, who, alone


def live_thread(tab):
    """Of a run that goes on, a thread that has ended: its samples."""
    who = tab.until("[...document.querySelectorAll('.flame-who option')].find((option) => option.value[0] === 't' && "
                    "option.textContent.startsWith('wordfreq'))?.value")
    tab.select("Thread", who)
    shown = tab.until("/[\\d,]+(?= samples so far)/.exec(document.querySelector('.flame-subtitle')?.textContent ?? '')?.[0]")
    tab.press("Undo")
    return who, int(shown.replace(",", ""))


def live(browser, site, session):
    """A recording that goes on: the graph grows without jumping, cells come, then the finished graph."""
    program = os.path.join(os.path.dirname(lib.PERFOLIO), "examples", "wordfreq")
    # It goes on until everything was seen of it, however long a busy machine takes.
    folder = tempfile.mkdtemp(prefix="perfolio-tabs-")
    os.chmod(folder, 0o755)
    script_ = f"while [ ! -e {folder}/enough ]; do {program} >/dev/null; sleep 0.1; done"
    form = {"tool": "both", "live": True, "target": {"kind": "command", "argv": ["sh", "-c", script_]},
            "rate": "497", "call_graph": "fp", "interval_ms": 100, "limit_s": 900}
    run = site.run(session, form)
    site.wait(run, "running")
    tab = Tab(browser, site, run, "flame", motion=True)
    tab.ready()
    said = "document.querySelector('.flame-subtitle')?.textContent ?? ''"
    tab.page.click(*tab.place(1, 0.5))
    chosen = tab.until("document.querySelector('.flame-chosen .flame-name')?.textContent")
    tab.still()
    cells = watch_cells(browser, site, run)
    laned = watch_lanes(browser, site, run)
    tab.page.ask("Page.bringToFront")
    thread = live_thread(tab)
    edges = [tab.hover(1, part)[0] for part in (0.01, 0.99)]
    check("another thread and back leave the zoom where it was", chosen and edges == [chosen, chosen], (chosen, edges))
    grown, cards = [], []
    tab.page.move(*tab.place(0, 0.5))
    end = time.monotonic() + 240
    while time.monotonic() < end and (len(set(grown)) < 4 or len(set(cards)) < 3):
        words, name, facts = tab.page.run(f"[{said}, document.querySelector('#flame-card:not([hidden]) .card-name')?.textContent, "
                                          "document.querySelector('#flame-card dd')?.textContent]")
        if "so far" in words:
            grown.append(int(words.split(": ")[1].split(" ")[0].replace(",", "")))
            cards.append((name, facts))
        elif site.get(f"/runs/{run}")["state"] in server.ENDED:
            break
        time.sleep(0.05)
    with open(os.path.join(folder, "enough"), "wb"):
        pass
    steps = sorted(set(grown))
    check("the map gets cells while it goes on", len(cells) == 2 and 0 < cells[0] < cells[1], cells)
    check("the graph grows while the run goes on", len(steps) >= 3 and grown == sorted(grown), grown)
    check("what is hovered stays, with figures that grow", {name for name, _ in cards} == {"all"} and len(set(cards)) >= 2, cards[:9])
    done = site.wait(run)
    rows = site.get(f"/runs/{run}/threads")["rows"]
    check("a thread of a live run has a graph of its own", 0 < thread[1] < steps[-1] and
          thread[1] <= sum(row["samples"] for row in rows if f"t{row['tid']}" == thread[0]), (thread, rows))
    ended = {f"t{row['tid']}": row["samples"] for row in rows}
    check("lanes come while it goes on, and grow", 0 < laned[0][0] < laned[0][1] and laned[1], laned)
    cpus = [f"CPU {item['cpu']}" for item in site.get(f"/runs/{run}/heatmap?lanes=cpu")["items"]]
    check("those of CPUs too", laned[2] and laned[2] == [cpu for cpu in cpus if cpu in laned[2]], (laned, cpus))
    check("and a thread has a map of its own", 0 < laned[4] <= ended[laned[3]], (laned, ended))
    check("the run ends well", done["state"] == "done", done.get("reason"))
    shutil.rmtree(folder)
    tab.until("!document.querySelector('.flame-subtitle').textContent.includes('so far')")
    flame = site.get(f"/runs/{run}/flame")
    check("then it is the finished graph", f"{flame['samples']:,} samples" in tab.text(".flame-subtitle") and
          flame["samples"] >= (steps[-1] if steps else 0), (tab.text(".flame-subtitle"), steps[-1:]))
    check("with the API's figures", near(tab.rows(), top(site, run)), tab.rows())
    tab.still()
    edges = [tab.hover(1, part)[0] for part in (0.01, 0.99)]
    check("what was zoomed while it grew is still seen", chosen and edges == [chosen, chosen], (chosen, edges))
    tab.close()
    return run


def refused(browser, site, run):
    """What is not there is said, with a way back."""
    tab = Tab(browser, site, run, "flame", "event=nobody")
    tab.until("!!document.querySelector('.flame-empty button')")
    status, answer = site.ask("GET", f"/runs/{run}/flame?event=nobody")
    check("a refusal is shown in the API's words", status >= 400 and answer["error"]["message"] in (tab.text(".flame-empty") or ""),
          (status, answer, tab.text(".flame-empty")))
    tab.press("Show all samples")
    check("with a way back", tab.until("!!document.querySelector('.flame-frames canvas')") and tab.param("event") is None)
    tab.close()
    tab = Tab(browser, site, run, "time", f"from={200 * NS}&to={201 * NS}").ready(".flame-empty button")
    check("a time without samples is said", tab.text(".flame-empty p") == "No samples for this time.", tab.text(".flame-empty"))
    tab.press("Show all samples")
    check("and left by a button", tab.until("!!document.querySelector('.flame-frames canvas')") and tab.param("from") is None)
    tab.close()


def with_counters(browser, site, run):
    """The counters of the same recording, above on the same axis."""
    tab = Tab(browser, site, run, "time", "lanes=none").ready(".time-heat canvas")
    answer = site.get(f"/runs/{run}/counters?width=1200")
    names = [line["event"] for line in answer["lines"] if line["cpu"] < 0 and any(value is not None for value in line["mean"])]
    tab.until("document.querySelectorAll('.time-lines button').length > 1")
    tab.settle()
    shown = tab.texts(".time-lines button")
    check("counters of the recording stand above", names and all(any(text.startswith(name) for text in shown) for name in names), (shown, names))
    clock = next(line for line in answer["lines"] if line["event"] == "task-clock")
    said = next(text for text in shown if text.startswith("task-clock"))
    mean = int(clock["total"]) / 1e6 / (answer["t"][-1] / NS)
    found = re.search(r"([\d.,]+) ms/s", said)
    check("with the API's mean and its unit", found and abs(float(found.group(1).replace(",", "")) - mean) < 0.01 * mean + 0.1, (said, mean))
    cpus = site.get(f"/runs/{run}/heatmap?lanes=cpu")["items"]
    check("a command's samples tell their CPU", sum(lane["samples"] for lane in cpus) == site.get(f"/runs/{run}/flame")["samples"], cpus)
    for _ in range(3):  # a plot that is just being made anew hears nothing
        tab.drag(".time-counters .u-over", (0.2, 0.5), (0.5, 0.5))
        start, end = tab.param("from"), tab.param("to")
        if start:
            break
    expected = flame_samples(site, run, start, end) if start else -1
    tab.until(f"document.querySelector('.flame-subtitle').textContent.includes('{expected:,} samples')")
    check("a time chosen there filters the graph", start and f"{expected:,} samples" in tab.text(".flame-subtitle"), (start, end, expected))
    check("and is shown in the map", tab.page.run("document.querySelectorAll('.time-chosen').length") > 0)
    tab.close()


def source(browser, site, run):
    """Lines of a function."""
    tab = Tab(browser, site, run, "flame").ready()
    for name in tab.rows():
        tab.page.run(f"document.querySelector('tr[data-function={name}] button')?.click()" if name.isidentifier() else "0")
        tab.settle()
        if tab.page.run("[...document.querySelectorAll('.flame-chosen button')].some((b) => b.textContent === 'Source' && !b.disabled)"):
            tab.press("Source")
            tab.until("!!document.querySelector('.flame-lines tbody tr')")
            rows = site.get(f"/runs/{run}/lines?{urllib.parse.urlencode({'function': name, 'limit': 200})}")["rows"]
            shown = list(zip(tab.texts(".flame-lines td:nth-child(1)"), tab.texts(".flame-lines td:nth-child(3)")))
            card = tab.page.run("document.querySelector('.flame-chosen button[title^=\"The hottest\"]').title")
            check("the hottest line is the API's", card == f"The hottest line is {rows[0]['place']}", (card, rows[0]))
            check("a function's lines are the API's", shown == [(f"{row['samples']:,}", row["place"]) for row in rows] and shown, (name, shown))
            break
    else:
        check("some function has lines", False)
    tab.close()


def main():
    if not shutil.which("chromium"):
        lib.skip_all("no chromium")
    with server.Server() as site, Browser() as browser:
        if b"built without its page" in site.raw("GET", "/")[2]:
            lib.skip_all("perfolio was built without its page")
        session = site.session("tabs")
        run = bring(site, session, "made.txt", script().encode())
        state = site.wait(run)
        check("the text is imported", state["state"] == "done", state)
        for part in (looking, keys, changes, choosing, closer, cut, between, between_cut, functions, refused, heat, lanes, chart):
            part(browser, site, run)
        recorded = live(browser, site, session)
        with_counters(browser, site, recorded)
        source(browser, site, recorded)
    lib.done()
    return 0


sys.exit(main())
