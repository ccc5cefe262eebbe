# SPDX-License-Identifier: GPL-2.0-or-later
#
# Input that others write: messages, perf maps, jitdump files, ELF files, the kernel's
# records.  Cut off and changed at random (with fixed seeds), it must not crash, hang, or
# be read beyond its end; AddressSanitizer and UBSan look on.

"""Hostile input."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Sequence

from tests.native import make_dwarf
from tests.native.make_corpus import elf_with
from tests.sampler.driving import drive
from tests.sampler.hostile import (
    elf_originals,
    jitdump,
    mutants,
    perf_map,
    records,
    session,
    wandering_jitdump,
)
from tests.sampler.sampling import SamplerTest


class HostileTest(SamplerTest):
    needs_sampling = False

    def files(self, contents: Sequence[bytes], name: str = "input") -> list[Path]:
        paths = []
        for number, data in enumerate(contents):
            paths.append(self.folder / f"{name}.{number}")
            paths[-1].write_bytes(data)
        return paths

    def test_messages(self) -> None:
        self.assertEqual(drive("runner", *self.files([session()])), "8 answers\n")
        contents = mutants(session(), seed=1, count=1500)
        contents.append(struct.pack("<I", 0xffffffff) + b"x" * 100)
        contents.append(b"")
        drive("runner", *self.files(contents))

    def test_perf_maps(self) -> None:
        (good,) = self.files([perf_map()], "map")
        self.assertEqual(drive("perfmap", good, "1000", "17ff", "1800", "27000"),
                         "function_1\nfunction_1\n?\nfunction_39\n")
        contents = mutants(perf_map(), seed=2, count=60)
        contents += [b"", b"\n" * 100, b"0 ffffffffffffffff all\n" * 50,
                     b"ffffffffffffffff 1 end\n", b"1 1 " + b"x" * 100000 + b"\n"]
        for path in self.files(contents):
            drive("perfmap", path, "0", "1000", "2345", "ffffffffffffffff")

    def test_the_latest_of_several_names(self) -> None:
        (path,) = self.files([b"1000 100 old\n1080 10 inner\n1000 100 new\n2000 10 cut"])
        self.assertEqual(drive("perfmap", path, "1010", "1084", "2000"), "new\nnew\n?\n")

    def test_a_perf_map_of_another_process_with_the_same_number(self) -> None:
        (path,) = self.files([b"1000 100 named\n"])
        for began, ended, said in (
            ("-", "-", "named\n"),
            ("-100", "-", "named\n"),
            ("-100", "100", "named\n"),
            ("100", "-", "?\n"),  # written before this one began
            ("-200", "-100", "?\n"),  # and after it has ended
        ):
            with self.subTest(began=began, ended=ended):
                self.assertEqual(drive("lived", path, began, ended, "1010"), said)

    def test_jitdump(self) -> None:
        path = self.folder / "jit-1.dump"
        path.write_bytes(jitdump())
        self.assertEqual(
            drive("jitdump", path, "1008@150", "1008@250", "2000@250", "3000@350",
                  "5000"),
            "first\nsecond\nmoved\nmoved\n?\n")
        for data in mutants(jitdump(), seed=3, count=60):
            path.write_bytes(data)
            drive("jitdump", path, "1000", "2000", "3000", "0")

    def test_a_jitdump_file_that_moves_much_code(self) -> None:
        """A search through all code for each move would take some minutes; that the work
        goes by the number, tests/native/test_jit_names.py counts."""
        path = self.folder / "jit-1.dump"
        path.write_bytes(wandering_jitdump(150_000))
        self.assertEqual(drive("jitdump", path, "1008", "200008", "40000008", "5"),
                         "f0\nf511\nf149999\n?\n")

    def test_elf_files(self) -> None:
        originals = elf_originals(self.folder)
        program = self.folder / "program"
        names = drive("elf", program).split()[0]
        self.assertGreater(int(names), 20)
        for seed, original in enumerate(originals):
            contents = mutants(original, seed=10 + seed, count=150)
            contents += [original[:size] for size in range(0, len(original),
                                                           len(original) // 40)]
            drive("elf", *self.files(contents))

    def test_debug_information(self) -> None:
        """Of inlined functions; also with texts that end nowhere."""
        addresses = [hex(address) for address in range(0x1000, 0x1040, 4)]
        for version in (4, 5):
            sections = make_dwarf.sections(version)
            contents = mutants(elf_with(sections), seed=30 + version, count=60)
            texts = sections[b".debug_str"]
            contents += [elf_with({**sections, b".debug_str": texts[:size]})
                         for size in range(0, len(texts), 5)]
            for path in self.files(contents):
                drive("inlined", path, *addresses, may_refuse=True)

    def test_records(self) -> None:
        self.assertEqual(drive("record", *self.files(records())), "8 records\n")
        for seed, record in enumerate(records()):
            drive("record", *self.files(mutants(record, seed=20 + seed, count=400)))
