# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate: suites, one command with many benchmarks, each dumped under its name.
#
# A valgrind of a few lines writes what a file says that the suite "runs": a list of
# dumps, each with its process, its thread, its name and what its functions cost.

from __future__ import annotations

import json
import re
import sys
import tracemalloc
import xml.dom.minidom
from pathlib import Path
from typing import Any, Sequence, Union

from callgrind.report.tests.gate_case import GateCase
from gate.counts import decode
from gate.measured import Outcome
from gate.names import group_of, natural, shown, within_group
from gate.store import Store, opened
from gate.suite_parts import collect_suite
from gate.suites import Suite, filter_text, rests_of

# `dumps` in the file are [process, thread, name or null, {function: cost}].  A name is a
# list of bytes.  It ends as `ends` says, and what it was given is in `seen`.
FAKE = f"""#!{sys.executable}
import json, os, sys
words = sys.argv[1:]
if "--help" in words:
    print("  --tool=callgrind --call-tree=no|yes")
    sys.exit()
place = words.index("--")
options, command = words[:place], words[place + 1:]
given = json.load(open("suite.json"))
json.dump({{"command": command, "options": options, "env": dict(os.environ)}},
          open("seen", "w"))
def of(name):
    return next((w.split("=", 1)[1] for w in options if w.startswith(name + "=")), "")
profiles, trees = of("--callgrind-out-file"), of("--call-tree-out-file")
for number, (process, thread, name, costs) in enumerate(given["dumps"], 1):
    path = profiles.replace("%p", str(process)) + "." + str(number)
    name = None if name is None else bytes(name)
    trigger = b"Program termination" if name is None else b"Client Request: " + name
    with open(path + (f"-{{thread:02}}" if thread else ""), "wb") as out:
        out.write(b"version: 1\\ncreator: fake 1\\npid: 1\\ncmd: fake\\npart: 1\\n")
        if b"\\n" in trigger:
            escaped = trigger.replace(b"\\\\", b"\\\\\\\\").replace(b"\\n", b"\\\\x0a")
            out.write(b"desc: Trigger as given: " + escaped + b"\\n")
        flat = trigger.replace(b"\\n", b" ")
        out.write(b"desc: Trigger: " + flat + b"\\n\\npositions: line\\nevents: Ir\\n")
        out.write(b"fl=a.c\\nfn=none\\n1 0\\n")
        for function, cost in costs.items():
            out.write(f"fl=a.c\\nfn={{function}}\\n1 {{cost}}\\n".encode())
    if trees:
        with open(trees.replace("%p", str(process)), "ab") as out:
            out.write(b"callgrind-tree 1\\ncreator f\\ncosts counted\\n")
            out.write(f"event Ir count i\\npart {{number}}\\ntrigger x\\n".encode())
            out.write(f"process 1 1 0 x\\nthread 1 1 1 x\\n"
                      f"function 1 0 0 0 n{{number}}\\ntree 1\\n0 1 0 5\\n"
                      f"total 1 0 5\\nend 1 1 5\\n".encode())
print(given.get("says", ""))
if given.get("ends", 0) < 0:
    os.kill(os.getpid(), -given["ends"])
sys.exit(given.get("ends", 0))
"""

Name = Union[str, bytes, None]
Dump = tuple[int, int, Name, dict[str, int]]


class SuiteCase(GateCase):
    def setUp(self) -> None:
        super().setUp()
        self.valgrind.write_text(FAKE)

    def give(self, dumps: Sequence[Dump], **more: Any) -> None:
        rows = [
            [process, thread, self.packed(name), costs]
            for process, thread, name, costs in dumps
        ]
        Path("suite.json").write_text(json.dumps({"dumps": rows, **more}))

    @staticmethod
    def packed(name: Name) -> Any:
        if name is None:
            return None
        return list(name.encode() if isinstance(name, str) else name)

    def names(self, *names: Name, **more: Any) -> None:
        """Benchmarks that cost 100."""
        self.give([(7, 0, name, {"f": 100}) for name in names], **more)

    def measure(self, *options: str, status: int = 0, commit: str = "one") -> str:
        """What is said besides."""
        more = () if "--" in options else ("--", "pytest", "--codspeed", "tests/")
        found, _, errors = self.gate(
            "run", "--valgrind", str(self.valgrind), "--commit", commit, *options, *more
        )
        self.assertEqual(found, status, errors)
        return errors

    def measure_file(self, text: str, *options: str, status: int = 0) -> str:
        Path("gate.toml").write_text(text)
        found, _, errors = self.gate(
            "run", "--valgrind", str(self.valgrind), "--commit=one", *options
        )
        self.assertEqual(found, status, errors)
        return errors

    def totals(self, commit: str = "one") -> dict[str, int]:
        run = self.stored("gate-run", commit)
        return {name: each.total.get("Ir", -1) for name, each in run.results.items()}

    def seen(self) -> Any:
        return json.loads(Path("seen").read_text())


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
            self.assertIn(f"py: {'was ended by ' * (ends < 0)}{said}",
                          self.measure(status=2))  # fmt: skip
            self.assertEqual(self.totals(), {"py/a": 100, "py/b": 100, "py": -1})
            status, _, errors = self.gate("accept", "base")
            self.assertEqual(status, 2)
            self.assertIn("'py' was not measured; not accepted", errors)

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
        self.names("a", "b")
        self.measure("--shake=3")
        self.assertEqual(self.totals(), {"py/a": 100, "py/b": 100})


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

    def test_patterns_that_may_be_of_a_suite(self) -> None:
        for pattern, rests in (("py/a*", {"a*"}), ("*x", {"*x", "x"}), ("p?/b", {"b"}),
                               ("py", set()), ("rust/*", set())):  # fmt: skip
            self.assertEqual(rests_of(pattern, "py/"), rests, pattern)
        for pattern, text in (("py/tests/a.py::test_x[1]", "test_x"), ("*", ""),
                              ("py/*::or", ""), ("p*/x", "x")):  # fmt: skip
            self.assertEqual(filter_text(pattern, "py/"), text, pattern)


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


HOSTILE: tuple[Name, ...] = (
    "a\nb", "a b", "a\\x0ab", "A\nb", "../../etc/passwd", "..", "/", "a/b", "A/b",
    "::error::x", "\n::error::x", "##[error]x", b"\xff\xfe", "\\xff\\xfe", "\x1b[31mred",
    "x" * 10_000, "x" * 9_999 + "y", "9" * 10_000, "|`<b>*@you*</b>`|", " lead", "lead",
    "\u202etxt", "fn=evil", "a\nevents: Evil",
)  # fmt: skip


class Hostile(SuiteCase):
    def setUp(self) -> None:
        super().setUp()
        self.names(*HOSTILE)
        self.measure("--trees")
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.give([(7, 0, name, {"f": 200}) for name in HOSTILE])
        self.measure("--trees", commit="two")

    def test_none_is_taken_for_another(self) -> None:
        self.assertEqual(len(self.totals("two")), len(HOSTILE))
        found = self.compared("--junit=x.xml", status=1)
        names = {each["name"] for each in found["benchmarks"]}
        self.assertEqual(len(names), len(HOSTILE))
        cases = xml.dom.minidom.parse("x.xml").getElementsByTagName("testcase")
        told = {each.getAttribute("classname") + each.getAttribute("name")
                for each in cases}  # fmt: skip
        self.assertEqual(len(told), len(HOSTILE))

    def test_they_are_shown_safely(self) -> None:
        status, output, _ = self.gate(
            "compare", "base", "--annotations", "--markdown=x.md", "--pages=pages"
        )
        log = self.gate("log", "base")[1]
        self.assertEqual(status, 1)
        markdown = Path("x.md").read_text()
        commands = [line for line in output.splitlines() if line.startswith("::")]
        self.assertEqual(len(commands), 10)
        for text in (output, log, markdown):
            for line in text.splitlines():
                self.assertNotRegex(line, r"[\x00-\x1f\x7f\u202e\ud800-\udfff]|##\[")
                self.assertNotRegex(line, r"^\s*::error::(?!and )")
                self.assertLess(len(line), 3000)
        self.assertNotIn("<b>", markdown)
        pages = list(Path("pages").iterdir())
        self.assertEqual(len(pages), len(HOSTILE))
        self.assertFalse(list(self.folder.parent.glob("*passwd*")))

    def test_names_in_groups(self) -> None:
        for name, group, rest in (
            ("py/t.py::a::b", "py/t.py", "a::b"),
            ("s/a", "s", "a"),
            ("a::b", "", "a::b"),
            ("s/::b", "s", "::b"),
        ):
            self.assertEqual((group_of(name), within_group(name)), (group, rest))
        self.assertEqual(shown("py/a b"), "py/a b")
        self.assertLess(natural("a2"), natural("a10"))


class Many(SuiteCase):
    def test_work_and_memory_are_in_proportion(self) -> None:
        """Calls of functions, and the largest memory: what time takes is chance."""
        calls, peaks = {}, {}
        for number in (200, 1000):
            folder = self.folder / str(number)
            (folder / "profiles").mkdir(parents=True)
            for n in range(number):
                lines = [f"fl=a.c\nfn=f{i}\n1 {n + i + 1}\n" for i in range(20)]
                (folder / "profiles" / f"7.{n + 1}").write_text(
                    f"version: 1\ncreator: f\ndesc: Trigger: Client Request: t{n}\n\n"
                    f"positions: line\nevents: Ir\n{''.join(lines)}"
                )
            outcome = Outcome("py", 0)
            count = 0

            def called(*_: object) -> None:
                nonlocal count
                count += 1

            tracemalloc.start()
            sys.setprofile(called)
            try:
                collect_suite(Suite("py", ["x"], folder), True, folder, outcome)
            finally:
                sys.setprofile(None)
                peaks[number] = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
            self.assertEqual(len(outcome.parts), number)
            calls[number] = count
        self.assertLess(calls[1000], 5.5 * calls[200])
        self.assertLess(peaks[1000], 6 * peaks[200])

    def test_a_comment_has_a_largest_size(self) -> None:
        self.names(*(f"t.py::test_{n}" for n in range(300)))
        self.measure()
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.gate("compare", "base", "--markdown=x.md")
        text = Path("x.md").read_text()
        self.assertIn("... and 100 more benchmarks", text)
        self.assertEqual(len(re.findall(r"#### <code>py/t.py</code>", text)), 1)


class Selected(SuiteCase):
    def test_a_suite_says_what_it_wants(self) -> None:
        suite = Suite("py", ["x"], Path("/p"))
        self.assertEqual(suite.full_name("/p/a::b"), "py/a::b")
        self.assertEqual(suite.own_name("py/a::b"), "a::b")
        self.assertTrue(suite.wants("py/anything"))
