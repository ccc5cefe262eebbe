# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fetching the flame graph library: with and without npm, and archives that are not what
# they should be.

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import os
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from export import flame_graph_library
from export.flame_graph_library import Package, main


def packed(content: bytes) -> bytes:
    """An archive as npm makes them, with one file."""
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w:gz") as archive:
        entry = tarfile.TarInfo("package/dist/x.min.js")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return output.getvalue()


ARCHIVE = packed(b"draw()")
CHECKSUM = base64.b64encode(hashlib.sha512(ARCHIVE).digest()).decode("ascii")
PACKAGE = Package("x", "1.2.3", CHECKSUM, {"package/dist/x.min.js": "x.js"})

# npm as it is called: `npm pack ... x@1.2.3` leaves the archive in the current folder.
NPM = """#!/bin/sh
echo "$@" >> "$CALLS"
[ -n "$ARCHIVE" ] || exit 1
cp "$ARCHIVE" x-1.2.3.tgz
"""


class Library(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)
        self.folder = self.scratch / "flame_graph"
        self.calls = self.scratch / "calls"
        self.path = ""  # without npm

    def with_npm(self) -> None:
        programs = self.scratch / "bin"
        programs.mkdir()
        (programs / "npm").write_text(NPM, "ascii")
        (programs / "npm").chmod(0o755)
        self.path = f"{programs}:{os.environ['PATH']}"

    def provide(self, archive: bytes = b"") -> str:
        """What is said."""
        served = self.scratch / "served.tgz"
        served.write_bytes(archive)
        environment = {
            "PATH": self.path,
            "CALLS": str(self.calls),
            "ARCHIVE": str(served) if archive else "",
        }
        arguments = ["flame_graph_library.py", str(self.folder)]
        with mock.patch.dict(os.environ, environment), mock.patch.object(
            sys, "argv", arguments
        ), mock.patch.object(flame_graph_library, "PACKAGES", (PACKAGE,)):
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                self.assertEqual(main(), 0)
        return errors.getvalue()

    def is_provided(self) -> bool:
        if not (self.folder / "provided").exists():
            return False
        return (self.folder / "x.js").read_bytes() == b"draw()"

    def test_npm_brings_it_once(self) -> None:
        self.with_npm()
        self.assertEqual(self.provide(ARCHIVE), "")
        self.assertTrue(self.is_provided())
        self.assertEqual(self.provide(ARCHIVE), "")
        self.assertEqual(self.calls.read_text("ascii").count("x@1.2.3"), 1)

    def test_another_version_is_replaced(self) -> None:
        self.with_npm()
        self.folder.mkdir()
        (self.folder / "x.js").write_text("old()", "ascii")
        (self.folder / "x.version").write_text("another checksum\n", "ascii")
        self.provide(ARCHIVE)
        self.assertTrue(self.is_provided())

    def test_an_archive_put_there_by_hand_needs_no_network(self) -> None:
        self.folder.mkdir()
        (self.folder / "x-1.2.3.tgz").write_bytes(ARCHIVE)
        self.assertEqual(self.provide(), "")
        self.assertTrue(self.is_provided())

    def refused(self, said: str, what: str) -> None:
        self.assertRegex(said, f"^callgrind_export will do without --to html: .*{what}")
        self.assertEqual(said.count("\n"), 1)
        self.assertFalse(self.is_provided())
        self.assertFalse((self.folder / "x.js").exists())

    def test_without_npm(self) -> None:
        self.refused(self.provide(), "npm is not installed")

    def test_without_network(self) -> None:
        self.with_npm()
        self.refused(self.provide(), "npm cannot fetch x 1.2.3")

    def test_with_another_checksum(self) -> None:
        self.with_npm()
        self.refused(self.provide(packed(b"steal()")), "does not have the checksum")
