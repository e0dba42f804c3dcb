#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The flame graph's SVG in a browser: hover, zoom, reset, search, keys, deep links, hostile names.

A second script is put behind the picture's own; it does what a person would (events on the elements)
and leaves what it saw in the document, which Chromium prints.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from browser import Browser

PERFOLIO = os.environ["PERFOLIO"]
results = []
FOLDED = """\
main;parse;malloc 10
main;work;malloc;brk_[k] 20
main;work;sort 30
main;work;sort;compare 40
"""

PROLOGUE = """
const seen = {};
const frames = [...document.querySelectorAll("#frames > g")];
const named = (name) => frames.find((g) => g.querySelector("title").textContent.startsWith(name + " ("));
const box = (name) => { const r = named(name).querySelector("rect"); return [+r.getAttribute("x"), +r.getAttribute("width")].map(Math.round); };
const shown = (name) => getComputedStyle(named(name)).display !== "none";
const details = () => document.querySelector("text.d").textContent;
const matched = () => [...document.querySelectorAll("#head > text")].map((t) => t.textContent).find((t) => t.startsWith("matched") || t.startsWith("not a")) ?? "";
const field = document.querySelector("input");
const click = (name) => named(name).querySelector("rect").dispatchEvent(new MouseEvent("click", { bubbles: true }));
const hover = (name) => named(name).querySelector("rect").dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
const key = (name, more = {}) => window.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more }));
const type = (text) => { field.value = text; field.dispatchEvent(new Event("input")); };
const marked = () => frames.filter((g) => g.classList.contains("m")).map((g) => g.querySelector("title").textContent.split(" (")[0]);
const chosen = () => document.querySelector("#frames .k title")?.textContent.split(" (")[0] ?? null;
"""
EPILOGUE = """
const result = document.createElementNS("http://www.w3.org/2000/svg", "desc");
result.id = "result";
result.textContent = JSON.stringify(seen);
document.documentElement.appendChild(result);
"""


def check(name, good, why=""):
    results.append(good)
    print(f"{'ok' if good else 'not ok'} {len(results)} - {name}")
    if not good:
        print("#", str(why)[:1500].replace("\n", "\n# "))


def draw(folder, text, *options):
    source, picture = os.path.join(folder, "in.folded"), os.path.join(folder, "out.svg")
    with open(source, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    subprocess.run([PERFOLIO, "flame", source, "-o", picture, "--min-width", "0", *options], check=True,
                   stderr=subprocess.DEVNULL)
    with open(picture, encoding="utf-8") as file:
        return file.read()


def browse(folder, svg, steps, address=""):
    """What the steps saw."""
    page = os.path.join(folder, "page.svg")
    with open(page, "w", encoding="utf-8") as file:
        file.write(svg.replace("</svg>", "<script><![CDATA[" + "{" + PROLOGUE + steps + EPILOGUE + "}" +
                               "]]></script></svg>"))
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--user-data-dir=" + os.path.join(folder, "profile"), "--dump-dom",
         "file://" + page + address], capture_output=True, timeout=240, check=False)
    found = re.search(r'<desc id="result">(.*?)</desc>', done.stdout.decode("utf-8", "replace"), re.S)
    return json.loads(html.unescape(found[1])) if found else {"error": done.stderr.decode()[-800:]}


STEPS = """
seen.first = box("main");
hover("sort"); seen.hover = details();
click("sort"); seen.zoomed = { sort: box("sort"), main: box("main"), compare: box("compare"), parse: shown("parse"), hash: location.hash, dim: named("main").classList.contains("a") };
seen.label = named("compare").querySelector("text").textContent;
click("all"); seen.reset = { sort: box("sort"), parse: shown("parse"), hash: location.hash };
click("work"); key("Escape"); seen.escaped = { work: box("work"), parse: shown("parse") };
type("malloc|brk"); seen.search = { marked: marked(), share: matched(), hash: location.hash };
type("("); seen.bad = matched();
type("^sort$"); seen.regex = { marked: marked(), share: matched() };
key("Escape"); seen.cleared = { marked: marked(), share: matched(), value: field.value };
key("f", { ctrlKey: true }); seen.focused = document.activeElement === field; field.blur();
key("/"); seen.slash = document.activeElement === field; field.blur();
key("ArrowUp"); key("ArrowUp"); key("ArrowUp"); seen.up = chosen();
key("ArrowLeft"); seen.left = chosen(); key("ArrowRight"); seen.right = chosen();
key("ArrowDown"); seen.down = chosen();
key("ArrowUp"); key("Enter"); seen.entered = box("work");
"""


def behaviour(folder):
    svg = draw(folder, FOLDED)
    seen = browse(folder, svg, STEPS)
    if "error" in seen:
        check("Chromium runs the picture", False, seen)
        return
    check("the widest frame fills the picture", seen["first"] == [10, 1180], seen["first"])
    check("hovering shows name, count and share", seen["hover"] == "sort: 70 counts, 70.00 %", seen["hover"])
    zoomed = seen["zoomed"]
    check("a click zooms", zoomed["sort"] == [10, 1180] and zoomed["compare"][1] == round(1180 * 4 / 7) and
          not zoomed["parse"] and zoomed["dim"] and zoomed["main"] == [10, 1180], zoomed)
    check("zoomed frames have their whole names", seen["label"] == "compare", seen["label"])
    check("a click on all resets", seen["reset"]["parse"] and seen["reset"]["sort"][1] == 826 and
          seen["reset"]["hash"] == "", seen["reset"])
    check("Esc resets", seen["escaped"]["parse"] and seen["escaped"]["work"][1] == 1062, seen["escaped"])
    check("search counts nested matches once", sorted(seen["search"]["marked"]) ==
          ["brk_[k]", "malloc", "malloc"] and seen["search"]["share"] == "matched: 30.00 %", seen["search"])
    check("the search is in the address", "s=malloc" in seen["search"]["hash"], seen["search"])
    check("a bad expression is said", seen["bad"] == "not a regular expression", seen["bad"])
    check("expressions match whole names", seen["regex"] == {"marked": ["sort"], "share": "matched: 70.00 %"},
          seen["regex"])
    check("Esc clears the search", seen["cleared"] == {"marked": [], "share": "", "value": ""}, seen["cleared"])
    check("Ctrl-F and / lead to the field", seen["focused"] and seen["slash"], seen)
    check("arrows move", [seen["up"], seen["left"], seen["right"], seen["down"]] ==
          ["work", "parse", "work", "main"], seen)
    check("Enter zooms", seen["entered"] == [10, 1180], seen["entered"])


def deep_link(folder):
    svg = draw(folder, FOLDED)
    names = re.findall(r"<title>(.*?) \(", svg)
    address = f"#z={names.index('work')}&s=sort"
    seen = browse(folder, svg, "seen.box = box('work'); seen.marked = marked(); seen.parse = shown('parse');",
                  address)
    check("an address gives the same view", seen == {"box": [10, 1180], "marked": ["sort"], "parse": False}, seen)


def inverted(folder):
    svg = draw(folder, FOLDED, "--inverted")
    seen = browse(folder, svg, """
        const y = (name) => +named(name).querySelector("rect").getAttribute("y");
        seen.order = y("all") < y("main") && y("main") < y("work");
        key("ArrowDown"); key("ArrowDown"); seen.down = chosen();""")
    check("an icicle hangs from the top, arrows too", seen == {"order": True, "down": "main"}, seen)


def hostile(folder):
    """Any name gives well-formed XML that a browser shows."""
    long = b"std::map<" + b"std::basic_string<char, A>, " * 400 + b">"
    names = [b"<script>alert(1)</script>", b"a & b && c", b'"quoted" \'too\'', b"]]>", b"\x01\x02\x1b[31m",
             b"\xff\xfe broken", b"\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5", b"&lt already &gt", long, b"--><!--",
             b"\xed\xa0\x80", b"\xef\xbf\xbf"]
    text = b"".join(b"main;" + name + b" 10\n" for name in names)
    svg = draw(folder, text, "--title", "<&>'\"", "--notes", "]]> & \"x\"", "--subtitle", "a<b")
    page = os.path.join(folder, "out.svg")
    lint = subprocess.run(["xmllint", "--noout", "--nonet", page], capture_output=True, check=False)
    check("hostile names are well-formed XML", lint.returncode == 0, lint.stderr.decode())
    seen = browse(folder, svg, """
        seen.count = frames.length;
        seen.titles = frames.map((g) => g.querySelector("title").textContent);
        seen.scripts = document.querySelectorAll("script").length;""")
    titles = seen.get("titles", [])
    check("and a browser shows each of them", seen.get("count") == len(names) + 2 and seen["scripts"] == 2 and
          any(t.startswith("<script>alert(1)</script> (") for t in titles) and
          any(t.startswith("&lt already &gt (") for t in titles) and
          any(len(t) > 10000 for t in titles) and any("é€🔥" in t for t in titles), seen)


def long_lines(folder):
    """A title ends before the search field and other lines at the edge; hovering shows them whole."""
    title = "sh -c 'for i in 1 2 3; do echo MMMM WWWW; done' " * 8
    script = "prog  7/8  [001] 10.000000:         10 cycles:\n\t    55d0c0001000 outer+0x10 (/usr/bin/prog)\n\n"
    for width in (1200, 600):
        svg = draw(folder, script * 4, "--title", title, "--notes", "note " * 80, "--width", str(width))
        seen = browse(folder, svg, """
            const place = (e) => { const r = e.getBoundingClientRect(); return [r.left, r.right]; };
            seen.field = place(field);
            seen.title = place(document.querySelector(".t"));
            seen.whole = document.querySelector(".t title").textContent;
            seen.lines = [...document.querySelectorAll("text.l, text.u")].map((e) => [...place(e), e.textContent]);""")
        if "error" in seen:
            check("Chromium runs the picture", False, seen)
            return
        check(f"a long title ends before the field, {width} pixels", 0 <= seen["title"][0] and
              seen["field"][0] - 200 < seen["title"][1] < seen["field"][0] and seen["whole"] == title, seen)
        check(f"and every line at the edge, {width} pixels",
              all(0 <= line[0] and line[1] <= width for line in seen["lines"]), seen["lines"])
        check(f"one says what would help, {width} pixels", any(
              line[2] == "What would help most: record longer or at a higher rate (-F): 4 samples say little."
              for line in seen["lines"]), seen["lines"])


def tall(folder):
    """Opened at its foot, it still has its title and its search in view."""
    picture = os.path.join(folder, "out.svg")
    draw(folder, ";".join(f"f{i}" for i in range(200)) + " 10\n")
    with Browser() as browser:
        page = browser.open("file://" + picture, width=1240, height=600)
        top = """new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(
            [window.scrollY, ...["input", ".t"].map((what) => document.querySelector(what).getBoundingClientRect().top),
             document.elementFromPoint(1100, 20).tagName]))))"""
        seen = [page.run(top), page.run("window.scrollTo(0, 700)"), page.run(top)]
    check("a tall graph opens at its foot with the search in view", seen[0][0] > 2500 and
          all(0 <= y < 30 for y in seen[0][1:3]) and seen[0][3] == "input", seen)
    check("and keeps it there", seen[2][0] == 700 and seen[2][1:] == seen[0][1:], seen)


def without_script(folder):
    svg = re.sub(r"<script>.*?</script>", "", draw(folder, FOLDED), flags=re.S)
    check("without script it has its texts, legend and tooltips", "compare</text>" in svg and
          ">kernel</text>" in svg and "<title>sort (70 counts, 70.00 %)</title>" in svg and
          "counts in all" in svg)


def main():
    for program in ("chromium", "xmllint"):
        if not shutil.which(program):
            print(f"1..0 # SKIP no {program}")
            return 0
    with tempfile.TemporaryDirectory(prefix="perfolio-web-") as folder:
        for part in (behaviour, deep_link, inverted, hostile, long_lines, tall, without_script):
            part(folder)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


sys.exit(main())
