# SPDX-License-Identifier: GPL-2.0-or-later
#
# The benchmark of README.md's second example: measures one call of a library, deep in an
# interpreter.

"""Measure count_words() of words.so."""

import ctypes
from pathlib import Path

words = ctypes.CDLL(str(Path("words.so").resolve()))
text = b"the quick brown fox jumps over the lazy dog, " * 1000


def bench() -> None:
    words.start()
    words.count_words(text)
    words.stop()


bench()
