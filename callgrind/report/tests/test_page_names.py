# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of all kinds in the page of callgrind_export: what a frame has room for, and what
# XML has no place for.

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from callgrind.report.tests.page_case import InBrowser
from tests.format.tree_maker import Maker

SPACE = "{http://www.w3.org/2000/svg}"


def chain(names: list[str]) -> bytes:
    """Each calls the next one."""
    maker = Maker()
    thread = maker.thread(1, "main")
    functions = [maker.function(name) for name in names]
    maker.part(1)
    maker.tree(thread)
    parent = 0
    for function in functions:
        parent = maker.node(parent, function, 1, 10)
    maker.total()
    return maker.end()


class Names(InBrowser):
    def test_a_picture_with_control_characters_is_xml(self) -> None:
        self.open([chain(["bell\x07", "esc\x1b[31m", "line\nbreak", "a<b>&\ufffe"])])
        path = self.folder / "graph.svg"
        self.browser.download("#save", str(path))
        root = ElementTree.parse(path).getroot()
        titles = [found.text for found in root.iter(SPACE + "title")]
        for name in ("bell\\x07", "esc\\x1b[31m", "line\nbreak", "a<b>&\\xfffe"):
            self.assertIn(name, titles)

    def test_a_label_is_as_long_as_its_frame(self) -> None:
        """Characters of East Asia and pictures take two columns, accents none."""
        self.open([chain(["main"])])
        for text, room, label in (
            ("plain", 5, "plain"), ("plain", 4, "pla…"),
            ("関数の名", 8, "関数の名"), ("関数の名", 7, "関数の…"),
            ("関数の名", 6, "関数…"), ("e\u0301a\u0308", 2, "e\u0301a\u0308"),
            ("e\u0301a\u0308xyz", 3, "e\u0301a\u0308…"), ("😀😀😀", 5, "😀😀…"),
            ("😀😀😀", 6, "😀😀😀"), ("שלום", 3, "של…"),
        ):
            shown = self.browser.evaluate(f"shortened({text!r}, {room})")
            self.assertEqual(shown, label, (text, room))

    def test_a_long_name_can_be_scrolled_with_keys(self) -> None:
        """Tab comes to a name that scrolls, and passes by one that does not."""
        self.open([chain(["main", "f" * 2000])])
        for zoom, names in ((1, 0), (2, 1)):
            self.browser.evaluate(f"location.hash = 'zoom={zoom}'")
            self.browser.appears("#frame h2.name", "f" * 2000 if names else "main")
            self.assertEqual(self.browser.count("#frame h2.name[tabindex='0']"), names)
        self.assertEqual(self.browser.violations(), [])
        self.browser.focus("#frame")
        self.browser.press("Tab")
        focused = "document.activeElement.className"
        self.assertEqual(self.browser.evaluate(focused), "name")
        self.assertNotEqual(self.browser.style("#frame h2.name", "outlineStyle"), "none")
        self.browser.press("ArrowDown")
        self.browser.evaluate("""new Promise((resolve) => {
          const seen = () => (document.querySelector("#frame h2.name").scrollTop > 0
            ? resolve() : requestAnimationFrame(seen));
          seen();
        })""")
