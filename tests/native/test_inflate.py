# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/inflate/: it unpacks what zlib has packed, as far as is asked for, and
# what is damaged does no harm.  The oracle is Python's zlib.

"""Unpacking of what zlib has packed."""

from __future__ import annotations

import random
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path
from typing import Iterator, Optional

from tests.native.building import HERE, SOURCE, build_of
from tests.runner.series import is_long

STRATEGIES = (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FIXED)
BEYOND = 1 << 16  # room behind what is expected, so that too much is seen
N_DAMAGED = 400 if is_long() else 100


def program() -> str:
    own = ("unpack.c", "fake_core.c", "fake_tables.c", "faults.c")
    parts = ("inflate/inflate.c", "inflate/prefix_code.c")
    return build_of("unpack", *(HERE / name for name in own),
                    *(SOURCE / "callgrind" / name for name in parts))


def unpacked(packed: bytes, size: int, step: int = 0) -> bytes:
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(packed)
        done = subprocess.run([program(), file.name, str(size), str(step)],
                              capture_output=True, check=False)
    if done.returncode != 0:
        raise AssertionError((done.returncode, done.stderr[:2000]))
    return done.stdout


def by_zlib(packed: bytes) -> Optional[bytes]:
    """What it makes of these; None: all of it, and they end it."""
    unpacker = zlib.decompressobj()
    found = bytearray()
    try:
        for byte in packed:
            found += unpacker.decompress(bytes([byte]))
    except zlib.error:
        return bytes(found)
    return None if unpacker.eof else bytes(found)


def packed_with(data: bytes, level: int, strategy: int) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, 15, 9, strategy)
    return packer.compress(data) + packer.flush()


def skewed(chance: random.Random) -> bytes:
    """Bytes of which some are so rare that their codes are the longest that there may
    be."""
    weights = [2.0 ** -min(byte, 17) for byte in range(256)]
    return bytes(chance.choices(range(256), weights, k=200_000)) + bytes(range(256))


def contents() -> Iterator[tuple[str, bytes]]:
    chance = random.Random(1)
    yield "nothing", b""
    yield "one byte", b"x"
    yield "zeros", bytes(100_000)
    yield "noise", chance.randbytes(150_000)
    yield "text", (SOURCE / "docs" / "internals.md").read_bytes()
    yield "a program", Path(program()).read_bytes()[:400_000]
    yield "rare bytes", skewed(chance)
    for distance in range(1, 20) if is_long() else (1, 2, 3, 7, 8, 9, 16, 19):
        period = chance.randbytes(distance)
        yield f"each {distance} bytes", b"".join(
            period * (length // distance + 1) + chance.randbytes(3)
            for length in range(3, 300, 7))
    far = chance.randbytes(32_768)
    yield "far back", far + far + far[:100]


class Inflate(unittest.TestCase):
    def test_all_that_zlib_packs(self) -> None:
        for name, data in contents():
            for level, strategy in (
                (0, zlib.Z_DEFAULT_STRATEGY), (1, zlib.Z_DEFAULT_STRATEGY),
                *((9, strategy) for strategy in STRATEGIES),
            ):
                with self.subTest(data=name, level=level, strategy=strategy):
                    packed = packed_with(data, level, strategy)
                    self.assertTrue(unpacked(packed, len(data)) == data)
                    self.assertTrue(unpacked(packed, len(data) + BEYOND) == data)

    def test_step_by_step(self) -> None:
        """And no farther than asked for."""
        for name, data in contents():
            for step in (1_000, 4_097, 70_001):
                with self.subTest(data=name, step=step):
                    packed = packed_with(data, 6, zlib.Z_DEFAULT_STRATEGY)
                    self.assertTrue(unpacked(packed, len(data), step) == data)

    def test_less_room_than_it_takes(self) -> None:
        """What there is room for is right."""
        for name, data in contents():
            for room in {0, 1, len(data) // 2, max(len(data) - 1, 0)}:
                with self.subTest(data=name, room=room):
                    packed = packed_with(data, 9, zlib.Z_DEFAULT_STRATEGY)
                    found = unpacked(packed, room)
                    self.assertLessEqual(len(found), room)
                    self.assertTrue(data.startswith(found))
                    self.assertGreaterEqual(len(found), min(room, len(data)) - 258)

    def test_what_breaks_off(self) -> None:
        """All that zlib makes of the beginning."""
        data = (SOURCE / "docs" / "layers.txt").read_bytes()
        for strategy in STRATEGIES:
            whole = packed_with(data, 9, strategy)
            for left in (*range(0, 40), len(whole) // 2, *range(len(whole) - 9,
                                                                len(whole) - 4)):
                with self.subTest(strategy=strategy, left=left):
                    found = unpacked(whole[:left], len(data))
                    expected = by_zlib(whole[:left])
                    self.assertEqual(found, data if expected is None else expected)

    def test_the_header(self) -> None:
        """No other method, no larger window, no dictionary, and it must add up."""
        packed = zlib.compress(b"abc")
        for header in (b"\x79\x9b", b"\x88\x1c", b"\x78\xbb", b"\x78\x9d", b"\x78", b""):
            with self.subTest(header=header):
                self.assertEqual(unpacked(header + packed[2:], 3), b"")
        self.assertEqual(unpacked(b"\x78\x9c" + packed[2:], 3), b"abc")

    def test_damage(self) -> None:
        """Where zlib finds an error, no more is there than it had made; and where it
        does not, the same."""
        chance = random.Random(2)
        data = (SOURCE / "docs" / "layers.txt").read_bytes()[:3_000]
        n_errors = 0
        for number in range(N_DAMAGED):
            packed = bytearray(packed_with(data, 9, STRATEGIES[number % 4]))
            for _ in range(chance.randint(1, 3)):
                at = chance.randrange(2, min(len(packed) - 4, 60 + number))
                packed[at] ^= 1 << chance.randrange(8)
            room = len(data) + BEYOND
            found = unpacked(bytes(packed[:-4]), room)
            expected = by_zlib(bytes(packed[:-4]))
            self.assertIsNotNone(expected)  # without its checksum it never ends
            assert expected is not None
            n_errors += len(expected) < len(data)
            # zlib hands out no byte behind an error; those before it may wait there.
            self.assertTrue(found[:room].startswith(expected[:room]), number)
            self.assertLessEqual(len(found), max(len(expected) + 258, room), number)
        self.assertGreater(n_errors, N_DAMAGED // 4)


if __name__ == "__main__":
    unittest.main()
