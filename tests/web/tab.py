# SPDX-License-Identifier: Apache-2.0
"""The Flame and Time tabs of a server's page in the browser: where their frames and cells are, what they say."""
import json
import os
import sys
import time
import urllib.parse

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))

ROW = 18


def quoted(text):
    return json.dumps(text)


class Tab:
    """A tab of a run; `query` is what stands behind ? in its address."""

    latest = None  # for a picture of what went wrong

    def __init__(self, browser, site, run, name, query="", motion=False, **look):
        self.root = "http://%s:%d" % site.address
        address = f"{self.root}/r/{run}/{name}{'?' + query if query else ''}"
        signed_in = getattr(browser, "signed_in", None) == site.token
        self.page = Tab.latest = browser.open(address if signed_in else f"{address}#token={site.token}",
                                              motion=motion, **look)
        browser.signed_in = site.token
        self.page.ask("Page.bringToFront")

    def until(self, expression, timeout=120):
        """Waits until it is true, and says what it was at the end."""
        end = time.monotonic() + timeout
        while True:
            value = self.page.run(expression)
            if value or time.monotonic() > end:
                return value
            time.sleep(0.03)

    def ready(self, selector=".flame-frames canvas"):
        self.until(f"!!document.querySelector({quoted(selector)})")
        self.settle()
        return self

    def settle(self):
        """Until nothing is asked for and what was done is drawn."""
        self.page.run("new Promise((done) => requestAnimationFrame(() => setTimeout(() => "
                      "requestAnimationFrame(() => setTimeout(done)))))")
        self.until("!document.querySelector('.flame[aria-busy=true], .time-map[aria-busy=true]')")

    def still(self):
        """Until the part of the graph that is seen moves no more."""
        self.page.run("new Promise((done) => { const seen = document.querySelector('.flame-minimap .seen'); let was = '', same = 0; "
                      "const look = () => { const now = seen.style.cssText + seen.hidden; same = now === was ? same + 1 : 0; was = now; "
                      "same > 3 ? done() : requestAnimationFrame(look); }; look(); })")
        self.settle()

    def slowly(self, factor):
        """What is animated takes so many times as long from now on."""
        self.page.run("""((by) => {
            if (!window.slowed) {
                const now = performance.now.bind(performance), frame = requestAnimationFrame.bind(window), it = window.slowed = { now, zero: now(), base: now(), by: 1 };
                const told = (time) => it.base + (time - it.zero) / it.by;
                performance.now = () => told(now());
                window.requestAnimationFrame = (call) => frame((time) => call(told(time)));
            }
            Object.assign(window.slowed, { base: performance.now(), zero: window.slowed.now(), by });
        })(%d)""" % factor)

    def text(self, selector):
        return self.page.run(f"document.querySelector({quoted(selector)})?.textContent ?? null")

    def texts(self, selector):
        return self.page.run(f"[...document.querySelectorAll({quoted(selector)})].map((e) => e.textContent)")

    def param(self, name):
        return dict(urllib.parse.parse_qsl(self.page.run("location.search.slice(1)"))).get(name)

    def press(self, text, within="button"):
        """Clicks a button by its words."""
        found = self.page.run(f"(() => {{ const b = [...document.querySelectorAll({quoted(within)})].find((b) => "
                              f"b.textContent.trim() === {quoted(text)}); b?.click(); return !!b; }})()")
        assert found, f"no button says {text}"
        self.settle()

    def select(self, label, value):
        """Of a labelled choice."""
        self.page.run(f"(() => {{ const s = [...document.querySelectorAll('label')].find((l) => l.textContent.startsWith("
                      f"{quoted(label)})).querySelector('select'); s.value = {quoted(value)}; "
                      "s.dispatchEvent(new Event('change', { bubbles: true })); })()")
        self.settle()

    def type(self, text):
        self.page.run("(() => { const e = document.querySelector('.flame-find input'); e.focus(); e.select(); })()")
        if text:
            self.page.ask("Input.insertText", text=text)
        else:
            self.page.key("Delete", code=46)
        self.settle()

    def key(self, key, **more):
        self.page.key(key, text=key if len(key) == 1 else "", **more)
        self.settle()

    def blur(self):
        self.page.run("document.activeElement.blur()")

    # Frames

    def place(self, depth, part, inverted=False, nth=0):
        """Of a frame in that row, a part of the width from the left."""
        left, top, width, height, up = self.page.run(
            f"(() => {{ const e = document.querySelectorAll('.flame-frames')[{nth}], r = e.getBoundingClientRect(); "
            "return [r.left + 1, r.top + 1, e.clientWidth, e.clientHeight, e.scrollTop]; })()")
        row = 2 + ROW * depth + ROW / 2
        return left + part * width, top + (row - up if inverted else height - row)

    def hover(self, depth, part, **more):
        """The card's name and facts."""
        self.page.move(*self.place(depth, part, **more))
        self.settle()
        if not self.until("!(document.querySelector('#flame-card')?.hidden ?? true)", 30):
            return None, {}
        return self.text("#flame-card .card-name"), self.page.run(
            "Object.fromEntries([...document.querySelectorAll('#flame-card dt')].map((d) => "
            "[d.textContent, d.nextSibling.textContent]))")

    def click(self, depth, part, **more):
        self.page.click(*self.place(depth, part, **more))
        self.settle()

    def rows(self):
        """The whole table: {name: (self, total)} in shares of 100, and the counts that hovering shows."""
        self.page.run("(async () => { for (;;) { const b = document.querySelector('.flame-more button'); if (!b) return; "
                      "b.click(); await new Promise((done) => setTimeout(done)); } })()")
        found = self.page.run("[...document.querySelectorAll('.flame-table tbody tr')].map((r) => "
                              "[r.dataset.function, r.cells[0].textContent, r.cells[1].textContent])")
        return {name: (float(own[:-2]), float(total[:-2])) for name, own, total in found}

    def picture(self, selector=".flame-minimap canvas"):
        return self.page.run(f"document.querySelector({quoted(selector)}).toDataURL()")

    # The heatmap

    def box(self, selector):
        return self.page.run(f"(() => {{ const r = document.querySelector({quoted(selector)}).getBoundingClientRect(); "
                             "return [r.left, r.top, r.width, r.height]; })()")

    def drag(self, selector, start, end):
        """From one place of an element to another, as parts of its size."""
        left, top, width, height = self.box(selector)
        (x1, y1), (x2, y2) = ((left + x * width, top + y * height) for x, y in (start, end))
        self.page.move(x1, y1)
        self.page.mouse("Pressed", x1, y1, button="left", clickCount=1)
        self.page.mouse("Moved", (x1 + x2) / 2, (y1 + y2) / 2, button="left", buttons=1)
        self.page.mouse("Moved", x2, y2, button="left", buttons=1)
        self.page.mouse("Released", x2, y2, button="left", clickCount=1)
        self.page.move(2, 2)
        self.settle()

    def close(self):
        self.page.close()
