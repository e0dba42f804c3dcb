#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns files into C strings: embed.py OUTPUT.c NAME=FILE...

What goes into an SVG must not hold what would end the CDATA section around it.
"""
import os
import sys


def lines(data):
    for at in range(0, len(data), 24):
        yield "\t" + " ".join(f"{byte:#04x}," for byte in data[at:at + 24])


def main():
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write("/* Made by tools/embed.py. */\n")
        for word in sys.argv[2:]:
            name, path = word.split("=", 1)
            with open(path, "rb") as file:
                data = file.read().strip()
            if b"]]>" in data or b"</style" in data or b"\0" in data:
                sys.exit(f"{os.path.basename(path)}: holds what cannot stand inside an SVG")
            out.write(f"extern const char {name}[];\nconst char {name}[] = {{\n")
            out.write("\n".join(lines(data + b"\0")) + "\n};\n")


main()
