# SPDX-License-Identifier: GPL-2.0-or-later
#
# The messages of a pprof profile, and how they are written as protobuf.
#
# Owns: our description of the format: of each message its fields, with the numbers and
# types that the pprof project has published (perftools.profiles, profile.proto) and that
# every reader goes by; and protobuf's wire format, as far as these need it.  A field is a
# key, number * 8 + wire type, and its value: a varint (0), or a length and so many bytes
# (2), for texts, messages, and repeated numbers.  What is 0 or empty is left out.

"""The messages of pprof profiles."""

from __future__ import annotations

from typing import Any, NamedTuple

# Name and type of each field by its number; a type in brackets is repeated.
MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    "Profile": {
        1: ("sample_type", "[ValueType]"),
        2: ("sample", "[Sample]"),
        3: ("mapping", "[Mapping]"),
        4: ("location", "[Location]"),
        5: ("function", "[Function]"),
        6: ("string_table", "[string]"),
        7: ("drop_frames", "int64"),
        8: ("keep_frames", "int64"),
        9: ("time_nanos", "int64"),
        10: ("duration_nanos", "int64"),
        11: ("period_type", "ValueType"),
        12: ("period", "int64"),
        13: ("comment", "[int64]"),
        14: ("default_sample_type", "int64"),
    },
    "ValueType": {1: ("type", "int64"), 2: ("unit", "int64")},
    "Sample": {
        1: ("location_id", "[uint64]"),
        2: ("value", "[int64]"),
        3: ("label", "[Label]"),
    },
    "Label": {
        1: ("key", "int64"),
        2: ("str", "int64"),
        3: ("num", "int64"),
        4: ("num_unit", "int64"),
    },
    "Mapping": {
        1: ("id", "uint64"),
        2: ("memory_start", "uint64"),
        3: ("memory_limit", "uint64"),
        4: ("file_offset", "uint64"),
        5: ("filename", "int64"),
        6: ("build_id", "int64"),
        7: ("has_functions", "bool"),
        8: ("has_filenames", "bool"),
        9: ("has_line_numbers", "bool"),
        10: ("has_inline_frames", "bool"),
    },
    "Location": {
        1: ("id", "uint64"),
        2: ("mapping_id", "uint64"),
        3: ("address", "uint64"),
        4: ("line", "[Line]"),
        5: ("is_folded", "bool"),
    },
    "Line": {1: ("function_id", "uint64"), 2: ("line", "int64")},
    "Function": {
        1: ("id", "uint64"),
        2: ("name", "int64"),
        3: ("system_name", "int64"),
        4: ("filename", "int64"),
        5: ("start_line", "int64"),
    },
}

VARINT, BYTES = 0, 2
NUMBERS = ("int64", "uint64", "bool")


def _varint(value: int) -> bytes:
    """Seven bits at a time, the lowest first; the eighth says that there are more."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


SMALL = [_varint(value) for value in range(1 << 14)]  # most of what is written


def varint(value: int) -> bytes:
    return SMALL[value] if 0 <= value < len(SMALL) else _varint(value)


class _Field(NamedTuple):
    key: bytes
    is_number: bool
    is_repeated: bool


def _fields(message: dict[int, tuple[str, str]]) -> dict[str, _Field]:
    found = {}
    for number, (name, kind) in message.items():
        is_repeated = kind.startswith("[")
        is_number = kind.strip("[]") in NUMBERS
        wire_type = VARINT if is_number and not is_repeated else BYTES
        key = _varint(number << 3 | wire_type)
        found[name] = _Field(key, is_number, is_repeated)
    return found


_FIELDS = {name: _fields(message) for name, message in MESSAGES.items()}


def encode(message: str, **values: Any) -> bytes:
    """A message: numbers, texts, messages that are encoded already, and lists of them."""
    out: list[bytes] = []
    for name, field in _FIELDS[message].items():
        value = values.pop(name, None)
        if not value:
            continue
        if not field.is_number:
            for each in value if field.is_repeated else [value]:
                content = each.encode("utf-8") if isinstance(each, str) else each
                out += (field.key, varint(len(content)), content)
        elif field.is_repeated:
            content = b"".join(map(varint, value))
            out += (field.key, varint(len(content)), content)
        else:
            out += (field.key, varint(value))
    if values:
        raise KeyError(f"{message} has no {', '.join(values)}")
    return b"".join(out)
