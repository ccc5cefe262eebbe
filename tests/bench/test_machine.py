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
    def test_the_model_is_that_of_the_first_processor_or_its_architecture(self) -> None:
        text = "processor\t: 0\nmodel name\t: Some CPU: 3 GHz\nmodel name\t: Other\n"
        self.assertEqual(machine.cpu_model(text), "Some CPU: 3 GHz")
        self.assertNotEqual(machine.cpu_model("processor : 0\n"), "")

    def test_a_program_that_is_missing_or_fails_has_no_first_line(self) -> None:
        self.assertIsNone(machine.first_line(["/no/such/program"]))
        self.assertIsNone(machine.first_line(["/bin/sh", "-c", "echo no; exit 1"]))
        self.assertEqual(machine.first_line(["/bin/sh", "-c", "echo a; echo b"]), "a")

    def test_the_prefix_for_fixed_addresses_fixes_them(self) -> None:
        prefix = machine.fixed_addresses()
        if not prefix:
            self.skipTest("setarch is not allowed here")
        command = [*prefix, "grep", "stack", "/proc/self/maps"]
        maps = {subprocess.run(command, capture_output=True, check=True).stdout
                for _ in range(3)}
        self.assertEqual(len(maps), 1, maps)

    @unittest.skipUnless(shutil.which("git"), "no git installed")
    def test_the_revision_tells_that_files_were_changed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "file"
            self.assertEqual(machine.revision(Path(folder)), machine.UNKNOWN)
            file.write_text("a\n", encoding="ascii")
            for words in ("init --quiet", "add file", "commit --quiet --message=m"):
                subprocess.run(
                    ["git", "-c", "user.name=n", "-c", "user.email=e", *words.split()],
                    cwd=folder, check=True, capture_output=True)
            self.assertRegex(machine.revision(Path(folder)), "^[0-9a-f]{12}$")
            file.write_text("b\n", encoding="ascii")
            changed = machine.revision(Path(folder))
            self.assertRegex(changed, "^[0-9a-f]{12} with changes$")
