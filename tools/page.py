#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the page of `perfolio serve` and turns its files into C.

    page.py FOLDER OUTPUT.c DEPFILE auto|enabled|disabled

FOLDER is web/app, where tools/page.sh has installed the packages of its lock file; nothing is fetched
here.  Without them `auto` gives a page that says so, `enabled` fails.
"""
import gzip
import hashlib
import os
import shutil
import subprocess
import sys

LIMIT = 400_000  # bytes, packed, of all files together
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
WITHOUT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>perfolio</title>
<h1>perfolio was built without its page</h1>
<p>The server works: its API is at <a href="/api/v1/openapi.json">/api/v1</a>.
<p>For the page, node.js and the packages of <code>web/app/package-lock.json</code> are needed when perfolio
is built: <code>make run</code> installs them, <code>tools/page.sh</code> alone too; then build again.
"""


def sources(folder):
    """What the page is made of, with the folders: a new file changes its folder."""
    root = os.path.dirname(os.path.dirname(folder))
    for part in (folder, os.path.join(root, "web", "flame"), os.path.join(root, "docs", "api")):
        for path, folders, names in os.walk(part):
            folders[:] = sorted(set(folders) - {"node_modules", "dist"})
            yield path
            yield from (os.path.join(path, name) for name in sorted(names) if name != "schema.ts")


def installed(folder):
    """The packages are those of the lock file."""
    try:
        with open(os.path.join(folder, "package-lock.json"), "rb") as lock:
            with open(os.path.join(folder, "node_modules", ".installed"), "rb") as stamp:
                return lock.read() == stamp.read() and shutil.which("node")
    except OSError:
        return False


def make_types(folder):
    """The API's types, from its description."""
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([sys.executable, os.path.join(here, "apitypes.py"),
                    os.path.join(here, "..", "docs", "api", "parts"),
                    os.path.join(folder, "api", "schema.ts")], check=True)


def build(folder, into):
    make_types(folder)
    shutil.rmtree(into, ignore_errors=True)
    vite = os.path.join(folder, "node_modules", "vite", "bin", "vite.js")
    done = subprocess.run(["node", vite, "build", "--outDir", into, "--emptyOutDir", "--logLevel", "warn"],
                          cwd=folder, check=False)
    if done.returncode:
        sys.exit("page: vite failed")
    files = {}
    for path, _, names in os.walk(into):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                files["/" + os.path.relpath(os.path.join(path, name), into)] = file.read()
    return files


def write(out, files):
    """`struct page_file page_files[]`, as src/server/page.h has it."""
    rows = []
    total = 0
    out.write('/* Made by tools/page.py. */\n#include "server/page.h"\n')
    for serial, (path, data) in enumerate(sorted(files.items())):
        packed = gzip.compress(data, 9, mtime=0)
        total += len(packed)
        out.write(f"static const unsigned char file{serial}[] = {{\n")
        for at in range(0, len(packed), 32):
            out.write(",".join(map(str, packed[at:at + 32])) + ",\n")
        out.write("};\n")
        kind = TYPES[os.path.splitext(path)[1]]
        etag = hashlib.sha256(data).hexdigest()[:16]
        hashed = "true" if path.startswith("/assets/") else "false"
        rows.append(f'\t{{ "{path}", "{kind}", "\\"{etag}\\"", file{serial}, '
                    f"sizeof(file{serial}), {len(data)}, {hashed} }},\n")
    out.write("const struct page_file page_files[] = {\n" + "".join(rows) + "\t{ 0 },\n};\n")
    if total > LIMIT:
        sys.exit(f"page: its files have {total} bytes, packed; {LIMIT} are allowed")


def main():
    folder, output, depfile, mode = sys.argv[1:5]
    folder = os.path.abspath(folder)
    watched = [*sources(folder), os.path.join(folder, "node_modules", ".installed")]
    if mode != "disabled" and installed(folder):
        files = build(folder, os.path.abspath(output) + ".files")
    elif mode == "enabled":
        sys.exit("page: node.js or its packages are missing; tools/page.sh installs them")
    else:
        files = {"/index.html": WITHOUT.encode()}
    with open(output + ".new", "w", encoding="ascii") as out:
        write(out, files)
    with open(depfile, "w", encoding="utf-8") as out:
        names = [name.replace(" ", "\\ ") for name in watched]
        out.write(f"{output}: " + " \\\n ".join(names) + "\n")
    # The same bytes keep their time: what is made from them need not be made again.
    if os.path.exists(output):
        with open(output, "rb") as old, open(output + ".new", "rb") as new:
            if old.read() == new.read():
                os.unlink(output + ".new")
                return
    os.replace(output + ".new", output)


main()
