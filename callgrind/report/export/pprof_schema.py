# SPDX-License-Identifier: GPL-2.0-or-later
#
# The messages of a pprof profile, made for the protobuf package when they are needed.
#
# Owns: our description of the format: of each message its fields, with the numbers and
# types that the pprof project has published (perftools.profiles, profile.proto) and that
# every reader goes by.  No generated code: the description is handed over as it is.
# Relies on the Python package protobuf (Debian: python3-protobuf), 3.20 or newer.

"""The messages of pprof profiles."""

from __future__ import annotations

from typing import Any, Callable

PACKAGE = "perftools.profiles"

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


def profile_message() -> Callable[[], Any]:
    """The class of the message Profile; ImportError without the package."""
    from google.protobuf import (  # type: ignore[import]
        descriptor_pb2,
        descriptor_pool,
        message_factory,
    )

    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(
        name="callgrind_export/profile.proto", package=PACKAGE, syntax="proto3"
    )
    for message_name, fields in MESSAGES.items():
        message = file.message_type.add(name=message_name)
        for number, (name, kind) in fields.items():
            field = message.field.add(name=name, number=number)
            repeated = kind.startswith("[")
            kind = kind.strip("[]")
            field.label = kinds.LABEL_REPEATED if repeated else kinds.LABEL_OPTIONAL
            if kind in MESSAGES:
                field.type = kinds.TYPE_MESSAGE
                field.type_name = f".{PACKAGE}.{kind}"
            else:
                field.type = getattr(kinds, f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    descriptor = pool.FindMessageTypeByName(f"{PACKAGE}.Profile")
    if hasattr(message_factory, "GetMessageClass"):
        found: Callable[[], Any] = message_factory.GetMessageClass(descriptor)
    else:  # before protobuf 4.22
        found = message_factory.MessageFactory(pool).GetPrototype(descriptor)
    return found
