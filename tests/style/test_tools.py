# SPDX-License-Identifier: GPL-2.0-or-later
#
# What other people's programs say of our style: clang-format, shellcheck, flake8, mypy.
# Each is skipped, with the reason, where it is not installed; `./check` installs them.

"""Formatters and linters."""

from __future__ import annotations

import shutil
import subprocess
import unittest
from pathlib import Path

from tests.style import format_c
from tests.style.files import REPOSITORY, name_of, python_files, shell_files

# Debian's own, whatever comes first in PATH: they know Debian's Python packages.
FLAKE8 = "/usr/bin/flake8"
MYPY = "/usr/bin/mypy"


def need(program: str) -> None:
    if shutil.which(program) is None:
        raise unittest.SkipTest(f"{program} is not installed")


def said_by(words: list[str]) -> str:
    done = subprocess.run(
        words, cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    said = (done.stdout + done.stderr).strip()
    return said if done.returncode != 0 else ""


class CSources(unittest.TestCase):
    def test_clang_format_changes_nothing(self) -> None:
        need(format_c.CLANG_FORMAT)
        for path in format_c.sources():
            text = path.read_text(encoding="utf-8")
            with self.subTest(file=name_of(path)):
                self.assertTrue(
                    format_c.formatted(text, path) == text,
                    f"{name_of(path)}: run tests/style/format_c.py",
                )

    def test_calls_of_the_core_are_not_broken_apart(self) -> None:
        need(format_c.CLANG_FORMAT)
        path = REPOSITORY / "callgrind" / "main.c"
        text = (
            "static void say(void)\n{\n"
            '   VG_(message)(Vg_UserMsg, "a text that is so long that the line is full '
            'here %d", 1);\n}\n'
        )
        self.assertIn("   VG_(message)(Vg_UserMsg,\n", format_c.formatted(text, path))


class Scripts(unittest.TestCase):
    def test_shellcheck_finds_nothing(self) -> None:
        need("shellcheck")
        names = [name_of(path) for path in shell_files()]
        self.assertGreater(len(names), 20)
        self.assertEqual(said_by(["shellcheck", "-x", *names]), "")


class PythonSources(unittest.TestCase):
    def test_flake8_finds_nothing(self) -> None:
        need(FLAKE8)
        names = [name_of(path) for path in python_files()]
        self.assertEqual(said_by([FLAKE8, *names]), "")

    def test_mypy_finds_nothing(self) -> None:
        need(MYPY)
        names = [name_of(path) for path in python_files() if path.suffix == ".py"]
        # The readers' tests lie below a folder that imports begin at, so mypy would take
        # such a file for two modules; by their package's name it does not.
        below = "callgrind/report/tests/"
        others = [name for name in names if not name.startswith(below)]
        cache = f"--cache-dir={REPOSITORY / 'build' / 'mypy'}"
        self.assertEqual(said_by([MYPY, cache, *others]), "")
        self.assertEqual(said_by([MYPY, cache, "-p", "callgrind.report.tests"]), "")

    def test_every_file_compiles(self) -> None:
        for path in python_files():
            with self.subTest(file=name_of(path)):
                compile(path.read_text(encoding="utf-8"), name_of(Path(path)), "exec")
