#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns files into C strings: embed.py OUTPUT.c NAME=FILE...

What goes into an SVG or HTML must not hold what would end the section or element around it.
With --binary before them files are bytes of any kind, each aligned and with a NAME_size.
"""
import os
import sys


def lines(data):
    for at in range(0, len(data), 24):
        yield "\t" + " ".join(f"{byte:#04x}," for byte in data[at:at + 24])


def binary(out, name, data):
    out.write("#include <stddef.h>\n")
    out.write(f"extern const unsigned char {name}[];\nextern const size_t {name}_size;\n")
    out.write(f"const unsigned char {name}[] __attribute__((aligned(8))) = {{\n")
    out.write("\n".join(lines(data)) + f"\n}};\nconst size_t {name}_size = {len(data)};\n")


def main():
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write("/* Made by tools/embed.py. */\n")
        words = sys.argv[2:]
        for word in [word for word in words if word != "--binary"]:
            name, path = word.split("=", 1)
            if words[0] == "--binary":
                with open(path, "rb") as file:
                    binary(out, name, file.read())
                continue
            with open(path, "rb") as file:
                data = file.read().strip()
            ends = [b"</style", b"</script", b"\0"] + ([b"]]>"] if "svg" in name else [])
            if any(end in data for end in ends):
                sys.exit(f"{os.path.basename(path)}: holds what would end the element around it")
            out.write(f"extern const char {name}[];\nconst char {name}[] = {{\n")
            out.write("\n".join(lines(data + b"\0")) + "\n};\n")


main()
