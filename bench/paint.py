# SPDX-License-Identifier: Apache-2.0
"""The page of the server as it is opened: until something is seen, and how much of it travels.

As a program it starts a server, and opens its page in a headless Chromium that has nothing of it yet:
    bench/paint.py PERFOLIO
"""
import json
import re
import statistics
import sys

from goals import AtMost
import inbrowser

TITLE = "paint: the page of the server is opened"
ROUNDS = 1
LOADS = 9
GOALS = [
    AtMost("first paint of the page, nothing of it cached", "paint_ms", 300, "ms"),
    AtMost("all its files, packed", "packed_kb", 400, "KB"),
]
FIGURES = {"paint_ms": "first paint, nothing cached", "again_ms": "first paint, files cached", "list_ms": "until sessions are listed",
           "packed_kb": "all files, packed, KB"}
PAINT = """new Promise((done) => { const look = () => { const seen = performance.getEntriesByName("first-contentful-paint")[0];
    seen ? done(seen.startTime) : setTimeout(look, 10); }; look(); })"""
LISTED = """new Promise((done) => { const look = () => document.querySelector(".card .card-title") ? requestAnimationFrame(() => done(performance.now()))
    : setTimeout(look, 1); look(); })"""


def packed(site):
    """What all files of the page take on their way, found by their names in each other."""
    names, seen, size = ["/"], set(), 0
    while names:
        name = names.pop()
        if name in seen:
            continue
        seen.add(name)
        _, head, _ = site.raw("GET", name, None, {"Accept-Encoding": "gzip"})
        size += int(head["Content-Length"])
        _, _, text = site.raw("GET", name)
        found = re.findall(rb"""["'`](?:\.?/)?(?:assets/)?([\w-]+-[\w-]{8}\.(?:js|css))["'`]""", text)
        names += ["/assets/" + one.decode() for one in found]
    return size / 1000


def look(browser, site):
    page = browser.open(site.link)
    page.run(LISTED)
    page.ask("Network.enable")
    times = {"paint_ms": [], "again_ms": [], "list_ms": []}
    for _ in range(LOADS):
        for figure, kept in (("paint_ms", False), ("again_ms", True)):
            page.ask("Network.setCacheDisabled", cacheDisabled=not kept)
            page.go(f"http://{site.address[0]}:{site.address[1]}/")
            times[figure].append(page.run(PAINT))
        times["list_ms"].append(page.run(LISTED))
    page.close()
    return {figure: statistics.median(values) for figure, values in times.items()}


def main(perfolio):
    Server, Browser = inbrowser.tools(perfolio)
    with Server() as site, Browser() as browser:
        site.session("bench")
        print(json.dumps({**look(browser, site), "packed_kb": packed(site)}))


def commands(perfolio, _scratch):
    return inbrowser.command(__file__, perfolio)


figures = inbrowser.figures


def print_table(runs):
    inbrowser.print_figures(runs, FIGURES)


if __name__ == "__main__":
    main(sys.argv[1])
