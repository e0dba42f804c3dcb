#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Prints the Debian entries of this machine's apt sources, freed of their limits to certain
architectures, as one file in apt's .sources form.

Mirrors, options and keys stay as the machine has them, so that whatever `apt-get update` can
reach, the lab can reach.  What is Debian's is told by suite and component, not by host name: a
mirror may be called anything.
"""

import re
import subprocess
import sys
from pathlib import Path

SUITE = r"(%s|stable)(-updates|-security|-backports)?/?"


def codename():
    for line in Path("/etc/os-release").read_text().splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    return "stable"


def stanzas_of_sources(text):
    """A .sources file: fields of each paragraph, continuation lines kept."""
    for paragraph in re.split(r"\n\s*\n", text):
        fields, last = {}, None
        for line in paragraph.splitlines():
            if line.startswith("#"):
                continue
            if line[:1] in (" ", "\t") and last:
                fields[last] += "\n" + line
            elif ":" in line:
                last, _, value = line.partition(":")
                last = last.strip().title()
                fields[last] = value.strip()
        if fields:
            yield fields


def stanzas_of_list(text):
    """A .list file: `deb [option=value ...] uri suite component...` a line."""
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        match = re.match(r"(deb\S*)\s+(?:\[(.*?)\]\s+)?(\S+)\s+(\S+)\s*(.*)$", line)
        if not match:
            continue
        kind, options, uri, suite, components = match.groups()
        fields = {"Types": kind, "Uris": uri, "Suites": suite, "Components": components}
        for option in (options or "").split():
            name, _, value = option.partition("=")
            fields[{"arch": "Architectures"}.get(name, name.title())] = value.replace(",", " ")
        yield fields


def debian_part(fields, suite_re):
    """The stanza reduced to Debian's binary packages of this release, or None."""
    suites = [s for s in fields.get("Suites", "").split() if suite_re.fullmatch(s)]
    enabled = fields.get("Enabled", "yes").lower() not in ("no", "false", "0", "off")
    if not enabled or not suites or "deb" not in fields.get("Types", "").split():
        return None
    if "main" not in fields.get("Components", "").split():
        return None
    dropped = ("Architectures", "Enabled")
    kept = {name: value for name, value in fields.items() if name not in dropped}
    kept.update(Types="deb", Suites=" ".join(suites), Components="main")
    return kept


def source_files():
    shell = subprocess.run(["apt-config", "shell", "LIST", "Dir::Etc::sourcelist/f",
                            "PARTS", "Dir::Etc::sourceparts/d"],
                           check=True, capture_output=True, text=True).stdout
    paths = dict(re.findall(r"(\w+)='(.*)'", shell))
    yield Path(paths["LIST"])
    yield from sorted(Path(paths["PARTS"]).glob("*"))


def main():
    suite_re = re.compile(SUITE % re.escape(codename()))
    found = 0
    for path in source_files():
        reader = {".sources": stanzas_of_sources, ".list": stanzas_of_list}.get(path.suffix)
        if not reader or not path.is_file():
            continue
        for fields in reader(path.read_text()):
            kept = debian_part(fields, suite_re)
            if kept:
                found += 1
                print("\n".join("%s: %s" % field for field in kept.items()), end="\n\n")
    if not found:
        sys.exit("no Debian source for %s in this machine's apt configuration" % codename())


if __name__ == "__main__":
    main()
