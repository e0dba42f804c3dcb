#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Long texts through a pipe: they stream, and memory grows with unique stacks, not with the text.

2 GB with PERFOLIO_LONG=1, else some tens of megabytes.
"""
import os
import re
import subprocess
import threading

import lib

LONG = os.environ.get("PERFOLIO_LONG") == "1"
SMALL, LARGE = (64, 2048) if LONG else (8, 64)
ROOM_KB = 4096
STACKS, DEPTH = 400, 40


def block():
    """A megabyte of samples, and how many."""
    text, count = [], 0
    size = 0
    while size < 1 << 20:
        frames = "".join(f"\t{0x7f0000000000 + count * 977 + level * 4096:x} function_{(count % STACKS) % (level + 3)}_{level}"
                         f"+0x{count % 256:x} (/usr/lib/libx.so.{level % 5})\n" for level in range(DEPTH))
        sample = f"prog {1000 + count % 4} [00{count % 2}] {1000 + count / 1000:.6f}:     250000 cycles:\n{frames}\n"
        text.append(sample)
        size += len(sample)
        count += 1
    return "".join(text).encode(), count


def fold(piece, times):
    """Folds so many pieces; the lines, and the peak of memory in KB."""
    with subprocess.Popen([lib.PERFOLIO, "fold", "--weight", "samples", "-"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        def feed():
            try:
                for _ in range(times):
                    process.stdin.write(piece)
            finally:
                process.stdin.close()
        feeder = threading.Thread(target=feed)
        feeder.start()
        lines = process.stdout.read().decode().splitlines()
        feeder.join()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return lines, usage.ru_maxrss, process.returncode


def main():
    piece, count = block()
    small, small_kb, _ = fold(piece, SMALL)
    large, large_kb, status = fold(piece, LARGE)
    total = sum(int(line.rsplit(" ", 1)[1]) for line in large)
    lib.check(status == 0 and total == count * LARGE, f"{len(piece) * LARGE >> 20} MB: every sample is counted",
              total, count * LARGE, status)
    strip = re.compile(r" \d+$")
    lib.check([strip.sub("", line) for line in small] == [strip.sub("", line) for line in large] and large,
              "the same stacks as of a shorter text")
    if lib.sanitized():
        print("# memory is not looked at: a sanitizer is in")
    else:
        lib.check(large_kb < small_kb + ROOM_KB, "no more memory than for a shorter text", small_kb, large_kb)
    print(f"# peak of {SMALL} MB: {small_kb} KB, of {LARGE} MB: {large_kb} KB")
    lib.done()


main()
