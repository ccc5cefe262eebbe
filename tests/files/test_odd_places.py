# SPDX-License-Identifier: GPL-2.0-or-later
#
# Profiles that are to go where nothing can be written, or where somebody has to read: a
# folder that is gone, a pipe.  The program's status is its own, and the profile is kept.

"""A working folder that is gone, and pipes with odd readers."""

from __future__ import annotations

import array
import fcntl
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import unittest
from pathlib import Path
from typing import Callable, Optional

from tests.files.hostile import BUILD, SOURCE

LAUNCHER = BUILD / "vg-in-place"
PROGRAM = ["sh", "-c", "exit 3"]
PIPE_SIZE = 4096  # less than any profile has


class OddPlaces(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="places."))
        self.addCleanup(shutil.rmtree, self.folder)
        self.elsewhere = self.folder / "elsewhere"
        self.elsewhere.mkdir()

    def start(
        self, *options: str, before: Optional[Callable[[], None]] = None
    ) -> "subprocess.Popen[str]":
        """The program, under the tool."""
        return subprocess.Popen(
            [LAUNCHER, "-q", "--tool=callgrind", *options, *PROGRAM],
            env={**os.environ, "TMPDIR": str(self.elsewhere)},
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=before,
        )

    def end(self, process: "subprocess.Popen[str]", *expected: str) -> list[Path]:
        """Waits for the program, which must end as ever.  What the tool says must match,
        line by line.  Returns the files of the fall-back."""
        said = process.communicate()[1]
        self.assertEqual(process.returncode, 3, said)
        lines = re.findall(r"^==\d+== (.*)$", said, re.MULTILINE)
        self.assertEqual(len(lines), len(expected), said)
        for line, pattern in zip(lines, expected):
            self.assertRegex(line, f"^{pattern}$")
        found = sorted(self.elsewhere.iterdir())
        for path in found:
            self.assertIn("\ntotals: ", path.read_text())
        return found

    # --- The folder of the start ---------------------------------------------------

    def enter_and_remove(self) -> None:
        gone = self.folder / "gone"
        gone.mkdir()
        os.chdir(gone)
        gone.rmdir()

    def test_profile_where_the_folder_is_gone(self) -> None:
        """The second half of the command, which the shell before it leads to."""
        done = subprocess.run(
            [sys.executable, SOURCE / "coregrind" / "profile_run.py", LAUNCHER, *PROGRAM],
            env={**os.environ, "TMPDIR": str(self.elsewhere)}, text=True, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            preexec_fn=self.enter_and_remove,
        )
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(len(list(self.elsewhere.iterdir())), 1)

    def test_the_folder_of_the_start_is_gone(self) -> None:
        for option, name in (
            ("-q", r"callgrind\.out\.\d+"),
            ("--callgrind-out-file=a/name", "a/name"),
        ):
            with self.subTest(name):
                found = self.end(
                    self.start(option, before=self.enter_and_remove),
                    f"cannot write the profile to '{name}': "
                    "the folder of the start is gone",
                    "the profile is in '.*/elsewhere/.*' instead",
                )
                self.assertEqual(len(found), 1)
                found[0].unlink()

    def test_names_do_not_control_the_terminal(self) -> None:
        found = self.end(
            self.start(
                "--callgrind-out-file=absent\x1b[31m/name", "--fn-skip=f\x1b[32m",
                "--translation-cache=/dev/null/\x1b[33m",
            ),
            r"warning: no translation cache in '/dev/null/\\x1b\[33m': .*",
            r"cannot write the profile to '.*/absent\\x1b\[31m/name': no such folder",
            "the profile is in '.*/elsewhere/.*' instead",
            r"Warning: --fn-skip 'f\\x1b\[32m' has matched nothing that ran",
        )
        self.assertEqual(len(found), 1)

    def test_the_core_does_not_control_the_terminal(self) -> None:
        """What it says itself, before and after it knows the tool."""
        for words, said in (
            (["--no-such\x1b[31m=1", "/bin/true"], rb"no-such\x1b[31m"),
            (["/absent\x1b[31m"], rb"/absent\x1b[31m"),
        ):
            done = subprocess.run(
                [LAUNCHER, "--tool=callgrind", *words], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
            )
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)
            self.assertNotIn(b"\x1b", done.stderr)

    # --- Pipes ---------------------------------------------------------------------

    def pipe(self) -> tuple[str, int]:
        """The path of a small pipe, and its reading end."""
        path = self.folder / "pipe"
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(reader, 1031, PIPE_SIZE)  # F_SETPIPE_SZ
        return f"--callgrind-out-file={path}", reader

    def wait_until_full(self, reader: int) -> None:
        """Until the tool waits for the reader.  It ends if the tool does."""
        waiting = array.array("i", [0])
        while waiting[0] < PIPE_SIZE:
            select.select([reader], [], [])
            fcntl.ioctl(reader, termios.FIONREAD, waiting)

    def test_a_slow_reader_gets_everything(self) -> None:
        option, reader = self.pipe()
        process = self.start(option)
        self.wait_until_full(reader)
        os.set_blocking(reader, True)
        with open(reader, "rb") as stream:
            profile = stream.read()
        self.assertEqual(self.end(process), [])
        self.assertIn(b"\ntotals: ", profile)

    def test_a_reader_that_leaves(self) -> None:
        """In the middle of the program, which must not get the signal."""
        option, reader = self.pipe()
        process = self.start(option, "--combine-dumps=yes", "--dump-every-bb=20000")
        self.wait_until_full(reader)
        os.close(reader)
        said = process.communicate()[1]
        self.assertEqual(process.returncode, 3, said)
        lost = said.count("cannot write the profile to ")
        self.assertGreater(lost, 1)
        self.assertEqual(said.count(": nobody reads it\n"), lost)
        self.assertEqual(len(list(self.elsewhere.iterdir())), lost)

    def test_a_reader_that_never_reads_and_a_signal_to_end(self) -> None:
        option, reader = self.pipe()
        self.addCleanup(os.close, reader)
        process = self.start(option)
        self.wait_until_full(reader)
        process.send_signal(signal.SIGTERM)
        found = self.end(
            process,
            "cannot write the profile to '.*/pipe': "
            "nobody reads it, and the program is to end",
            "the profile is in '.*/elsewhere/.*' instead",
        )
        self.assertEqual(len(found), 1)
