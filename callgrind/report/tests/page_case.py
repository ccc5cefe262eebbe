# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of the HTML page have in common: pages made of trees, and a browser that
# shows them.

"""Make pages, and look at them in a browser."""

from __future__ import annotations

import atexit
import base64
import contextlib
import io
import re
import tempfile
import unittest
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from callgrind.report.tests.browser_session import Browser
from callgrind.report.tests.npm_packages import BUILD, Absent
from callgrind.report.tests.tree_reading import read
from callgrind_export import main
from tests.format.tree_maker import Maker
from tree_file.model import Forest, Nodes

SCREENSHOTS = BUILD / "page-screenshots"


def export(folder: Path, contents: list[bytes], *options: str) -> Path:
    """The page made of tree files."""
    paths = [folder / f"{number}.tree" for number in range(len(contents))]
    for path, content in zip(paths, contents):
        path.write_bytes(content)
    page = folder / "page.html"
    trees = ["--diff", *map(str, paths)] if len(paths) == 2 else [str(paths[0])]
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        status = main(["--to", "html", "-o", str(page), *options, *trees])
    assert (status, errors.getvalue()) == (0, ""), errors.getvalue()
    return page


def block(page: Path, name: str) -> bytes:
    """What a block of the page holds."""
    pieces = re.findall(
        rf'<script data-block="{name}" type="application/octet-stream">([^<]*)<',
        page.read_text("utf-8"),
    )
    assert pieces, name
    return zlib.decompress(base64.b64decode("".join(pieces)))


def number(text: str) -> int:
    """A number as the page writes it, with or without its unit."""
    return int(re.sub(r"[^0-9-]", "", text.replace("−", "-")))


def two_threads(names: list[str], factor: int = 1) -> bytes:
    """Two parts, two threads; the cost of a name is its place times the rest."""
    maker = Maker()
    threads = [maker.thread(1, "main"), maker.thread(2, "worker")]
    functions = [maker.function(name, "/bin/prog", f"{name[:20]}.c") for name in names]
    for part in (1, 2):
        maker.part(part, f"trigger {part}")
        for thread in threads:
            maker.tree(thread)
            parent = 0
            for place, function in enumerate(functions, 1):
                cost = place * part * thread * 100 * (factor if place % 2 else 1)
                parent = maker.node(parent, function, place, cost)
            maker.total()
    return maker.end()


@lru_cache(maxsize=None)
def shared_browser() -> Browser:
    """The one of this process: its start takes longer than most tests.  Each test has a
    page of its own in it."""
    browser = Browser()
    atexit.register(browser.close)
    return browser


@pytest.mark.xdist_group("browser")
class InBrowser(unittest.TestCase):
    """Tests in a browser; they stay in one process, and share its browser."""

    browser: Browser

    @classmethod
    def setUpClass(cls) -> None:
        try:
            cls.browser = shared_browser()
        except Absent as reason:
            raise unittest.SkipTest(str(reason)) from None
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def open(
        self, contents: list[bytes], *options: str, at: str = "", **settings: Any
    ) -> None:
        """at: the part of the address behind #, with it."""
        page = export(self.folder, contents, *options)
        self.browser.open(str(page), settings, at)
        self.addCleanup(self.no_problems)

    def no_problems(self) -> None:
        self.assertEqual(self.browser.problems(), [])

    def picture(self, name: str) -> None:
        self.browser.screenshot(str(SCREENSHOTS / f"{name}.png"))

    def text(self, selector: str) -> str:
        found = self.browser.texts(selector)
        self.assertEqual(len(found), 1, selector)
        return str(found[0])

    def cost(self, what: str, event: str = "", run: str = "") -> int:
        """From the table of the frame or function that is shown."""
        selector = f"#frame td[data-cost={what}]"
        selector += f"[data-event={event}]" if event else ""
        return number(self.text(selector + (f"[data-run={run}]" if run else "")))

    def shown_table(self, name: str) -> list[list[str]]:
        """All rows of a table in the panel that is open."""
        panel = "[role=tabpanel]:not([hidden])"
        more = f"{panel} table.{name} + .more-rows:not([hidden])"
        while self.browser.count(more):
            self.browser.click(more)
        cells = self.browser.texts(f"{panel} table.{name} tbody td")
        rows = self.browser.count(f"{panel} table.{name} tbody tr")
        width = len(cells) // rows if rows else 0
        return [cells[row * width : (row + 1) * width] for row in range(rows)]


def nodes_of(content: bytes) -> tuple[Forest, Nodes]:
    forest = read(content)
    return forest, forest.trees[0].nodes


def page_numbers(nodes: Nodes) -> list[int]:
    """How the page calls each node: depth first, from 1 on; 0 is all."""
    numbers = [0] * len(nodes)
    for number, (node, _) in enumerate(nodes.walk(), 1):
        numbers[node] = number
    return numbers
