# SPDX-License-Identifier: GPL-2.0-or-later
#
# read_profile, the program in C, against the reader in Python: every profile that the
# tests have, and mutations of these, under sanitizers.  And what happens without the
# program, or with one that does not do what it should.

"""Profiles read in C."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from functools import lru_cache
from pathlib import Path

from callgrind.report.tests import test_other_writers as other_writers
from callgrind.report.tests.make_large_profile import KINDS, write_profile
from callgrind.report.tests.report_case import DATA, REPORT
from callgrind.report.tests.two_readers import (
    DETAILS,
    Examples,
    all_of,
    difference,
    is_read_natively,
    read_by,
)
from profile_file import native
from profile_file.reader import Detail, read_profile
from tests.native.building import BUILD, FLAGS, compile_program
from tests.runner.series import is_long

SOURCE = REPORT.parent.parent
READER = SOURCE / "reader"
MUTATIONS = 600 if is_long() else 200

JUMPS = """version: 1
creator: callgrind-3.19.0
positions: instr line
events: Ir Dr
desc: Trigger: start
of two lines

fl=(1) /src/a.c
fn=(1) first
0x10 5 10 1
+1 +1 20
jump=5 +3 +4
* *
jfi=(2) /src/b.h
jfn=(2) second
jcnd=2/7 0x20 9
+2 *
jcnd=7 2 0x20 9
0x11 6 1
cfni=leaf
fi=(2)
+3 +3 4 4
fe=(1)
cfn=(2)
calls=2 0x20 9
0x12 7 30 3
cfni="(1) odd"
0x13 7 1

ob=(1) lib.so
fl=(2)
fn=(2)
# defined in: /src/c.c
0x20 9 30 3
cfn=(2)
calls=1 0x20 9
* * 5
fn=(3) unused
fn=(4) zero
0x30 1 0 0
totals: 66 8

part: 2
events: Ir
fn=(1)
1 3
cob=(1)
cfi=/src/c.c
cfn=(2)
calls=4 9
1 8
totals: 3
"""
DEFINED_TWICE = """events: Ir
fl=a.c
fn=main
1 1
cfi=d.c
cfn=f
calls=2 1
1 10
cfi=h.h
cfn=f
calls=3 1
1 20
fl=h.h
fn=f
# defined in: d.c
1 4
jfi=h.h
jfn=f
jump=3 1
1
"""
UMLAUTS = """creator: other
events: Ir
fn=(1) voil\xe0
1 5
cfn=(2) g\xfc
calls=1 \x39
1 2
fl=caf\xe0
fn=\xe0
2 -3
""".encode()


def texts() -> list[bytes]:
    """Profiles of every writer that the tests know."""
    found = [JUMPS.encode(), DEFINED_TWICE.encode(), UMLAUTS]
    found += [path.read_bytes() for path in sorted(DATA.glob("*.out"))]
    found += [text.encode() for text in (
        other_writers.XDEBUG_2, other_writers.XDEBUG_3, other_writers.PPROF,
        other_writers.PYPROF2CALLTREE, other_writers.RUBY_PROF)]  # fmt: skip
    return found


@lru_cache(maxsize=None)
def checked_program() -> str:
    """read_profile with sanitizers, which end it with another status than its own."""
    return compile_program("read_profile", sorted(READER.rglob("*.c")),
                           ["-D_POSIX_C_SOURCE=200809L", f"-I{READER}"], FLAGS)


class TwoReaders(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "profile"

    def large(self, kind: str = "browser", size: int = 600_000) -> Path:
        with open(self.path, "w", encoding="ascii") as stream:
            write_profile(stream, size, KINDS[kind], 1)
        return self.path

    def program(self, text: str) -> str:
        """A shell script in place of the program."""
        path = self.folder / "program"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return str(path)


class EqualResults(TwoReaders):
    def check(self, path: Path) -> None:
        for detail in DETAILS:
            for as_defined in (True, False):
                found = difference(checked_program(), path, detail, as_defined)
                self.assertEqual(found, "")

    def test_every_profile_of_the_tests(self) -> None:
        for content in texts():
            self.path.write_bytes(content)
            with self.subTest(content=content[:80]):
                self.check(self.path)

    def test_all_of_them_are_read_in_c(self) -> None:
        count = 0
        for content in texts():
            self.path.write_bytes(content)
            count += is_read_natively(checked_program(), self.path, Detail.LINES)
        self.assertEqual(count, len(texts()))

    def test_large_profiles(self) -> None:
        for kind in KINDS:
            with self.subTest(kind=kind):
                path = self.large(kind, 200_000)
                self.assertTrue(
                    is_read_natively(checked_program(), path, Detail.LINES))  # fmt: skip
                self.check(path)

    def test_a_file_that_was_cut(self) -> None:
        content = self.large(size=30_000).read_bytes()
        for left_out in (1, 2, 20, 500, 5000):
            with self.subTest(left_out=left_out):
                self.path.write_bytes(content[:-left_out])
                self.check(self.path)

    def test_numbers_at_the_edge_of_64_bits(self) -> None:
        for number in (10**18 - 1, 10**18, (1 << 63) - 1, 1 << 63, 1 << 64, 1 << 127):
            for text in (f"1 {number}\n1 {number}", f"{number} 1\n+{number} 1\n1 1",
                         f"1 5\ncfn=g\ncalls={number} {number}\n* {number}"):
                text = f"creator: other\nevents: Ir\nfn=f\n{text}\n"
                with self.subTest(text=text):
                    self.path.write_text(text)
                    self.check(self.path)

    def test_sums_of_more_than_64_bits(self) -> None:
        line = f"1 {10**18 - 1}\n"
        self.path.write_text(f"creator: other\nevents: Ir\nfn=f\n{line * 20}")
        self.check(self.path)

    def test_mutations(self) -> None:
        examples = Examples(texts(), checked_program(), self.folder)
        for seed in range(MUTATIONS):
            self.assertEqual(examples.check(seed), "")
        # Not everything was left to Python.
        self.assertGreater(examples.read_natively, MUTATIONS // 4)


class TheProgram(TwoReaders):
    def test_sanitizers_would_be_heard_of(self) -> None:
        """What is not plain ends with a status of its own, and one line."""
        for text in ("events: Ir\n1 x\n", "events: Ir\n1 5", "1 5\n"):
            done = subprocess.run([checked_program(), "functions"], input=text.encode(),
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(done.stderr.decode(), r"\Aread_profile: line [0-9]+: .*\n\Z")

    def test_what_it_is_for_is_said(self) -> None:
        done = subprocess.run([checked_program()], capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"`functions` or `lines`", done.stderr)

    def test_nobody_reads_its_answer(self) -> None:
        self.large()
        with open(self.path, "rb") as profile:
            ours, its = os.pipe()
            os.close(ours)
            done = subprocess.run([checked_program(), "functions"], stdin=profile,
                                  stdout=its, stderr=subprocess.PIPE, check=False)
            os.close(its)
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_records_have_one_number_on_both_sides(self) -> None:
        header = (READER / "packed" / "stream.h").read_text()
        version = re.search(r"#define STREAM_VERSION ([0-9]+)", header)
        assert version is not None
        self.assertEqual(int(version[1]), native.STREAM_VERSION)
        names = re.findall(r"^   RECORD_(\w+)", header, re.M)
        self.assertEqual(names, [record.name for record in native.Record])
        self.assertEqual(list(native.Record), list(range(1, len(names) + 1)))


class WhenItIsUsed(TwoReaders):
    def test_small_files_pipes_and_compressed_ones_are_read_in_python(self) -> None:
        native.use_program(checked_program())
        self.addCleanup(native.use_program, None)
        self.path.write_bytes(JUMPS.encode())
        self.assertIsNone(native.read_natively(self.path, True, None))
        self.large()
        self.assertIsNotNone(native.read_natively(self.path, True, None))
        content = self.path.read_bytes()
        for beginning in (b"\0", b"\x1f\x8b"):
            self.path.write_bytes(beginning + content)
            self.assertIsNone(native.read_natively(self.path, True, None))

    def test_a_pipe_is_read_whole(self) -> None:
        content = self.large().read_bytes()
        expected = all_of(read_profile(self.path, Detail.FUNCTIONS))
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        self.addCleanup(writer.join)
        with read_by(checked_program()):
            self.assertEqual(all_of(read_profile(pipe, Detail.FUNCTIONS)), expected)

    def test_whatever_the_program_does_the_profile_is_read(self) -> None:
        path = self.large()
        expected = all_of(read_profile(path, Detail.FUNCTIONS))
        real = checked_program()
        for text in ("exit 0", "exit 1", "kill -9 $$", "echo junk", "cat /dev/zero",
                     f"{real} $1 | head -c 1000", f"{real} $1; exit 1",
                     f"{real} $1 | head -c -1", f"{real} $1 | sed 's/./x/3'"):
            with self.subTest(text=text), read_by(self.program(text)):
                self.assertIsNone(native.read_natively(path, False, None))
                self.assertEqual(all_of(read_profile(path, Detail.FUNCTIONS)), expected)

    def test_a_program_that_is_none(self) -> None:
        path = self.large()
        expected = all_of(read_profile(path, Detail.FUNCTIONS))
        no_program = self.folder / "text"
        no_program.write_bytes(b"\x7fELF of another machine")
        no_program.chmod(0o755)
        for program in (str(no_program), "/nowhere/read_profile", ""):
            with read_by(program):
                self.assertEqual(all_of(read_profile(path, Detail.FUNCTIONS)), expected)

    def test_progress_is_told_and_ends_with_the_size(self) -> None:
        path = self.large(size=3_000_000)
        told: list[int] = []
        with read_by(checked_program()):
            self.assertIsNotNone(native.read_natively(path, False, told.append))
        self.assertEqual(told, sorted(told))
        self.assertEqual(told[-1], path.stat().st_size)
        self.assertGreater(len(told), 2)

    def test_the_commands_use_it(self) -> None:
        """Of the build folder: as they are started, by way of a program that tells."""
        path = self.large()
        real = BUILD / "read_profile"
        self.assertTrue(os.access(real, os.X_OK))
        command = (BUILD / "callgrind_report").read_text()
        self.assertIn("reader=$home/'read_profile'\n", command)
        told = self.folder / "told"
        start = [sys.executable, str(REPORT / "start.py"), "callgrind_report"]
        script = self.program(f"echo $1 >> {told}\nexec {real} $1")
        outputs = {
            subprocess.run([*words, "-n3", str(path)], check=True, capture_output=True)
            .stdout
            for words in (
                [*start, script], [*start, ""], [str(BUILD / "callgrind_report")]
            )
        }  # fmt: skip
        self.assertEqual(len(outputs), 1)
        self.assertEqual(told.read_text(), "functions\n")


if __name__ == "__main__":
    unittest.main()
