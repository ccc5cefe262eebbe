# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate init: the first gate.toml of example projects, which has to work.

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Mapping
from unittest import mock

from callgrind.report.tests.suite_case import SuiteCase
from gate.projects import MOST_FILES
from gate.settings import read_benchmarks
from gate.suites import Suite

SOURCE = Path(__file__).resolve().parents[3]
PYTHON = {"pyproject.toml": '[project]\ndependencies = ["pytest-codspeed>=3"]\n'}
RUST = {"Cargo.toml": '[dev-dependencies]\ndivan = { package = "codspeed-divan-compat" }'}
GUNGRAUN = {"Cargo.toml": '[dev-dependencies]\ngungraun = "0.17"\n'}
GO = {
    "go.mod": "module a\n",
    "in/a_test.go": "package a\n\nfunc BenchmarkA(b *testing.B) {\n"
                    "\tdefer callgrind_requests.Measure(b)()\n}\n",
}  # fmt: skip
NODE = {"package.json": json.dumps({
    "devDependencies": {"vitest": "3", "@codspeed/vitest-plugin": "5"}})}  # fmt: skip
TINY = {"package.json": json.dumps({
    "devDependencies": {"@codspeed/tinybench-plugin": "5"},
    "scripts": {"test": "x", "bench": "node 'my bench.mjs'"}})}  # fmt: skip
CPP = {
    "CMakeLists.txt": "add_subdirectory(in)\n",
    "in/CMakeLists.txt": "add_executable(my-bench b.cpp)  # the benchmarks\n"
                         "target_link_libraries(my-bench PRIVATE benchmark::benchmark)\n"
                         "add_executable(other o.cpp)\n"
                         "add_executable(cases c.cpp)\n"
                         "TARGET_LINK_LIBRARIES(cases Catch2::Catch2WithMain)\n",
    "in/b.cpp": '#include "callgrind_benchmark.h"\n',
}  # fmt: skip
FIXTURE = {"requirements-dev.txt": "pytest-benchmark==5\n"}
# What the preset adds, so that functions have names.
KEPT = " -o=/dev/null"
CASES = (
    (FIXTURE, {"py": ("pytest-benchmark", "pytest -p callgrind_requests.pytest_benchmark "
                      "--benchmark-only")}),
    (PYTHON, {"py": ("pytest-codspeed", "pytest --codspeed")}),
    (RUST, {"rust": ("codspeed-rust", "cargo codspeed run")}),
    (GUNGRAUN, {"rust": ("gungraun", "cargo bench")}),
    (GO, {"go": ("go", "go test -run=^$ -bench=. -benchtime=1x ./..." + KEPT)}),
    (NODE, {"js": ("vitest", "npx vitest bench --run")}),
    (TINY, {"js-bench": ("tinybench", "node my bench.mjs")}),
    (CPP, {"my-bench": ("google-benchmark", "build/in/my-bench"),
           "cases": ("catch2", "build/in/cases")}),
)  # fmt: skip


class InitCase(SuiteCase):
    def project(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def suites(self) -> dict[str, tuple[str, str]]:
        """What gate.toml has, as `run` reads it."""
        found = {}
        for suite in read_benchmarks(Path("gate.toml"), []):
            assert isinstance(suite, Suite)
            found[suite.name] = suite.framework, " ".join(suite.command)
        return found

    def refused(self, *arguments: str) -> str:
        status, output, errors = self.gate("init", *arguments)
        self.assertEqual((status, output, errors.count("\n")), (2, "", 1), errors)
        return errors


class Projects(InitCase):
    def test_each_kind(self) -> None:
        for number, (files, expected) in enumerate(CASES):
            folder = Path(str(number))
            folder.mkdir()
            os.chdir(folder)
            self.project(files)
            status, output, _ = self.gate("init")
            self.assertEqual(status, 0)
            self.assertEqual(self.suites(), expected)
            for name in expected:
                self.assertIn(name, output)
            os.chdir("..")

    def test_several_in_one(self) -> None:
        expected = {}
        for files, suites in (*CASES[1:3], *CASES[4:6]):
            self.project(files)
            expected.update(suites)
        self.assertEqual(self.gate("init")[0], 0)
        self.assertEqual(self.suites(), expected)

    def test_what_it_writes_runs(self) -> None:
        self.project({**PYTHON, **NODE})
        self.assertEqual(self.gate("init")[0], 0)
        self.names("a", "b")
        status, _, errors = self.gate(
            "run", "--valgrind", str(self.valgrind), "--commit=one", "--jobs=1"
        )
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(list(self.totals()), ["js/a", "js/b", "py/a", "py/b"])
        limits = self.stored("gate-run", "one").results["py/a"].limits
        self.assertEqual([limit.text for limit in limits], ["Ir:1%"])

    def test_what_it_has_in_comments_works_too(self) -> None:
        """Each line that is a key or a table without its `#`."""
        self.project({**PYTHON, **TINY})
        self.assertEqual(self.gate("init")[0], 0)
        lines = Path("gate.toml").read_text().splitlines()
        self.assertGreater(sum(line.startswith("#") for line in lines), 12)
        lines = [line[1:] if line[:1] == "#" and line[1:2] not in (" ", "") else line
                 for line in lines]  # fmt: skip
        Path("gate.toml").write_text("\n".join(lines))
        for suite in read_benchmarks(Path("gate.toml"), []):
            assert isinstance(suite, Suite)
            self.assertIn("--cache-sim=yes", suite.options)
            self.assertEqual([rule.pattern for rule in suite.rules], ["*parse*"])

    def test_another_folder(self) -> None:
        Path("inner").mkdir()
        self.project({f"inner/{name}": text for name, text in PYTHON.items()})
        status, output, _ = self.gate("init", "inner")
        self.assertEqual((status, output),
                         (0, "wrote inner/gate.toml: py (pytest-codspeed)\n"))
        self.assertFalse(Path("gate.toml").exists())

    def test_the_page_has_the_commands(self) -> None:
        page = (SOURCE / "docs" / "gate.md").read_text()
        for _, suites in CASES[:-2]:
            for _, command in suites.values():
                self.assertIn(f"`{command.removesuffix(KEPT)}`", page)


class Refused(InitCase):
    def test_a_file_that_is_there_stays(self) -> None:
        self.project(PYTHON)
        for make in (lambda: Path("gate.toml").write_text("mine"),
                     lambda: Path("gate.toml").symlink_to("elsewhere"),
                     lambda: os.mkfifo("gate.toml")):  # fmt: skip
            make()
            self.assertIn("gate.toml: is there already, and stays as it is",
                          self.refused())
            Path("gate.toml").unlink()
        self.assertFalse(Path("elsewhere").exists())

    def test_one_that_comes_meanwhile_too(self) -> None:
        self.project(PYTHON)
        Path("gate.toml").write_text("mine")
        with mock.patch("gate.folder.Folder.names", lambda self: []):
            self.assertIn("is there already", self.refused())
        self.assertEqual(Path("gate.toml").read_text(), "mine")

    def test_nothing_is_found(self) -> None:
        self.assertIn("no suite of benchmarks is known here", self.refused())
        self.assertIn("gone: no such folder", self.refused("gone"))
        self.assertFalse(Path("gate.toml").exists())

    def test_what_has_to_be_done_first_is_said(self) -> None:
        for files, said in (
            ({"Cargo.toml": "[dev-dependencies]\ncriterion = '0.5'\n"},
             "Cargo.toml has criterion: criterion makes no requests; "
             "codspeed-criterion-compat in its place does (docs/frameworks.md)"),
            ({"package.json": '{"devDependencies": {"tinybench": "2"}}'},
             "@codspeed/tinybench-plugin beside it does"),
            ({"package.json": '{"devDependencies": {"@codspeed/tinybench-plugin": "2"}}'},
             "has no script called bench"),
            ({"go.mod": "x", "a_test.go": "func BenchmarkA(b *testing.B) {"},
             "a_test.go has testing.B: each needs"),
            ({"CMakeLists.txt": CPP["in/CMakeLists.txt"]},
             "its benchmarks have to include callgrind_benchmark.h"),
            ({"pom.xml": "<artifactId>jmh-core</artifactId>"}, "callgrind_sample"),
        ):  # fmt: skip
            self.project(files)
            self.assertIn(said, self.refused())
            for name in files:
                Path(name).unlink()

    def test_and_written_beside_what_is_measured(self) -> None:
        self.project({**PYTHON, "pom.xml": "<artifactId>jmh-core</artifactId>"})
        status, _, errors = self.gate("init")
        self.assertEqual(status, 0)
        self.assertIn("not measured: pom.xml has JMH", errors)
        self.assertIn("# Not measured: pom.xml", Path("gate.toml").read_text())
        self.assertEqual(list(self.suites()), ["py"])

    def test_without_a_reader_of_toml(self) -> None:
        self.project(PYTHON)
        with mock.patch.dict("sys.modules", {"tomllib": None, "tomli": None}):
            self.assertIn("needs Python 3.11", self.refused())
        self.assertFalse(Path("gate.toml").exists())


class Strangers(InitCase):
    """A project may be anybody's."""

    def test_what_is_in_comments_is_not_there(self) -> None:
        self.project({"pyproject.toml": "# pytest-codspeed\nx = 1  # pytest-codspeed\n",
                      "Cargo.toml": "# codspeed-divan-compat\n",
                      "pom.xml": "<!-- jmh-core -->"})  # fmt: skip
        self.assertIn("no suite of benchmarks", self.refused())

    def test_other_words_are_no_packages(self) -> None:
        self.project({"pyproject.toml": "my-pytest-codspeed\npytest-codspeed-x\n"})
        self.assertIn("no suite of benchmarks", self.refused())

    def test_files_that_are_none(self) -> None:
        os.mkfifo("pyproject.toml")
        Path("Cargo.toml").symlink_to("/etc/passwd")
        Path("go.mod").mkdir()
        Path("CMakeLists.txt").write_bytes(b"\xff\x00" * 100)
        for text in ("[1]", "null", "{", '{"scripts": 3}', "[" * 100_000):
            Path("package.json").write_text(text)
            self.assertIn("no suite of benchmarks", self.refused())

    def test_folders_of_others_are_passed_over(self) -> None:
        for folder in ("node_modules/x", ".git", "build", "vendor"):
            Path(folder).mkdir(parents=True)
            Path(folder, "CMakeLists.txt").write_text(CPP["in/CMakeLists.txt"])
        Path("loop").symlink_to(".")
        self.assertIn("no suite of benchmarks", self.refused())

    def test_a_folder_without_an_end(self) -> None:
        """So many are looked at, and no more."""
        looked = 0

        def names(self: object) -> list[str]:
            nonlocal looked
            looked += 100
            return [f"x{number}" for number in range(100)]

        with mock.patch("gate.folder.Folder.names", names), \
                mock.patch("gate.projects._inner", lambda folder, place: folder):
            self.refused()
        self.assertLess(looked, 10 * (MOST_FILES + 200))

    def test_commands_of_any_text(self) -> None:
        for script in ('node a.mjs "\\u007f\\t"', "node a && b", "node '",
                       "node \ud800x"):  # fmt: skip
            document = json.loads(TINY["package.json"])
            document["scripts"]["bench"] = script
            Path("package.json").write_text(json.dumps(document))
            self.assertEqual(self.gate("init")[0], 0, script)
            command = self.suites()["js-bench"][1]
            is_plain = script.startswith("node a.mjs")
            self.assertEqual(command[:6] == "node a", is_plain, command)
            Path("gate.toml").unlink()

    def test_names_that_are_none(self) -> None:
        text = CPP["in/CMakeLists.txt"].replace("my-bench", "x" * 300)
        self.project({"CMakeLists.txt": text, "a.cpp": "callgrind_benchmark.h"})
        self.assertEqual(self.gate("init")[0], 0)
        self.assertEqual(list(self.suites()), ["google-benchmark", "cases"])

    def test_names_that_are_one(self) -> None:
        files = {f"{place}/CMakeLists.txt": CPP["in/CMakeLists.txt"] for place in "ab"}
        self.project({**files, "a/b.cpp": "callgrind_benchmark.h"})
        self.assertEqual(self.gate("init")[0], 0)
        self.assertEqual(list(self.suites()),
                         ["my-bench", "cases", "my-bench-2", "cases-2"])
