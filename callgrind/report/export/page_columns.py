# SPDX-License-Identifier: GPL-2.0-or-later
#
# Columns of numbers in a page.
#
# Owns: their form, which page/data.js reads.  A column is written as bytes, where 255
# means that the value is in a column of 16 bits; 65535 there, that it is in one of 32
# bits; and so on to 64.  Most numbers are small, and both ends have one step per number.

"""Columns of numbers as blocks of text."""

from __future__ import annotations

import base64
import sys
import zlib
from array import array
from typing import Sequence

from tree_file.model import NUMBER

COMPRESSION = 6
# Type codes of arrays, with the value that says "see the next column".
PLANES = (("B", 0xFF), ("H", 0xFFFF), ("I", 0xFFFFFFFF), ("Q", None))


def packed_block(columns: Sequence[Sequence[int]]) -> bytes:
    return packed_bytes(b"".join(map(pack_column, columns)))


def packed_bytes(data: bytes) -> bytes:
    return base64.b64encode(zlib.compress(data, COMPRESSION))


def pack_column(values: Sequence[int]) -> bytes:
    """A column: the lengths of its four planes, and the planes."""
    lengths, planes = array("I"), []
    for code, more in PLANES:
        lengths.append(len(values))
        if more is None:
            plane = array(NUMBER, values)
        else:
            plane = array(code, [value if value < more else more for value in values])
            values = [value for value in values if value >= more]
        planes.append(_little_endian(plane))
    return b"".join([_little_endian(lengths), *planes])


def _little_endian(numbers: "array[int]") -> bytes:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()
