# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate: what --only makes of the filters of frameworks.  A filter has to let all
# through that is wanted, whatever part of a name it looks at.

from __future__ import annotations

import random
import unittest

from analysis.selection import pattern_of
from gate.filters import (
    BEHIND_FILE,
    CASE,
    ELEMENT,
    LAST,
    WHOLE,
    filter_text,
    rests_of,
)
from gate.frameworks import FRAMEWORKS


def seen(name: str, sees: str) -> str:
    """The part of a name that a filter looks at."""
    if sees == BEHIND_FILE:
        return name.partition("::")[2] or name
    if sees == LAST:
        return name.rpartition("::")[2]
    if sees == CASE:
        return name.partition("::")[0]
    return name.partition("/")[0] if sees == ELEMENT else name


class Text(unittest.TestCase):
    def test_of_patterns_that_people_write(self) -> None:
        for framework, pattern, text in (
            ("pytest-codspeed", "py/tests/a.py::test_x[1]", "test_x"),
            ("pytest-codspeed", "py/*::test_a*", "test_a"),
            ("pytest-codspeed", "*_sort", "_sort"),
            ("pytest-codspeed", "*parse*", ""),  # it may be the file that is called so
            ("pytest-codspeed", "py/*::or", ""),  # an operator of -k
            ("pytest-codspeed", "*", ""),
            ("codspeed-rust", "py/b.rs::group::sort", "sort"),
            ("codspeed-rust", "py/b.rs::group::*", ""),
            ("go", "py/BenchmarkRead/a_long_element", "BenchmarkRead"),
            ("go", "py/*/a_long_element", ""),
            ("catch2", "py/order::a_long_name", "order"),
            ("catch2", "py/*::a_long_name", ""),
            ("google-benchmark", "py/*sort*/64", "sort"),
        ):
            found = filter_text(pattern, "py/", FRAMEWORKS[framework].sees)
            self.assertEqual(found, text, (framework, pattern))

    def test_what_is_wanted_is_let_through(self) -> None:
        """Names and patterns of few characters, at random."""
        draw = random.Random(54)
        texts = 0
        for _ in range(20_000):
            name = "".join(draw.choice("ab:/::") for _ in range(draw.randrange(1, 9)))
            whole = f"s/{name}"
            pattern = "".join(
                draw.choice((char, char, char, "*", "?")) if draw.random() < 0.9 else
                "*" + char for char in whole
            )  # fmt: skip
            if not pattern_of(pattern).fullmatch(whole):
                continue
            for sees in (WHOLE, BEHIND_FILE, LAST, CASE, ELEMENT):
                text = filter_text(pattern, "s/", sees)
                texts += bool(text)
                self.assertIn(text, seen(name, sees), (pattern, whole, sees))
        self.assertGreater(texts, 5000)

    def test_patterns_that_may_be_of_a_suite(self) -> None:
        for pattern, rests in (("py/a*", {"a*"}), ("*x", {"*x", "x"}), ("p?/b", {"b"}),
                               ("py", set()), ("rust/*", set())):  # fmt: skip
            self.assertEqual(rests_of(pattern, "py/"), rests, pattern)
