#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The schemas of docs/api/parts as TypeScript: apitypes.py PARTS_FOLDER OUTPUT.ts"""
import glob
import json
import os
import sys

SCHEMAS = {}


def literal(value):
    return json.dumps(value)


def type_of(schema):
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return name if name in SCHEMAS else "unknown"
    text = plain_type(schema)
    return f"{text} | null" if schema.get("nullable") else text


def plain_type(schema):
    for word, joint in (("oneOf", " | "), ("anyOf", " | "), ("allOf", " & ")):
        if word in schema:
            return "(" + joint.join(type_of(part) for part in schema[word]) + ")"
    if "enum" in schema:
        return "(" + " | ".join(literal(value) for value in schema["enum"]) + ")"
    kind = schema.get("type")
    if isinstance(kind, list):
        return "(" + " | ".join(type_of({**schema, "type": one}) for one in kind) + ")"
    if kind == "array":
        return f"Array<{type_of(schema.get('items', {}))}>"
    if kind == "object" or "properties" in schema:
        return object_type(schema)
    return {"string": "string", "integer": "number", "number": "number", "boolean": "boolean",
            "null": "null"}.get(kind, "unknown")


def object_type(schema):
    needed = schema.get("required", [])
    lines = []
    for name, part in schema.get("properties", {}).items():
        if part.get("description"):
            lines.append(f"/** {part['description'].replace('*/', '* /')} */")
        lines.append(f"{literal(name)}{'' if name in needed else '?'}: {type_of(part)};")
    more = schema.get("additionalProperties")
    if more or not lines:
        lines.append(f"[name: string]: {type_of(more) if isinstance(more, dict) else 'unknown'};")
    return "{\n" + "\n".join(lines) + "\n}"


def indent(text):
    depth, out = 0, []
    for line in text.splitlines():
        depth -= line.startswith("}")
        out.append("\t" * depth + line)
        depth += line.endswith("{")
    return "\n".join(out) + "\n"


def main():
    parts, output = sys.argv[1:3]
    for path in sorted(glob.glob(os.path.join(parts, "*.json"))):
        with open(path, encoding="utf-8") as file:
            SCHEMAS.update(json.load(file).get("components", {}).get("schemas", {}))
    text = "// Made by tools/apitypes.py from docs/api/parts; not edited, not committed.\n"
    for name, schema in sorted(SCHEMAS.items()):
        if schema.get("description"):
            text += f"\n/** {schema['description']} */"
        text += f"\nexport type {name} = {type_of(schema)};\n"
    text = indent(text)
    # Several builds share the source folder: only what changed is written, and at once.
    if os.path.exists(output):
        with open(output, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(f"{output}.{os.getpid()}", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(f"{output}.{os.getpid()}", output)


main()
