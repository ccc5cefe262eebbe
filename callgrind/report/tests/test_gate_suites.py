# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate: suites, one command with many benchmarks, each dumped under its name.

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

from callgrind.report.tests.suite_case import SuiteCase
from gate import measure
from gate.counts import decode
from gate.measured import Outcome
from gate.processes import OutOfTime
from gate.store import Store, opened
from gate.suites import Suite


class Parts(SuiteCase):
    def test_every_part_with_a_name_is_a_benchmark(self) -> None:
        self.give([
            (7, 0, "Metadata: pytest-codspeed 5", {"f": 1}),
            (7, 0, "tests/bench.py::test_parse[json]", {"f": 10}),
            (7, 0, "tests/bench.py::test_sort", {"f": 20}),
            (7, 0, None, {"f": 40}),
            (8, 0, "", {"f": 80}),
        ])  # fmt: skip
        self.measure()
        expected = {"py/tests/bench.py::test_parse[json]": 10,
                    "py/tests/bench.py::test_sort": 20}  # fmt: skip
        self.assertEqual(self.totals(), expected)

    def test_threads_and_processes_of_one_name_are_one(self) -> None:
        self.give([(7, 1, "a", {"f": 1}), (7, 2, "b", {"f": 4}), (8, 0, "a", {"f": 2})])
        self.assertEqual(self.measure(), "")
        self.assertEqual(self.totals(), {"py/a": 3, "py/b": 4})

    def test_a_name_that_comes_twice_is_told_and_added_up(self) -> None:
        self.give([(7, 0, "a", {"f": 1}), (7, 0, "b", {"f": 4}), (7, 0, "a", {"f": 2})])
        self.assertIn("py/a was dumped 2 times; their costs are added", self.measure())
        self.assertEqual(self.totals(), {"py/a": 3, "py/b": 4})

    def test_or_numbered(self) -> None:
        self.give([(7, 0, "a", {"f": 1}), (7, 0, "a#2", {"f": 4}), (7, 0, "a", {"f": 2})])
        text = "[suites.s]\ncommand = 'x'\nrepeat = 'number'\n"
        self.assertIn("s/a was dumped 2 times", self.measure_file(text))
        self.assertEqual(self.totals(), {"s/a": 1, "s/a#2": 4, "s/a#3": 2})

    def test_a_suite_that_dies_reports_what_it_has_measured(self) -> None:
        for ends, said in ((3, "ended with 3: ValueError: no"), (-9, "SIGKILL")):
            self.names("a", "b", ends=ends, says="ValueError: no")
            said = f"py: {'was ended by ' * (ends < 0)}{said}"
            self.assertIn(said, self.measure("--trees", status=2))
            self.assertEqual(self.totals(), {"py/a": 100, "py/b": 100, "py": -1})
            status, _, errors = self.gate("accept", "base")
            self.assertEqual(status, 2)
            self.assertIn("'py' was not measured; not accepted", errors)

    def test_and_is_no_success_where_it_is_compared(self) -> None:
        self.names("a", "b")
        self.measure()
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.names("a", ends=-9)
        self.measure(status=2, commit="two")
        expected = {"py/a": "same", "py/b": "not comparable", "py": "not comparable"}
        self.assertEqual(self.states(status=3), expected)
        self.assertEqual(self.states("--allow-missing", status=3),
                         {"py/a": "same", "py": "not comparable"})  # fmt: skip
        self.give([(7, 0, "a", {"f": 200})], ends=-9)
        self.measure(status=2, commit="two")
        self.assertEqual(self.states(status=1)["py/a"], "worse")

    def test_so_with_one_that_takes_too_long(self) -> None:
        real = measure.run

        def late(*arguments: Any) -> int:
            real(*arguments)
            raise OutOfTime

        self.names("a")
        with mock.patch.object(measure, "run", late):
            self.assertIn("py: was ended after 600 seconds", self.measure(status=2))
        self.assertEqual(self.totals(), {"py/a": 100, "py": -1})

    def test_one_without_costs_fails_alone(self) -> None:
        self.give([(7, 0, "a", {}), (7, 0, "b", {"f": 4})])
        self.assertIn("py/a: nothing was counted", self.measure(status=2))
        self.assertEqual(self.totals(), {"py/a": -1, "py/b": 4})

    def test_a_suite_without_names(self) -> None:
        self.names(None)
        self.assertIn("no benchmark in it has dumped", self.measure(status=2))

    def test_names_do_not_tell_where_the_project_lies(self) -> None:
        self.names(f"{self.folder}/tests/a.py::t")
        self.measure()
        self.assertEqual(list(self.totals()), ["py/tests/a.py::t"])

    def test_unless_another_is_called_so(self) -> None:
        self.give([(7, 0, f"{self.folder}/a", {"f": 1}), (7, 0, "a", {"f": 2})])
        self.assertEqual(self.measure(), "")
        self.assertEqual(self.totals(), {f"py/{self.folder}/a": 1, "py/a": 2})

    def test_a_command_line_of_any_length(self) -> None:
        self.names("a", line="x" * 3_000_000)
        self.measure()
        self.assertEqual(self.totals(), {"py/a": 100})

    def test_nor_do_names_of_functions(self) -> None:
        own = f"py::f:{self.folder}/a.py"
        costs = {own: 1, f"JS:*g {self.folder}/a.mjs:3:4": 2, f"h{self.folder}/a": 3}
        self.give([(7, 0, "a", costs)])
        self.measure()
        store = Store("gate-run")
        with opened([store]):
            counts = decode(store.get(store.read("one").results["py/a"].counts))
        names = {"py::f:a.py", "JS:*g a.mjs:3:4", f"h{self.folder}/a"}
        self.assertEqual({key.name for key in counts.functions}, names)

    def test_trees_go_with_their_benchmarks(self) -> None:
        self.give([(7, 0, "a", {"f": 1}), (7, 0, "b", {"f": 4}), (8, 0, "a", {"f": 2})])
        self.measure("--trees")
        run = self.stored("gate-run", "one")
        self.assertEqual({n: len(r.trees) for n, r in run.results.items()},
                         {"py/a": 2, "py/b": 1})  # fmt: skip
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.give([(7, 0, "a", {"f": 1}), (7, 0, "b", {"f": 9})])
        self.measure("--trees", commit="two")
        status, _, errors = self.gate("compare", "base", "--pages=pages")
        self.assertEqual((status, errors), (1, ""))
        self.assertIn("1-py_b.html", [path.name for path in Path("pages").iterdir()])

    def test_shaken(self) -> None:
        self.names("a", "b", grows=1)
        self.measure("--shake=3", "--jobs=1")
        store = Store("gate-run")
        with opened([store]):
            for result in store.read("one").results.values():
                counts = decode(store.get(result.counts))
                self.assertEqual((counts.surroundings, list(counts.total[0])),
                                 (3, [101, 102, 103]), result.name)  # fmt: skip

    def test_one_that_is_not_in_all_surroundings(self) -> None:
        self.names("a", "b")
        real = measure.collect_suite

        def fewer(suite: Suite, is_kept: bool, folder: Path, outcome: Outcome) -> None:
            real(suite, is_kept, folder, outcome)
            if not is_kept:
                del outcome.parts["py/b"]

        with mock.patch.object(measure, "collect_suite", fewer):
            said = self.measure("--shake=3", status=2)
        self.assertIn("py/b: was not measured in 2 of 3 surroundings", said)
        self.assertEqual(self.totals(), {"py/a": 100, "py/b": -1})

    def test_steady(self) -> None:
        self.names("a", knows="--steady=no|yes --translation-cache=no")
        with mock.patch.dict("os.environ", CALLGRIND_TRANSLATION_CACHE="/x"):
            self.measure()
        for word in ("--steady=yes", "--translation-cache=/x"):
            self.assertIn(word, self.seen()["options"])


class Chosen(SuiteCase):
    def test_only_is_passed_on_where_there_is_a_filter(self) -> None:
        self.names("t.py::test_a", "t.py::test_ab", "t.py::test_b")
        self.measure("--only=py/*::test_a")
        self.assertEqual(list(self.totals()), ["py/t.py::test_a"])
        command = ["pytest", "--codspeed", "tests/", "-k", "test_a"]
        self.assertEqual(self.seen()["command"], command)
        self.measure("--only=*_a", "--only=*_b")
        self.assertEqual(self.seen()["command"][-1], "_a or _b")
        self.measure("--only=*")
        self.assertEqual(self.seen()["command"][-1], "tests/")

    def test_by_the_filter_of_the_file(self) -> None:
        self.names("x::one", "x::two")
        text = "[suites.s]\ncommand = './b'\nselect = '--filter={}'\n"
        self.measure_file(text, "--only=s/x::one")
        self.assertEqual(self.seen()["command"], ["./b", "--filter=one"])
        self.assertEqual(list(self.totals()), ["s/x::one"])

    def test_nothing_of_that_name(self) -> None:
        self.names("a")
        said = self.measure("--only=x/*", status=2)
        self.assertIn("no benchmark is called 'x/*'", said)
        self.assertIn("py: none of its 1 benchmarks is called 'py/b'",
                      self.measure("--only=py/b", status=2))  # fmt: skip

    def test_beside_benchmarks_and_in_shards(self) -> None:
        self.names("a")
        text = "[benchmarks.b]\ncommand = 'x'\n[suites.s]\ncommand = 'x'\n"
        self.measure_file(text, "--shard=2/2")
        self.assertEqual(self.totals(), {"s/a": 100})
        self.measure_file(text, "--only=b")
        self.assertEqual(list(self.totals()), ["b"])

    def test_shards_that_the_framework_makes(self) -> None:
        text = """
[suites.js]
command = 'vitest bench'
shard = '--shard={i}/{n}'
[suites.js.benchmarks."b"]
limits = ['5%']
[suites.other]
command = 'x'
[benchmarks.plain]
command = 'x'
"""
        self.names("a")
        self.assertEqual(self.measure_file(text, "--shard=1/2", "-o", "s1", "-j1"), "")
        self.assertEqual(list(self.totals(folder="s1")), ["js/a", "plain"])
        self.names("b")
        self.measure_file(text, "--shard=2/2", "-o", "s2", "--only=js/*")
        command = ["vitest", "bench", "--shard=2/2"]
        self.assertEqual(self.seen()["command"], command)
        self.assertEqual(self.gate("merge", "gate-run", "s1", "s2")[0], 0)
        self.assertEqual(list(self.totals()), ["js/a", "js/b", "plain"])
        self.measure_file(text, "--only=js/*")
        self.assertEqual(self.seen()["command"], ["vitest", "bench"])

    def test_a_shard_may_have_nothing_of_a_suite(self) -> None:
        text = "[suites.s]\ncommand = 'x'\nshard = ['{i}', '{n}']\n"
        self.give([])
        said = self.measure_file(text, "--shard=1/2")
        self.assertIn("s: has no benchmark in this shard", said)

    def test_and_fail_in_several(self) -> None:
        text = "[suites.s]\ncommand = 'x'\nshard = '{i}-{n}'\n"
        for number in (1, 2):
            self.names(f"b{number}", ends=number)
            self.measure_file(text, f"--shard={number}/2", "-o", f"s{number}", status=2)
        self.assertEqual(self.gate("merge", "gate-run", "s1", "s2", "s2")[0], 0)
        self.assertEqual(self.totals(), {"s/b1": 100, "s/b2": 100, "s": -1})
        error = self.stored("gate-run", "one").results["s"].error
        self.assertEqual(error, "ended with 1: without a word; ended with 2: without a "
                         "word")  # fmt: skip


class Rules(SuiteCase):
    TEXT = """
[gate]
limits = ["5%"]
[suites.s]
command = "./bench"
[suites.s.benchmarks."*parse*"]
limits = ["50%"]
function-growth = ["f:1%"]
[suites.s.benchmarks."parse2"]
limits = ["0"]
[suites.s.benchmarks."gone*"]
events = ["Ir"]
"""

    def test_by_pattern_of_the_name(self) -> None:
        self.names("parse1", "parse2", "sort")
        said = self.measure_file(self.TEXT)
        self.assertIn("s: no benchmark is called 'gone*', of which the file", said)
        limits = {
            name: [each.text for each in result.limits]
            for name, result in self.stored("gate-run", "one").results.items()
        }
        expected = {"s/parse1": ["50%", "f:1%"], "s/parse2": ["f:1%", "0"],
                    "s/sort": ["5%"]}  # fmt: skip
        self.assertEqual(limits, expected)

    def test_keys_that_are_wrong(self) -> None:
        for line, said in (
            ("framework = 'x'", "suites.s.framework: is none of command, "),
            ("repeat = 3", "suites.s.repeat: is none of sum, number"),
            ("select = '-k x'", "suites.s.select: has no {}"),
            ("shard = '--shard={i}'", "suites.s.shard: has no {n}"),
            ("shard = 3", "suites.s.shard: has to be a list of strings"),
            ("benchmarks = 1", "suites.s.benchmarks: has to be a table"),
            ("benchmarks.a.command = 'x'", "suites.s.benchmarks.a.command: is no key"),
            ("benchmarks.a.limits = ['x']", "suites.s.benchmarks.a.limits: "),
            ("nonsense = 1", "suites.s.nonsense: is no key; there are command, "),
        ):
            text = f"[suites.s]\ncommand = 'x'\n{line}\n"
            self.assertIn(said, self.measure_file(text, status=2))
        text = "[suites.b]\ncommand = 'x'\n[benchmarks.b]\ncommand = 'x'\n"
        self.assertIn("two benchmarks are called 'b'", self.measure_file(text, status=2))

    def test_a_suite_and_its_benchmarks_are_told_as_new_and_missing(self) -> None:
        self.names("a", "b")
        self.measure()
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.names("a", "c")
        self.measure(commit="two")
        expected = {"py/a": "same", "py/b": "not comparable", "py/c": "new"}
        self.assertEqual(self.states(status=3), expected)


class Frameworks(SuiteCase):
    def test_found_by_the_command(self) -> None:
        self.names("a")
        for command, suite in (
            ("pytest --codspeed", "py"),
            ("uv run pytest --codspeed", "py"),
            ("env A=b /v/bin/python3.12 -m pytest --codspeed x", "py"),
            ("cargo codspeed run", "rust"),
            ("npx vitest bench --run", "js"),
            ("go test -bench=.", "go"),
            ("pytest tests", "pytest"),
            ("/some/where/bench 1", "bench"),
        ):
            self.measure("--", *command.split())
            self.assertEqual(list(self.totals()), [f"{suite}/a"], command)
        self.measure("--suite=mine", "--", "./bench")
        self.assertEqual(list(self.totals()), ["mine/a"])

    def test_what_a_plugin_asks_for(self) -> None:
        self.names("a")
        self.measure()
        env, options = self.seen()["env"], self.seen()["options"]
        self.assertEqual(env["CODSPEED_RUNNER_MODE"], "simulation")
        self.assertEqual(env["PYTHONMALLOC"], "malloc")
        self.assertTrue(env["CODSPEED_PROFILE_FOLDER"].endswith("/scratch"))
        for word in ("--instr-atstart=no", "--trace-children=yes", "--combine-dumps=no"):
            self.assertIn(word, options)
        text = "[suites.s]\ncommand = './b'\nframework = 'pytest-codspeed'\n"
        self.measure_file(text + "env = {PYTHONMALLOC = 'pymalloc'}\n")
        self.assertEqual(self.seen()["env"]["PYTHONMALLOC"], "pymalloc")

    def test_a_command_is_needed(self) -> None:
        self.assertIn("no command follows --", self.gate("run", "--")[2])
        self.assertIn("names a command", self.gate("run", "--suite=x")[2])


class Selected(SuiteCase):
    def test_a_suite_says_what_it_wants(self) -> None:
        suite = Suite("py", ["x"], Path("/p"))
        self.assertEqual(suite.full_name("/p/a::b"), "py/a::b")
        self.assertEqual(suite.own_name("py/a::b"), "a::b")
        self.assertTrue(suite.wants("py/anything"))
