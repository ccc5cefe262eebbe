# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of any length: of functions, and of objects that a program wants to be skipped.
# The profile is whole, and what is executed starts.

"""Names of absurd length."""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.files.hostile import BUILD, SOURCE
from tests.native.building import core_flags

HUGE = "a" * 1_100_000
ASSEMBLY = f"""
   .text
   .globl main, {HUGE}
   .type main, @function
   .type {HUGE}, @function
main:
   call {HUGE}
   xor %eax, %eax
   ret
   .size main, . - main
{HUGE}:
   nop
   ret
   .size {HUGE}, . - {HUGE}
   .section .note.GNU-stack, "", @progbits
"""
LEFT_OUT = re.compile(
    r"Warning: (\d+) objects of CALLGRIND_ADD_OBJ_SKIP are not skipped in the program "
    "that is executed: its arguments would be too long"
)


class LongNames(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="names."))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_tool(self, *words: object, stack: int = 0) -> str:
        """What the tool says; with a largest stack of so many bytes."""
        def limit_stack() -> None:
            if stack != 0:
                most = resource.getrlimit(resource.RLIMIT_STACK)[1]
                resource.setrlimit(resource.RLIMIT_STACK, (stack, most))

        done = subprocess.run(
            [BUILD / "vg-in-place", "-q", "--tool=callgrind",
             f"--callgrind-out-file={self.folder}/out.%p", *map(str, words)],
            text=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, preexec_fn=limit_stack, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr[:1000])
        return done.stderr

    def profile(self) -> str:
        path, = self.folder.glob("out.*")
        text = path.read_text(encoding="utf-8")
        path.unlink()
        self.assertIn("\ntotals: ", text)
        return text

    # --- Functions ---------------------------------------------------------------------

    def test_patterns_and_a_function_of_a_million_bytes(self) -> None:
        program = self.folder / "program"
        built = subprocess.run(
            ["gcc", "-x", "assembler", "-", "-o", program], input=ASSEMBLY, text=True,
            capture_output=True, check=False,
        )
        if built.returncode != 0:
            self.skipTest("this is assembly of another processor")
        for option, is_shown in (
            ("--fn-skip=zz", True), ("--fn-skip=*a*a*a", False), ("--fn-skip=*a*z", True),
            ("--toggle-collect=main*", True), ("--dump-before=*z*a", True),
            ("--separate-callers2=?*a", True), ("--fn-group1=*aa*", True),
            ("--obj-skip=*a*z", True),
        ):
            with self.subTest(option):
                self.run_tool(option, program)
                self.assertEqual(HUGE in self.profile(), is_shown)

    # --- Objects -----------------------------------------------------------------------

    def skip(self, n: int, length: int, stack: int = 0) -> list[str]:
        """The program asks for that; what the tool says of it, and not that none of them
        has matched anything."""
        program = self.folder / "add_skips"
        if not program.exists():
            subprocess.run(
                ["gcc", "-O1", *core_flags(), f"-I{SOURCE}/include", "-o", program,
                 SOURCE / "tests/files/add_skips.c"], check=True,
            )
        said = self.run_tool("--trace-children=yes", program, n, length, "/bin/true",
                             stack=stack)
        lines = re.findall(r"^==\d+== (.*)$", said, re.MULTILINE)
        return [line for line in lines
                if not re.search("has matched nothing|have matched nothing", line)]

    def test_a_thousand_objects(self) -> None:
        self.assertEqual(self.skip(1000, 60), [])

    def test_objects_for_which_there_is_no_room(self) -> None:
        """The program that is executed starts all the same."""
        for n, length, stack in ((1000, 4000, 0), (1000, 300, 512 << 10)):
            said = self.skip(n, length, stack)
            self.assertEqual(len(said), 1, said)
            found = LEFT_OUT.fullmatch(said[0])
            assert found, said
            self.assertIn(int(found[1]), range(1, n))

    def test_objects_that_are_too_long(self) -> None:
        self.assertEqual(
            self.skip(3, 4096),
            ["Warning: CALLGRIND_ADD_OBJ_SKIP: a path of 4096 bytes or more is "
             "ignored: there are none"],
        )
        self.assertEqual(
            self.skip(3, 4_000_000),
            ["Warning: the text of CALLGRIND_ADD_OBJ_SKIP is longer than any path; "
             "ignored"],
        )
        self.assertEqual(self.skip(3, 4095), [])


if __name__ == "__main__":
    unittest.main()
