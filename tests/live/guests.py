# SPDX-License-Identifier: Apache-2.0
"""Samples of virtual machines, as perf names them.

No guest can be recorded everywhere, so the recordings are made up: records as `perf kvm record`
writes them, and as `perf inject --guest-data` merges them.  perf reads the same files.
"""
import json
import os
import shutil
import struct
import tempfile

import perfsamples
from lib import PERFOLIO, check, done, need_program, run

FOLDER = tempfile.mkdtemp(prefix="perfolio-guests-")
KERNEL, USER, GUEST_KERNEL, GUEST_USER = 1, 2, 4, 5
BASE, MODULE = 0xffffffff90000000, 0xffffffffc0000000
VMS = (500, 600)  # their processes; each has a thread of the next number
PROGRAM = os.path.realpath(PERFOLIO)
PLACE = 0x7f0000000000
SAMPLE_TYPE = 1 | 2 | 4 | 0x100 | 1 << 16  # IP, TID, TIME, PERIOD, IDENTIFIER


def padded(text, to=8):
    text = text.encode() + b"\0"
    return text + b"\0" * (-len(text) % to)


class Recording:
    def __init__(self, ids=(1,)):
        self.ids, self.data, self.builds, self.time = ids, bytearray(), b"", 1000

    def record(self, kind, misc, body):
        self.data += struct.pack("=IHH", kind, misc, 8 + len(body)) + body

    def trailer(self, pid, event):
        self.time += 1000
        return struct.pack("=IIQQ", pid, pid, self.time, event)

    def mmap(self, mode, pid, start, length, offset, name, event=1):
        self.record(1, mode, struct.pack("=IIQQQ", pid, pid, start, length, offset) +
                    padded(name) + self.trailer(pid, event))

    def comm(self, mode, pid, tid, name, event=1):
        self.record(3, mode, struct.pack("=II", pid, tid) + padded(name) + self.trailer(pid, event))

    def sample(self, mode, pid, tid, address, event=1):
        self.time += 1000
        self.record(9, mode, struct.pack("=QQIIQQ", event, address, pid, tid, self.time, 1))

    def id_index(self, rows):
        """(id, process of the guest, its CPU)"""
        body = struct.pack("=Q", len(rows))
        body += b"".join(struct.pack("=QQqq", row[0], 0, -1, -1) for row in rows)
        self.record(69, 0, body + b"".join(struct.pack("=qq", *row[1:]) for row in rows))

    def build_id(self, mode, pid, name):
        body = struct.pack("=i", pid) + bytes([pid & 255]) * 20 + bytes(4) + padded(name, 64)
        self.builds += struct.pack("=IHH", 0, mode, 8 + len(body)) + body

    def write(self, name):
        attr = bytearray(128)
        struct.pack_into("=IIQQQQQ", attr, 0, 1, 128, 0, 1000, SAMPLE_TYPE, 4, 1 << 18)
        ids = struct.pack(f"={len(self.ids)}Q", *self.ids)
        attr += struct.pack("=QQ", 104, len(ids))
        at = 104 + len(ids)
        head = b"PERFILE2" + struct.pack("=QQQQQQQ", 104, len(attr), at, len(attr), at + len(attr),
                                         len(self.data), 0)
        head = head.ljust(72, b"\0") + struct.pack("=Q", 4 if self.builds else 0)
        path = os.path.join(FOLDER, name)
        with open(path, "wb") as file:
            file.write(head.ljust(104, b"\0") + ids + attr + self.data)
            if self.builds:
                file.write(struct.pack("=QQ", file.tell() + 16, len(self.builds)) + self.builds)
        return path


def lists(folder, prefix):
    """A guest's /proc/kallsyms and /proc/modules."""
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/kallsyms", "w", encoding="ascii") as file:
        for at, name in enumerate(("_text", "idle", "work", "tail", "_etext", "late")):
            file.write(f"{BASE + at * 0x1000:016x} T {name if name[0] == '_' else prefix + name}\n")
        file.write(f"{MODULE:016x} t first\t[virtio_net]\n{MODULE + 256:016x} t last\t[virtio_net]\n")
    with open(f"{folder}/modules", "w", encoding="ascii") as file:
        file.write(f"virtio_net 16384 0 - Live 0x{MODULE:x}\n")


def kernel(recording, pid, suffix=""):
    """Modules first, as perf has it: with them it reads the list of symbols."""
    recording.mmap(GUEST_KERNEL, pid, MODULE, 0x4000, 0, "[virtio_net]")
    recording.mmap(GUEST_KERNEL, pid, BASE, 0x4000, BASE, f"[guest.kernel.kallsyms{suffix}]_text")


def fill(recording):
    (offset, size, _), = perfsamples.code_segments(PROGRAM)[:1]
    recording.comm(0, 500, 500, "hypervisor")
    recording.comm(0, 500, 501, "CPU 0/KVM")
    recording.comm(0, 600, 600, "other")
    recording.mmap(USER, 500, PLACE, size, offset, PROGRAM)
    for part in range(1, 9):
        recording.sample(USER, 500, 501, PLACE + size // 9 * part)
    for pid in VMS:
        for tid in (pid, pid + 1):
            for at in (0x10, 0x1010, 0x1020, 0x2020, 0x3030, 0x4040, 0x5050, 0x6000):
                recording.sample(GUEST_KERNEL, pid, tid, BASE + at)
            recording.sample(GUEST_KERNEL, pid, tid, MODULE + 16)
            recording.sample(GUEST_KERNEL, pid, tid, MODULE + 272)
            recording.sample(GUEST_USER, pid, tid, PLACE + size // 3)


def script(path, *options):
    return (run(["perf", "script", "-i", path, *options]).stdout,
            run([PERFOLIO, "script", "-i", path, *options]).stdout)


def rows(text):
    """{(command, object, symbol): per cent}; what has no name is one row with us."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if not words or line[0] == "#" or not words[0].endswith("%"):
            continue
        symbol = "[unknown]" if words[-1].startswith("0x") else " ".join(words[-2:])
        key = words[1], words[-3], symbol.split("] ", 1)[-1] if "unknown" in symbol else symbol
        found[key] = found.get(key, 0) + float(words[0][:-1])
    return found


def reports(path, *options):
    usual = ["--stdio", "--no-children", "--sort", "comm,dso,sym"]
    wide = ["--host", "--guest"] if options else []
    perf = ["perf", *(["kvm", *wide, *options, "-i", path, "report"] if options else
                      ["report", "-i", path]), *usual]
    return (rows(run(perf).stdout),
            rows(run([PERFOLIO, "report", "-i", path, *options, *usual]).stdout))


def compare(label, path, *options):
    theirs, mine = script(path, *options)
    differ = [f"perf {a}\nours {b}" for a, b in zip(theirs.splitlines(), mine.splitlines()) if a != b]
    check(theirs == mine and theirs, f"{label}: script prints perf's bytes", *differ[:5])
    theirs, mine = reports(path, *options)
    off = {key: (theirs.get(key), mine.get(key)) for key in theirs.keys() | mine.keys()
           if abs(theirs.get(key, 0) - mine.get(key, 0)) > 0.011 * (2 if "[unknown]" in key else 1)}
    check(theirs and not off, f"{label}: report has perf's rows and shares", off)
    return mine


def check_one_guest():
    recording = Recording()
    kernel(recording, 0)
    fill(recording)
    path = recording.write("one.data")
    compare("a guest that nobody asks for", path)
    trust = run([PERFOLIO, "report", "-i", path, "--json"]).stdout
    trust = json.loads(trust)["trust"]
    check(trust["guest_samples"] == 44 and "--guestkallsyms" in trust["remedy"],
          "the samples that are not shown are counted, with the option that shows them", trust)
    page = json.loads(run([PERFOLIO, "doctor", "-i", path, "--json"]).stdout)
    check(page["guest_samples"] == 44, "doctor counts them too", page)
    mine = compare("a guest with a list of symbols", path, "--guestkallsyms", f"{FOLDER}/kallsyms")
    check(mine.get((":501", "[guest.kernel.kallsyms]", "[g] idle"), 0) > 0 and
          mine.get((":501", "[virtio_net]", "[g] last"), 0) > 0, "its functions are named", mine)
    named = run([PERFOLIO, "report", "-i", path, "--guestkallsyms", f"{FOLDER}/kallsyms"]).stdout
    check("--guestkallsyms" not in named, "and what is left is not blamed on a lack of it", named)
    folded = run([PERFOLIO, "fold", path, "--guestkallsyms", f"{FOLDER}/kallsyms"]).stdout
    check(":501;idle 2\n" in folded and ":501;[guest.user] 1\n" in folded, "fold has them too", folded)
    without = run([PERFOLIO, "report", "-i", path, "--guestmodules", f"{FOLDER}/modules"]).stdout
    check("--guestkallsyms" in without.splitlines()[-2], "without one, it is said what is missing",
          without)


def check_several_guests():
    recording = Recording()
    for pid in VMS:
        kernel(recording, pid, f".{pid}")
        recording.build_id(GUEST_KERNEL, pid, f"[guest.kernel.kallsyms.{pid}]")
    fill(recording)
    path = recording.write("several.data")
    mine = compare("guests with folders", path, "--guestmount", f"{FOLDER}/mount")
    check(("[guest/600]", "[guest.kernel.kallsyms.600]", "[g] vm600_idle") in mine,
          "each has its own names", mine)
    text = run([PERFOLIO, "script", "-i", path, "--guestmodules", "/dev/null"]).stdout
    inside = [line for line in text.splitlines() if "([guest.kernel.kallsyms.500])" in line]
    check(inside and all("[unknown]" in line for line in inside),
          "without files they get no names, least of all the host's", *inside)


def check_untold_guest():
    """Recorded without the guest's files: perf then has no place for its kernel."""
    recording = Recording()
    fill(recording)
    path = recording.write("untold.data")
    text = run([PERFOLIO, "script", "-i", path, "--guestkallsyms", f"{FOLDER}/kallsyms",
                "--guestmodules", f"{FOLDER}/modules", "-F", "tid,ip,sym,symoff,dso"]).stdout
    check("idle+0x10 ([guest.kernel.kallsyms])" in text and "last+0x10 ([virtio_net])" in text,
          "a recording without a word of its guest is named from its files", text)
    theirs, mine = script(path, "--guest-code", "-F", "comm,tid,ip,sym,symoff,dso")
    theirs, mine = ([line for line in text.splitlines() if "ffffffff" not in line]
                    for text in (theirs, mine))
    check(theirs == mine and any("[guest/500]" in line and PROGRAM in line for line in mine),
          "--guest-code names by the hypervisor's own program", *theirs[:20], *mine[:20])


def check_merged_guest():
    """What the guest recorded itself, in the host's file: its processes are known."""
    recording = Recording(ids=(1, 2, 3))
    recording.id_index([(1, 0, 0), (2, 500, 0), (3, 600, 1)])
    for event in (2, 3):
        recording.mmap(GUEST_KERNEL, 0xffffffff, MODULE, 0x4000, 0, "[virtio_net]", event)
        recording.mmap(GUEST_KERNEL, 0xffffffff, BASE, 0x4000, BASE, "[kernel.kallsyms]_text", event)
    recording.comm(GUEST_KERNEL, 7, 7, "inside", 2)
    recording.mmap(GUEST_USER, 7, 0x400000, 0x1000, 0, "/no/such/program", 2)
    for event in (2, 3):
        recording.sample(GUEST_USER, 7, 7, 0x400010, event)
        recording.sample(GUEST_KERNEL, 0, 0, BASE + 0x2010, event)
    recording.sample(GUEST_KERNEL, 7, 7, BASE + 0x1010, 2)
    recording.sample(USER, 7, 7, 0x400010)
    path = recording.write("merged.data")
    fields = ["-F", "machine_pid,vcpu,comm,pid,tid,ip,sym,symoff,dso"]
    theirs, mine = script(path, "--guestmount", f"{FOLDER}/mount", *fields)
    check(theirs == mine and "VM:  500 VCPU:000" in mine and "inside" in mine and "vm500" in mine,
          "records merged in are the guest's, as perf has it", theirs, mine)
    shown = run([PERFOLIO, "script", "-i", path, *fields]).stdout
    check(shown.count("VM:") == 5 and "vm500_" not in shown, "they are shown without options", shown)


def main():
    need_program("perf")
    need_program("readelf")
    lists(FOLDER, "")
    for pid in VMS:
        lists(f"{FOLDER}/mount/{pid}/proc", f"vm{pid}_")
    check_one_guest()
    check_several_guests()
    check_untold_guest()
    check_merged_guest()
    shutil.rmtree(FOLDER)
    done()


main()
