# SPDX-License-Identifier: GPL-2.0-or-later
"""The forms of A64 instructions (a64_decode.h), put together from a64_classes.h."""

from __future__ import annotations

import pathlib
import re
from typing import Callable, Dict, Iterator, List, NamedTuple

HERE = pathlib.Path(__file__).resolve().parent

# What Valgrind may execute, and some more.
FEATURES = ",".join("+" + name for name in (
    "v8.4a", "neon", "fp-armv8", "fullfp16", "crypto", "aes", "sha2", "sha3", "crc",
    "lse", "rdm", "dotprod", "fp16fml", "rcpc", "rcpc-immo", "complxnum", "jsconv",
    "pauth", "bti", "flagm", "sb", "ssbs", "predres", "i8mm", "bf16", "rand"))

ROW = re.compile(r"A64_CLASS\((\w+), (\w+), (\w+),\s+([^,]+), (\w+),\s+([^;]*?)\)\n")
FILL = re.compile(r"#define (A64_\w+) (0x[0-9a-f]+)")


class Row(NamedTuple):
    """One line of a64_classes.h."""
    mask: int
    value: int
    kept: int
    fill: int
    normal: str


def read_rows(text: str) -> List[Row]:
    """All classes, in order."""
    fills = {name: int(value, 16) for name, value in FILL.findall(text)}
    rows = []
    for mask, value, kept, fill, normal, _ in ROW.findall(text):
        words = [fills.get(word) or int(word, 0) for word in fill.split(" ^ ")]
        filled = words[0] ^ (words[1] if len(words) > 1 else 0)
        rows.append(Row(int(mask, 16), int(value, 16), int(kept, 16), filled, normal))
    return rows


def subsets(bits: int) -> Iterator[int]:
    """All numbers with no other bits."""
    number = 0
    while True:
        yield number
        number = (number - bits) & bits
        if number == 0:
            return


# The operands that tell costs apart, as a64_decode.c makes them; and all their bits.
NORMALS: Dict[str, List[int]] = {
    "Plain": [0],
    "Wide": [0, 1 << 5],
    "Shifted": [0, 4 << 10, 16 << 10],
    "ShiftedMove": [amount << 10 | move << 5
                    for amount in (0, 4, 16) for move in (0, 31)],
    "Element": [size << 16 for size in (1, 2, 4, 8, 16)],
    "ShiftAmount": [size << 19 for size in (1, 2, 4, 8)],
}
FIELDS = {"Plain": 0, "Wide": 0x1fffe0, "Shifted": 0xfc00, "ShiftedMove": 0xffe0,
          "Element": 0x1f0000, "ShiftAmount": 0x780000}


def forms_of(row: Row) -> Iterator[int]:
    """Its forms: words without operands."""
    for kept in subsets(row.kept & ~row.mask):
        for normal in NORMALS[row.normal]:
            yield row.value | kept | normal


def operands_of(row: Row, form: int) -> int:
    """What is written where a form has no operand."""
    free = ~(row.mask | row.kept | FIELDS[row.normal]) & 0xffffffff
    if row.normal == "ShiftedMove" and form >> 5 & 31 == 0:
        free |= 0x3e0
    return row.fill & free


def known_forms(read: Callable[[bytes], str]) -> Dict[int, str]:
    """The keys of all valid forms, and how they are written."""
    rows = read_rows((HERE / "a64_classes.h").read_text(encoding="ascii"))
    known: Dict[int, str] = {}
    for i, row in enumerate(rows):
        for form in forms_of(row):
            word = form | operands_of(row, form)
            if any(word & other.mask == other.value for other in rows[:i]):
                continue
            text = read(word.to_bytes(4, "little"))
            if text and form not in known:
                known[form] = re.sub(r"\s+", " ", text)
    return known
