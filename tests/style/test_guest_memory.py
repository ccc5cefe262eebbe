# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tool reads the program's memory in one place, callgrind/guest/memory.c: what the
# core says can be read may be missing.

"""One way to read the memory of the program."""

from __future__ import annotations

import unittest

from tests.style.files import files, name_of

READER = "callgrind/guest/memory.c"
UNWINDER = "callgrind/guest/unwind.c"
# Each with the one file that may have it, where a missing page is an answer.
ALLOWED_IN = {
    "VKI_PROT_READ)": READER,
    "VG_(set_fault_catcher)": READER,
    "VG_(get_StackTrace": UNWINDER,
}


def breaches(name: str, text: str) -> list[str]:
    """What a file of the tool reads by itself, a line each."""
    return [
        f"{name}: {what} belongs into {place}: ask that"
        for what, place in ALLOWED_IN.items()
        if what in text and name != place
    ]


class OneWay(unittest.TestCase):
    maxDiff = None

    def test_the_memory_of_the_program_is_read_in_one_place(self) -> None:
        found: list[str] = []
        for path in files():
            name = name_of(path)
            if name.startswith("callgrind/tests/") or not name.startswith("callgrind/"):
                continue
            if path.suffix in (".c", ".h"):
                found += breaches(name, path.read_text(encoding="utf-8"))
        self.assertEqual(found, [])

    def test_a_reader_of_its_own_is_found(self) -> None:
        text = "if (VG_(am_is_valid_for_client)(at, 8, VKI_PROT_READ))\n   use(*at);\n"
        self.assertEqual(len(breaches("callgrind/stack/new.c", text)), 1)
        self.assertEqual(breaches(READER, text), [])


if __name__ == "__main__":
    unittest.main()
