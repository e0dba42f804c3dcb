#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a folder of src/ includes headers only from folders above its own.

The order below is that of docs/design.md.  Cycles between single headers are found too.
"""
import os
import re
import sys

ORDER = [
    "base", "event", "perfdata", "dwarf", "symbol", "unwind", "machine", "bpf", "record", "doctor",
    "profile", "import", "summary", "store", "ipc", "render", "jobs", "server", "cmd", "main.c",
]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def source_files(src):
    for folder, _, names in sorted(os.walk(src)):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                yield os.path.relpath(os.path.join(folder, name), src)


def find_cycle(graph, name, path, done):
    if name in path:
        return path[path.index(name):] + [name]
    if name not in done:
        done.add(name)
        for other in graph.get(name, []):
            cycle = find_cycle(graph, other, path + [name], done)
            if cycle:
                return cycle
    return None


def main():
    src = os.path.join(sys.argv[1] if len(sys.argv) > 1 else ".", "src")
    graph, faults = {}, []
    for path in source_files(src):
        layer = path.split("/")[0]
        if layer not in ORDER:
            faults.append(f"src/{path}: folder '{layer}' has no place in tools/check/layers.py")
            continue
        with open(os.path.join(src, path), encoding="utf-8") as file:
            graph[path] = INCLUDE.findall(file.read())
        for header in graph[path]:
            folder = header.split("/")[0]
            if not os.path.exists(os.path.join(src, header)):
                faults.append(f'src/{path}: "{header}" is not named from src/')
            elif folder not in ORDER or ORDER.index(folder) > ORDER.index(layer):
                faults.append(f"src/{path}: includes {header}, which stands below it")
    done = set()
    for path in graph:
        cycle = find_cycle(graph, path, [], done)
        if cycle:
            faults.append("headers include each other: " + " -> ".join(cycle))
    for fault in faults:
        print(fault)
    print(f"{len(graph)} files, {len(faults)} faults")
    return 1 if faults or not graph else 0


sys.exit(main())
