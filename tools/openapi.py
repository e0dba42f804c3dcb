#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one OpenAPI description out of its parts: openapi.py OUTPUT PART.json...

The first part is a whole document; the others bring `paths`, `components` and `tags` along.  What two
parts describe is an error, and so is a reference to what nobody does.
"""
import json
import sys

METHODS = ("get", "post", "put", "patch", "delete")


def merge(into, more, where):
    for name, value in more.items():
        if name not in into:
            into[name] = value
        elif where == "paths" and not set(into[name]) & set(value):
            into[name].update(value)
        else:
            sys.exit(f"openapi: {where}: {name} is described twice")


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for member in value:
            yield from references(member)


def find(document, reference):
    for step in reference.removeprefix("#/").split("/"):
        if not isinstance(document, dict) or step not in document:
            return None
        document = document[step]
    return document


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        whole = json.load(file)
    for path in sys.argv[3:]:
        with open(path, encoding="utf-8") as file:
            part = json.load(file)
        merge(whole["paths"], part.get("paths", {}), "paths")
        for kind, values in part.get("components", {}).items():
            merge(whole["components"].setdefault(kind, {}), values, kind)
        whole["tags"] += part.get("tags", [])
    for reference in references(whole):
        if find(whole, reference) is None:
            sys.exit(f"openapi: nothing is at {reference}")
    whole["paths"] = {path: {method: item[method] for method in METHODS if method in item}
                      for path, item in sorted(whole["paths"].items())}
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(whole, file, separators=(",", ":"))
        file.write("\n")


main()
