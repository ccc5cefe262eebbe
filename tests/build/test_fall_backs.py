# SPDX-License-Identifier: GPL-2.0-or-later
#
# Calls of the core that do not come to the tool although configure saw that they would,
# as in a core that another compiler has put together.  The tool is linked once more, with
# one call left where it is: the profile is the same, and a line says what is not done.

"""What is led to the tool, and does not arrive."""

from __future__ import annotations

import re
import shlex
import shutil
import unittest
from pathlib import Path

from tests.build.built import BUILD, PLATFORM, STOCK_LAUNCHER, BuildTest, make, run
from tests.core_headers import request_flags
from tests.differential.profile_bytes import different_files, first_difference
from tests.differential.profile_bytes import run as profile

TOOL = f"callgrind/callgrind-{PLATFORM}"
PROGRAM = """
#include "callgrind.h"
static volatile int sum;
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void)
{
   for (int i = 0; i < 3; i++) {
      sum += fib(9);
      CALLGRIND_STOP_INSTRUMENTATION;
      sum += fib(5);
      CALLGRIND_START_INSTRUMENTATION;
   }
   return 0;
}
"""
# With one table code is translated anew, and it may be divided otherwise.
SUPERBLOCKS = re.compile(rb"^desc: Timerange: .*\n", re.M)
ONE_TABLE = "there is one table of translations, not two"
NONE_RESERVED = "VEX chooses registers otherwise than is known: none are reserved"
# The line that is said; without one, the core does itself what it was asked for.
CASES = (
    ("LibVEX_Translate", ONE_TABLE),
    ("vgPlain_search_transtab", ONE_TABLE),
    ("vgPlain_add_to_transtab", ONE_TABLE),
    ("getRRegUniverse_AMD64", NONE_RESERVED),
    ("vgPlain_disp_run_translations",
     "The core enters code that may use registers otherwise than is known"),
    ("vgModuleLocal_create_sched_lock", None),
    ("LibVEX_Chain", None),
    ("cprop_BB", None),
)


def link_command() -> str:
    """What links the tool, as make would say it."""
    ended = make("-n", "V=1", "-W", f"callgrind/callgrind_{PLATFORM}-main.o", TOOL)
    found = re.search(rf"^.* -o {TOOL} .*$", ended.out.replace("\\\n", " "), re.M)
    assert found is not None, ended.out + ended.err
    return found[0]


class FallBacks(BuildTest):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "program.c").write_text(PROGRAM)
        self.assert_ended(run("gcc", "-g", "-O1", "-static", *request_flags(), "-o",
                              "program", "program.c", cwd=self.folder), 0)

    def link_without(self, name: str) -> Path:
        """A build whose tool the calls of a function do not reach."""
        build = self.folder / name
        tools = build / ".in_place"
        shutil.copytree(BUILD / ".in_place", tools, symlinks=True)
        tool = tools / f"callgrind-{PLATFORM}"
        tool.unlink()
        words = shlex.split(link_command())
        self.assertIn(f"-Wl,--wrap={name}", words)
        words[words.index("-o") + 1] = str(tool)
        words[words.index(f"-Wl,--wrap={name}")] = f"-Wl,--defsym=__real_{name}={name}"
        self.assert_ended(run(*words, "-s", cwd=BUILD), 0)
        return build

    def profile_of(self, build: Path) -> dict[str, bytes]:
        program = str(self.folder / "program")
        written = profile(build, self.folder, ["--ct-check=all"], [program])
        return {name: SUPERBLOCKS.sub(b"", text) for name, text in written.items()}

    def said_by(self, build: Path) -> str:
        """With -v."""
        ended = run(
            STOCK_LAUNCHER, "--tool=callgrind", "-v", "--callgrind-out-file=/dev/null",
            "./program", cwd=self.folder, VALGRIND_LIB=str(build / ".in_place"),
        )
        self.assert_ended(ended, 0)
        return ended.err

    def test_the_profile_is_the_same(self) -> None:
        whole = self.profile_of(BUILD)
        for unexpected in (ONE_TABLE, NONE_RESERVED):
            self.assertNotIn(unexpected, self.said_by(BUILD))
        command = shlex.split(link_command())
        for name, line in CASES:
            if f"-Wl,--wrap={name}" not in command:
                continue  # not of this platform, or of this core
            with self.subTest(name=name):
                build = self.link_without(name)
                without = self.profile_of(build)
                for file in different_files(whole, without):
                    if file != "output":
                        self.fail(first_difference(whole, without, file))
                if line is not None:
                    self.assertEqual(self.said_by(build).count(line), 1)


if __name__ == "__main__":
    unittest.main()
