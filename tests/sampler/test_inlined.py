# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which functions are inlined at an address, and where they are defined, read without a
# sample: of a compiled program, and of debug information that was written by hand.

"""Inlined functions, read from files."""

from __future__ import annotations

import re
import subprocess

from tests.native import make_dwarf
from tests.native.make_corpus import elf_with
from tests.sampler.driving import drive
from tests.sampler.sampling import SOURCE, SamplerTest

PROGRAMS = SOURCE / "callgrind" / "tests" / "inlined"
PLACES = {"plain(int)": 9, "Shape::area(int)": 15, "Shape::made(int)": 21, "main": 37}
MAIN = "main|/folder/inner/here.c|40"


class InlinedTest(SamplerTest):
    needs_sampling = False

    def functions_at(self, sections: dict[bytes, bytes], address: int) -> str:
        path = self.folder / "file"
        path.write_bytes(elf_with(sections))
        return drive("inlined", path, hex(address)).rstrip("\n")

    def test_a_function_that_begins_with_inlined_code(self) -> None:
        """It is where it is defined, as in the tool's trees."""
        for version in ("4", "5"):
            program = self.folder / "inlined_first"
            subprocess.run(["g++", "-O2", "-g", f"-gdwarf-{version}", "-o", program,
                            PROGRAMS / "inlined_first.cpp"], check=True)
            symbols = subprocess.run(["nm", "-C", program], check=True, text=True,
                                     stdout=subprocess.PIPE).stdout
            found = {name: address for address, _, name in
                     (line.split(" ", 2) for line in symbols.splitlines())
                     if name in PLACES}
            self.assertEqual(set(found), set(PLACES))
            for name, address in found.items():
                with self.subTest(version=version, name=name):
                    functions = re.findall(r"\S.*?\|.*?\|\d+",
                                           drive("inlined", program, address))
                    _, source, line = functions[0].split("|")
                    self.assertEqual((source, line), (str(PROGRAMS / "inlined_first.cpp"),
                                                      str(PLACES[name])))
                    inlined = [text.split("|", 1)[1] for text in functions[1:]]
                    header = [f"{PROGRAMS}/inlined_first.h|7"]
                    self.assertEqual(inlined, [] if name == "main" else header)

    def test_a_scope_that_has_no_line(self) -> None:
        """What a function says of itself is kept."""
        for version in (4, 5):
            with self.subTest(version=version):
                self.assertEqual(self.functions_at(make_dwarf.sections(version), 0x103C),
                                 f"{MAIN} space::half|/folder/inner/here.c|0")

    def test_a_linkage_name_without_an_end(self) -> None:
        """It is none; what lies behind its section is not read as its end."""
        linkage = b"_ZN5space3BoxC4Ei"
        for version in (4, 5):
            with self.subTest(version=version):
                sections = make_dwarf.sections(version)
                self.assertEqual(self.functions_at(sections, 0x1038).split()[1],
                                 f"{linkage.decode()}||0")
                texts = sections[b".debug_str"]
                end = texts.index(linkage) + len(linkage)
                sections[b".debug_str"] = texts[:end]
                self.assertEqual(self.functions_at(sections, 0x1038).split()[1],
                                 "(unnamed)||0")
