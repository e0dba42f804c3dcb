#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parameters that each operation of the API takes, as C: apiparams.py OUTPUT.c openapi.json

The description is the one place that knows them: what is not in it is refused (src/server/params.h).
"""
import json
import sys


def query_names(operation, known):
    for parameter in operation.get("parameters", []):
        if "$ref" in parameter:
            parameter = known[parameter["$ref"].rsplit("/", 1)[1]]
        if parameter["in"] == "query":
            yield parameter["name"]


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        document = json.load(file)
    known = document["components"].get("parameters", {})
    lines = ['#include "server/params.h"', "", "const struct api_params api_params[] = {"]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            names = "".join(f"{json.dumps(name)}, " for name in query_names(operation, known))
            lines.append(f"\t{{ {json.dumps(method.upper())}, {json.dumps(path)}, "
                         f"(const char *const[]){{ {names}0 }} }},")
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "\t{ 0 },", "};", ""]))


main()
