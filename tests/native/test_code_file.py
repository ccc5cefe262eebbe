# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/translation_cache/code_file.c: whatever happens to a file, an entry is
# found as it was stored, or not at all; and a file is the old one or the new one, whole.

"""Files of the translation cache: damage, errors of the system, several writers."""

from __future__ import annotations

import errno
import itertools
import os
import stat
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Sequence

from tests.native.building import build
from tests.runner.series import is_long

FILES = (
    "base/table.c", "translation_cache/code_file.c", "translation_cache/file_index.c",
    "translation_cache/temporary_file.c", "write/file_calls.c", "write/outside.c",
)
MANY = 600  # entries: more than is kept in memory where it is written as it comes
MUTATIONS = 2000
ENTRIES = 40  # as code_files.c looks up
SEED = 20


class CodeFile(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "entries.code"

    def run_program(self, *words: object, fault: str = "") -> str:
        program = build("code_files", "../tests/native/fake_tables.c", *FILES)
        done = subprocess.run(
            [program, str(words[0]), str(self.folder), *map(str, words[1:])],
            env={**os.environ, "FAULT": fault}, capture_output=True, text=True,
            check=True,
        )
        return done.stdout

    def found(self, n: int) -> str:
        return self.run_program("read", n).strip()

    def test_what_is_added_is_found(self) -> None:
        self.run_program("write", 0, 30)
        self.assertEqual(self.found(40), "30 found, 10 lost, 0 wrong")
        self.run_program("write", 20, 20)
        self.assertEqual(self.found(40), "40 found, 0 lost, 0 wrong")
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["entries.code"])

    def test_what_is_there_is_not_written_again(self) -> None:
        self.run_program("write", 0, 30)
        before = self.path.stat().st_ino
        self.run_program("write", 0, 30)
        self.run_program("early", 10, 20)
        self.assertEqual(self.path.stat().st_ino, before)
        self.run_program("write", 20, 20)
        self.assertNotEqual(self.path.stat().st_ino, before)

    def test_what_is_damaged_is_written_again(self) -> None:
        self.run_program("write", 0, 30)
        whole = self.path.read_bytes()
        many = len(whole) // 16  # less is not worth a new file
        for at in range(100, len(whole) // 2, 1009):
            damaged = bytearray(whole)
            damaged[at : at + many] = bytes(byte ^ 1 for byte in whole[at : at + many])
            self.path.write_bytes(damaged)
            self.assertNotEqual(self.found(30), "30 found, 0 lost, 0 wrong")
            self.run_program("write", 0, 30)
            self.assertEqual(self.found(30), "30 found, 0 lost, 0 wrong")

    def test_what_is_written_as_it_comes(self) -> None:
        """It has the same entries as what is written at once, and each of them once."""
        said = self.run_program("early", 0, MANY)
        self.assertIn("error 0", said)
        self.assertRegex(said, r"\b0 wrong")
        self.assertNotRegex(said, r"\b0 lost")  # some had been written by then
        self.assertEqual(self.found(MANY), f"{MANY} found, 0 lost, 0 wrong")
        early = self.path.stat()
        self.assertEqual(stat.S_IMODE(early.st_mode), 0o600)
        self.path.unlink()
        self.run_program("write", 0, MANY)
        self.assertEqual(self.path.stat().st_size, early.st_size)
        self.run_program("early", MANY // 2, MANY)
        self.assertEqual(
            self.found(2 * MANY), f"{MANY * 3 // 2} found, {MANY // 2} lost, 0 wrong"
        )
        self.assertEqual([path.name for path in self.folder.iterdir()], ["entries.code"])

    def test_what_was_not_new(self) -> None:
        """Of what is added twice as if it were new, the last is there, once."""
        said = self.run_program("new", 0, MANY)
        self.assertRegex(said, r"^error 0\n[1-9]\d* found, 0 lost, 0 wrong$")
        self.assertEqual(self.found(MANY), f"{MANY} found, 0 lost, 0 wrong")
        n_entries, = struct.unpack_from("<I", self.path.read_bytes(), 12)
        self.assertEqual(n_entries, MANY)

    def test_mutations(self) -> None:
        self.run_program("write", 0, ENTRIES)
        said = self.run_program("mutate", MUTATIONS, SEED).split()
        found, lost, wrong = int(said[0]), int(said[2]), int(said[4])
        self.assertEqual(found + lost, MUTATIONS * ENTRIES)
        self.assertEqual(wrong, 0)
        # Damage is found, and an entry apart from it is used all the same.
        self.assertGreater(lost, MUTATIONS)
        self.assertGreater(found, MUTATIONS)

    def test_every_call_fails(self) -> None:
        """The new file is there; the old one; or, if that could not be read, all that
        was added now, without or with the ten that it had already."""
        self.check_faults(
            (errno.ENOSPC, errno.EIO, errno.EDQUOT, 0), 15, "write", 30,
            {
                "40 found, 0 lost, 0 wrong",
                "20 found, 20 lost, 0 wrong",
                "30 found, 10 lost, 0 wrong",
            },
        )

    def test_every_call_fails_while_it_comes(self) -> None:
        self.check_faults(
            (errno.ENOSPC, 0), 40, "early", MANY,
            {
                f"{MANY + 10} found, 0 lost, 0 wrong",
                f"20 found, {MANY - 10} lost, 0 wrong",
                f"{MANY} found, 10 lost, 0 wrong",
                f"{MANY - 10} found, 20 lost, 0 wrong",
            },
        )

    def check_faults(
        self, errors: Sequence[int], least: int, way: str, n: int, outcomes: set[str]
    ) -> None:
        """Each of the calls on files, of which there are `least` and more, fails, while
        `n` entries from number 10 on are added to a file with 20: from then on, and once,
        with one error each, or with --long each error both ways."""
        self.run_program("write", 0, 20)
        before = self.path.read_bytes()
        for number, error in enumerate(errors):
            for once in (0, 1) if is_long() else (number % 2,):
                for count in itertools.count(1):
                    self.path.unlink(missing_ok=True)
                    self.path.write_bytes(before)
                    self.path.chmod(0o600)
                    said = self.run_program(
                        way, 10, n, fault=f"any:{count}:{error}:{once}"
                    )
                    if " failed\n" not in said:  # there are no more calls
                        self.assertGreater(count, least)
                        break
                    with self.subTest(error=error, once=once, count=count):
                        self.assertRegex(said, r"\b0 wrong")
                        self.assertIn(self.found(n + 10), outcomes, said)
                        left = {path.name for path in self.folder.iterdir()}
                        for name in left - {"entries.code"}:
                            (self.folder / name).unlink()
                        if once:
                            self.assertEqual(left, {"entries.code"})

    def test_a_file_of_another_name_is_not_believed(self) -> None:
        """Its header has the name that it was written under."""
        self.run_program("write", 0, 20)
        self.path.rename(self.folder / "other.code")
        self.assertEqual(self.run_program("read", 20, "other.code").strip(),
                         "0 found, 20 lost, 0 wrong")
        (self.folder / "other.code").rename(self.path)
        self.assertEqual(self.found(20), "20 found, 0 lost, 0 wrong")

    def test_files_of_others_are_not_read(self) -> None:
        self.run_program("write", 0, 20)
        for mode in (0o640, 0o604, 0o622):
            self.path.chmod(mode)
            self.assertEqual(self.found(20), "0 found, 20 lost, 0 wrong")
        self.path.chmod(0o600)
        self.path.rename(self.folder / "elsewhere")
        self.path.symlink_to("elsewhere")
        self.assertEqual(self.found(20), "0 found, 20 lost, 0 wrong")
        self.run_program("write", 0, 20)  # replaces the link
        self.assertFalse(self.path.is_symlink())
        self.assertEqual(self.found(20), "20 found, 0 lost, 0 wrong")
        if os.geteuid() == 0:
            os.chown(self.path, 64901, 64901)
            self.assertEqual(self.found(20), "0 found, 20 lost, 0 wrong")


if __name__ == "__main__":
    unittest.main()
