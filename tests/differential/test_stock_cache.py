# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that a profile of the distribution's callgrind is used again only where all that
# it depends on is the same.

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Callable, Optional
from unittest import mock

from tests.differential import stock_cache
from tests.differential.cases import CASES
from tests.differential.launching import Launcher, RunResult
from tests.differential.reuse import tree_digest
from tests.differential.stock_cache import Key, StockCache, make_key

OPTIONS = ["--dump-instr=yes", "--separate-recs=4"]


class Entries(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.work = self.folder / "work"
        self.work.mkdir()
        (self.work / "program").write_text("x", encoding="ascii")
        (self.work / "input").write_text("y", encoding="ascii")
        self.modules = self.folder / "modules"
        (self.modules / "below").mkdir(parents=True)
        (self.modules / "below" / "module").write_text("m", encoding="ascii")
        self.object = self.folder / "lib.so"
        self.object.write_text("o", encoding="ascii")
        self.cache = StockCache(self.folder / "stock")
        self.launcher = Launcher("/bin/true", {"A": "1", "B": "2"})
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        os.environ.pop("CT_FRESH", None)

    def key(
        self,
        launcher: Optional[Launcher] = None,
        options: Optional[list[str]] = None,
        command: Optional[list[str]] = None,
    ) -> Key:
        words = command or [str(self.work / "program"), "input"]
        runs = launcher or self.launcher
        return make_key(runs, options or OPTIONS, words, self.work, [self.modules])

    def keep(self) -> None:
        """An entry for the key as it is now."""
        profile = self.folder / "stock.out.1"
        profile.write_text("events: Ir\n", encoding="ascii")
        said = (
            f"--1-- Reading syms from {self.object}\n"
            f"--1--    svma 0x0000001000, avma 0x0000005000\n"
        )
        result = RunResult(0, b"\xff\n", said, ["valgrind"])
        self.cache.keep("case", OPTIONS, self.key(), result, [profile])

    def found(self, key: Optional[Key] = None) -> bool:
        return self.cache.find("case", OPTIONS, key or self.key()) is not None

    def test_what_was_kept_is_found(self) -> None:
        self.assertFalse(self.found())
        self.keep()
        found = self.cache.find("case", OPTIONS, self.key())
        assert found is not None
        result, folder = found
        self.assertEqual((result.status, result.output), (0, b"\xff\n"))
        self.assertEqual(result.command, ["valgrind"])
        text = (folder / "stock.out.1").read_text(encoding="ascii")
        self.assertEqual(text, "events: Ir\n")

    def test_a_new_entry_takes_the_place_of_the_old(self) -> None:
        self.keep()
        (self.work / "program").write_text("z", encoding="ascii")
        self.keep()
        self.assertTrue(self.found())
        self.assertEqual(len(list(self.cache.folder.iterdir())), 1)

    def test_not_when_all_is_to_be_fresh(self) -> None:
        self.keep()
        os.environ["CT_FRESH"] = "1"
        self.assertFalse(self.found())
        os.environ["CT_FRESH"] = "0"
        self.assertTrue(self.found())

    def test_not_with_other_words(self) -> None:
        self.keep()
        program = str(self.work / "program")
        for name, key in {
            "options": self.key(options=[*OPTIONS, "--x"]),
            "arguments": self.key(command=[program, "input", "more"]),
            "a variable more": self.key(Launcher("/bin/true", {"A": "1"})),
            "a value": self.key(Launcher("/bin/true", {"A": "1", "B": "3"})),
            "the order": self.key(Launcher("/bin/true", {"B": "2", "A": "1"})),
            "the launcher": self.key(Launcher("/bin/false", self.launcher.environment)),
        }.items():
            with self.subTest(what=name):
                self.assertFalse(self.found(key))

    def test_not_when_a_file_has_changed(self) -> None:
        changes: dict[str, Callable[[], object]] = {
            "program": lambda: (self.work / "program").write_text("xx"),
            "input": lambda: (self.work / "input").write_text("yy"),
            "a file beside them": lambda: (self.work / "other").write_text("n"),
            "module": lambda: (self.modules / "below" / "module").write_text("mm"),
            "a new module": lambda: (self.modules / "new").write_text("n"),
            "an object": lambda: self.object.write_text("oo"),
            "an object that is gone": lambda: self.object.unlink(),
        }
        for name, change in changes.items():
            with self.subTest(what=name):
                self.keep()
                self.assertTrue(self.found())
                change()
                self.assertFalse(self.found())

    def test_not_when_the_same_number_of_bytes_has_changed(self) -> None:
        self.keep()
        program = self.work / "program"
        status = program.stat()
        program.write_text("q", encoding="ascii")
        os.utime(program, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
        self.assertFalse(self.found())

    def test_not_on_another_machine_or_with_another_valgrind(self) -> None:
        self.keep()
        for name in ("_machine", "_valgrind", "_debug_files"):
            with mock.patch.object(stock_cache, name, lambda *_: {"another": name}):
                with self.subTest(what=name):
                    self.assertFalse(self.found())

    def test_debug_files_are_known_by_what_is_there(self) -> None:
        """A file that is gone again has left nothing behind but its folder's time."""
        folder = self.work / "debug"
        (folder / "ab").mkdir(parents=True)

        def digest() -> str:
            with mock.patch.object(stock_cache, "DEBUG_FOLDER", folder):
                return stock_cache._debug_files.__wrapped__()

        before = digest()
        added = folder / "ab" / "cd.debug"
        added.write_text("text")
        first = digest()
        os.utime(added, ns=(1, 1))
        self.assertEqual(len({before, first, digest()}), 3)
        added.unlink()
        os.utime(folder / "ab", ns=(2, 2))
        self.assertEqual(digest(), before)

    def test_the_machine_is_known_by_what_programs_see(self) -> None:
        machine = stock_cache._machine()
        for name in ("kernel", "processor", "limits", "packages", "linker"):
            self.assertTrue(machine[name], name)
        self.assertTrue(any("flags" in line for line in machine["processor"]))

    def test_the_tool_itself_is_in_the_key(self) -> None:
        files = stock_cache._valgrind("/usr/bin/valgrind")
        self.assertTrue(any("/callgrind-" in path for path in files), files)
        self.assertTrue(any("/vgpreload_core-" in path for path in files), files)

    def test_what_is_broken_is_not_found(self) -> None:
        for name in ("key.json", "result.json"):
            self.keep()
            (entry,) = self.cache.folder.iterdir()
            (entry / name).write_text('{"status": 0', encoding="ascii")
            self.assertFalse(self.found(), name)


class Cases(unittest.TestCase):
    """Interpreters read files that no command line names: cases name their folders."""

    def test_modules_that_are_loaded_lie_where_the_case_says(self) -> None:
        show = {
            "python3": [
                "import sys; sys.argv = ['work.py']\n"
                "import runpy; runpy.run_path('work.py')\n"
                "print(*[m.__file__ for m in list(sys.modules.values())\n"
                "        if getattr(m, '__file__', None)], sep='\\n')",
                "-c",
            ],
            "perl": ['do "./work.pl"; print "$_\\n" for values %INC', "-e"],
        }
        for case in CASES:
            if case.name not in show:
                continue
            text, flag = show[case.name]
            with self.subTest(case=case.name), tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                command = case.prepare(folder)
                words = [*command[:-1], flag, text]
                done = subprocess.run(
                    words, cwd=folder, capture_output=True, text=True, check=True
                )
                lines = done.stdout.splitlines()
                loaded = [line for line in lines if line[:1] == "/"]
                self.assertGreater(len(loaded), 1, done.stdout)
                tops = tuple(f"{path}/" for path in case.reads())
                for path in loaded:
                    if Path(path).parent != folder:
                        self.assertTrue(path.startswith(tops), path)

    def test_a_tree_is_known_by_all_its_files(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            seen = {tree_digest([folder])}
            (folder / "a").mkdir()
            seen.add(tree_digest([folder]))
            (folder / "a" / "b").write_text("1", encoding="ascii")
            seen.add(tree_digest([folder]))
            (folder / "a" / "b").write_text("12", encoding="ascii")
            seen.add(tree_digest([folder]))
            self.assertEqual(len(seen), 4)
