# SPDX-License-Identifier: GPL-2.0-or-later
#
# Another compiler than gcc: that clang has nothing to say of the sources.  Of every
# fourth, as all take most of a minute of a processor; of all with --fresh.  That what it
# makes works is seen by hand (docs/testing.md).

"""The sources under clang."""

from __future__ import annotations

import os
import shutil
import unittest
from pathlib import Path
from typing import Optional

from tests.build.built import BUILD, BuildTest, Ended, run

NAMES = ("clang-19", "clang", "clang-14")
# Those in which make leaves objects of ours.
FOLDERS = ("callgrind", "reader", "sampler", "shared")
WARNED_OF = "int two(void);\nint two(void) { int one; return 2; }\n"
# A rule beside the Makefile's, for that source.
ITS_RULE = "warned.o: warned.c\n\t$(CC) $(TOOL_CFLAGS) $(TOOL_WARNINGS) $(CFLAGS) -c $<\n"


def clang() -> Optional[str]:
    return next((name for name in NAMES if shutil.which(name)), None)


@unittest.skipIf(clang() is None, "clang is not installed")
class Clang(BuildTest):
    def objects(self) -> list[str]:
        """Those of this build, by their names there; not those of tests."""
        found = [path.relative_to(BUILD) for folder in FOLDERS
                 for path in sorted((BUILD / folder).rglob("*.o"))]
        ours = [str(path) for path in found if "tests" not in path.parts]
        self.assertGreater(len(ours), 200)
        return ours if os.environ.get("CT_FRESH") else ours[::4]

    def read_by_clang(self, build: Path, *words: str) -> Ended:
        return run("make", "-s", "-k", "-j2", "-C", build,
                   "CFLAGS=-fsyntax-only -Werror", *words, stdin=ITS_RULE)

    def test_no_source_is_warned_of(self) -> None:
        build = self.folder / "build"
        build.mkdir()
        ended = run(self.configure_script(), "--disable-dependency-tracking",
                    f"CC={clang()}", cwd=build)
        self.assert_ended(ended, 0)
        ended = self.read_by_clang(build, *self.objects())
        self.assertEqual(ended.err, "")
        self.assert_ended(ended, 0)
        # And one that it has to warn of.
        (build / "warned.c").write_text(WARNED_OF)
        ended = self.read_by_clang(build, "-f", "Makefile", "-f", "-", "warned.o")
        self.assertNotEqual(ended.status, 0)
        self.assertIn("unused variable 'one'", ended.err)
