#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command callgrind_export: what it writes in each format is read again by the rules
# of that format, and compared with the tree.  The page has test_page.py.

from __future__ import annotations

import contextlib
import glob
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Iterator, Sequence
from unittest import mock

REPORT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPORT))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import pprof_schema  # noqa: E402
from callgrind_export import main  # noqa: E402
from speedscope_rules import breaches  # noqa: E402
from test_tree_file import HOSTILE, example  # noqa: E402
from tree_maker import Maker, program  # noqa: E402
from tree_words import unescape, unicode_text  # noqa: E402

SCRIPT = REPORT / "callgrind_export.py"
SYSTEM_PYTHON = "/usr/bin/python3"
QUIET: dict[str, Any] = {"capture_output": True, "text": True, "check": False}
Stack = tuple[str, ...]

try:
    pprof_schema.profile_message()
    PROTOBUF_ABSENT = ""
except ImportError:
    PROTOBUF_ABSENT = f"{sys.executable} has no package protobuf"


class Folder(unittest.TestCase):
    """Tests work in a folder of their own."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def file(self, content: bytes, name: str = "a.tree") -> str:
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def run_main(self, *arguments: str) -> tuple[int, str]:
        """The exit status and what was said."""
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            try:
                status = main(arguments)
            except SystemExit as left:
                status = int(left.code or 0)
        return status, errors.getvalue()

    def exported(self, *arguments: str) -> bytes:
        out = self.folder / "out"
        status, errors = self.run_main("-o", str(out), *arguments)
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(sorted(self.folder.glob("out.new*")), [])
        return out.read_bytes()


def hostile() -> bytes:
    """A path of all hostile names, each node with a cost; and two threads."""
    maker = Maker(command=HOSTILE[1])
    threads = [maker.thread(1, HOSTILE[0]), maker.thread(2, HOSTILE[2])]
    functions = [maker.function(name, name, name, 7) for name in HOSTILE]
    maker.part(1, HOSTILE[3], HOSTILE[9])
    for thread in threads:
        maker.tree(thread)
        parent = 0
        for cost, function in enumerate(functions, 1):
            parent = maker.node(parent, function, 1, cost * thread, 0, cost)
        maker.total()
    return maker.end()


EXAMPLE_SELF: dict[Stack, list[int]] = {
    ("main",): [120, 0],
    ("main", "parse"): [900, 0],
    ("main", "parse", "skip_blanks"): [60, 0],
    ("main", "parse", "read"): [30, 4500],
    ("main", "read"): [10, 1500],
}
HOSTILE_SELF = {
    tuple(HOSTILE[: cost + 1]): [(cost + 1) * 3, 0, (cost + 1) * 2]
    for cost in range(len(HOSTILE))
}


def only(found: dict[Stack, list[int]], event: int) -> dict[Stack, int]:
    return {stack: costs[event] for stack, costs in found.items() if costs[event]}


def in_unicode(found: dict[Stack, int]) -> dict[Stack, int]:
    return {tuple(map(unicode_text, stack)): cost for stack, cost in found.items()}


def add(found: dict[Stack, int], stack: Sequence[str], cost: int) -> None:
    found[tuple(stack)] = found.get(tuple(stack), 0) + cost


# --- Folded ---------------------------------------------------------------------------


def read_folded(text: bytes) -> dict[Stack, int]:
    found: dict[Stack, int] = {}
    assert text.endswith(b"\n")
    for line in text[:-1].split(b"\n"):
        stack, _, cost = line.rpartition(b" ")
        add(found, [unescape(name) for name in stack.split(b";")], int(cost))
    return found


class Folded(Folder):
    def test_example(self) -> None:
        tree = self.file(example())
        found = read_folded(self.exported("--to", "folded", tree))
        self.assertEqual(found, only(EXAMPLE_SELF, 0))

    def test_another_event(self) -> None:
        tree = self.file(example())
        found = read_folded(self.exported("--to", "folded", "--event", "sysTime", tree))
        self.assertEqual(found, only(EXAMPLE_SELF, 1))

    def test_hostile_names_come_back(self) -> None:
        text = self.exported("--to", "folded", self.file(hostile()))
        self.assertNotRegex(text, rb"[\x00-\x09\x0b-\x1f\x7f]")
        self.assertEqual(read_folded(text), only(HOSTILE_SELF, 0))

    def test_programs_sum_to_their_totals(self) -> None:
        for like in ("c", "python"):
            content = program(like, 4000)
            found = read_folded(self.exported("--to", "folded", self.file(content)))
            self.assertEqual(sum(found.values()), totals_of(content)[0])

    def test_files_add_up(self) -> None:
        trees = [self.file(example(), "a"), self.file(example(), "b")]
        found = read_folded(self.exported("--to", "folded", *trees))
        self.assertEqual(
            found, {stack: 2 * cost for stack, cost in only(EXAMPLE_SELF, 0).items()}
        )

    def test_separate(self) -> None:
        tree = self.file(hostile())
        found = read_folded(
            self.exported("--to", "folded", "--separate=part,thread,process", tree)
        )
        above = {stack[:3] for stack in found}
        command, benchmark = HOSTILE[1], HOSTILE[9]
        self.assertEqual(
            above,
            {
                (
                    f"process 4711: {command}",
                    f"part 1: {benchmark}",
                    f"thread {number}: {name}",
                )
                for number, name in ((1, HOSTILE[0]), (2, HOSTILE[2]))
            },
        )


def totals_of(content: bytes) -> list[int]:
    """From the last line of the file."""
    words = content.splitlines()[-1].split()
    return [int(word) for word in words[3:]]


# --- speedscope -----------------------------------------------------------------------


def read_speedscope(document: Any) -> dict[str, dict[Stack, int]]:
    """Self costs by the first word of each profile's name, the event."""
    names = [frame["name"] for frame in document["shared"]["frames"]]
    found: dict[str, dict[Stack, int]] = {}
    for profile in document["profiles"]:
        costs = found.setdefault(profile["name"].split(",")[0], {})
        stack: list[str] = []
        place = profile["startValue"]
        for event in profile["events"]:
            if event["at"] > place:
                add(costs, stack, event["at"] - place)
            assert event["at"] >= place
            place = event["at"]
            if event["type"] == "O":
                stack.append(names[event["frame"]])
            else:
                assert stack.pop() == names[event["frame"]]
        assert not stack and place == profile["endValue"]
    return found


class Speedscope(Folder):
    def test_example(self) -> None:
        document = json.loads(self.exported("--to", "speedscope", self.file(example())))
        self.assertEqual(breaches(document), [])
        found = read_speedscope(document)
        self.assertEqual(
            found, {"Ir": only(EXAMPLE_SELF, 0), "sysTime": only(EXAMPLE_SELF, 1)}
        )
        units = {
            profile["name"].split(",")[0]: profile["unit"]
            for profile in document["profiles"]
        }
        self.assertEqual(units, {"Ir": "none", "sysTime": "nanoseconds"})
        frame = document["shared"]["frames"][0]
        self.assertEqual(frame, {"name": "main", "file": "demo.c", "line": 40})

    def test_hostile_names_come_back(self) -> None:
        document = json.loads(self.exported("--to", "speedscope", self.file(hostile())))
        self.assertEqual(breaches(document), [])
        found = read_speedscope(document)
        self.assertEqual(found["Ir"], in_unicode(only(HOSTILE_SELF, 0)))
        self.assertEqual(found["sysTime"], in_unicode(only(HOSTILE_SELF, 2)))
        self.assertEqual(len(document["profiles"]), 4)  # two threads, two events

    def test_what_is_against_the_schema_is_seen(self) -> None:
        tree = self.file(example())
        document = json.loads(self.exported("--to", "speedscope", tree))
        document["profiles"][0]["events"][0]["frame"] = "main"
        document["profiles"][1]["unit"] = "hours"
        del document["shared"]["frames"][0]["name"]
        self.assertEqual(len(breaches(document)), 3)

    def test_programs_sum_to_their_totals(self) -> None:
        for like in ("c", "python"):
            content = program(like, 4000)
            document = json.loads(self.exported("--to", "speedscope", self.file(content)))
            self.assertEqual(breaches(document), [])
            found = read_speedscope(document)
            sums = [sum(costs.values()) for costs in found.values()]
            self.assertEqual(sums, totals_of(content))


# --- pprof ----------------------------------------------------------------------------


class Pprof:
    """A pprof profile, decoded; the rules of its messages are checked on the way."""

    def __init__(self, packed: bytes) -> None:
        self.message = pprof_schema.profile_message()()
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
class PprofExport(Folder):
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


class OtherReaders(Folder):
    """The same by interpreters and programs of the system, where there are any."""

    @unittest.skipUnless(PROTOBUF_ABSENT, "these tests run here")
    def test_pprof_with_the_python_of_the_system(self) -> None:
        command = [SYSTEM_PYTHON, str(Path(__file__).resolve()), "PprofExport"]
        absent = [SYSTEM_PYTHON, "-c", "import google.protobuf"]
        if not shutil.which(SYSTEM_PYTHON) or subprocess.run(absent, **QUIET).returncode:
            self.skipTest("nor has the system's Python")
        result = subprocess.run(command, **QUIET)
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


class WithoutProtobuf(Folder):
    def test_is_told_in_one_line(self) -> None:
        tree = self.file(example())
        with mock.patch("export_pprof.profile_message", side_effect=ImportError):
            status, errors = self.run_main("--to", "pprof", "-o", tree + ".pb.gz", tree)
        self.assertEqual((status, errors.count("\n")), (2, 1))
        self.assertIn("python3-protobuf", errors)
        self.assertFalse(Path(tree + ".pb.gz").exists())


# --- Firefox --------------------------------------------------------------------------


def rows_of(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a table of columns, all of which have its length."""
    for name, column in table.items():
        assert not isinstance(column, list) or len(column) == table["length"], name
    columns = {name: column for name, column in table.items() if isinstance(column, list)}
    for row in range(table["length"]):
        yield {name: column[row] for name, column in columns.items()}


def read_firefox(document: Any) -> dict[Stack, int]:
    found: dict[Stack, int] = {}
    categories = len(document["meta"]["categories"])
    for thread in document["threads"]:
        strings = thread["stringArray"]
        resources = list(rows_of(thread["resourceTable"]))
        assert all(each["lib"] < len(document["libs"]) for each in resources)
        functions = list(rows_of(thread["funcTable"]))
        assert all(each["resource"] < len(resources) for each in functions)
        frames = list(rows_of(thread["frameTable"]))
        stacks: list[Stack] = []
        for stack in rows_of(thread["stackTable"]):
            frame = frames[stack["frame"]]
            assert stack["category"] == frame["category"] < categories
            above = () if stack["prefix"] is None else stacks[stack["prefix"]]
            stacks.append((*above, strings[functions[frame["func"]]["name"]]))
        before = 0
        for sample in rows_of(thread["samples"]):
            assert sample["time"] >= before
            before = sample["time"]
            add(found, stacks[sample["stack"]], sample["weight"])
    return found


class Firefox(Folder):
    def document(self, content: bytes, *options: str) -> Any:
        return json.loads(self.exported("--to", "firefox", *options, self.file(content)))

    def test_example(self) -> None:
        document = self.document(example())
        self.assertEqual(read_firefox(document), only(EXAMPLE_SELF, 0))
        thread = document["threads"][0]
        inline_depths = {
            thread["stringArray"][thread["funcTable"]["name"][frame["func"]]]: frame[
                "inlineDepth"
            ]
            for frame in rows_of(thread["frameTable"])
        }
        self.assertEqual(
            inline_depths, {"main": 0, "parse": 0, "skip_blanks": 1, "read": 0}
        )
        self.assertEqual(
            [library["codeId"] for library in document["libs"]],
            ["9c3b1f00aa52e1d7", None],
        )

    def test_another_event(self) -> None:
        document = self.document(example(), "--event", "sysTime")
        self.assertEqual(read_firefox(document), only(EXAMPLE_SELF, 1))

    def test_hostile_names_come_back(self) -> None:
        document = self.document(hostile())
        self.assertEqual(read_firefox(document), in_unicode(only(HOSTILE_SELF, 0)))
        self.assertEqual(len(document["threads"]), 2)

    def test_programs_sum_to_their_totals(self) -> None:
        for like in ("c", "python"):
            content = program(like, 4000)
            found = read_firefox(self.document(content))
            self.assertEqual(sum(found.values()), totals_of(content)[0])


# --- What the command says ------------------------------------------------------------


class Command(Folder):
    def refused(self, what: str, *arguments: str) -> None:
        status, errors = self.run_main(*arguments)
        self.assertEqual(status, 2)
        self.assertRegex(errors, rf"^callgrind_export: .*{what}")
        self.assertEqual(errors.count("\n"), 1)

    def test_refusals(self) -> None:
        tree = self.file(example())
        folded = ["--to", "folded", "-o", str(self.folder / "x")]
        self.refused("which TREE file", "--to", "folded")
        self.refused("the following arguments are required: --to", tree)
        self.refused("invalid choice: 'svg'", "--to", "svg", tree)
        self.refused("no event 'Dr'", *folded, "--event", "Dr", tree)
        self.refused("holds one event", *folded, "--event", "Ir,sysTime", tree)
        self.refused("no part 2 in the file, only 1", *folded, "--part", "2", tree)
        self.refused("no thread 5", *folded, "--thread", "5", tree)
        self.refused("no process 1", *folded, "--process", "1", tree)
        self.refused("--to html alone", *folded, "--diff", tree, tree)
        self.refused("--to folded alone", "--to", "firefox", "--separate=part", tree)
        self.refused("'colour' is none of", *folded, "--separate=colour", tree)
        self.refused("not .*a.tree as well", "--to", "html", "--diff", tree, tree, tree)
        self.refused(
            "absent.tree: No such file", *folded, str(self.folder / "absent.tree")
        )
        absent = str(self.folder / "none" / "out")
        self.refused("none/out: No such file", "--to", "folded", "-o", absent, tree)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.tree"])

    def test_bad_files_are_refused_with_the_place_in_every_format(self) -> None:
        cut = self.file(example()[:-40], "cut.tree")
        profile = str(REPORT / "tests" / "data" / "tiny_default.out")
        out = str(self.folder / "out")
        for form in ("folded", "speedscope", "pprof", "firefox", "html"):
            # Where a format needs something that is not here, that would come first.
            with self.subTest(form=form), mock.patch("callgrind_export.check_needs"):
                self.refused(r"cut\.tree:\d+: .*cut off", "--to", form, "-o", out, cut)
                self.refused(
                    r"tiny_default\.out:1: .*which path", "--to", form, "-o", out, profile
                )
                self.assertFalse(Path(out).exists())

    def test_a_tree_without_nodes(self) -> None:
        maker = Maker()
        thread = maker.thread(1)
        maker.part(1)
        maker.tree(thread)
        maker.total()
        tree = self.file(maker.end())
        self.assertEqual(self.exported("--to", "folded", tree), b"")
        document = json.loads(self.exported("--to", "speedscope", tree))
        self.assertEqual(document["profiles"], [])

    def test_selection(self) -> None:
        tree = self.file(hostile())
        text = self.exported("--to", "folded", "--thread", "2", "--part=1", tree)
        self.assertEqual(
            sum(read_folded(text).values()), 2 * sum(range(len(HOSTILE) + 1))
        )

    def test_standard_output_and_a_pipe_that_is_closed(self) -> None:
        tree = self.file(program("python", 20_000))
        command = [sys.executable, str(SCRIPT), "--to", "folded", tree]
        result = subprocess.run(command, capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertEqual(result.stdout, self.exported("--to", "folded", tree))
        shell = " ".join(map(str, command)) + " | head -c 100"
        result = subprocess.run(shell, shell=True, capture_output=True, check=False)
        self.assertEqual(result.stderr, b"")

    def test_a_device_is_written_to_and_not_replaced(self) -> None:
        tree = self.file(example())
        status, errors = self.run_main("--to", "folded", "-o", os.devnull, tree)
        self.assertEqual((status, errors), (0, ""))
        self.assertTrue(Path(os.devnull).is_char_device())


if __name__ == "__main__":
    unittest.main()
