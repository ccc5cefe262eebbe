# SPDX-License-Identifier: GPL-2.0-or-later

"""A copy of a source tree, and what a second one changes of it."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from tests.machines.source_copy import copy_to


class SourceCopy(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = Path(folder.name) / "source"
        self.copy = Path(folder.name) / "root" / "copy"
        self.write("a.c", "1")
        self.write("deep/b.sh", "2")
        (self.source / "deep" / "b.sh").chmod(0o755)
        (self.source / "link").symlink_to("a.c")

    def write(self, name: str, text: str) -> None:
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def copied(self) -> list[str]:
        return sorted(
            path.relative_to(self.copy).as_posix()
            for path in self.copy.rglob("*")
            if not path.is_dir()
        )

    def test_files_modes_and_links_are_as_they_were(self) -> None:
        copy_to(self.copy, self.source)
        self.assertEqual(self.copied(), ["a.c", "deep/b.sh", "link"])
        self.assertTrue((self.copy / "deep" / "b.sh").stat().st_mode & 0o100)
        self.assertEqual((self.copy / "link").readlink(), Path("a.c"))

    def test_a_second_copy_changes_only_what_has_changed(self) -> None:
        copy_to(self.copy, self.source)
        before = (self.copy / "a.c").stat().st_mtime_ns
        self.write("deep/b.sh", "3")
        copy_to(self.copy, self.source)
        self.assertEqual((self.copy / "a.c").stat().st_mtime_ns, before)
        self.assertEqual((self.copy / "deep" / "b.sh").read_text(), "3")

    def test_what_is_gone_goes_and_what_was_built_there_stays(self) -> None:
        copy_to(self.copy, self.source)
        (self.copy / "a.o").write_text("built", encoding="utf-8")
        (self.source / "a.c").unlink()
        copy_to(self.copy, self.source)
        self.assertEqual(self.copied(), ["a.o", "deep/b.sh", "link"])
