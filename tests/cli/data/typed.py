#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types at a terminal: typed.py ANSWERS COMMAND...

Each comma in ANSWERS ends one; they are typed when a question (a text that ends in ": ") stands there,
with a newline behind, but ^C is that key.  Prints what the terminal showed, the signal that ended the
command if one did, and whether the terminal still shows what is typed.
"""
import fcntl
import os
import sys
import termios


def start(command, leader, follower):
    child = os.fork()
    if not child:
        os.close(leader)
        os.setsid()
        fcntl.ioctl(follower, termios.TIOCSCTTY, 0)
        for fd in range(3):
            os.dup2(follower, fd)
        os.execvp(command[0], command)
    return child


def rest_of(leader):
    """All that was written; the kernel brings it later than the writer's end."""
    rest = b""
    try:
        while True:
            rest += os.read(leader, 1000)
    except OSError:  # nobody has the other side open any more
        return rest


def main():
    answers = sys.argv[1].split(",")
    leader, follower = os.openpty()
    child = start(sys.argv[2:], leader, follower)
    shown = b""
    while answers:
        shown += os.read(leader, 1000)
        if shown.endswith(b": "):
            answer = answers.pop(0)
            os.write(leader, b"\x03" if answer == "^C" else answer.encode() + b"\n")
    status = os.waitpid(child, 0)[1]
    hides = not termios.tcgetattr(follower)[3] & termios.ECHO
    os.close(follower)
    shown += rest_of(leader)
    print(shown.decode().replace("\r\n", "\n"), end="")
    if os.WIFSIGNALED(status):
        print("ended by signal", os.WTERMSIG(status))
    if hides:
        print("the terminal hides what is typed")
    sys.exit(os.WEXITSTATUS(status))


main()
