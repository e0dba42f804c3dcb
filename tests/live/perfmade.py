# SPDX-License-Identifier: Apache-2.0
"""A perf.data with chosen samples of every kind, so that perf can be asked what it makes of them."""
import struct

IP, TID, TIME, ADDR, CPU, PERIOD = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 7, 1 << 8
CHAIN, BRANCHES, WEIGHT, DATA_SRC, TRANSACTION = 1 << 5, 1 << 11, 1 << 14, 1 << 15, 1 << 17
PHYS, CGROUP, DATA_PAGE, CODE_PAGE = 1 << 19, 1 << 21, 1 << 22, 1 << 23
KERNEL, USER = 1, 2
MMAP, COMM, SAMPLE, CGROUP_RECORD = 1, 3, 9, 19
KERNEL_START = 0xffffffff81000000
ANY_BRANCH, HW_INDEX = 1 << 3, 1 << 17


def branch(start, end, mispredicted=False, predicted=False, in_tx=False, abort=False, cycles=0):
    bits = mispredicted | predicted << 1 | in_tx << 2 | abort << 3 | cycles << 4
    return struct.pack("=QQQ", start, end, bits)


def padded(text):
    raw = text.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 8)


def record(kind, misc, body):
    return struct.pack("=IHH", kind, misc, 8 + len(body)) + body


def sample(sample_type, mode, **values):
    """In the order that the kernel writes the fields in."""
    body = struct.pack("=Q", values["ip"])
    body += struct.pack("=II", values.get("pid", 100), values.get("tid", values.get("pid", 100)))
    body += struct.pack("=Q", values["time"])
    if sample_type & ADDR:
        body += struct.pack("=Q", values.get("addr", 0))
    if sample_type & CPU:
        body += struct.pack("=II", values.get("cpu", 0), 0)
    body += struct.pack("=Q", values.get("period", 1000))
    if sample_type & CHAIN:
        chain = values.get("chain", [])
        body += struct.pack(f"=Q{len(chain)}Q", len(chain), *chain)
    if sample_type & BRANCHES:
        branches = values.get("branches", [])
        body += struct.pack("=Q", len(branches)) + b"".join(branches)
    if sample_type & WEIGHT:
        body += struct.pack("=Q", values.get("weight", 0))
    if sample_type & DATA_SRC:
        body += struct.pack("=Q", values.get("data_src", 0))
    if sample_type & TRANSACTION:
        body += struct.pack("=Q", values.get("transaction", 0))
    if sample_type & PHYS:
        body += struct.pack("=Q", values.get("phys", 0))
    if sample_type & CGROUP:
        body += struct.pack("=Q", values.get("cgroup", 0))
    if sample_type & DATA_PAGE:
        body += struct.pack("=Q", values.get("data_page", 0))
    if sample_type & CODE_PAGE:
        body += struct.pack("=Q", values.get("code_page", 0))
    return record(SAMPLE, mode, body)


def write(path, sample_type, records, branch_type=0):
    """One event, cpu-clock; sample_type has IP, TID, TIME and PERIOD at least."""
    attr = bytearray(128)
    flags = 1 << 18  # sample_id_all
    struct.pack_into("=IIQQQQQ", attr, 0, 1, 128, 0, 1000, sample_type, 0, flags)
    struct.pack_into("=Q", attr, 72, branch_type)
    attr += struct.pack("=QQ", 0, 0)
    data = b"".join(records)
    head = b"PERFILE2" + struct.pack("=QQQQQQQ", 104, len(attr), 104, len(attr), 104 + len(attr),
                                     len(data), 0)
    with open(path, "wb") as file:
        file.write(head.ljust(104, b"\0") + attr + data)


def trailer(sample_type, pid=100, time=1):
    """The id fields at the end of records that are no samples."""
    body = struct.pack("=IIQ", pid, pid, time)
    if sample_type & CPU:
        body += struct.pack("=II", 0, 0)
    return body


def beginning(sample_type, program, size=0x1000, comm="made", pid=100, start=0x400000, offset=0):
    """A process with its name and its program's code; and the kernel."""
    end = trailer(sample_type, pid)
    kernel = record(MMAP, KERNEL, struct.pack("=iIQQQ", -1, 0, KERNEL_START, 0x1000000, KERNEL_START) +
                    padded("[kernel.kallsyms]_text") + trailer(sample_type, 0, 0))
    name = record(COMM, 0, struct.pack("=II", pid, pid) + padded(comm) + end)
    code = record(MMAP, USER, struct.pack("=IIQQQ", pid, pid, start, size, offset) +
                  padded(program) + end)
    return [kernel, name, code]
