#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The flame graph's HTML in a browser: hover, zoom, reset, search, keys, deep links, the table, changes
to the graph, hostile names, several events, a phone, 100,000 frames.

Mouse and keys are real ones, sent through Chromium's protocol; figures are checked against what
`perfolio fold` prints for the same samples.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from browser import Browser

PERFOLIO = os.environ["PERFOLIO"]
ROW = 18
results = []
FOLDED = """\
main;parse;malloc 10
main;work;malloc;brk_[k] 20
main;work;sort 30
main;work;sort;compare 40
"""
SCRIPT = """\
prog  7/8  [001] 10.000000:         10 cycles:
\t    55d0c0001000 outer+0x10 (/usr/bin/prog)

prog  7/8  [001] 10.100000:          1 page-faults:
\t    55d0c0002000 toucher+0x10 (/usr/bin/prog)

"""


def check(name, good, why=""):
    results.append(bool(good))
    print(f"{'ok' if good else 'not ok'} {len(results)} - {name}", flush=True)
    if not good:
        print("#", str(why)[:1500].replace("\n", "\n# "))


def run(*argv):
    done = subprocess.run([PERFOLIO, *argv], check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path


def draw(folder, text, *options):
    source = write(folder, "in.folded", text)
    picture = os.path.join(folder, f"out-{len(os.listdir(folder))}.html")
    run("flame", source, "-o", picture, *options)
    return picture


class Graph:
    """A document in the browser, and where its frames are."""

    def __init__(self, browser, path, address="", **look):
        self.page = browser.open(f"file://{path}{address}", motion=False, **look)
        self.settle()

    def settle(self):
        """Until what comes after the graph is there; pages behind others are not drawn."""
        self.page.ask("Page.bringToFront")
        self.page.run("new Promise((done) => requestAnimationFrame(() => setTimeout(() => "
                      "requestAnimationFrame(() => setTimeout(done)))))")

    def text(self, selector):
        return self.page.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def shown(self, selector):
        return self.page.run(f"!!document.querySelector({json.dumps(selector)}).offsetParent")

    def hash(self):
        return self.page.run("decodeURIComponent(location.hash)")

    def place(self, depth, part):
        """Of a frame in that row, a part of the width from the left."""
        left, top, width, height = self.page.run(
            "(() => { const r = document.querySelector('#frames').getBoundingClientRect(), "
            "e = document.querySelector('#frames'); return [r.left + 1, r.top + 1, e.clientWidth, e.clientHeight]; })()")
        return left + part * width, top + height - 2 - ROW * depth - ROW / 2

    def hover(self, depth, part):
        self.page.move(*self.place(depth, part))
        self.settle()
        if not self.page.run("!document.querySelector('#card').hidden"):
            return None
        name = self.text(".card-name")
        facts = self.page.run("Object.fromEntries([...document.querySelectorAll('#card dt')].map((d) => "
                              "[d.textContent, d.nextSibling.textContent]))")
        return name, facts

    def click(self, depth, part):
        self.page.click(*self.place(depth, part))
        self.settle()

    def key(self, key, **more):
        self.page.key(key, text=key if len(key) == 1 and "modifiers" not in more else "", **more)
        self.settle()

    def type(self, text):
        self.page.run("document.querySelector('#search').focus()")
        self.page.run("document.querySelector('#search').select()")
        self.page.ask("Input.insertText", text=text)
        self.settle()

    def press(self, selector):
        self.page.run(f"document.querySelector({json.dumps(selector)}).click()")
        self.settle()

    def rows(self):
        """The whole table: {name: (self, total)} in the graph's unit."""
        self.page.run("(() => { for (;;) { const b = document.querySelector('[data-more]'); if (!b) return; b.click(); } })()")
        found = self.page.run("[...document.querySelectorAll('#table tbody tr')].map((r) => [r.cells[2].textContent, "
                              "r.cells[0].title, r.cells[1].title])")
        number = lambda text: int(text.split(" ")[0].replace(",", ""))
        return {name: (number(self_), number(total)) for name, self_, total in found}

    def picture(self, of="#minimap"):
        """The whole graph is in the minimap, whatever else is shown."""
        return self.page.run(f"document.querySelector('{of} canvas').toDataURL()")

    def pixel(self, depth, part):
        return self.page.run(
            f"(([x, y]) => {{ const c = document.querySelector('#frames canvas'), r = c.getBoundingClientRect(); "
            f"return [...c.getContext('2d').getImageData(x - r.left, y - r.top, 1, 1).data]; }})({list(self.place(depth, part))})")


def sums(folded):
    """{name: (self, total)} of folded lines; a function that calls itself counts once."""
    found = {}
    for line in folded.splitlines():
        stack, count = line.rsplit(" ", 1)
        frames = stack.split(";")
        for name in set(frames):
            self_, total = found.get(name, (0, 0))
            found[name] = (self_ + (int(count) if frames[-1] == name else 0), total + int(count))
    return found


def behaviour(browser, folder):
    graph = Graph(browser, draw(folder, FOLDED))
    moved = graph.page.run(
        "new Promise((done) => { const watch = new PerformanceObserver((list) => done(list.getEntries().map((entry) => "
        "entry.sources.map((source) => source.node?.id || source.node?.nodeName).join()))); "
        "watch.observe({ type: 'layout-shift', buffered: true }); setTimeout(() => done([]), 200); })")
    check("nothing moves after the first picture", moved == [], moved)
    name, facts = graph.hover(3, 0.5)
    check("hovering shows name, total, self, kind", name == "sort" and facts["total"] == "70 counts, 70.00 %" and
          facts["self"] == "30 counts, 30.00 %" and facts["kind"] == "user", (name, facts))
    check("nothing is shown beside the frames", graph.hover(6, 0.5) is None)
    graph.click(3, 0.5)
    zoomed = [graph.hover(4, 0.5), graph.hover(4, 0.65), graph.hover(1, 0.01)]
    check("a click zooms, callers stay", zoomed[0][0] == "compare" and zoomed[1] is None and zoomed[2][0] == "main" and
          zoomed[0][1]["of the zoomed"] == "57.14 %" and graph.hash() == "#z=7", (zoomed, graph.hash()))
    check("the minimap shows which part is seen", graph.shown(".seen"))
    graph.click(0, 0.5)
    back = graph.hover(2, 0.05)
    check("a click on all resets", back[0] == "parse" and graph.hash() == "" and
          graph.page.run("document.querySelector('#reset').disabled"), (back, graph.hash()))
    graph.click(2, 0.5)
    graph.key("Escape", code=27)
    check("Esc resets", graph.hover(2, 0.05)[0] == "parse" and graph.hash() == "", graph.hash())
    graph.page.close()


def searching(browser, folder):
    graph = Graph(browser, draw(folder, FOLDED))
    graph.type("malloc|brk")
    check("nested matches count once", graph.text("#matched") == "matched: 30.00 %" and
          graph.hash() == "#s=malloc|brk", (graph.text("#matched"), graph.hash()))
    check("and are marked in the picture", graph.pixel(3, 0.2)[:3] == [0x6a, 0x2c, 0x91] and
          graph.pixel(3, 0.5)[:3] != [0x6a, 0x2c, 0x91], (graph.pixel(3, 0.2), graph.pixel(3, 0.5)))
    check("the table lists them", set(graph.rows()) == {"malloc", "brk_[k]"}, graph.rows())
    graph.type("(")
    check("a bad expression is said", graph.text("#matched") == "not a regular expression", graph.text("#matched"))
    graph.type("^sort$")
    check("expressions match whole names", graph.text("#matched") == "matched: 70.00 %", graph.text("#matched"))
    graph.key("Escape", code=27)
    check("Esc clears the search", graph.text("#matched") == "" and len(graph.rows()) == 7, graph.rows())
    graph.press("#table tr[data-name]:first-child button")
    check("a row of the table marks its frames", graph.text("#matched") == "matched: 40.00 %" and
          graph.text("#chosen-name") == "compare", (graph.text("#matched"), graph.text("#chosen-name")))
    graph.page.close()


def keys(browser, folder):
    graph = Graph(browser, draw(folder, FOLDED))
    chosen = []
    for key in ("ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft", "ArrowRight", "ArrowDown"):
        graph.key(key)
        chosen.append(graph.text("#chosen-name"))
    check("arrows move", chosen == ["all", "main", "work", "sort", "malloc", "sort", "work"], chosen)
    check("and what is chosen is said to screen readers",
          graph.text("#live") == "work: total 90 counts, 90.00 % · self 0 counts, 0.00 %", graph.text("#live"))
    graph.key("Enter", code=13)
    check("Enter zooms", graph.hover(2, 0.01)[0] == "work" and graph.hash().startswith("#z="), graph.hash())
    focused = "document.activeElement.id"
    graph.key("/")
    slash = graph.page.run(focused)
    graph.page.run("document.activeElement.blur()")
    graph.key("f", code=70, modifiers=2)
    check("/ and Ctrl-F lead to the search", [slash, graph.page.run(focused)] == ["search", "search"], slash)
    graph.page.run("document.activeElement.blur()")
    graph.key("?")
    check("? shows the keys", graph.page.run("document.querySelector('#help').open"))
    graph.page.close()


def deep_link(browser, folder):
    picture = draw(folder, FOLDED)
    first = Graph(browser, picture)
    first.click(2, 0.5)
    first.type("sort")
    first.press("#inverted")
    second = Graph(browser, picture, first.page.run("location.hash"))
    check("an address gives the same view", second.picture("#frames") == first.picture("#frames") and
          second.text("#matched") == "matched: 70.00 %" and
          second.page.run("document.querySelector('#inverted').ariaPressed") == "true" and
          second.shown("#frames"), first.hash())
    bad = Graph(browser, picture, "#z=99999&v=f99999.h-1.x&e=7&s=(&p=none&m=88888")
    check("a bad address harms nothing", bad.text("#matched") in ("", "not a regular expression"), bad.text("#matched"))
    for graph in (first, second, bad):
        graph.page.close()


def made_stacks():
    rng = random.Random(5)
    lines = []
    for _ in range(400):
        stack = ["main"] + [f"f{min(rng.randrange(30), rng.randrange(30))}" for _ in range(rng.randrange(1, 9))]
        lines.append(";".join(stack) + f" {rng.randrange(1, 50)}")
    return "\n".join(lines) + "\n"


def changes(browser, folder):
    """What focus, hide, collapse and leaf first make is what the command line makes."""
    text = made_stacks()
    source = write(folder, "made.folded", text)
    graph = Graph(browser, draw(folder, text))
    plain = graph.picture()
    check("self and total are fold's", graph.rows() == sums(run("fold", source)), graph.rows())
    for name, options, key in (("collapse", ["--collapse-recursion"], "r"), ("leaf first", ["--reverse"], "l")):
        other = Graph(browser, draw(folder, text, *options))
        graph.key(key)
        check(f"{name} draws what {options[0]} does", graph.picture() == other.picture() != plain)
        graph.key("u")
        check(f"undo takes {name} back", graph.picture() == plain)
        other.page.close()
    for name, option, key in (("focus", "--focus", "f"), ("hide", "--hide", "h")):
        graph.type("^f3$")
        graph.press("#table tr[data-name]:first-child button")
        graph.page.run("document.activeElement.blur()")
        graph.key(key)
        graph.type("")
        rows = graph.rows()
        expected = sums(run("fold", source, option, "^f3$"))
        check(f"{name} has {option}'s figures", rows == expected and "v=" in graph.hash(), (graph.hash(), rows))
        part = expected["f3"][1] if name == "focus" else 0
        check(f"and {name} says how much is shown", f"shown: {part:,} counts" in graph.text("#subtitle") if part
              else "shown" not in graph.text("#subtitle"), graph.text("#subtitle"))
        graph.press("#trail button")
        check(f"its mark takes {name} back", graph.rows() == sums(run("fold", source)), graph.hash())
    graph.page.close()


def looks(browser, folder):
    """Colours are those of the SVG; palettes have legends."""
    source = write(folder, "in.folded", FOLDED)
    wrong = []
    for palette in ("kind", "name", "warm", "object"):
        graph = Graph(browser, draw(folder, FOLDED, "--color", palette))
        svg = run("flame", source, "--format", "svg", "-o", "-", "--color", palette)
        for name, depth, part in (("parse", 2, 0.05), ("sort", 3, 0.95), ("compare", 4, 0.65)):
            fill = re.search(rf"<title>{name} \(.*?fill=\"#([0-9a-f]{{6}})\"", svg)[1]
            got = "".join(f"{value:02x}" for value in graph.pixel(depth, part)[:3])
            if got != fill:
                wrong.append((palette, name, got, fill))
        if not graph.text("#legend"):
            wrong.append((palette, "no legend"))
        graph.page.close()
    check("colours are the SVG's, with a legend", not wrong, wrong)


def hostile(browser, folder):
    long = "std::map<" + "std::basic_string<char, A>, " * 400 + ">"
    names = [b"</script><script>window.pwned = 1</script>", b"<!--<script>", b"a & b && c", b'"quoted" \'too\'',
             b"]]>", b"\x01\x02\x1b[31m", b"\xff\xfe broken", b"\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5",
             b"&lt already &gt", long.encode(), b"--><!--", b"\\u003c\\", b"__proto__", b"constructor"]
    text = b"".join(b"main;" + name + b" 10\n" for name in names)
    title = "</title><script>window.pwned=2</script>"
    picture = draw(folder, text, "--title", title, "--notes", "<b>]]> & \"x\"", "--subtitle", "a<b")
    graph = Graph(browser, picture)
    rows = graph.rows()
    expected = {name.decode("utf-8", "replace") for name in names} | {"main"}
    check("every name is shown as text", set(rows) == expected, set(rows) ^ expected)
    check("no name is run", graph.page.run("window.pwned") is None and graph.text("#title") == title and
          graph.text("#notes") == "<b>]]> & \"x\"" and graph.text("#subtitle") == "a<b" and
          graph.page.run("document.querySelectorAll('script').length") == 3)
    with open(picture, encoding="utf-8") as file:
        text = file.read()
    check("nothing is loaded from elsewhere", not re.search(r"(src|href)=|url\(|@import|https?://", text) and
          "default-src 'none'" in text, re.findall(r".{40}(?:src|href)=.{40}", text))
    graph.page.close()


def several_events(browser, folder):
    source = write(folder, "two.txt", SCRIPT * 3)
    picture = os.path.join(folder, "two.html")
    run("flame", source, "-o", picture)
    graph = Graph(browser, picture)
    first = (graph.text("#subtitle"), set(graph.rows()))
    advice = graph.text("#trust")  # each of the second event's was counted: they are no sample
    graph.page.run("(() => { const s = document.querySelector('#event'); s.value = '1'; "
                   "s.dispatchEvent(new Event('change')); })()")
    graph.settle()
    second = (graph.text("#subtitle"), set(graph.rows()))
    check("one file holds both events", first[0].startswith("cycles: 3 samples, 30 cycles") and first[1] == {"outer"} and
          second[0].startswith("page-faults: 3 samples") and second[1] == {"toucher"} and graph.hash() == "#e=1",
          (first, second))
    check("what would help is below it, where it would", advice.endswith(
          ". What would help most: record longer or at a higher rate (-F): 3 samples say little.") and
          graph.text("#trust").endswith("without a name: 0.00 %"), (advice, graph.text("#trust")))
    graph.page.close()


def resized(browser, folder):
    """What stands at an edge of the window stays there when the window gets another height."""
    deep = ";".join(["main"] + [f"f{i}" for i in range(99)]) + " 10\n"
    graph = Graph(browser, draw(folder, deep), height=680)
    seen = []
    for height in (800, 680, 900):
        graph.page.look(height=height, motion=False)
        graph.settle()
        seen.append((graph.hover(0, 0.5) or [None])[0])
    check("the root of a tall graph stays at the foot of a window that grows", seen == ["all"] * 3, seen)
    graph.page.run("document.querySelector('#frames').scrollTop -= 10 * 18")
    graph.settle()
    before = graph.hover(0, 0.5)[0]
    graph.page.look(height=1000, motion=False)
    graph.settle()
    after = graph.hover(0, 0.5)[0]
    check("and what was scrolled to as well", before == after == "f8", (before, after))
    graph.page.close()
    icicle = Graph(browser, draw(folder, deep, "--inverted"), height=680)
    icicle.page.look(height=800, motion=False)
    icicle.settle()
    top = icicle.page.run("document.querySelector('#frames').scrollTop")
    check("an icicle's root stays on top", top == 0, top)
    icicle.page.close()


def special(browser, folder):
    empty = Graph(browser, draw(folder, "a;b 1\n", "--comm", "nobody"))
    check("a graph of nothing says so", empty.shown("#empty") and "No sample is left" in empty.text("#empty"))
    empty.page.close()
    phone = Graph(browser, draw(folder, made_stacks()), width=390, height=844, phone=True)
    widths = phone.page.run("[document.documentElement.scrollWidth, document.querySelector('#frames').clientWidth]")
    check("a phone shows the graph in its width", widths[0] <= 390 and widths[1] > 360 and not phone.shown("#table"),
          widths)
    phone.press("#tabled")
    check("and the table on request", phone.shown("#table") and not phone.shown("#frames"))
    phone.page.close()
    with open(draw(folder, FOLDED), encoding="utf-8") as file:
        plain = re.findall(r"<noscript>.*?</noscript>", file.read(), re.S)
    check("without script the hottest functions are listed", "40.00 %<td>40 counts<td>compare" in "".join(plain), plain)


def large(browser, folder):
    """100,000 frames, in CPU time of the page's thread, beside what plain arithmetic takes here: bench/ has the goals
    in milliseconds, this finds what takes some times as long, on any machine."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
    from stacks import write_tree
    source = os.path.join(folder, "large.folded")
    write_tree(source, 100_000)
    picture = os.path.join(folder, "large.html")
    run("flame", source, "-o", picture)
    page = browser.open("about:blank", motion=False)
    page.ask("Performance.enable", timeDomain="threadTicks")
    figures = lambda: {row["name"]: row["value"] * 1000 for row in page.ask("Performance.getMetrics")["metrics"]}
    page.go("file://" + picture)
    loaded = figures()["TaskDuration"]
    time.sleep(0.5)
    before = figures()["TaskDuration"]
    page.run("(() => { let x = 1; for (let i = 0; i < 2e7; i++) x = (x * 1664525 + 1013904223) | 0; return x; })()")
    plain = figures()["TaskDuration"] - before
    before = figures()["ScriptDuration"]
    frames = page.run("""(() => { const e = document.querySelector('#frames'), r = e.getBoundingClientRect();
        const at = (x, up) => [r.left + 1 + x * e.clientWidth, r.bottom - 3 - 18 * up - 9];
        const send = (type, [x, y]) => e.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, button: 0, bubbles: true }));
        for (let i = 0; i < 10; i++) for (const up of [3, 0]) { send("pointerdown", at(.3 + i / 20, up)); send("pointerup", at(.3 + i / 20, up)); }
        return 20; })()""")
    zoom = (figures()["ScriptDuration"] - before) / frames
    print(f"# 100,000 frames: {loaded:.0f} ms of CPU until drawn, {zoom:.1f} ms a zoom, {plain:.0f} ms plain arithmetic", flush=True)
    check("100,000 frames are drawn soon", loaded < 5 * plain, (loaded, plain))
    check("and zoomed", 0 < zoom < plain / 2, (zoom, plain))
    page.close()


def main():
    if not shutil.which("chromium"):
        print("1..0 # SKIP no chromium")
        return 0
    with tempfile.TemporaryDirectory(prefix="perfolio-web-") as folder, Browser() as browser:
        for part in (behaviour, searching, keys, deep_link, changes, looks, hostile, several_events, resized, special,
                     large):
            part(browser, folder)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


sys.exit(main())
