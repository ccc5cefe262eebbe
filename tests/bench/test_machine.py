# SPDX-License-Identifier: GPL-2.0-or-later
"""Facts about the machine, and what stands for those that cannot be found out."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.bench import machine


class Facts(unittest.TestCase):
    def test_the_model_is_that_of_the_first_processor(self) -> None:
        text = "processor\t: 0\nmodel name\t: Some CPU: 3 GHz\nmodel name\t: Other\n"
        self.assertEqual(machine.cpu_model(text), "Some CPU: 3 GHz")

    def test_a_processor_without_a_model_has_its_architecture(self) -> None:
        self.assertNotEqual(machine.cpu_model("processor : 0\n"), "")

    def test_a_program_that_is_missing_or_fails_has_no_first_line(self) -> None:
        self.assertIsNone(machine.first_line(["/no/such/program"]))
        self.assertIsNone(machine.first_line(["/bin/sh", "-c", "echo no; exit 1"]))
        self.assertEqual(machine.first_line(["/bin/sh", "-c", "echo a; echo b"]), "a")

    def test_the_prefix_for_fixed_addresses_fixes_them(self) -> None:
        prefix = machine.fixed_addresses()
        if not prefix:
            self.skipTest("setarch is not allowed here")
        maps = [
            subprocess.run(
                [*prefix, "grep", "stack", "/proc/self/maps"],
                capture_output=True,
                check=True,
            ).stdout
            for _ in range(3)
        ]
        self.assertEqual(len(set(maps)), 1, maps)


class Revision(unittest.TestCase):
    def git(self, folder: str, *arguments: str) -> None:
        identity = ["-c", "user.name=n", "-c", "user.email=e"]
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True,
                       capture_output=True)

    def test_outside_a_work_tree_is_unknown(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(machine.revision(Path(folder)), machine.UNKNOWN)

    @unittest.skipUnless(shutil.which("git"), "no git installed")
    def test_tells_that_files_were_changed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "file"
            file.write_text("a\n", encoding="ascii")
            self.git(folder, "init", "--quiet")
            self.git(folder, "add", "file")
            self.git(folder, "commit", "--quiet", "--message=m")
            self.assertRegex(machine.revision(Path(folder)), "^[0-9a-f]{12}$")
            file.write_text("b\n", encoding="ascii")
            changed = machine.revision(Path(folder))
            self.assertRegex(changed, "^[0-9a-f]{12} with changes$")
