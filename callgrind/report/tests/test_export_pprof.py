# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_export --to pprof: its messages, and what is read from them again, here and by
# other programs.

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import unittest
from typing import Any

from callgrind.report.tests.export_case import (
    EXAMPLE_SELF,
    HOSTILE_SELF,
    SCRIPT,
    ExportCase,
    Stack,
    add,
    in_unicode,
    only,
    totals_of,
)
from export.pprof_schema import MESSAGES, encode
from tests.format.tree_examples import HOSTILE, example, hostile
from tests.format.tree_maker import Maker, program
from tests.go_tool import GO, VARIABLES, go_with_pprof
from tree_file.escape import unicode_text

SYSTEM_PYTHON = "/usr/bin/python3"
QUIET: dict[str, Any] = {"capture_output": True, "text": True, "check": False}

# Decodes a profile with the package protobuf, and prints how often each field is there.
BY_PROTOBUF = """
import collections, gzip, json, sys
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

messages = json.loads(sys.argv[1])
kinds = descriptor_pb2.FieldDescriptorProto
file = descriptor_pb2.FileDescriptorProto(name="p", package="p", syntax="proto3")
for name, fields in messages.items():
    message = file.message_type.add(name=name)
    for number, (field_name, kind) in fields.items():
        field = message.field.add(name=field_name, number=int(number))
        is_repeated = kind.startswith("[")
        field.label = kinds.LABEL_REPEATED if is_repeated else kinds.LABEL_OPTIONAL
        kind = kind.strip("[]")
        if kind in messages:
            field.type, field.type_name = kinds.TYPE_MESSAGE, ".p." + kind
        else:
            field.type = getattr(kinds, "TYPE_" + kind.upper())
pool = descriptor_pool.DescriptorPool()
pool.Add(file)
descriptor = pool.FindMessageTypeByName("p.Profile")
if hasattr(message_factory, "GetMessageClass"):
    profile = message_factory.GetMessageClass(descriptor)()
else:
    profile = message_factory.MessageFactory(pool).GetPrototype(descriptor)()
profile.ParseFromString(gzip.decompress(open(sys.argv[2], "rb").read()))

def plain(message):
    found = {}
    for field, value in message.ListFields():
        is_list = hasattr(value, "append") or hasattr(value, "add")
        each = [plain(v) if hasattr(v, "ListFields") else v
                for v in (value if is_list else [value])]
        found[field.name] = each if is_list else each[0]
    return found

print(json.dumps(plain(profile)))
"""


class Message:
    """A message, decoded by the rules of the wire format; fields are attributes."""

    def __init__(self, kind: str, content: bytes) -> None:
        for name, of in MESSAGES[kind].values():
            setattr(self, name, [] if of.startswith("[") else 0)
        at = 0
        while at < len(content):
            key, at = self.varint(content, at)
            name, of = MESSAGES[kind][key >> 3]
            value, at = self.varint(content, at)
            if key & 7 == 0:
                assert of in ("int64", "uint64", "bool"), name
                setattr(self, name, value)
            else:
                assert key & 7 == 2, name
                self.add(name, of, content[at: at + value])
                at += value
        assert at == len(content)

    def add(self, name: str, of: str, content: bytes) -> None:
        base = of.strip("[]")
        found: list[Any] = []
        if base in MESSAGES:
            found = [Message(base, content)]
        elif base == "string":
            found = [content.decode("utf-8")]
        else:
            at = 0
            while at < len(content):
                value, at = self.varint(content, at)
                found.append(value)
        if of.startswith("["):
            getattr(self, name).extend(found)
        else:
            setattr(self, name, found[0])

    @staticmethod
    def varint(content: bytes, at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            value |= (content[at] & 0x7F) << shift
            shift += 7
            at += 1
            if content[at - 1] < 0x80:
                return value, at

    def __getattr__(self, name: str) -> Any:  # for mypy: all are set when it is made
        raise AttributeError(name)

    def plain(self) -> dict[str, Any]:
        """What is there and not 0."""
        def value_of(value: Any) -> Any:
            if isinstance(value, list):
                return [value_of(each) for each in value]
            return value.plain() if isinstance(value, Message) else value

        found = {name: value_of(value) for name, value in vars(self).items()}
        return {name: value for name, value in found.items() if value}


class Pprof:
    """A pprof profile, decoded; the rules of its messages are checked on the way."""

    def __init__(self, packed: bytes) -> None:
        self.message = Message("Profile", gzip.decompress(packed))
        self.strings = list(self.message.string_table)
        assert self.strings[0] == "" and len(set(self.strings)) == len(self.strings)
        self.functions = {function.id: function for function in self.message.function}
        self.locations = {location.id: location for location in self.message.location}
        self.mappings = {mapping.id: mapping for mapping in self.message.mapping}
        for table in (self.functions, self.locations, self.mappings):
            assert 0 not in table
        assert len(self.locations) == len(self.message.location)

    def events(self) -> list[tuple[str, str]]:
        return [
            (self.strings[kind.type], self.strings[kind.unit])
            for kind in self.message.sample_type
        ]

    def stack(self, sample: Any) -> list[str]:
        """Names from the outermost frame on, inlined ones too."""
        names = []
        for number in sample.location_id:
            location = self.locations[number]
            assert not location.mapping_id or location.mapping_id in self.mappings
            for line in location.line:
                names.append(self.strings[self.functions[line.function_id].name])
        return names[::-1]

    def costs(self, event: int) -> dict[Stack, int]:
        found: dict[Stack, int] = {}
        for sample in self.message.sample:
            assert len(sample.value) == len(self.message.sample_type)
            if sample.value[event]:
                add(found, self.stack(sample), sample.value[event])
        return found


class PprofExport(ExportCase):
    def pprof(self, content: bytes, *options: str) -> Pprof:
        return Pprof(self.exported("--to", "pprof", *options, self.file(content)))

    def test_example(self) -> None:
        found = self.pprof(example())
        self.assertEqual(found.events(), [("Ir", "count"), ("sysTime", "nanoseconds")])
        self.assertEqual(found.costs(0), only(EXAMPLE_SELF, 0))
        self.assertEqual(found.costs(1), only(EXAMPLE_SELF, 1))

    def test_inlined_functions_are_lines_of_one_location(self) -> None:
        found = self.pprof(example())
        lines = [
            [found.strings[found.functions[line.function_id].name] for line in each.line]
            for each in found.message.location
        ]
        self.assertIn(["skip_blanks", "parse"], lines)
        self.assertEqual(max(map(len, lines)), 2)

    def test_a_chain_of_inlined_functions(self) -> None:
        maker = Maker()
        thread, names = maker.thread(1), [maker.function(name) for name in "abcde"]
        maker.part(1)
        maker.tree(thread)
        a = maker.node(0, names[0], 1, 1)
        b = maker.node(a, names[1], 0, 2, kind="i")
        c = maker.node(b, names[2], 0, 3, kind="i")
        d = maker.node(c, names[3], 1, 4)
        maker.node(d, names[4], 0, 5, kind="i")
        maker.total()
        found = self.pprof(maker.end())
        stacks = {
            "".join(found.stack(sample)): len(sample.location_id)
            for sample in found.message.sample
        }
        self.assertEqual(stacks, {"a": 1, "ab": 1, "abc": 1, "abcd": 2, "abcde": 2})

    def test_mappings_have_build_ids_and_the_program_is_first(self) -> None:
        maps = b"map 1 2 0x7f0000 0x2000 0x1000\ntree 1\n0 "
        found = self.pprof(example().replace(b"tree 1\n0 ", maps))
        seen = [
            (
                found.strings[each.filename],
                found.strings[each.build_id],
                each.memory_start,
            )
            for each in found.message.mapping
        ]
        self.assertEqual(
            seen,
            [
                ("/home/me/demo", "9c3b1f00aa52e1d7", 0),
                ("/usr/lib/x86_64-linux-gnu/libc.so.6", "", 0x7F0000),
            ],
        )
        self.assertEqual(found.message.mapping[1].memory_limit, 0x7F2000)

    def test_addresses_are_where_functions_begin(self) -> None:
        maps = (
            b"map 1 1 0x400000 0x1000 0x1000\nmap 1 1 0x500000 0x1000 0x5000\n"
            b"entry 1 0x1010\nentry 2 0x5020\nentry 3 0x5020\nentry 4 0x30\ntree 1\n0 "
        )
        found = self.pprof(example().replace(b"tree 1\n0 ", maps))
        places = {
            "".join(
                found.strings[found.functions[line.function_id].name]
                for line in each.line[-1:]
            ): (each.address, found.mappings[each.mapping_id].memory_start)
            for each in found.message.location
        }
        self.assertEqual(
            places,
            {
                "main": (0x400010, 0x400000),
                "parse": (0x500020, 0x500000),
                "read": (0, 0),  # of an object without a mapping
            },
        )
        self.assertEqual(
            [each.file_offset for each in found.message.mapping], [0x1000, 0x5000, 0]
        )

    def test_the_program_may_be_a_link_to_another_name(self) -> None:
        maker = Maker(command="/usr/bin/python3 x.py")
        thread = maker.thread(1)
        functions = [
            maker.function("f", path)
            for path in ("/ld.so", "/usr/bin/python3.11", "/c.so")
        ]
        maker.part(1)
        maker.tree(thread)
        for function in functions:
            maker.node(0, function, 1, 1)
        maker.total()
        found = self.pprof(maker.end())
        names = [found.strings[mapping.filename] for mapping in found.message.mapping]
        self.assertEqual(names, ["/usr/bin/python3.11", "/ld.so", "/c.so"])

    def test_hostile_names_come_back_and_threads_are_labels(self) -> None:
        found = self.pprof(hostile())
        self.assertEqual(found.costs(0), in_unicode(only(HOSTILE_SELF, 0)))
        labels = {
            (found.strings[label.key], found.strings[label.str] or label.num)
            for sample in found.message.sample
            for label in sample.label
        }
        self.assertEqual(
            labels,
            {
                ("thread", 1),
                ("thread", 2),
                ("thread_name", unicode_text(HOSTILE[0])),
                ("thread_name", unicode_text(HOSTILE[2])),
                ("benchmark", unicode_text(HOSTILE[9])),
            },
        )

    def test_programs_sum_to_their_totals(self) -> None:
        for like in ("c", "python"):
            content = program(like, 12_000)  # more than one portion of samples
            found = self.pprof(content)
            sums = [sum(found.costs(event).values()) for event in range(3)]
            self.assertEqual(sums, totals_of(content))

    def test_chosen_events_and_the_same_bytes_each_time(self) -> None:
        found = self.pprof(example(), "--event", "sysTime")
        self.assertEqual(found.events(), [("sysTime", "nanoseconds")])
        self.assertEqual(len(found.message.sample), 2)
        tree = self.file(example())
        twice = [self.exported("--to", "pprof", tree) for _ in range(2)]
        self.assertEqual(twice[0], twice[1])


class OtherReaders(ExportCase):
    """What interpreters and programs of the system read, where there are any."""

    def test_the_package_protobuf_reads_the_same(self) -> None:
        for python in (sys.executable, SYSTEM_PYTHON):
            absent = [python, "-c", "import google.protobuf"]
            if shutil.which(python) and not subprocess.run(absent, **QUIET).returncode:
                break
        else:
            self.skipTest("no Python here has the package protobuf")
        for content in (example(), hostile(), program("c", 6000)):
            packed = self.exported("--to", "pprof", self.file(content))
            path = self.folder / "packed"
            path.write_bytes(packed)
            command = [python, "-c", BY_PROTOBUF, json.dumps(MESSAGES), str(path)]
            result = subprocess.run(command, **QUIET)
            self.assertEqual(result.returncode, 0, result.stderr)
            ours = Message("Profile", gzip.decompress(packed)).plain()
            self.assertEqual(json.loads(result.stdout), ours)

    def test_pprof_by_the_go_tool(self) -> None:
        if GO is None:
            self.skipTest("there is no go tool pprof")
        places = b"map 1 1 0x400000 0x9000 0x1000\nentry 1 0x1010\npart 1\n"
        content = program("c", 2000).replace(b"part 1\n", places)
        out = str(self.folder / "out.pb.gz")
        # Nothing but the standard library.
        python = [sys.executable, "-E", "-s", "-S", str(SCRIPT)]
        command = [*python, "--to", "pprof", "-o", out, self.file(content)]
        result = subprocess.run(command, **QUIET)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        home = {**os.environ, **VARIABLES, "HOME": str(self.folder)}
        command = [go_with_pprof(), "tool", "pprof", "-raw", out]
        result = subprocess.run(command, env=home, **QUIET)
        self.assertEqual(result.returncode, 0, result.stderr)
        samples = (
            result.stdout.split("Samples:\n")[1].split("Locations\n")[0].splitlines()
        )
        self.assertRegex(
            samples[0], r"^Ir/count\[dflt\] sysCount/count sysTime/nanoseconds"
        )
        rows = [line.split(":")[0].split() for line in samples[1:]]
        sums = [sum(int(row[event]) for row in rows) for event in range(3)]
        self.assertEqual(sums, totals_of(content))
        self.assertRegex(result.stdout, r"\n +\d+: 0x400010 M=\d+ parse_line ")
        self.assertRegex(
            result.stdout, r"\n\d: 0x400000/0x409000/0x1000 /home/me/demo 00ff"
        )


class Wire(unittest.TestCase):
    """Bytes that the description of the wire format gives as examples, and its edges."""

    def test_numbers(self) -> None:
        self.assertEqual(encode("Label", key=150), b"\x08\x96\x01")
        self.assertEqual(encode("Label", key=0, num=1), b"\x18\x01")
        most = b"\x18" + b"\xff" * 8 + b"\x7f"
        self.assertEqual(encode("Label", num=(1 << 63) - 1), most)
        self.assertEqual(encode("Label", num=-1), b"\x18" + b"\xff" * 9 + b"\x01")

    def test_what_has_a_length(self) -> None:
        packed = encode("Sample", location_id=[3, 270, 86942])
        self.assertEqual(packed, b"\x0a\x06\x03\x8e\x02\x9e\xa7\x05")
        texts = encode("Profile", string_table=["", "testing"])
        self.assertEqual(texts, b"\x32\x00\x32\x07testing")
        nested = encode("Profile", period_type=encode("ValueType", type=150))
        self.assertEqual(nested, b"\x5a\x03\x08\x96\x01")

    def test_no_other_field(self) -> None:
        with self.assertRaises(KeyError):
            encode("Label", other=1)
