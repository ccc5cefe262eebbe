# SPDX-License-Identifier: GPL-2.0-or-later
#
# Input that others write: messages, perf maps, jitdump files, ELF files, the kernel's
# records.  Cut off and changed at random (with fixed seeds), it must not crash, hang, or be
# read beyond its end; AddressSanitizer and UBSan look on.

"""Hostile input."""

from __future__ import annotations

import random
import struct
import sys
from pathlib import Path
from typing import Sequence

from driving import drive
from sampling import SamplerTest
from summary import run_suite
from test_control import message, string

FIXTURES = Path(__file__).resolve().parent / "fixtures"

INTERESTING = [b"\0", b"\xff", b"\x7f", b"\x80", b"\xff" * 4, b"\0" * 4, b"\xff" * 8,
               b"\x00\x00\x00\x80", b"\xff\xff\xff\x7f", b"\x10\x00\x00\x00", b"\n", b" "]


def mutants(original: bytes, seed: int, count: int) -> list[bytes]:
    """Copies with some bytes changed, put in, or left out; some are cut off."""
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        data = bytearray(original)
        for _ in range(chance.choice([1, 2, 4, 16])):
            at = chance.randrange(len(data) + 1)
            kind = chance.randrange(5)
            if kind == 0:
                data[at:at + 1] = bytes([chance.randrange(256)])
            elif kind == 1:
                piece = chance.choice(INTERESTING)
                data[at:at + len(piece)] = piece
            elif kind == 2:
                del data[at:at + chance.choice([1, 4, 64])]
            elif kind == 3:
                data[at:at] = bytes(chance.randrange(256) for _ in range(4))
            elif data:
                at = min(at, len(data) - 1)
                data[at] ^= 1 << chance.randrange(8)
        if chance.randrange(4) == 0:
            del data[chance.randrange(len(data) + 1):]
        made.append(bytes(data))
    return made


class HostileTest(SamplerTest):
    needs_sampling = False

    def files(self, contents: Sequence[bytes], name: str = "input") -> list[Path]:
        paths = []
        for number, data in enumerate(contents):
            paths.append(self.folder / f"{name}.{number}")
            paths[-1].write_bytes(data)
        return paths

    def test_messages(self) -> None:
        session = b"".join([
            message(8, struct.pack("<Q", 2)), message(9),
            message(5, string("integration") + string("1.0")), message(1), message(2),
            message(0, struct.pack("<i", 4711) + string("file.js::bench")),
            message(7, struct.pack("<iIQ", 4711, 1, 99)), message(4)])
        self.assertEqual(drive("runner", *self.files([session])), "8 answers\n")
        contents = mutants(session, seed=1, count=1500)
        contents.append(struct.pack("<I", 0xffffffff) + b"x" * 100)
        contents.append(b"")
        drive("runner", *self.files(contents))

    def test_perf_maps(self) -> None:
        lines = b"".join(b"%x %x function_%d\n" % (0x1000 * n, 0x800, n)
                         for n in range(1, 40))
        (good,) = self.files([lines], "map")
        self.assertEqual(drive("perfmap", good, "1000", "17ff", "1800", "27000"),
                         "function_1\nfunction_1\n?\nfunction_39\n")
        contents = mutants(lines, seed=2, count=60)
        contents += [b"", b"\n" * 100, b"0 ffffffffffffffff all\n" * 50,
                     b"ffffffffffffffff 1 end\n", b"1 1 " + b"x" * 100000 + b"\n"]
        for path in self.files(contents):
            drive("perfmap", path, "0", "1000", "2345", "ffffffffffffffff")

    def test_the_latest_of_several_names(self) -> None:
        (path,) = self.files([b"1000 100 old\n1080 10 inner\n1000 100 new\n2000 10 cut"])
        self.assertEqual(drive("perfmap", path, "1010", "1084", "2000"), "new\nnew\n?\n")

    def jitdump(self) -> bytes:
        def record(kind: int, time: int, body: bytes) -> bytes:
            return struct.pack("<IIQ", kind, 16 + len(body), time) + body

        def load(time: int, address: int, name: bytes) -> bytes:
            code = b"\x90" * 16
            return record(0, time, struct.pack("<IIQQQQ", 1, 1, address, address,
                                               len(code), 0) + name + b"\0" + code)

        header = struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 1, 0, 0)
        move = record(1, 300, struct.pack("<IIQQQQQ", 1, 1, 0, 0x2000, 0x3000, 16, 0))
        return (header + load(100, 0x1000, b"first") + load(200, 0x1000, b"second")
                + load(100, 0x2000, b"moved") + move + record(3, 400, b""))

    def test_jitdump(self) -> None:
        path = self.folder / "jit-1.dump"
        path.write_bytes(self.jitdump())
        self.assertEqual(
            drive("jitdump", path, "1008@150", "1008@250", "2000@250", "3000@350", "5000"),
            "first\nsecond\nmoved\nmoved\n?\n")
        for data in mutants(self.jitdump(), seed=3, count=60):
            path.write_bytes(data)
            drive("jitdump", path, "1000", "2000", "3000", "0")

    def test_elf_files(self) -> None:
        program = self.build("two_paths.c", "-pthread", "-g", "-nostartfiles", "-Wl,-emain")
        originals = [path.read_bytes() for path in sorted(FIXTURES.glob("*.elf"))]
        originals.append(program.read_bytes())
        names = drive("elf", program).split()[0]
        self.assertGreater(int(names), 20)
        for seed, original in enumerate(originals):
            contents = mutants(original, seed=10 + seed, count=150)
            contents += [original[:size] for size in range(0, len(original),
                                                           len(original) // 40)]
            drive("elf", *self.files(contents), seconds=120)

    def test_records(self) -> None:
        registers = struct.pack("<17Q", *range(17))
        sample = (struct.pack("<QIIQQQ", 1, 2, 3, 4, 5, 2)
                  + struct.pack("<QQ", (1 << 64) - 128, 0xffffffff81000000)
                  + struct.pack("<Q", 2) + registers
                  + struct.pack("<Q", 64) + b"s" * 64 + struct.pack("<Q", 48))
        trailer = struct.pack("<IIQ", 2, 3, 4)
        records = [
            struct.pack("<IHH", 9, 2, 8 + len(sample)) + sample,
            struct.pack("<IHHIIQQQIIQQII", 10, 2, 88 + 8, 1, 2, 0x1000, 0x1000, 0, 8, 1,
                        77, 1, 5, 2) + b"/bin/sh\0" + trailer,
            struct.pack("<IHHII", 3, 0x2000, 40, 1, 2) + b"sh".ljust(8, b"\0") + trailer,
            struct.pack("<IHHIIIIQ", 7, 0, 48, 1, 2, 3, 4, 5) + trailer,
            struct.pack("<IHHQQ", 2, 0, 40, 1, 9) + trailer,
        ]
        self.assertEqual(drive("record", *self.files(records)), "5 records\n")
        for seed, record in enumerate(records):
            drive("record", *self.files(mutants(record, seed=20 + seed, count=400)))


if __name__ == "__main__":
    sys.exit(run_suite())
