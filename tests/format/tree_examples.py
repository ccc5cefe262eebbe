# SPDX-License-Identifier: GPL-2.0-or-later
#
# Small tree files that several tests work on: the example of docs/tree-format.md, and one
# whose names are as hostile as names can be.

"""Tree files for tests."""

from __future__ import annotations

import re
from pathlib import Path

from tests.format.tree_maker import Maker

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tree-format.md"

# Bytes that are no UTF-8 are surrogates in Python.
HOSTILE = [
    "a;b;c",
    "two\nlines\r\n",
    "tab\tbell\x07nul\x00delete\x7f",
    "back\\slash\\n\\x41",
    " spaces at both ends ",
    "12 34",
    "ünïcödé 漢字 \U0001f525",
    "not UTF-8 \udcff\udc80",
    "line\u2028separators\u2029\x85",
    '"quoted" <b>&amp;</b> </script><!-- \'',
    "x<" + "std::vector<int, std::allocator<int> >, " * 256 + "int>",
]


def example() -> bytes:
    """The example of the page."""
    found = re.search(
        r"## An example\n\n```\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL
    )
    assert found is not None
    return found.group(1).encode("utf-8")


def hostile() -> bytes:
    """A path of all hostile names, each node with a cost; and two threads."""
    maker = Maker(command=HOSTILE[1])
    threads = [maker.thread(1, HOSTILE[0]), maker.thread(2, HOSTILE[2])]
    functions = [maker.function(name, name, name, 7) for name in HOSTILE]
    maker.part(1, HOSTILE[3], HOSTILE[9])
    for thread in threads:
        maker.tree(thread)
        parent = 0
        for cost, function in enumerate(functions, 1):
            parent = maker.node(parent, function, 1, cost * thread, 0, cost)
        maker.total()
    return maker.end()
