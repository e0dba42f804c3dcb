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


IDENTIFIER = 1 << 16
OF_EVENTS = IDENTIFIER | IP | TID | TIME | PERIOD
FINISHED_ROUND, LOST_SAMPLES = 68, 13
CPU_CLOCK, PAGE_FAULTS = 0, 2  # of software events
COUNTS_CPU = 1
COUNTS_MAGIC = 0x53544e554f434650


def counts(events, cpu_ns=0, flags=COUNTS_CPU, idle_ns=0):
    """A round's end with what each event counted, as our recorder writes it."""
    words = [flags, cpu_ns, idle_ns, len(events), *events]
    words += [len(words), COUNTS_MAGIC]
    return record(FINISHED_ROUND, 0, struct.pack(f"={len(words)}Q", *words))


def write_events(path, events, records, tail=(), bits=0):
    """Software events by their configs; records are (event, ip, time, period), or bytes as they are."""
    ids, attrs = b"", b""
    at = 104
    for number, config in enumerate(events):
        attr = bytearray(128)
        struct.pack_into("=IIQQQQQ", attr, 0, 1, 128, config, 1000, OF_EVENTS, 0, 1 << 18 | 1 << 20 | bits)  # as perf: no guests
        attrs += attr + struct.pack("=QQ", at + 8 * number, 8)
        ids += struct.pack("=Q", number + 1)
    data = b""
    for each in records:
        if not isinstance(each, bytes):
            event, ip, time, period = each
            each = record(SAMPLE, USER, struct.pack("=QQIIQQ", event + 1, ip, 100, 100, time, period))
        data += each
    data += b"".join(tail)
    start = at + len(ids)
    head = b"PERFILE2" + struct.pack("=QQQQQQQ", 104, 144, start, len(attrs), start + len(attrs), len(data), 0)
    with open(path, "wb") as file:
        file.write(head.ljust(104, b"\0") + ids + attrs + data)


def process(program, size=0x10000):
    """Of write_events: a process, with its name and its program's code from 0x400000 on."""
    end = struct.pack("=IIQQ", 100, 100, 1, 1)
    return [record(COMM, 0, struct.pack("=II", 100, 100) + padded("made") + end),
            record(MMAP, USER, struct.pack("=IIQQQ", 100, 100, 0x400000, size, 0) + padded(program) + end)]
