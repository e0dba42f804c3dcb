# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium at the end of two pipes: its debugging protocol, messages with a NUL behind each.

    with Browser() as browser:
        page = browser.open("file:///tmp/x.html", width=1440, height=900, dark=True)
        page.run("document.title")
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile


SLOW = float(os.environ.get("PERFOLIO_SLOW", "1"))  # as if the CPU were that much slower


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="perfolio-browser-")
        self.serial = 0
        self.kept = b""
        theirs_in, self.into = os.pipe()
        self.out, theirs_out = os.pipe()
        # Chromium reads its commands from descriptor 3 and answers on 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec 3<&{theirs_in} 4>&{theirs_out}; exec "$@"', "bash",
             "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--remote-debugging-pipe",
             "--user-data-dir=" + self.folder, "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.send("Browser.close")
        except OSError:
            pass
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.into)
        os.close(self.out)
        shutil.rmtree(self.folder, ignore_errors=True)

    def send(self, method, params=None, session=None):
        self.serial += 1
        message = {"id": self.serial, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.into, data):]
        return self.serial

    def next(self):
        while b"\0" not in self.kept:
            piece = os.read(self.out, 1 << 20)
            if not piece:
                raise OSError("the browser is gone")
            self.kept += piece
        message, _, self.kept = self.kept.partition(b"\0")
        return json.loads(message)

    def ask(self, method, params=None, session=None):
        serial = self.send(method, params, session)
        while True:
            message = self.next()
            if message.get("id") == serial:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def wait_for(self, event, session):
        while True:
            message = self.next()
            if message.get("method") == event and message.get("sessionId") == session:
                return message["params"]

    def open(self, address, **look):
        target = self.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, target, session)
        page.ask("Page.enable")
        if SLOW > 1:
            page.ask("Emulation.setCPUThrottlingRate", rate=SLOW)
        page.look(**look)
        page.go(address)
        return page


class Page:
    def __init__(self, browser, target, session):
        self.browser, self.target, self.session = browser, target, session

    def ask(self, method, **params):
        return self.browser.ask(method, params, self.session)

    def look(self, width=1440, height=900, dark=False, phone=False, script=True, motion=True):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=2 if phone else 1, mobile=phone)
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "no-preference" if motion else "reduce"}])
        self.ask("Emulation.setScriptExecutionDisabled", value=not script)

    def go(self, address):
        """Loads a page, also one that differs from the present one behind the # only."""
        self.browser.send("Page.navigate", {"url": "about:blank"}, self.session)
        self.browser.wait_for("Page.loadEventFired", self.session)
        self.browser.send("Page.navigate", {"url": address}, self.session)
        self.browser.wait_for("Page.loadEventFired", self.session)

    def run(self, expression):
        """The value of an expression; promises are waited for."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse("Moved", x, y)

    def click(self, x, y, count=1):
        self.move(x, y)
        self.mouse("Pressed", x, y, button="left", clickCount=count)
        self.mouse("Released", x, y, button="left", clickCount=count)

    def key(self, key, code=0, text="", modifiers=0):
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, text=text,
                 modifiers=modifiers)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code,
                 modifiers=modifiers)

    def shot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.browser.ask("Target.closeTarget", {"targetId": self.target})
