# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_export --to pprof: its messages, and what is read from them again, here and by
# other programs.

from __future__ import annotations

import glob
import gzip
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from callgrind.report.tests.export_case import (
    EXAMPLE_SELF,
    HOSTILE_SELF,
    REPORT,
    SCRIPT,
    ExportCase,
    Stack,
    add,
    in_unicode,
    only,
    totals_of,
)
from export.pprof_schema import profile_message
from tests.format.tree_examples import HOSTILE, example, hostile
from tests.format.tree_maker import Maker, program
from tree_file.escape import unicode_text

SOURCE = REPORT.parent.parent
SYSTEM_PYTHON = "/usr/bin/python3"
QUIET: dict[str, Any] = {"capture_output": True, "text": True, "check": False}

try:
    profile_message()
    PROTOBUF_ABSENT = ""
except ImportError:
    PROTOBUF_ABSENT = f"{sys.executable} has no package protobuf"


class Pprof:
    """A pprof profile, decoded; the rules of its messages are checked on the way."""

    def __init__(self, packed: bytes) -> None:
        self.message = profile_message()()
        self.message.ParseFromString(gzip.decompress(packed))
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


@unittest.skipIf(PROTOBUF_ABSENT, PROTOBUF_ABSENT)
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
    """The same by interpreters and programs of the system, where there are any."""

    @unittest.skipUnless(PROTOBUF_ABSENT, "these tests run here")
    def test_pprof_with_the_python_of_the_system(self) -> None:
        test = "callgrind.report.tests.test_export_pprof.PprofExport"
        command = [SYSTEM_PYTHON, "-m", "unittest", test]
        paths = {**os.environ, "PYTHONPATH": f"{SOURCE}:{REPORT}"}
        absent = [SYSTEM_PYTHON, "-c", "import google.protobuf"]
        if not shutil.which(SYSTEM_PYTHON) or subprocess.run(absent, **QUIET).returncode:
            self.skipTest("nor has the system's Python")
        result = subprocess.run(command, cwd=SOURCE, env=paths, **QUIET)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"Ran [1-9]\d* tests")

    def test_pprof_by_the_go_tool(self) -> None:
        go = shutil.which("go") or next(iter(glob.glob("/usr/lib/go-*/bin/go")), None)
        python = SYSTEM_PYTHON if PROTOBUF_ABSENT else sys.executable
        if go is None:
            self.skipTest("there is no go tool pprof")
        places = b"map 1 1 0x400000 0x9000 0x1000\nentry 1 0x1010\npart 1\n"
        content = program("c", 2000).replace(b"part 1\n", places)
        out = str(self.folder / "out.pb.gz")
        command = [python, str(SCRIPT), "--to", "pprof", "-o", out, self.file(content)]
        if subprocess.run(command, **QUIET).returncode:
            self.skipTest("no Python here has the package protobuf")
        home = {**os.environ, "HOME": str(self.folder)}
        result = subprocess.run([go, "tool", "pprof", "-raw", out], env=home, **QUIET)
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


class WithoutProtobuf(ExportCase):
    def test_is_told_in_one_line(self) -> None:
        tree = self.file(example())
        with mock.patch("export.pprof.profile_message", side_effect=ImportError):
            status, errors = self.run_main("--to", "pprof", "-o", tree + ".pb.gz", tree)
        self.assertEqual((status, errors.count("\n")), (2, 1))
        self.assertIn("python3-protobuf", errors)
        self.assertFalse(Path(tree + ".pb.gz").exists())
