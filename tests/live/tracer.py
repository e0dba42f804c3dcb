# SPDX-License-Identifier: Apache-2.0
"""What processes really are and may do: each one that a process starts is looked at when it ends, however short it lived,
and those that live are made to open a file."""
import ctypes
import errno
import json
import os
import platform
import signal
import struct
import subprocess
import sys
import time

SEIZE, INTERRUPT, SETOPTIONS, CONT, DETACH, GETEVENTMSG, LISTEN = 0x4206, 0x4207, 0x4200, 7, 17, 0x4201, 0x4208
GETREGS, SETREGS, SINGLESTEP = 12, 13, 9
FORK, VFORK, EXEC, EXIT = 2, 4, 16, 64  # options
EVENT_EXEC, EVENT_EXIT, EVENT_STOP = 4, 6, 128
ALL = 0x40000000  # __WALL
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
libc.ptrace.restype = ctypes.c_long


def ptrace(request, pid, address=0, data=0):
    if libc.ptrace(request, pid, address, data) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), f"ptrace {request:#x} of {pid}")


def look(pid):
    """What /proc says of it, as text; None when it is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            status["words"] = file.read().decode("utf-8", "replace").split("\0")[:-1]
        with open(f"/proc/{pid}/environ", "rb") as file:
            status["run"] = b"PERFOLIO_RUN=" in file.read()
        return status
    except OSError:
        return None


def words_of(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read().decode("utf-8", "replace").split("\0")


def follow(pid, word=None):
    """The tracer itself: a line of JSON for each process that ended; and for each that was started with the word, which
    then waits for a line of input before it does anything."""
    ptrace(SEIZE, pid, 0, FORK | VFORK | EXEC | EXIT)
    print("{}", flush=True)
    while True:
        try:
            child, status = os.waitpid(-1, ALL)
        except ChildProcessError:
            return
        if not os.WIFSTOPPED(status):
            continue
        event, signo = status >> 16, os.WSTOPSIG(status)
        if event == EVENT_EXIT:
            print(json.dumps(look(child)), flush=True)
        if event == EVENT_EXEC and word in words_of(child):
            print(json.dumps({"held": child}), flush=True)
            sys.stdin.readline()
        try:
            if event == EVENT_STOP and signo != signal.SIGTRAP:
                ptrace(LISTEN, child)
            else:
                ptrace(CONT, child, 0, 0 if event else signo)
        except OSError as error:
            if error.errno != errno.ESRCH:
                raise


class Tracer:
    """with Tracer(pid) as tracer: ...; tracer.ended has all that ended below pid, as look() has them.  With a word,
    held() waits for what is started with it, which stands still until go()."""

    def __init__(self, pid, *word):
        self.process = subprocess.Popen([sys.executable, __file__, str(pid), *word], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.ended = []

    def __enter__(self):
        return self

    def held(self):
        for line in self.process.stdout:
            told = json.loads(line) or {}
            if "held" in told:
                return told["held"]
            self.ended.append(told)
        return None

    def go(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def __exit__(self, *_):
        self.process.kill()  # the kernel lets all go on that it held
        self.process.stdin.close()
        for line in self.process.stdout:
            self.ended.append(json.loads(line))
        self.process.wait()
        self.process.stdout.close()
        self.ended = [one for one in self.ended if one]


# Opening a file in another process

OPENAT, CLOSE, AT_FDCWD = 257, 3, 2**64 - 100
RAX, RCX, RDX, RSI, RDI, ORIG, RIP, RSP = 10, 11, 12, 13, 14, 15, 16, 19  # places in struct user_regs_struct
CAN_OPEN = platform.machine() == "x86_64"


def registers(pid):
    room = ctypes.create_string_buffer(27 * 8)
    ptrace(GETREGS, pid, 0, ctypes.addressof(room))
    return list(struct.unpack("27Q", room.raw))


def set_registers(pid, values):
    room = ctypes.create_string_buffer(struct.pack("27Q", *values), 27 * 8)
    ptrace(SETREGS, pid, 0, ctypes.addressof(room))


def system_call(pid, before, number, *words):
    """The instruction that it waits in does another call."""
    values = list(before)
    values[RIP], values[RAX], values[ORIG] = before[RIP] - 2, number, 2**64 - 1
    for place, word in zip((RDI, RSI, RDX), words):
        values[place] = word
    set_registers(pid, values)
    ptrace(SINGLESTEP, pid)
    os.waitpid(pid, ALL)
    result = registers(pid)[RAX]
    return result - 2**64 if result >= 2**63 else result


def try_open(pid, path, flags):
    """0 or the error number that the process gets for opening it."""
    ptrace(SEIZE, pid)
    try:
        ptrace(INTERRUPT, pid)
        os.waitpid(pid, ALL)
        before = registers(pid)
        with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
            memory.seek(before[RIP] - 2)
            if memory.read(2) != b"\x0f\x05":
                raise RuntimeError(f"{pid} is in no system call")
            room = before[RSP] - 4096
            memory.seek(room)
            kept = memory.read(64)
            memory.seek(room)
            memory.write(path.encode() + b"\0")
            result = system_call(pid, before, OPENAT, AT_FDCWD, room, flags)
            if result >= 0:
                system_call(pid, before, CLOSE, result)
            memory.seek(room)
            memory.write(kept)
        set_registers(pid, before)
    finally:
        ptrace(DETACH, pid)
    return -min(result, 0)


# Doing something between two system calls of a command

SYSCALL, SYSGOOD, UNLINKAT = 24, 1, 263


def each_call(argv, done, seconds=60):
    """Runs it, and calls done(number, result) after each of its system calls; its exit status, None after that time."""
    quiet = {**os.environ, "ASAN_OPTIONS": (os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0").lstrip(":")}
    with subprocess.Popen(["sh", "-c", 'read go; exec "$@"', "sh", *argv], stdin=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, env=quiet) as process:  # looking for leaks needs a ptrace of its own
        pid, end, inside = process.pid, time.monotonic() + seconds, False
        ptrace(SEIZE, pid, 0, SYSGOOD)
        ptrace(INTERRUPT, pid)
        os.waitpid(pid, ALL)
        process.stdin.write(b"go\n")
        process.stdin.flush()
        signo = 0
        while time.monotonic() < end:
            ptrace(SYSCALL, pid, 0, signo)
            _, status = os.waitpid(pid, ALL)
            if not os.WIFSTOPPED(status):
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode
            signo = os.WSTOPSIG(status)
            if signo == signal.SIGTRAP | 0x80:
                signo, inside = 0, not inside
                if not inside:
                    values = registers(pid)
                    done(values[ORIG], values[RAX] - 2**64 if values[RAX] >= 2**63 else values[RAX])
            elif status >> 16:
                signo = 0
        process.kill()
    return None


if __name__ == "__main__":
    follow(int(sys.argv[1]), *sys.argv[2:])
