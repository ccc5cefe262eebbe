# SPDX-License-Identifier: GPL-2.0-or-later
#
# JSON Schema, as far as docs/gate.schema.json uses it.
#
# Owns: what is wrong with a document.  It is stricter than a reader of the schema: every
# field has to be described, and a keyword that it does not know is a fault of the schema.
# test_gate_schema.py compares it with the package jsonschema.

"""Validate JSON by a schema, in tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[3] / "docs" / "gate.schema.json").read_text()
)
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool,
         "null": type(None)}  # fmt: skip
WORDS = {"description", "title", "$schema", "$defs", "$ref", "oneOf", "const", "enum",
         "type", "minimum", "minItems", "maxItems", "items", "required", "properties",
         "additionalProperties"}  # fmt: skip


def faults(value: Any, schema: Any = None, where: str = "it") -> Iterator[str]:
    """What is wrong, a line each; nothing if the document is as the schema says."""
    schema = SCHEMA if schema is None else schema
    assert not set(schema) - WORDS, sorted(set(schema) - WORDS)
    if "$ref" in schema:
        yield from faults(value, _meant(schema["$ref"]), where)
    if "oneOf" in schema:
        found = [list(faults(value, each, where)) for each in schema["oneOf"]]
        if sum(not each for each in found) != 1:
            yield from min(found, key=len) or [f"{where}: is several"]
    if "const" in schema and value != schema["const"]:
        yield f"{where}: is not {schema['const']!r}"
    if "enum" in schema and not any(
        value == each and _is_a(value, "boolean") == _is_a(each, "boolean")
        for each in schema["enum"]
    ):  # fmt: skip
        yield f"{where}: {value!r} is none of {schema['enum']}"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is_a(value, kind) for kind in kinds):
        yield f"{where}: {value!r} is none of {kinds}"
    elif isinstance(value, dict):
        yield from _faults_of_object(value, schema, where)
    elif isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 1 << 62):
            yield f"{where}: has {len(value)}"
        for number, each in enumerate(value):
            yield from faults(each, schema.get("items", {}), f"{where}[{number}]")
    elif isinstance(value, int) and value < schema.get("minimum", value):
        yield f"{where}: {value} is too small"


def _faults_of_object(value: Any, schema: Any, where: str) -> Iterator[str]:
    for name in schema.get("required", []):
        if name not in value:
            yield f"{where}.{name}: is missing"
    known = schema.get("properties", {})
    for name, each in value.items():
        if name in known:
            yield from faults(each, known[name], f"{where}.{name}")
        elif "additionalProperties" in schema:
            yield from faults(each, schema["additionalProperties"], f"{where}.{name}")
        elif known:
            yield f"{where}.{name}: is not described"


def _is_a(value: Any, kind: str) -> bool:
    if kind == "integer" and isinstance(value, bool):
        return False
    return isinstance(value, TYPES[kind])


def _meant(reference: str) -> Any:
    found = SCHEMA
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found
