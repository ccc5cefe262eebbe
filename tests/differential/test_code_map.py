# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that code is named, decoded and found as the files of objects have it.

from __future__ import annotations

import unittest
from pathlib import Path

from profile_file.model import (
    Arc,
    ArcKey,
    FunctionKey,
    FunctionProfile,
    Part,
    PartHeader,
    Position,
    SourceKey,
)
from tests.differential.code_map import Place, load_addresses, nameless_name
from tests.differential.elf_object import ElfObject, Extents
from tests.differential.fake_program import PROGRAM, Rules, STUB, flat, key
from tests.differential.flat_profile import Flattener
from tests.differential.machine_code import Flow, decode

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent.parent / "callgrind" / "report"


class Naming(Rules):
    """Rules of naming apply to the distribution's profile and never to ours."""

    def part(self, object_file: str, address: int, name: str) -> Part:
        header = PartHeader(positions=["instr", "line"], events=["Ir"])
        caller = FunctionProfile(key("main"), [0])
        callee = FunctionKey(object_file, "???", name)
        source, site = SourceKey("p.c", ""), Position(0x1020, 1)
        caller.arcs[ArcKey(callee, source, site)] = Arc(
            key("main"), callee, source, site, Position(address, 0), 1, [1]
        )
        function = FunctionProfile(callee, [1])
        function.sources[SourceKey("???", "")] = {(address, 0): [1]}
        return Part(header, {caller.key: caller, callee: function})

    def names(self, part: Part, settle: bool) -> tuple[set[str], dict[str, int]]:
        made = Flattener(self.code, settle).flatten(part)
        places = {f"{place}" for place, _, _ in made.costs}
        return places | {call.callee.name for call in made.arcs}, dict(made.renamed)

    def test_object(self) -> None:
        part = self.part("???", 0x1010E8, nameless_name(0x1010E8))
        found, why = self.names(part, settle=True)
        self.assertEqual(found, {"program+0x10e8", nameless_name(0x10E8)})
        self.assertEqual(why, {"object": 2})
        found, why = self.names(part, settle=False)
        self.assertEqual((found, why), ({"???+0x1010e8", nameless_name(0x1010E8)}, {}))

    def test_nameless(self) -> None:
        part = self.part(PROGRAM, 0x10C8, nameless_name(0x10C8))
        self.assertIn(nameless_name(0x10C0), self.names(part, settle=True)[0])
        self.assertIn(nameless_name(0x10C8), self.names(part, settle=False)[0])

    def test_owners(self) -> None:
        for name, address, right in (
            ("main", 0x1000, True),
            ("main", 0x103F, True),
            ("main", 0x1040, False),
            (nameless_name(0x1000), 0x1000, False),
            (nameless_name(0x10C0), 0x10C8, True),
            (nameless_name(0x10C8), 0x10C8, False),
            (nameless_name(STUB, " [PLT]"), STUB + 6, True),
            (nameless_name(STUB), STUB, False),
            ("main", STUB, False),
        ):
            why = self.code.misplaced(key(name), Place(PROGRAM, address))
            self.assertEqual(why is None, right, f"{name} {address:#x}: {why}")

    def test_code_that_nothing_describes(self) -> None:
        """There the distribution is the judge."""
        for there in (nameless_name(0x10F0), "main"):
            for here in (nameless_name(0x10F0), nameless_name(0x10F8), "main", "outer"):
                sides = [flat([(0x10F8, name, 1)], []) for name in (there, here)]
                expected = set() if here == there else {"owner"}
                self.assertEqual(self.found(*sides), expected, f"{there} {here}")


class Machine(unittest.TestCase):
    def test_branches(self) -> None:
        for code, flow, target in (
            ("e8 01000000", Flow.CALL, 0x1006),
            ("67 e8 00000000", Flow.CALL, 0x1006),
            ("ff d0", Flow.CALL, None),
            ("41 ff d4", Flow.CALL, None),
            ("ff 15 00000000", Flow.CALL, None),
            ("f2 ff 25 00000000", Flow.INDIRECT, None),
            ("3e ff e0", Flow.INDIRECT, None),
            ("eb fe", Flow.JUMP, 0x1000),
            ("e9 00000000", Flow.JUMP, 0x1005),
            ("74 02", Flow.CONDITIONAL, 0x1004),
            ("0f 85 faffffff", Flow.CONDITIONAL, 0x1000),
            ("f3 c3", Flow.RETURN, None),
            ("0f 05", Flow.SYSCALL, None),
            ("f3 48 a5", Flow.REPEATED, None),
            ("ff 30", Flow.ONWARD, None),  # push (%rax)
            ("48 89 e5", Flow.ONWARD, None),
        ):
            instruction = decode(bytes.fromhex(code), 0x1000)
            self.assertEqual((instruction.flow, instruction.target), (flow, target), code)


class Objects(unittest.TestCase):
    def test_extents_that_overlap(self) -> None:
        extents = Extents()
        for name, start, end in zip("abcd", (0, 10, 10, 30), (100, 20, 20, 40)):
            extents.add(start, end, name)
        self.assertEqual([extents.names[e] for e in extents.at(15)], [{"b", "c"}, {"a"}])
        self.assertEqual([extents.names[e] for e in extents.at(50)], [{"a"}])
        self.assertEqual(extents.at(100), [])

    def test_real_object(self) -> None:
        program = ElfObject(Path("/proc/self/exe").resolve())
        text = next(s for s in program.sections if s.name == ".text")
        self.assertTrue(program.frames.names)
        for start, end in program.frames.names:
            self.assertLess(start, end)
            self.assertIsNotNone(program.section_at(start))
        self.assertEqual(len(program.bytes_at(text.address, 15)), 15)

    def test_what_is_no_object(self) -> None:
        self.assertEqual(ElfObject(HERE / "run").sections, [])
        self.assertEqual(ElfObject(Path("/nonexistent")).sections, [])

    def test_load_addresses(self) -> None:
        said = (
            "--7-- Reading syms from /lib/a b.so\n"
            "--7--    svma 0x0000001060, avma 0x0004001060\n"
            "--7-- Reading syms from /lib/strange.so\n"
            "--7--    object doesn't have a symbol table\n"
        )
        self.assertEqual(load_addresses(said), {"/lib/a b.so": 0x4000000})


if __name__ == "__main__":
    unittest.main()
