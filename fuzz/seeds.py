#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes seeds for the fuzzers out of recordings that are not part of the project.

    seeds.py CORPUS TARGET FOLDER

Whole recordings for `perfdata`, and those of tracepoints for `summary`; for `feature` their
features, for `sample` their records with what the event's attr says of them, for `tracing` the
formats of their tracepoints and of this kernel's; for `cfi` the call frame information of this
machine's programs.
"""
import glob
import hashlib
import os
import struct
import sys

MOST_OF_A_KIND = 3  # of one recording's records


def keep(folder, data):
    with open(os.path.join(folder, hashlib.sha1(data).hexdigest()), "wb") as file:
        file.write(data)


def files(corpus):
    for path in sorted(glob.glob(os.path.join(corpus, "perfdata", "*"))):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                yield file.read()


def sections(data):
    """(feature, payload) of a file; nothing for a pipe."""
    if len(data) < 104 or struct.unpack_from("<Q", data, 8)[0] != 104:
        return
    at = sum(struct.unpack_from("<QQ", data, 40))
    for bit in range(256):
        if data[72 + bit // 8] >> bit % 8 & 1 and at + 16 <= len(data):
            offset, size = struct.unpack_from("<QQ", data, at)
            yield bit, data[offset:offset + size]
            at += 16


def feature_seeds(data):
    for bit, payload in sections(data):
        if bit < 128 and len(payload) < 30000:
            yield bytes([bit]) + payload


def sample_seeds(data):
    if len(data) < 104 or struct.unpack_from("<Q", data, 8)[0] != 104:
        return
    attr_size, attrs, _, offset, size = struct.unpack_from("<5Q", data, 16)
    attr = data[attrs:attrs + attr_size - 16] + bytes(136)
    sample_type, read_format, flags = struct.unpack_from("<3Q", attr, 24)
    branches, user = struct.unpack_from("<2Q", attr, 72)
    interrupt = struct.unpack_from("<Q", attr, 96)[0]
    seen, end = {}, min(offset + size, len(data))
    while offset + 8 <= end:
        kind, misc, length = struct.unpack_from("<IHH", data, offset)
        if length < 8:
            return
        seen[kind] = seen.get(kind, 0) + 1
        if kind < 128 and seen[kind] <= MOST_OF_A_KIND:
            rest = flags >> 18 & 1 | kind << 1 | misc << 16
            yield struct.pack("<6Q", sample_type, read_format, branches, user, interrupt,
                              rest) + data[offset + 8:offset + length]
        offset += length


def tracing_seeds(data):
    for bit, payload in sections(data):
        if bit == 1:
            yield payload


def traced(data):
    """The recording itself, if it is small and one of tracepoints."""
    return [data] if len(data) < 100000 and b"tracing0." in data else []


def cfi_seeds():
    for path in sorted(glob.glob("/usr/bin/*") + glob.glob("/usr/lib/*/lib*.so.*"))[::40]:
        with open(path, "rb") as file:
            data = file.read()
        if data[:6] != b"\x7fELF\x02\x01" or os.path.islink(path):
            continue
        table, = struct.unpack_from("<Q", data, 40)
        count, names = struct.unpack_from("<HH", data, 60)
        heads = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * 64) for i in range(count)]
        for head in heads:
            start = heads[names][4] + head[0]
            name = data[start:data.find(b"\0", start)]
            if name == b".eh_frame":
                yield b"\0" + data[head[4]:head[4] + min(head[5], 3000)]


def main():
    corpus, target, folder = sys.argv[1:4]
    os.makedirs(folder, exist_ok=True)
    make = {"feature": feature_seeds, "sample": sample_seeds, "tracing": tracing_seeds,
            "perfdata": lambda data: [data], "summary": traced}.get(target)
    if target == "cfi":
        for seed in cfi_seeds():
            keep(folder, seed)
    if not make:
        return
    for data in files(corpus):
        for seed in make(data):
            keep(folder, seed)
    if target == "tracing":
        for path in glob.glob("/sys/kernel/tracing/events/*/*/format")[::10]:
            with open(path, "rb") as file:
                keep(folder, file.read())


main()
