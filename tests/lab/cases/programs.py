# SPDX-License-Identifier: Apache-2.0
"""
The programs whose instructions are known by hand: the head of each source in guest/ says them.
"""


def digits(*numbers):
    return sum(len(str(number)) for number in numbers)


def spin(turns):
    return 8 + 5 * digits(turns) + 4 * turns


def chain(turns):
    return spin(turns) + 15


def forks_parent(n, turns):
    return 21 + 5 * digits(n, turns) + 18 * n


def forks(n, turns):
    return forks_parent(n, turns) + sum(5 + 4 * turns * i for i in range(1, n + 1))


def threads_main(n, turns):
    return 18 + 5 * digits(n, turns) + 10 * n


def threads(n, turns):
    return threads_main(n, turns) + sum(10 + 4 * turns * i for i in range(1, n + 1))


# What is left of a thread, and of the main thread, when it has passed the gate.
MAIN_AFTER_GATE = 3


def thread_after_gate(turns):
    return 4 + 4 * turns
