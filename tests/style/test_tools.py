# SPDX-License-Identifier: GPL-2.0-or-later
#
# What other people's programs say of our style: clang-format, shellcheck, flake8, mypy.
# Each is skipped, with the reason, where it is not installed; `./check` installs them.

"""Formatters and linters."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

import pytest

from tests.differential.reuse import contents, is_fresh
from tests.style import format_c
from tests.style.files import REPOSITORY, name_of, python_files, shell_files

COLUMNS = 90  # of .clang-format
# Debian's own, whatever comes first in PATH: they know Debian's Python packages.
FLAKE8 = "/usr/bin/flake8"
PASSED = REPOSITORY / "build" / "tests"  # what programs found nothing in
MYPY = "/usr/bin/mypy"
MYPY_COMMAND = [MYPY, f"--cache-dir={REPOSITORY / 'build' / 'mypy'}"]
# A package by itself.  By the path of its files mypy would take it for `tests`, below the
# readers' own folder, and that is the name of the folder that all other tests lie in.
TESTS_OF_READERS = "callgrind/report/tests/"


def need(program: str) -> None:
    if shutil.which(program) is None:
        raise unittest.SkipTest(f"{program} is not installed")


def said_by(words: list[str]) -> str:
    done = subprocess.run(
        words, cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    said = (done.stdout + done.stderr).strip()
    return said if done.returncode != 0 else ""


def assert_finds_nothing(program: str, words: list[str], about: str,
                         paths: list[Path]) -> None:
    """Run a program that has no memory of its own on the files that have changed since it
    found nothing in them.  `about` is what else its findings follow from."""
    kept = PASSED / f"{program}-passed.json"
    found = {name_of(path): f"{about}{contents(path)}" for path in paths}
    passed = json.loads(kept.read_text()) if kept.exists() and not is_fresh() else {}
    changed = [name for name, what in found.items() if passed.get(name) != what]
    said = said_by([*words, *changed]) if changed else ""
    if said:
        raise AssertionError(said)
    new = kept.with_suffix(f".{os.getpid()}")
    new.parent.mkdir(parents=True, exist_ok=True)
    new.write_text(json.dumps(found))
    new.replace(kept)


class CSources(unittest.TestCase):
    def test_clang_format_changes_nothing(self) -> None:
        need(format_c.CLANG_FORMAT)
        texts = format_c.read(format_c.sources())
        self.assertGreater(len(texts), 100)
        wanted = format_c.formatted(texts)
        changed = [name_of(path) for path in texts if wanted[path] != texts[path]]
        self.assertEqual(changed, [], "run tests/style/format_c.py")

    def test_calls_of_the_core_are_not_broken_apart(self) -> None:
        need(format_c.CLANG_FORMAT)
        path = REPOSITORY / "callgrind" / "main.c"
        # The first can be broken behind a comma; the second only inside VG_().
        calls = [
            '   VG_(message)(Vg_UserMsg, "%d of %d\\n", the_number_of_those_found, '
            "the_number_of_all_of_them);",
            f"   VG_(a_name_{'as_long_' * 10}as_a_line)();",
        ]
        for call in calls:
            with self.subTest(call=call):
                self.assertGreater(len(call), COLUMNS)
                text = f"static void say(void)\n{{\n{call}\n}}\n"
                lines = format_c.formatted({path: text})[path].splitlines()
                self.assertTrue(lines[2].startswith(call[: call.index(")(") + 2]), lines)


class Scripts(unittest.TestCase):
    def test_shellcheck_finds_nothing(self) -> None:
        """It follows from a script, and from those that it may read."""
        need("shellcheck")
        paths = shell_files()
        self.assertGreater(len(paths), 20)
        about = subprocess.check_output(["shellcheck", "--version"], text=True)
        about += "".join(contents(path) for path in paths if path.suffix == ".sh")
        assert_finds_nothing("shellcheck", ["shellcheck", "-x"], about, paths)


class PythonSources(unittest.TestCase):
    def test_flake8_finds_nothing(self) -> None:
        """It follows from a file alone, and the settings."""
        need(FLAKE8)
        version = subprocess.check_output([FLAKE8, "--version"], text=True)
        about = f"{version}{contents(REPOSITORY / '.flake8')}"
        assert_finds_nothing("flake8", [FLAKE8], about, python_files())

    def test_every_file_compiles(self) -> None:
        for path in python_files():
            with self.subTest(file=name_of(path)):
                compile(path.read_text(encoding="utf-8"), name_of(Path(path)), "exec")


# One after the other, for the second finds in mypy's cache what the first has read of
# the library and of the modules that both import.
@pytest.mark.xdist_group("mypy")
class Types(unittest.TestCase):
    def test_mypy_finds_nothing(self) -> None:
        need(MYPY)
        names = [name_of(path) for path in python_files()]
        others = [name for name in names if not name.startswith(TESTS_OF_READERS)]
        self.assertGreater(len(others), 200)
        self.assertLess(len(others), len(names))
        self.assertEqual(said_by([*MYPY_COMMAND, *others]), "")

    def test_mypy_finds_nothing_in_the_tests_of_the_readers(self) -> None:
        need(MYPY)
        package = TESTS_OF_READERS.rstrip("/").replace("/", ".")
        self.assertEqual(said_by([*MYPY_COMMAND, "-p", package]), "")
