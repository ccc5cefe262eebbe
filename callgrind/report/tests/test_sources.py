# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which files are read as sources.  Their names come from the code that was profiled: what
# they lead to may wait for ever, or have no end.

from __future__ import annotations

import os
import socket
import tempfile
import unittest
from pathlib import Path
from typing import Optional

from analysis.source_files import LONGEST_PATH, MOST_BYTES, candidates, find_source
from callgrind.report.tests.report_case import document, run
from export.source_lines import LineOptions, source_lines


class Sources(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.profile = self.folder / "profile"

    def name_source(self, name: "Path | str") -> None:
        self.profile.write_text(f"events: Ir\nfl={name}\nfn=f\n1 5\n2 6\n")

    def of_page(self, *folders: Path) -> Optional[list[str]]:
        found = source_lines(LineOptions([self.profile], True, folders), ["Ir"])
        assert found is not None
        text: Optional[list[str]] = found["files"][0][1]
        return text

    def assert_not_read(self, name: "Path | str", why: str) -> None:
        with self.subTest(name):
            self.name_source(name)
            status, text, errors = run("--annotate", str(self.profile))
            self.assertEqual((status, errors), (0, ""))
            self.assertIn(f"-- {name}: 11, 100.00% of Ir; {why}\n", text)
            self.assertIsNone(self.of_page())
            json = document("--annotate", str(self.profile))
            self.assertIsNone(json["sources"][0]["path"])

    def test_a_regular_file(self) -> None:
        source = self.folder / "a.c"
        source.write_text("one\ntwo\n")
        (self.folder / "link.c").symlink_to("a.c")
        for name in (source, self.folder / "link.c"):
            self.name_source(name)
            self.assertEqual(self.of_page(), ["one", "two"])
            self.assertIn("one", run("--annotate", str(self.profile))[1])

    def test_what_is_no_regular_file(self) -> None:
        pipe, listening = self.folder / "pipe", self.folder / "socket"
        os.mkfifo(pipe)
        (self.folder / "link").symlink_to("pipe")
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(str(listening))
            made = [pipe, self.folder / "link", listening, self.folder]
            given = ["/dev/zero", "/dev/null", "/dev/tty", "/proc/self/fd", "."]
            for name in [*map(str, made), *given]:
                self.assert_not_read(name, "not shown: it is no regular file")

    def test_an_open_pipe_of_this_process(self) -> None:
        reader, writer = os.pipe()
        for name in (f"/proc/self/fd/{reader}", f"/dev/fd/{reader}"):
            self.assert_not_read(name, "not shown: it is no regular file")
        os.close(reader)
        os.close(writer)

    def test_files_of_proc_have_no_text(self) -> None:
        """Their size is 0, though some of them can be read without end."""
        for name in ("/proc/self/mem", "/proc/self/maps", "/proc/self/pagemap"):
            self.name_source(name)
            self.assertEqual(self.of_page(), [])
            status, text, errors = run("--annotate", str(self.profile))
            self.assertEqual((status, errors), (0, ""))
            self.assertIn("(past the end of the file)", text)

    def test_a_file_that_is_too_large(self) -> None:
        large = self.folder / "large"
        with open(large, "wb") as stream:
            stream.truncate(MOST_BYTES)
            self.assertIsNotNone(find_source(str(large), [], None))
            stream.truncate(1 << 42)
        self.assert_not_read(large, "not shown: it has more than 64 MB")

    def test_what_is_not_there(self) -> None:
        for name in ("/nowhere/a.c", "x" * 5000, "a/" * 50_000):
            self.assert_not_read(name, "not found")
        self.assertIsNone(find_source("a\0b", [], None))

    def test_another_folder_has_the_file(self) -> None:
        os.mkfifo(self.folder / "a.c")
        inner = self.folder / "inner"
        inner.mkdir()
        (inner / "a.c").write_text("inner\n")
        self.name_source("/build/a.c")
        self.assertEqual(self.of_page(self.folder, inner), ["inner"])

    def test_the_number_of_places_is_bounded(self) -> None:
        looked_at = list(candidates("a/" * 100_000, [Path("x"), Path("y")]))
        self.assertLessEqual(len(looked_at), LONGEST_PATH + 1)


if __name__ == "__main__":
    unittest.main()
