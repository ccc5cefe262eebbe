# SPDX-License-Identifier: GPL-2.0-or-later
#
# Judges whether a document keeps to speedscope's published schema.
#
# Owns: as much of JSON Schema as that schema uses; any other word of it is an error here,
# so that nothing is passed over in silence.  The schema itself, in data/, is that of the
# npm package `speedscope` (MIT licence, beside it), unchanged.

"""Check documents against the schema of speedscope's file format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).resolve().parent / "data" / "speedscope-1.25.0.schema.json"
TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
}
IGNORED = {"title", "$schema", "definitions"}


def breaches(document: Any) -> list[str]:
    """What is against the schema, each with its place."""
    schema = json.loads(SCHEMA.read_text("utf-8"))
    return _check(document, schema, schema["definitions"], "")


def _check(
    value: Any, schema: dict[str, Any], definitions: dict[str, Any], place: str
) -> list[str]:
    found: list[str] = []
    for word, wanted in schema.items():
        if word in IGNORED:
            continue
        if word == "$ref":
            name = wanted.rpartition("/")[2]
            found += _check(value, definitions[name], definitions, place)
        elif word == "type":
            if not isinstance(value, TYPES[wanted]) or isinstance(value, bool):
                found.append(f"{place}: not of type {wanted}")
        elif word == "const":
            if value != wanted:
                found.append(f"{place}: not {wanted!r}")
        elif word == "enum":
            if value not in wanted:
                found.append(f"{place}: none of {wanted}")
        elif word == "anyOf":
            options = [_check(value, each, definitions, place) for each in wanted]
            if all(options):
                fewest: list[str] = min(options, key=len)
                found += fewest
        elif word == "required":
            found += [f"{place}: no {name}" for name in wanted if name not in value]
        elif word == "properties":
            for name in wanted.keys() & value.keys():
                inner = f"{place}.{name}"
                found += _check(value[name], wanted[name], definitions, inner)
        elif word == "items":
            for index, each in enumerate(value):
                found += _check(each, wanted, definitions, f"{place}[{index}]")
        else:
            raise NotImplementedError(f"the schema uses {word!r}")
    return found
