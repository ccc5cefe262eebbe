# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a Debian package of a cross build is made by: what it depends on, where the other
# machine's packages are only unpacked, and where its links lead.  That a package installs
# and is gone again is tested on other machines (tests/machines).

"""The Debian package of a cross build."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

from tests.build.built import SOURCE, BuildTest, Ended, run

SCRIPTS = SOURCE / "coregrind"
# The shared library that it is linked to is the C library alone.
LINKED_TO_LIBC = "int main(void) { return 0; }\n"


class Unpacked(BuildTest):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "root"

    def unpack(self, package: str, version: str, log: str = "changelog.Debian") -> None:
        folder = self.root / "usr/share/doc" / package
        folder.mkdir(parents=True, exist_ok=True)
        text = f"{package} ({version}) unstable; urgency=medium\n\n  * It is new.\n"
        text += f"{package} (0.1-1) unstable; urgency=medium\n"
        (folder / f"{log}.gz").write_bytes(gzip.compress(text.encode()))

    def ask(self, *words: str) -> Ended:
        """A function of deb_unpacked.sh, as make_deb.sh calls it."""
        script = """set -eu
core_root=$1 architecture=arm64
fail() { echo "make deb: $1" >&2; exit 1; }
. "$2"
shift 2
answer=$("$@")
echo "$answer"
"""
        shell = ("sh", "-c", script, "sh", self.root, SCRIPTS / "deb_unpacked.sh")
        return run(*shell, *words)

    def linked_program(self) -> str:
        program = self.folder / "program"
        ended = run("gcc", "-x", "c", "-o", program, "-", stdin=LINKED_TO_LIBC)
        self.assert_ended(ended, 0)
        return str(program)

    def test_a_version_is_that_of_the_newest_change(self) -> None:
        self.unpack("valgrind", "1:3.19.0-1")
        ended = self.ask("unpacked_version", "valgrind")
        self.assert_ended(ended, 0)
        self.assertEqual(ended.out, "1:3.19.0-1\n")

    def test_a_package_that_was_built_again_has_that_version(self) -> None:
        self.unpack("valgrind", "1:3.24.0-3")
        self.unpack("valgrind", "1:3.24.0-3+b1", "changelog.Debian.arm64")
        self.unpack("valgrind", "1:3.24.0-3+b2", "changelog.Debian.amd64")
        self.assertEqual(self.ask("unpacked_version", "valgrind").out, "1:3.24.0-3+b1\n")

    def test_without_a_version_there_is_no_package(self) -> None:
        ended = self.ask("unpacked_version", "valgrind")
        self.assert_ended(ended, 1)
        self.assertEqual(ended.out, "")
        self.assertEqual(
            ended.err,
            "make deb: the version of package valgrind is not known:"
            f" {self.root}/usr/share/doc/valgrind/changelog.Debian.gz does not say it\n",
        )

    def test_libraries_are_no_older_than_the_linked_release(self) -> None:
        program = self.linked_program()
        self.unpack("libc6", "2.36-9+deb12u14")
        ended = self.ask("unpacked_libraries", program)
        self.assert_ended(ended, 0)
        self.assertEqual(ended.out, ", libc6 (>= 2.36)\n")
        self.unpack("libc6t64", "2.41-12")
        ended = self.ask("unpacked_libraries", program)
        self.assertEqual(ended.out, ", libc6t64 (>= 2.41)\n")

    def test_an_unknown_library_ends_it(self) -> None:
        program = self.linked_program()
        ended = self.ask("unpacked_libraries", program)
        self.assert_ended(ended, 1)
        self.assertIn("the version of package libc6 is not known", ended.err)


class Links(BuildTest):
    """Those that `make install` makes in a cross build."""

    def links(self, *words: str) -> Path:
        root, here = self.folder / "root", self.folder / "here"
        tools = root / "usr/libexec/valgrind"
        tools.mkdir(parents=True, exist_ok=True)
        (tools / "none-arm64-linux").touch()
        script = SCRIPTS / "distribution_links.sh"
        ended = run("sh", script, *words, tools, here, CORE_ROOT=str(root))
        self.assert_ended(ended, 0)
        return here / "none-arm64-linux"

    def test_they_lead_to_where_the_files_are_there(self) -> None:
        link = self.links("tools")
        self.assertEqual(os.readlink(link), "/usr/libexec/valgrind/none-arm64-linux")

    def test_they_are_removed_again(self) -> None:
        link = self.links("tools")
        self.links("remove")
        self.assertFalse(link.is_symlink())
