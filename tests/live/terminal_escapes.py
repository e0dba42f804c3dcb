#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing that comes from a recording reaches a terminal as an escape sequence: programs, functions, events, host names
and command lines that are made of them, shown by every command on a terminal.  A pipe gets every byte as it is."""
import os
import pty
import re
import select
import shutil
import subprocess
import tempfile

import lib
from lib import check

ESCAPES = ["\x1b]0;title\x07", "\x1b[31mred", "\x1b[2J\x1b[H", "\x9b31m", "\u202eturned", "\x1bP1$r\x1b\\", "\rover", "\x08\x08"]
HOSTILE = "".join(ESCAPES)
OURS = re.compile(rb"\x1b\[(0|1|2|31|32|33|35)?m|\x1b\[K|\x1b\[H\x1b\[2J")


def on_terminal(*words, **options):
    """What it writes to a terminal, on both streams; the terminal's own carriage returns aside."""
    main, side = pty.openpty()
    options.setdefault("env", {**os.environ, "TERM": "xterm", "PERFOLIO_PAGER": "cat -u", "LC_ALL": "C.UTF-8"})
    with subprocess.Popen([lib.PERFOLIO, *words], stdin=subprocess.DEVNULL, stdout=side, stderr=side, **options) as process:
        os.close(side)
        got = b""
        while True:
            try:
                if not select.select([main], [], [], 120)[0]:
                    break
                piece = os.read(main, 65536)
            except OSError:
                break
            if not piece:
                break
            got += piece
    os.close(main)
    return got.replace(b"\r\n", b"\n"), process.returncode


def harmless(name, *words, quotes=True, **options):
    got, _ = on_terminal(*words, **options)
    left = OURS.sub(b"", got)
    bad = [byte for byte in (b"\x1b", b"\x07", b"\x9b", b"\x08", "\u202e".encode(), "\x9b".encode()) if byte in left]
    check(not bad, f"{name}: no escape of another's", bad, got[-600:])
    check(b"\x1b[31mred" not in got and b"\rover" not in got, f"{name}: not even a colour or a line again", got[-600:])
    if quotes:
        check(rb"\x" in got, f"{name}: they are shown as text", got[-600:])


def hostile_recording(folder):
    """Of a program, its folder, its command line and its host, all of which are escapes."""
    place = os.path.join(folder, HOSTILE)
    os.mkdir(place)
    program = os.path.join(place, "\x1b[2Jprog\x9b")
    shutil.copy(shutil.which("dash") or "/bin/sh", program)
    path = os.path.join(folder, "perf.data")
    subprocess.run([lib.PERFOLIO, "record", "-q", "-F", "1999", "-g", "-N", "-o", path, "--", program, "-c",
                    "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done", HOSTILE], check=True)
    with open(path, "rb") as file:
        data = file.read()
    host = os.uname().nodename.encode()
    if len(host) > 3:
        data = data.replace(host + b"\0", b"\x1b[2J\x07"[:len(host)].ljust(len(host), b"\x9b") + b"\0")
    with open(path, "wb") as file:
        file.write(data)
    return path, program


def main():
    with tempfile.TemporaryDirectory(prefix="perfolio-escapes-") as folder:
        path, program = hostile_recording(folder)
        folded = os.path.join(folder, "in.folded")
        with open(folded, "w", encoding="utf-8") as file:
            file.write(f"main;{HOSTILE};work 90\nmain;wait{HOSTILE} 10\n".replace("\r", ""))
        text = os.path.join(folder, "in.script")
        with open(text, "w", encoding="utf-8") as file:
            for i in range(20):
                file.write(f"{ESCAPES[0]} 12 {i}.5: 1 {ESCAPES[1]}: \n\t4004f0 {ESCAPES[1]}f{ESCAPES[4]} (/bin/{ESCAPES[2]})\n\n")
        for words in (["report", "-i", path], ["report", "--header", "-i", path], ["report", "-s", "comm,dso,sym", "-i", path],
                      ["script", "-i", path], ["script", "--header", "-i", path], ["script", "-D", "-i", path],
                      ["script", "--show-task-events", "--show-mmap-events", "-i", path], ["buildid-list", "-i", path],
                      ["query", path, "threads"], ["fold", path], ["export", "--format", "script", path],
                      ["report", "-i", folded], ["fold", folded], ["script", "-i", folded],
                      ["report", "-i", text], ["script", "-i", text], ["fold", text],
                      ["stat", "-e", "task-clock", "--", program, "-c", "true"],
                      ["report", "-i", path + HOSTILE], ["stat", "-e", "task-clock", "--", HOSTILE],
                      ["record", "-e", HOSTILE, "--", "true"], ["report", HOSTILE]):
            quotes = words[0] not in ("query", "record")
            harmless(" ".join(words[:3]).replace(path, "FILE").replace(HOSTILE, "ESCAPES").replace(folder, ""), *words,
                     quotes=quotes)
        for words in (["doctor", "-i", path], ["doctor", "-i", text], ["evlist", "-v", "-i", path], ["query", path, "quality"],
                      ["flame", path, "-o", os.path.join(folder, "out.svg")], ["list", "--no-pager", "sw"]):
            harmless(" ".join(words[:1]) + " " + os.path.basename(words[-1]), *words, quotes=False)
        piped = lib.run([lib.PERFOLIO, "fold", folded])
        check("\x1b]0;title" in piped.stdout or ESCAPES[1] in piped.stdout or " [31mred" in piped.stdout,
              "a pipe has what folded lines can hold", piped.stdout[:200])
        got, _ = on_terminal("help")
        check(b"\x1b[1m" in got and b"\\x1b" not in got, "our own colours are there", got[:200])
        got, _ = on_terminal("report", "-i", path)
        check(re.search(rb"\x1b\[3[12]m *\d", got) and OURS.sub(b"", got).count(b"\x1b") == 0,
              "those of shares too, through the pager", got[:1500])


if __name__ == "__main__":
    main()
    lib.done()
