# SPDX-License-Identifier: Apache-2.0
"""A perf.data with chosen samples, so that perf can be asked for the name of any address."""
import re
import struct
import subprocess

KERNEL, USER = 1, 2
PID = 1234


def write(path, mappings, addresses, mode=USER):
    """mappings: (start, length, offset in the file, name)."""
    attr = bytearray(128)
    struct.pack_into("=IIQQQ", attr, 0, 1, 128, 0, 1000, 1 | 2)  # cpu-clock; IP and TID
    attr += struct.pack("=QQ", 0, 0)
    data = bytearray()
    for start, length, offset, name in mappings:
        text = name.encode() + b"\0"
        text += b"\0" * (-len(text) % 8)
        pid = PID if mode == USER else 0xffffffff
        body = struct.pack("=IIQQQ", pid, pid, start, length, offset) + text
        data += struct.pack("=IHH", 1, mode, 8 + len(body)) + body
    for address in addresses:
        data += struct.pack("=IHHQII", 9, mode, 24, address, PID, PID)
    head = b"PERFILE2" + struct.pack("=QQQQQQQ", 104, len(attr), 104, len(attr),
                                     104 + len(attr), len(data), 0)
    with open(path, "wb") as file:
        file.write(head.ljust(104, b"\0") + attr + data)


def code_segments(path):
    """(offset, size, address) of what is executable, as readelf tells it."""
    text = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True,
                          check=True).stdout
    found = re.findall(r"LOAD\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ R[W ]E", text)
    return [(int(offset, 16), int(size, 16), int(addr, 16)) for offset, addr, size in found]


def names(path, *options):
    """What perf says: address to (name, offset), or None."""
    text = subprocess.run(["perf", "script", "-i", path, *options, "-F", "ip,sym,symoff"],
                          capture_output=True, text=True, check=True).stdout
    result = {}
    for line in text.splitlines():
        address, _, name = line.strip().partition(" ")
        name, _, offset = name.rpartition("+0x")
        result[int(address, 16)] = (name, int(offset, 16)) if name else None
    return result
