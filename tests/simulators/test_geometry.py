# SPDX-License-Identifier: GPL-2.0-or-later
#
# What --I1, --D1 and --LL take: the parser by itself, and against the distribution's.

"""Shapes of caches: what is taken, what is refused, and why."""

from __future__ import annotations

import ctypes
import random
import re
import subprocess
import unittest
from typing import Optional

from tests.simulators import stock
from tests.simulators.native import CacheGeometry, library

(VALID, MALFORMED, TOO_LARGE, ZERO, BAD_SETS, BAD_LINE, SMALL_LINE,
 SMALL_CACHE) = range(8)

EXAMPLES = {
    "32768,8,64": VALID,
    " 32768, 8,\t64": VALID,
    "+1024,1,64": VALID,
    "64,2,32": VALID,
    "96,3,32": VALID,
    "49152,12,64": VALID,
    "1073741824,16,64": VALID,
    "": MALFORMED,
    "abc": MALFORMED,
    "1024": MALFORMED,
    "1024,1": MALFORMED,
    "1024,1,64,": MALFORMED,
    "1024,1,64,1": MALFORMED,
    "1024,1,64x": MALFORMED,
    "1024,1,64 ": MALFORMED,
    "1k,1,64": MALFORMED,
    "0x400,1,64": MALFORMED,
    "1024.,1,64": MALFORMED,
    "- 1024,1,64": MALFORMED,
    "2147483648,1,64": TOO_LARGE,
    "-2147483649,1,64": TOO_LARGE,
    "99999999999999999999,1,64": TOO_LARGE,
    "1024,2147483648,64": TOO_LARGE,
    "1024,0,64": ZERO,
    "1024,,64": ZERO,
    "1024,1,": ZERO,
    ",,": ZERO,
    "0,1,64": BAD_SETS,
    "3072,1,64": BAD_SETS,
    "1025,1,64": BAD_SETS,
    "1024,15,64": BAD_SETS,
    "64,3,32": BAD_SETS,
    "-1024,1,64": BAD_SETS,
    "-2147483648,-1,64": SMALL_CACHE,
    "3072,1,48": BAD_LINE,
    "-1024,1,-64": BAD_LINE,
    "1024,1,8": SMALL_LINE,
    "16,1,8": SMALL_LINE,
    "32,1,32": SMALL_CACHE,
    "-1024,-1,64": SMALL_CACHE,
}

# How stock says it.  It divides by zero, and dies, where we say ZERO.
STOCK_WORDS = [
    ("too large and overflowed", TOO_LARGE),
    ("set count is not a power of two", BAD_SETS),
    ("line size is not a power of two", BAD_LINE),
    ("line size is too small", SMALL_LINE),
    ("Cache size <= line size", SMALL_CACHE),
    ("Bad option", MALFORMED),
]


def parse(text: str) -> tuple[int, tuple[int, int, int]]:
    geometry = CacheGeometry(1, 2, 3)
    fault = library().geometry_parse(text.encode(), ctypes.byref(geometry))
    return fault, (geometry.size, geometry.ways, geometry.line_size)


def stock_fault(text: str, program: stock.Program) -> Optional[int]:
    """What stock finds wrong; None if it says something that is not known here."""
    ended = subprocess.run(
        [stock.VALGRIND, "--tool=callgrind", f"--D1={text}",
         "--callgrind-out-file=/dev/null", str(program.path)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    if ended.returncode in (-8, 128 + 8):
        return ZERO
    # A line shorter than a register is refused only when the run begins, and elsewhere.
    if ended.returncode == 0 or "the minimum line size" in ended.stdout:
        return VALID
    return next((fault for words, fault in STOCK_WORDS if words in ended.stdout), None)


def random_text(source: random.Random) -> str:
    line = source.choice([8, 16, 32, 48, 64, 64, 64, 128])
    ways = source.choice([1, 2, 3, 8, 8, 12])
    sets = source.choice([1, 2, 3, 64, 1024])
    size = sets * ways * line + source.choice([0, 0, 0, 0, 1, -1, line])
    text = f"{size},{ways},{line}"
    if source.random() < 0.3:
        position = source.randrange(len(text))
        text = text[:position] + source.choice("0,-+ x") + text[position + 1:]
    return text


class Parsing(unittest.TestCase):
    def test_examples(self) -> None:
        for text, fault in EXAMPLES.items():
            with self.subTest(text=text):
                self.assertEqual(parse(text)[0], fault)

    def test_sets_the_shape_only_if_it_is_valid(self) -> None:
        self.assertEqual(parse("49152,12,64")[1], (49152, 12, 64))
        for text, fault in EXAMPLES.items():
            if fault != VALID:
                self.assertEqual(parse(text)[1], (1, 2, 3), text)

    def test_each_fault_has_a_text_of_its_own(self) -> None:
        library().geometry_fault_text.restype = ctypes.c_char_p
        texts = [library().geometry_fault_text(fault) for fault in range(8)]
        self.assertEqual(texts[VALID], b"")
        self.assertEqual(len(set(texts)), 8)

    @unittest.skipIf(stock.missing(), str(stock.missing()))
    def test_takes_and_refuses_what_stock_does(self) -> None:
        source = random.Random(6)
        texts = [*EXAMPLES, *(random_text(source) for _ in range(60))]
        # Which starts faster than one with a dynamic linker.
        with stock.built(stock.with_data("")) as program:
            for text in texts:
                with self.subTest(text=text):
                    found, stocks = parse(text)[0], stock_fault(text, program)
                    # Newer stock refuses what older stock dies of, in words for others.
                    if found != ZERO or stocks != MALFORMED:
                        self.assertEqual(found, stocks)


class Simulable(unittest.TestCase):
    """What stock was seen to make of caches of hosts."""

    def made(self, size: int, ways: int, line: int) -> tuple[bool, tuple[int, int, int]]:
        geometry = CacheGeometry(size, ways, line)
        library().geometry_make_simulable.restype = ctypes.c_bool
        changed = library().geometry_make_simulable(ctypes.byref(geometry))
        return changed, (geometry.size, geometry.ways, geometry.line_size)

    def test_shapes_of_hosts(self) -> None:
        self.assertEqual(self.made(8388608, 16, 64), (False, (8388608, 16, 64)))
        for given, simulated in [
            ((402653184, 1, 64), (536870912, 2, 64)),
            ((524288, 48, 64), (524288, 64, 64)),
            ((524288, 96, 64), (524288, 128, 64)),
            ((31457280, 20, 64), (31457280, 30, 64)),
            ((2621440, 16, 64), (2621440, 20, 64)),
            ((1572864, 1, 64), (2097152, 2, 64)),
            ((2621440, 1, 64), (2097152, 1, 64)),
            ((5767168, 1, 64), (4194304, 1, 64)),
            ((6815744, 1, 64), (8388608, 2, 64)),
        ]:
            with self.subTest(given=given):
                self.assertEqual(self.made(*given), (True, simulated))

    @unittest.skipIf(stock.missing(), str(stock.missing()))
    def test_this_host(self) -> None:
        """If stock changes the last-level cache of this host, we do it alike."""
        run = stock.run(stock.with_data(""), ["--cache-sim=yes"])
        shape = r"line_size ([\d,]+)  assoc ([\d,]+)  total_size ([\d,]+)"
        shapes = [tuple(int(number.replace(",", "")) for number in found)
                  for found in re.findall(shape, run.log)]
        if not shapes:
            self.skipTest("stock simulates this host's last-level cache as it is")
        (line, ways, size), (new_line, new_ways, new_size) = shapes
        self.assertEqual(self.made(size, ways, line),
                         (True, (new_size, new_ways, new_line)))
