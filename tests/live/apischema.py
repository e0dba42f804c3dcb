# SPDX-License-Identifier: Apache-2.0
"""The API's description: is it one, and does an answer hold what it says?

Only what our description uses of JSON Schema is known here; anything else in it is an error.
"""
import re

KNOWN = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "oneOf", "allOf",
         "$ref", "description", "format", "pattern", "minimum", "maximum", "minItems", "maxItems", "default",
         "const", "prefixItems", "example", "examples", "title", "contentEncoding", "contentMediaType",
         "minLength", "maxLength", "exclusiveMinimum", "uniqueItems"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


class Description:
    def __init__(self, document):
        self.document = document

    def operations(self):
        for path, methods in self.document["paths"].items():
            for method, what in methods.items():
                yield method.upper(), path, what

    def find(self, method, path):
        """The operation of a request's path, and its template."""
        for found, template, what in self.operations():
            pattern = re.sub(r"{[^}]+}", "[^/]+", template)
            if found == method and re.fullmatch(pattern, path):
                return template, what
        return None, None

    def follow(self, schema):
        while "$ref" in schema:
            target = self.document
            for step in schema["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            schema = target
        return schema

    # Whether it is a description

    def faults(self):
        """What is wrong with the document itself."""
        faults = []
        ids = set()
        if not str(self.document.get("openapi", "")).startswith("3."):
            faults.append("no version")
        for name in ("title", "version"):
            if not self.document.get("info", {}).get(name):
                faults.append(f"info.{name}")
        for method, path, what in self.operations():
            where = f"{method} {path}"
            if not what.get("operationId") or what["operationId"] in ids:
                faults.append(f"{where}: operationId")
            ids.add(what.get("operationId"))
            if not what.get("summary"):
                faults.append(f"{where}: summary")
            given = [self.follow(parameter) for parameter in what.get("parameters", [])]
            wanted = set(re.findall(r"{([^}]+)}", path))
            if {one["name"] for one in given if one["in"] == "path"} != wanted:
                faults.append(f"{where}: parameters of the path")
            for one in given:
                if one["in"] not in ("path", "query", "header") or (one["in"] == "path" and
                                                                    one.get("required") is not True):
                    faults.append(f"{where}: parameter {one['name']}")
                faults += self.schema_faults(one["schema"], f"{where}: {one['name']}")
            if not any(status.startswith("2") for status in what.get("responses", {})):
                faults.append(f"{where}: no success")
            for status, reply in what["responses"].items():
                reply = self.follow(reply)
                if "description" not in reply:
                    faults.append(f"{where}: {status}")
                for content in reply.get("content", {}).values():
                    faults += self.schema_faults(content.get("schema", {}), f"{where}: {status}")
        for name, schema in self.document["components"]["schemas"].items():
            faults += self.schema_faults(schema, name)
        return faults

    def schema_faults(self, schema, where):
        if not isinstance(schema, dict):
            return [] if isinstance(schema, bool) else [f"{where}: no schema"]
        faults = [f"{where}: {word} is not known" for word in schema if word not in KNOWN and word[:2] != "x-"]
        names = schema.get("type", [])
        for name in [names] if isinstance(names, str) else names:
            if name not in (*TYPES, "integer", "number"):
                faults.append(f"{where}: type {name}")
        for name, inner in schema.get("properties", {}).items():
            faults += self.schema_faults(inner, f"{where}.{name}")
        for name in schema.get("required", []):
            if "properties" in schema and name not in schema["properties"]:
                faults.append(f"{where}: {name} is required and not described")
        for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
            for inner in schema.get(word, []):
                faults += self.schema_faults(inner, where)
        if "items" in schema:
            faults += self.schema_faults(schema["items"], where + "[]")
        return faults

    # Whether an answer is what it says

    def check(self, value, schema, where="answer"):
        """What of the value is not as described."""
        if schema is True or schema == {}:
            return []
        if schema is False:
            return [f"{where}: nothing is expected here"]
        schema = self.follow(schema)
        if "anyOf" in schema or "oneOf" in schema:
            tried = [self.check(value, one, where) for one in schema.get("anyOf", schema.get("oneOf"))]
            return [] if any(not one for one in tried) else min(tried, key=len)
        faults = []
        for inner in schema.get("allOf", []):
            faults += self.check(value, inner, where)
        names = schema.get("type")
        if names and not any(is_type(value, name) for name in ([names] if isinstance(names, str) else names)):
            return [f"{where}: {str(value)[:60]!r} is no {names}"]
        if "enum" in schema and value not in schema["enum"]:
            faults.append(f"{where}: {value!r} is none of {schema['enum']}")
        if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
            faults.append(f"{where}: {value!r} does not match {schema['pattern']}")
        if isinstance(value, dict):
            faults += self.check_object(value, schema, where)
        if isinstance(value, list):
            fixed = schema.get("prefixItems", [])
            for i, inner in enumerate(value[:2000]):
                one = fixed[i] if i < len(fixed) else schema.get("items", True)
                faults += self.check(inner, one, f"{where}[{i}]")
        return faults

    def check_object(self, value, schema, where):
        faults = [f"{where}: {name} is missing" for name in schema.get("required", []) if name not in value]
        properties = schema.get("properties", {})
        more = schema.get("additionalProperties", True)
        for name, inner in value.items():
            if name in properties:
                faults += self.check(inner, properties[name], f"{where}.{name}")
            else:
                faults += [f"{where}: {name} is not described"] if more is False else \
                    self.check(inner, more, f"{where}.{name}")
        return faults
