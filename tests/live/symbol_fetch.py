# SPDX-License-Identifier: Apache-2.0
"""What debuginfod servers are asked for: only when told to, only what is hot, and not for ever.

A server of our own has the debug information of a program, of a library that takes a third of its
time, and of one that takes a 500th.
"""
import http.server
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib import PERFOLIO, check, done, need_program, run, skip_all  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="perfolio-fetch-")
LIBRARY = """
static __attribute__((noinline)) void NAME_work(long n) { while (n--) __asm__ volatile(""); }
void NAME(long n) { NAME_work(n); __asm__ volatile(""); }
"""
PROGRAM = """
void warm(long n), cold(long n);
static __attribute__((noinline)) void main_work(long n) { while (n--) __asm__ volatile(""); }
int main(void) {
    for (int i = 0; i < 200; i++) { main_work(6000000); warm(3000000); cold(18000); }
    return 0; }
"""


def path(name):
    return os.path.join(FOLDER, name)


class DebugServer(http.server.BaseHTTPRequestHandler):
    """Just enough of debuginfod: GET /buildid/ID/debuginfo."""
    files, asked, silence, slow = {}, [], 0, 0

    def do_GET(self):
        self.asked.append(self.path)
        time.sleep(self.silence)
        data = self.files.get(self.path, b"")
        half = len(data) // 2
        try:
            self.send_response(200 if data else 404)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[:half])
            self.wfile.flush()
            time.sleep(self.slow if data else 0)
            DebugServer.slow = 0  # once is enough to see it
            self.wfile.write(data[half:])
        except OSError:
            pass  # it was not waited for

    def log_message(self, *args):
        pass


def build(name, code, *options):
    """Built with debug information, which only the server has; its build-id."""
    made = run(["gcc", "-O2", "-g", "-fno-omit-frame-pointer", "-Wl,--build-id", "-x", "c", "-", "-o",
                path(name), *options], input=code)
    check(made.returncode == 0, f"{name} is built", made.stderr)
    run(["objcopy", "--only-keep-debug", path(name), path(name + ".dbg")])
    run(["strip", path(name)])
    ident = re.search(r"Build ID: ([0-9a-f]+)", run(["readelf", "-nW", path(name)]).stdout)[1]
    with open(path(name + ".dbg"), "rb") as file:
        DebugServer.files[f"/buildid/{ident}/debuginfo"] = file.read()
    return ident


def record(data):
    """What takes a 500th of the time may be missed by every sample: then once more."""
    for _ in range(10):
        made = run([PERFOLIO, "record", "-q", "-e", "cpu-clock:u", "-F", "1999", "-g", "-o", data,
                    path("main")])
        check(made.returncode == 0, "recorded", made.stderr)
        if "libcold.so" in run([PERFOLIO, "script", "-i", data, "-F", "ip,dso"]).stdout:
            break


def show(*words):
    """What it printed, what servers were asked for, and the time; nothing is fetched yet."""
    DebugServer.asked.clear()
    shutil.rmtree(path("fetched"), ignore_errors=True)
    began = time.monotonic()
    seen = run([PERFOLIO, *words])
    return seen, " ".join(DebugServer.asked), time.monotonic() - began


def on_terminal(*words):
    """What it writes to stderr if that is a terminal."""
    shutil.rmtree(path("fetched"), ignore_errors=True)
    ours, theirs = pty.openpty()
    with subprocess.Popen([PERFOLIO, *words], stdout=subprocess.DEVNULL, stderr=theirs,
                          stdin=subprocess.DEVNULL):
        os.close(theirs)
        text = b""
        while not text.endswith(b"\0"):
            try:
                text += os.read(ours, 4096) or b"\0"
            except OSError:  # the other side is closed
                break
    os.close(ours)
    return text.decode("utf-8", "replace")


def main():
    for name in ("gcc", "objcopy", "strip"):
        need_program(name)
    ids = {name: build(f"lib{name}.so", LIBRARY.replace("NAME", name), "-shared", "-fPIC")
           for name in ("warm", "cold")}
    ids["main"] = build("main", PROGRAM, f"-L{FOLDER}", f"-Wl,-rpath,{FOLDER}", "-lwarm", "-lcold")
    data = path("fetch.data")
    record(data)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), DebugServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ.update(DEBUGINFOD_URLS=f"http://127.0.0.1:{server.server_port}/",
                      DEBUGINFOD_CACHE_PATH=path("fetched"), XDG_CACHE_HOME=path("cache"), HOME=FOLDER)

    seen, asked, _ = show("report", "-i", data, "--stdio", "-g", "none", "--sort", "dso")
    check(not asked and "libcold.so" in seen.stdout, "nobody is asked unless we are told to", asked,
          seen.stdout)
    for words in (["report", "-i", data, "--stdio", "-g", "none"], ["script", "-i", data]):
        seen, asked, _ = show(*words, "--debuginfod")
        if not asked and "not installed" in seen.stderr:
            skip_all("libdebuginfod.so.1 is not installed")
        check(ids["main"] in asked and ids["warm"] in asked, f"{words[0]}: what is hot is asked for", asked,
              seen.stderr)
        check(ids["cold"] not in asked, f"{words[0]}: what is not is left", asked)
        check("main_work" in seen.stdout and "warm_work" in seen.stdout and
              "cold_work" not in seen.stdout, f"{words[0]}: so their functions have names",
              seen.stdout[:2000])

    for option in ("--debuginfod", f"--debuginfod={os.environ['DEBUGINFOD_URLS']}"):
        seen, asked, _ = show("record", "-q", "-e", "cpu-clock:u", "-F", "999", "-g", option, "-o", path("recorded"), path("main"))
        check(seen.returncode == 0 and ids["main"] in asked and ids["warm"] in asked, f"record {option[:12]}: fetched at its end",
              asked, seen.stderr)

    DebugServer.silence = 20
    seen, asked, took = show("script", "-i", data, "--debuginfod", "--fetch-limit", "1")
    check(seen.returncode == 0 and took < 15 and "main_work" not in seen.stdout,
          "a server that is silent is waited for no longer than the limit", seen.returncode, took)
    check("no time left for debuginfod" in seen.stderr, "which is said", seen.stderr)
    DebugServer.silence, DebugServer.slow = 0, 1.4
    text = on_terminal("script", "-i", data, "--debuginfod")
    check(re.search(rf"fetching symbols of {re.escape(path('main'))}, bytes: .* of ", text),
          "a terminal shows how far it is", text)
    server.shutdown()
    shutil.rmtree(FOLDER)
    done()


main()
