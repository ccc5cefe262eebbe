# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a hostile profile, tree or command line can do to a terminal: nothing.  Every name
# in them has the sequences that move a cursor, change colours or set a title.

"""callgrind_report and callgrind_export on a terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPORT = Path(__file__).resolve().parent.parent

# ESC, BEL, DEL; CSI as UTF-8 has it, and as Latin-1 does.
EVIL = b"\x1b[31m\x07\x7f\xc2\x9b35m\x9b36m"
PROFILE = b"""# callgrind format
version: 1
creator: EVIL
cmd: EVIL
part: 1

desc: Trigger: EVIL

positions: line
event: EVIL : EVIL
events: Ir Ir2EVIL
summary: 11 0

ob=(1) objectEVIL
fl=(1) fileEVIL
fn=(1) oneEVIL
1 5 1
cfn=(2) twoEVIL
calls=1 6
1 6 1
fn=(2)
1 6 1
totals: 11 2
""".replace(b"EVIL", EVIL)
# As a tree file has it: it need not escape what is above 0x7f.
ESCAPED = re.sub(
    rb"[\x00-\x1f\x7f]", lambda found: b"\\x%02x" % found.group()[0], EVIL
)
TREE = b"""callgrind-tree 1
creator EVIL
costs counted
event Ir count EVIL
object 1 - objectEVIL
source 1 sourceEVIL
function 1 1 1 1 nameEVIL
process 1 1 0 commandEVIL
thread 1 1 1 threadEVIL
part 1
trigger EVIL
tree 1
0 1 0 7
total 1 0 7
end 1 1 7
""".replace(b"EVIL", ESCAPED)

# What may be in lines of text; colours are ours if they are asked for.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Terminal(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "profile").write_bytes(PROFILE)
        (self.folder / "tree").write_bytes(TREE)

    def shown(self, script: str, *arguments: str) -> tuple[int, str]:
        """The exit status, and what reaches the terminal."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            [sys.executable, str(REPORT / script), *arguments], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
        ) as process:
            os.close(theirs)
            content = b""
            try:
                while True:
                    content += os.read(ours, 65536)
            except OSError:  # the other end is closed
                os.close(ours)
        return process.returncode, content.decode("utf-8", "surrogateescape")

    def assert_harmless(self, script: str, *arguments: str, status: int) -> None:
        with self.subTest(arguments=arguments):
            ended, text = self.shown(script, *arguments)
            self.assertEqual(ended, status, text)
            self.assertNotEqual(text, "")
            found = CONTROL.search(text) or re.search("[\udc80-\udcff]", text)
            self.assertIsNone(found, f"{found}: {text!r}")

    def test_reports(self) -> None:
        for options in (
            ["--color=never"],
            ["--color=never", "--event=all"],
            ["--color=never", "--function=*"],
            ["--color=never", "--annotate"],
            ["--json"],
            ["--csv"],
        ):
            self.assert_harmless("callgrind_report.py", *options, "profile", status=0)
        self.assert_harmless(
            "callgrind_report.py", "--color=never", "--diff", "profile", "profile",
            status=0,
        )

    def test_what_fails_a_comparison(self) -> None:
        more = PROFILE.replace(b"\n1 6 1\ntot", b"\n1 60 1\ntot")
        (self.folder / "more").write_bytes(more.replace(b"creator: ", b"creator: new "))
        diff = ["--color=never", "--diff", "profile", "more", "--match=name"]
        for option, status in (
            ("--fail-function-above=0", 1),
            ("--fail-above=0", 1),
            ("--same-surroundings", 3),
        ):
            self.assert_harmless("callgrind_report.py", *diff, option, status=status)

    def test_exports(self) -> None:
        for form in ("folded", "speedscope", "firefox", "callgrind"):
            self.assert_harmless("callgrind_export.py", "--to", form, "tree", status=0)

    def test_an_export_to_a_pipe_is_as_it_was(self) -> None:
        """Only a terminal gets other bytes than a file does."""
        command = [
            sys.executable, str(REPORT / "callgrind_export.py"), "--to", "folded", "tree"
        ]
        piped = subprocess.run(
            command, cwd=self.folder, stdout=subprocess.PIPE, check=True
        ).stdout
        subprocess.run([*command, "-o", "out"], cwd=self.folder, check=True)
        self.assertEqual(piped, (self.folder / "out").read_bytes())
        self.assertIn(b"\xc2\x9b35m\x9b36m", piped)

    def test_refusals(self) -> None:
        odd = os.fsdecode(EVIL)
        (self.folder / "broken").write_bytes(PROFILE.replace(b"1 5 1", b"1 " + EVIL))
        for arguments in (
            [odd], ["--event", odd, "profile"], ["--function", odd, "profile"],
            ["--" + odd], ["broken"], ["--diff", "profile", odd],
            ["--fail-above", odd + ":1%", "--diff", "profile", "profile"],
        ):
            self.assert_harmless("callgrind_report.py", *arguments, status=2)
        for arguments in (
            ["--to", "folded", odd], ["--to", odd], ["--" + odd],
            ["--to", "folded", "-o", "none/" + odd, "tree"],
            ["--to", "folded", "--event", odd, "tree"],
        ):
            self.assert_harmless("callgrind_export.py", *arguments, status=2)
