#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small files that stand for much: samples of millions of frames, tables of empty rows, packed nothing, counts that
would be millions of samples as text.  Reading takes little memory and says what was cut or why it is refused;
writing ends at the first error."""
import os
import resource
import subprocess
import tempfile
import zlib

import lib
from lib import check

MB = 1 << 20
MOST_MEMORY = (2500 if lib.sanitized() else 500) * MB
MOST_CPU = 300 if lib.sanitized() else 60  # of seconds: without a limit it would be hours


def varint(value):
    made = b""
    while value >= 0x80:
        made += bytes([value & 0x7F | 0x80])
        value >>= 7
    return made + bytes([value])


def field(number, body):
    """A message or text of protobuf."""
    return varint(number << 3 | 2) + varint(len(body)) + body


def number(field_number, value):
    return varint(field_number << 3) + varint(value)


STRINGS = field(6, b"") + field(6, b"cpu") + field(6, b"count") + field(6, b"work")
TYPE = field(1, number(1, 1) + number(2, 2))
FUNCTION = field(5, number(1, 1) + number(2, 3))
LOCATION = field(4, number(1, 1) + field(4, number(1, 1)))


def packed(path, *pieces):
    """A gzip file of (bytes, how often)."""
    made = zlib.compressobj(9, zlib.DEFLATED, 31)
    with open(path, "wb") as file:
        for piece, times in pieces:
            block = max(1, MB // max(len(piece), 1))
            while times:
                now = min(times, block)
                file.write(made.compress(piece * now))
                times -= now
        file.write(made.flush())
    return path


def full(limit):
    """A file may be that large, and no larger; and what would take hours ends."""
    def limits():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU + 5, MOST_CPU + 5))
    return limits


def run(*words, limit=100 * MB):
    """Runs it; output, status, and the most memory and the CPU time that it took."""
    with subprocess.Popen([lib.PERFOLIO, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", preexec_fn=full(limit)) as process:
        said = process.stdout.read(limit)  # no more of it than of a file
        process.stdout.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return said, process.returncode, used.ru_maxrss * 1024, used.ru_utime + used.ru_stime


def bounded(name, *words, wanted, status=0):
    said, code, memory, cpu = run(*words)
    check(code == status and all(word in " ".join(said.split()) for word in wanted), f"{name}: {wanted[0]}", code, said[-600:])
    check(memory < MOST_MEMORY and cpu < MOST_CPU, f"{name}: little memory and time", memory // MB, "MB", cpu, "s")


def reading(folder):
    path = os.path.join(folder, "bomb")
    count = 60 * MB
    one = varint(1 << 3 | 2) + varint(count)
    sample = varint(2 << 3 | 2) + varint(len(one) + count + 2) + one
    packed(path, (STRINGS + TYPE + FUNCTION + LOCATION + sample, 1), (b"\1", count), (number(2, 7), 1))
    bounded("a sample of 60 million frames", "doctor", "-i", path, wanted=["more than 2,048 frames", "which is cut"])
    bounded("which fold reads, too", "fold", "-o", "/dev/null", path, wanted=[""])

    packed(path, (STRINGS + TYPE + FUNCTION + LOCATION + varint(2 << 3 | 2) + varint(80 * MB), 1), (b"\1", 80 * MB))
    bounded("80 MB packed to 80 KB", "report", "-i", path, status=1,
            wanted=["more than 64 MB and 100 times its size"])

    lines = field(4, number(1, 1) + field(4, number(1, 1)) * 100000)
    samples = field(2, field(1, b"\1" * 4000) + number(2, 1))
    packed(path, (STRINGS + TYPE + FUNCTION + lines + samples, 1))
    bounded("a location of 100,000 lines in each of 4,000 places of one sample", "fold", "-o", "/dev/null", path, wanted=[""])
    packed(path, (STRINGS + TYPE + FUNCTION + lines, 1), (samples, 5000))
    bounded("locations of 100,000 lines in each of 4,000 places of 5,000 samples", "doctor", "-i", path,
            wanted=["more than 2,048 frames", "which is cut"])

    packed(path, (STRINGS + TYPE, 1), (field(4, b""), 31 * MB))
    bounded("31 million empty locations", "report", "-i", path, status=1, wanted=["tables take more than"])

    packed(path, (STRINGS + TYPE + FUNCTION + LOCATION +
                  field(2, field(1, b"\1") + field(2, b"\1" * 3000000)), 1))
    bounded("three million values of one type", "report", "-i", path, wanted=["work"])

    packed(path, (b"prog 12 1.0: 1 cycles: \n", 1), (b"\t4004f0 main (/bin/prog)\n", 2000000), (b"\n", 1))
    bounded("perf script text with two million frames", "doctor", "-i", path, wanted=["more than 2,048 frames", "which is cut"])

    packed(path, (b"main;f 1\n", 2000), (b"main;", 1), (b"f;", 3000000), (b"g 9000\n", 1))
    bounded("a folded line of three million frames", "doctor", "-i", path, wanted=["more than 2,048 frames", "which is cut"])

    with subprocess.Popen(["zstd", "-q", "-1", "-o", path + ".zst"], stdin=subprocess.PIPE) as zstd:
        for _ in range(11):
            zstd.stdin.write(b"main;f 1\n" * (100 * MB // 9))
        zstd.stdin.close()
    bounded("a gigabyte of the same line", "report", "-i", path + ".zst", status=1,
            wanted=["more than 1024 MB and 1000 times its size", "unpack it first"])


def writing(folder):
    """1,500 frames that count 900,000: as samples each would be 40 GB."""
    path = os.path.join(folder, "counts.folded")
    with open(path, "w", encoding="ascii") as file:
        for line in range(2):
            file.write(";".join(f"f{i}" for i in range(1500)) + f";leaf{line} 900000\n")
    out = os.path.join(folder, "out")
    said, code, _, _ = run("script", "-i", path)
    check(code == 0 and len(said) < 10 * MB and " 900000 " in said, "counts are written as periods", code, len(said))
    formats = ("script", "csv", "folded", "pprof", "speedscope", "firefox", "json")
    for name in formats:
        said, code, _, cpu = run("export", "--format", name, "-o", out, path)
        size = os.path.getsize(out)
        check(code == 0 and size < 10 * MB, f"export {name} of it is small", code, size, said)
        said, code, _, cpu = run("export", "--format", name, "-o", "/dev/full", path)
        check(code == 1 and "No space left on device" in said and cpu < MOST_CPU, f"export {name}: a full disk", code, said)
        said, code, _, cpu = run("export", "--format", name, "-o", out, path, limit=2000)
        check(code == 1 and "File too large" in said, f"export {name}: a limit of size", code, said)
        check(not [n for n in os.listdir(folder) if ".part" in n], f"export {name}: nothing half-written is left")
    with open(path, "w", encoding="ascii") as file:  # a million samples, which may be written one by one
        file.write("main;work 1000000\n")
    for words in (["script", "-i", path], ["export", "--format", "script", path]):
        with subprocess.Popen([lib.PERFOLIO, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.read(100)
            process.stdout.close()
            said = process.stderr.read().decode()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        check(process.returncode == 1 and used.ru_utime < MOST_CPU, f"{words[0]}: a reader that goes away ends it",
              process.returncode, said)
        with open("/dev/full", "w", encoding="ascii") as disk:
            result = subprocess.run([lib.PERFOLIO, *words], stdout=disk, stderr=subprocess.PIPE, text=True, check=False)
        check(result.returncode == 1 and "No space left on device" in result.stderr, f"{words[0]}: a full disk ends it",
              result.returncode, result.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="perfolio-limits-") as folder:
        reading(folder)
        writing(folder)


if __name__ == "__main__":
    main()
    lib.done()
