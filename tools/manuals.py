#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the manual pages' text into the program: manuals.py OUTPUT.c FILE.md..."""
import os
import re
import sys


def plain(text):
    """Markdown as a terminal shows it: headings without marks, definitions indented."""
    text = re.sub(r"^##* (.*)$", r"\1", text, flags=re.M)
    text = re.sub(r"^:   ", "    ", text, flags=re.M)
    return re.sub(r"\*(\w[^*\n]*)\*", r"\1", text)


def quoted(text):
    return "\n".join('\t\t"' + line.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?") + '\\n"'
                     for line in text.splitlines()) or '\t\t""'


def main():
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write("/* Made by tools/manuals.py. */\n#include <stddef.h>\n"
                  "extern const struct manual_text {\n\tconst char *name, *text;\n} manual_texts[];\n"
                  "const struct manual_text manual_texts[] = {\n")
        for path in sys.argv[2:]:
            name = re.sub(r"^perfolio-?", "", os.path.basename(path)[:-3])
            with open(path, encoding="utf-8") as file:
                out.write(f'\t{{ "{name}",\n{quoted(plain(file.read()))} }},\n')
        out.write("\t{ NULL, NULL },\n};\n")


main()
