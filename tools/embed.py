#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns files into C strings: embed.py OUTPUT.c NAME=FILE...

What goes into an SVG or HTML must not hold what would end the section or element around it.
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
            ends = [b"</style", b"</script", b"\0"] + ([b"]]>"] if "svg" in name else [])
            if any(end in data for end in ends):
                sys.exit(f"{os.path.basename(path)}: holds what would end the element around it")
            out.write(f"extern const char {name}[];\nconst char {name}[] = {{\n")
            out.write("\n".join(lines(data + b"\0")) + "\n};\n")


main()
