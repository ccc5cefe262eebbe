# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program's profile on an emulated machine is that of this one, event by event; and what
# such a machine boots with.  tests/steady/measure_machines.py does it for more of them.

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.build.built import BUILD, IN_PLACE
from tests.steady.comparing import measured
from tests.steady.other_machine import (
    MACHINES,
    Command,
    archive,
    command_lines,
    run_on,
    sources_of,
    why_not,
)
from tests.steady.program_table import PROGRAMS
from tests.steady.surroundings import BASE, FIRST, KEPT, Valgrind, run

STEADY = ("--steady=yes", "--fair-sched=try", KEPT)
(EPYC,) = [machine for machine in MACHINES if machine.name == "EPYC"]


class WithFolder(unittest.TestCase):
    def setUp(self) -> None:
        self.work = Path(tempfile.mkdtemp(prefix="steady.", dir="/tmp")).resolve()
        self.work.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.work)


class BootedWith(WithFolder):
    def test_an_archive_is_read_by_cpio(self) -> None:
        readers = (["cpio", "--quiet"], ["busybox", "cpio"])
        reader = next((each for each in readers if shutil.which(each[0])), None)
        if reader is None:
            self.skipTest("neither cpio nor busybox is installed")
        entries = [
            ("a", 0o040755, b""),
            ("a/text", 0o100644, b"12345"),
            ("a/link", 0o120777, b"text"),
        ]
        subprocess.run(
            [*reader, "-i"], cwd=self.work, input=archive(entries), check=True
        )
        self.assertEqual((self.work / "a/text").read_bytes(), b"12345")
        self.assertEqual((self.work / "a/text").stat().st_mode & 0o777, 0o644)
        self.assertEqual(os.readlink(self.work / "a/link"), "text")

    def test_an_archive_has_whole_words_and_an_end(self) -> None:
        text = archive([("name", 0o100644, b"12345")])
        header = text[:110]
        self.assertEqual(header[:6], b"070701")
        self.assertEqual(int(header[54:62], 16), 5)  # the length of the content
        self.assertEqual(text[110:116], b"name\0\0")
        self.assertEqual(text[116:124], b"12345\0\0\0")
        self.assertIn(b"TRAILER!!!\0", text[124:])
        self.assertEqual(len(text) % 4, 0)

    def test_drivers_come_behind_those_they_need(self) -> None:
        def driver(name: str, depends: str) -> Path:
            path = self.work / f"{name}.ko"
            path.write_bytes(b"ELF\0depends=" + depends.encode() + b"\0name=x\0")
            return path

        low, middle = driver("low", ""), driver("mid-dle", "low")
        top = driver("top", "mid_dle,low")
        self.assertEqual(sources_of(["top", "low"], self.work), [low, middle, top])
        driver("alone", "absent")
        self.assertEqual(sources_of(["low", "alone"], self.work), [])

    def test_commands_get_what_they_are_given(self) -> None:
        words = ("sh", "-c", 'echo "$X"; printf %s "$1" > "a b"; exit 7', "sh", "'\"$ ")
        lines = command_lines(3, Command(self.work, words, {"X": "y z", "PATH": "/bin"}))
        subprocess.run(
            ["sh", "-c", f"W={shlex.quote(str(self.work))}\n{lines}"], check=True
        )
        self.assertEqual((self.work / "3.status").read_text(), "7\n")
        self.assertEqual((self.work / "a b").read_text(), "'\"$ ")


@unittest.skipUnless(platform.machine() == "x86_64", "measured on amd64 alone")
class OtherMachine(WithFolder):
    def test_the_profile_is_the_same(self) -> None:
        reason = why_not()
        if reason:
            self.skipTest(reason)
        (program,) = [each for each in PROGRAMS if each.language == "C"]
        built = program.built(self.work)
        tool = Valgrind(IN_PLACE.parent / ".in_place", IN_PLACE, STEADY)
        here = measured(run(FIRST, tool, self.work, built), FIRST.program)
        folder = self.work / FIRST.folder
        shutil.copy(built, folder / FIRST.program)
        out = self.work / "results" / "out"
        out.unlink()
        words = [*tool.command(""), f"--callgrind-out-file={out}"]
        words.append(str(folder / FIRST.program))
        commands = [
            Command(folder, tuple(words), {**BASE, **tool.variables()}),
            Command(folder, ("sh", "-c", "cat /proc/cpuinfo > ../cpuinfo"), BASE),
        ]
        statuses = run_on(EPYC, self.work, commands, [BUILD])
        errors = (self.work / "0.errors").read_text("utf-8", "replace")
        self.assertEqual(statuses, [0, 0], errors)
        self.assertTrue(here == measured(out, FIRST.program))
        # It was another machine.
        cpuinfo = (self.work / "cpuinfo").read_text("utf-8")
        self.assertEqual(cpuinfo.count("processor\t"), EPYC.processors)


if __name__ == "__main__":
    unittest.main()
