# SPDX-License-Identifier: GPL-2.0-or-later
#
# Inputs that others write, as they should be, and changes of them: what test_hostile.py
# and fuzz.py feed to the sampler.

"""Good inputs, and hostile ones made of them."""

from __future__ import annotations

import random
import struct
import subprocess
from pathlib import Path

from tests.groundtruth.architecture import AMD64, target
from tests.sampler.driving import fixtures
from tests.sampler.sampling import PROGRAMS


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


def string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def message(tag: int, fields: bytes = b"") -> bytes:
    return struct.pack("<II", 4 + len(fields), tag) + fields


def session() -> bytes:
    """What an integration sends to the runner."""
    return b"".join([
        message(8, struct.pack("<Q", 2)), message(9),
        message(5, string("integration") + string("1.0")), message(1), message(2),
        message(0, struct.pack("<i", 4711) + string("file.js::bench")),
        message(7, struct.pack("<iIQ", 4711, 1, 99)), message(4)])


def perf_map() -> bytes:
    return b"".join(b"%x %x function_%d\n" % (0x1000 * n, 0x800, n)
                    for n in range(1, 40))


def jitdump_record(kind: int, time: int, body: bytes) -> bytes:
    return struct.pack("<IIQ", kind, 16 + len(body), time) + body


def jitdump_load(time: int, address: int, name: bytes) -> bytes:
    code = b"\x90" * 16
    return jitdump_record(0, time, struct.pack("<IIQQQQ", 1, 1, address, address,
                                               len(code), 0) + name + b"\0" + code)


def jitdump_move(time: int, start: int, to: int) -> bytes:
    return jitdump_record(1, time, struct.pack("<IIQQQQQ", 1, 1, 0, start, to, 16, 0))


JITDUMP_HEADER = struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 1, 0, 0)


def jitdump() -> bytes:
    return (JITDUMP_HEADER + jitdump_load(100, 0x1000, b"first")
            + jitdump_load(200, 0x1000, b"second") + jitdump_load(100, 0x2000, b"moved")
            + jitdump_move(300, 0x2000, 0x3000) + jitdump_record(3, 400, b""))


def wandering_jitdump(count: int) -> bytes:
    """`count` functions f0, f1, ... 0x1000 bytes apart from 0x1000 on, of which the last
    comes to 0x40000000 and all others are moved to where they are."""
    loads = [jitdump_load(100, 0x1000 * (1 + n), b"f%d" % n) for n in range(count)]
    moves = [jitdump_move(200, 0x1000 * (1 + n), 0x1000 * (1 + n))
             for n in range(count - 1)]
    last = jitdump_move(300, 0x1000 * count, 0x40000000)
    return JITDUMP_HEADER + b"".join([*loads, *moves, last])


def records() -> list[bytes]:
    """Records of the kernel: a sample, a mapping, a name, a fork, a loss; three of a
    thread that leaves the processor and has one again."""
    count = 17 if target() == AMD64 else 33
    registers = struct.pack(f"<{count}Q", *range(count))
    state = (struct.pack("<QQ", (1 << 64) - 128, 0xffffffff81000000)
             + struct.pack("<Q", 2) + registers
             + struct.pack("<Q", 64) + b"s" * 64 + struct.pack("<Q", 48))
    sample = struct.pack("<QIIQQQ", 1, 2, 3, 4, 5, 2) + state
    leaving = struct.pack("<QIIQQQ", 1, 2, 3, 4, 1, 2) + state
    trailer = struct.pack("<IIQ", 2, 3, 4)
    return [
        struct.pack("<IHH", 9, 2, 8 + len(sample)) + sample,
        struct.pack("<IHHIIQQQIIQQII", 10, 2, 88 + 8, 1, 2, 0x1000, 0x1000, 0, 8, 1,
                    77, 1, 5, 2) + b"/bin/sh\0" + trailer,
        struct.pack("<IHHII", 3, 0x2000, 40, 1, 2) + b"sh".ljust(8, b"\0") + trailer,
        struct.pack("<IHHIIIIQ", 7, 0, 48, 1, 2, 3, 4, 5) + trailer,
        struct.pack("<IHHQQ", 2, 0, 40, 1, 9) + trailer,
        struct.pack("<IHH", 9, 2, 8 + len(leaving)) + leaving,
        struct.pack("<IHH", 14, 0x6000, 24) + trailer,
        struct.pack("<IHH", 14, 0, 24) + trailer,
    ]


def elf_originals(folder: Path) -> list[bytes]:
    """The fixtures, and last a program with debug information, which is built in the
    folder."""
    program = folder / "program"
    subprocess.run(["gcc", "-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls",
                    "-g", "-pthread", "-nostartfiles", "-Wl,-emain", "-o", program,
                    PROGRAMS / "two_paths.c"], check=True)
    return [path.read_bytes() for path in [*fixtures(".elf"), program]]
