# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate: the file of benchmarks, and the folders of runs, whole and damaged.

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any, Callable
from unittest import mock

from callgrind.report.tests.gate_case import GateCase
from gate.counts import decode
from gate.error import GateError
from gate.settings import read_benchmarks
from gate.suites import shard_of
from gate.surroundings import PADDING, plain_environment, stack_size, surroundings

TOML = """
[gate]
options = ["--cache-sim=yes"]
limits = ["Ir:1%"]
keep-env = ["MY_*"]

[benchmarks.parse]
command = "./bench parse 'a b'"
toggle = ["parse_*"]
limits = ["Ir:0.5%", "D1mr:2%"]
function-growth = ["ns::parse:2%"]
object-growth = ["libx.so*:Dr:100"]

[benchmarks."a name"]
command = ["./bench", "other"]
folder = "sub"
start = "request"
options = ["--branch-sim=yes"]
env = { A = "b" }
status = 3
timeout = 2.5
events = ["Ir"]
"""


class Settings(GateCase):
    def test_every_key(self) -> None:
        Path("gate.toml").write_text(TOML)
        first, second = read_benchmarks(None, [])
        self.assertEqual(first.command, ["./bench", "parse", "a b"])
        self.assertEqual(
            first.valgrind_options(), ["--cache-sim=yes", "--toggle-collect=parse_*"]
        )
        self.assertEqual(
            [(limit.scope, limit.pattern, limit.limit.event) for limit in first.limits],
            [("total", "", "Ir"), ("total", "", "D1mr"),
             ("function", "ns::parse", None), ("object", "libx.so*", "Dr")],
        )  # fmt: skip
        self.assertEqual(second.name, "a name")
        self.assertEqual(second.folder, self.folder / "sub")
        self.assertEqual(
            second.valgrind_options(),
            ["--cache-sim=yes", "--branch-sim=yes", "--instr-atstart=no"],
        )
        self.assertEqual([limit.text for limit in second.limits], ["Ir:1%"])
        self.assertEqual((second.env, second.keep_env), ({"A": "b"}, ["MY_*"]))
        self.assertEqual((second.status, second.events), (3, ["Ir"]))
        self.assertEqual((first.timeout, second.timeout), (600, 2.5))

    def test_json_holds_the_same(self) -> None:
        document = {"benchmarks": {"a": {"command": ["x"], "limits": ["1%"]}}}
        Path("b.json").write_text(json.dumps(document))
        (found,) = read_benchmarks(Path("b.json"), [])
        self.assertEqual((found.name, found.limits[0].text), ("a", "1%"))

    def test_words(self) -> None:
        found = read_benchmarks(None, ["a=./x 1", "b=y=z"])
        self.assertEqual([each.command for each in found], [["./x", "1"], ["y=z"]])

    def test_what_is_wrong_is_told_in_one_line(self) -> None:
        for text, said in (
            ("x", "gate.toml: "),
            ("[other]", "other: is none of gate, benchmarks"),
            ("", "names no benchmark"),
            ("[benchmarks.a]", "benchmarks.a.command: has to be a list of strings"),
            ("[benchmarks.a]\ncommand = ''", "benchmarks.a.command: is empty"),
            ("[benchmarks.a]\ncommand = 'x \"'", "No closing quotation"),
            ("[benchmarks.a]\ncommand = 'x'\nlimit = 1", "limit: is no key; there are"),
            ("[benchmarks.a]\ncommand = 'x'\nlimits = ['much']", "'much' is not"),
            ("[benchmarks.a]\ncommand = 'x'\nfunction-growth = ['1%']", "NAME:"),
            ("[benchmarks.a]\ncommand = 'x'\nfunction-limits = ['f:1%']",
             "function-limits: is called function-growth now"),
            ("[gate]\nobject-limits = ['f:1%']\n[benchmarks.a]\ncommand = 'x'",
             "object-limits: is called object-growth now"),
            ("[benchmarks.a]\ncommand = 'x'\nstart = 'later'", "none of begin, request"),
            ("[benchmarks.a]\ncommand = 'x'\nstatus = 256", "no exit status"),
            ("[benchmarks.'a/b']\ncommand = 'x'", "a name has no '/'"),
            ("[benchmarks.a]\ncommand = [\"\\u0000\"]", "zero byte"),
            ("[benchmarks.a]\ncommand = 'x'\nenv = { 'A=B' = 'c' }", "no name of a var"),
            ("[benchmarks.a]\ncommand = 'x'\nenv = { '' = 'c' }", "no name of"),
            ("a = " + "[" * 100_000, "gate.toml: "),
            ("a = " + "9" * 5000, "gate.toml: "),
            (" " * (1 << 24) + " ", "too large"),
        ):
            Path("gate.toml").write_text(text)
            status, _, errors = self.gate("run")
            self.assertEqual((status, errors.count("\n")), (2, 1), text)
            self.assertIn(said, errors)

    def test_json_that_no_program_can_be_given(self) -> None:
        for text in (
            '{"benchmarks": {"a": {"command": ["\\ud800"]}}}',
            '{"benchmarks": {"\\ud800": {"command": ["x"]}}}',
            '{"benchmarks": {"a": {"command": ["x"], "env": {"\\ud800": "b"}}}}',
            '{"benchmarks": {"a": {"command": ["x"], "env": {"b": "\\ud800"}}}}',
            '{"benchmarks": {"a": {"command": ["x"], "folder": "\\ud800"}}}',
            '{"a": ' * 100_000,
            "9" * 5000,
            "NaN",
        ):
            Path("b.json").write_text(text)
            status, _, errors = self.gate("run", "-c", "b.json")
            self.assertEqual((status, errors.count("\n")), (2, 1), text[:60])
            self.assertNotIn("a fault of this command", errors)

    def test_numbers_that_are_absurd(self) -> None:
        huge = "9" * 5000
        for options in (
            ["--shake=1"], ["--shake", huge], ["--shake=10001"], ["--shake=1e3"],
            ["--shard", f"{huge}/{huge}"], ["-j", huge], ["-j=nan"],
            ["--timeout=nan"], ["--timeout=inf"], ["--timeout=1e400"], ["--timeout=0"],
            ["--timeout=-1"], ["--timeout", huge], ["--timeout=1000001"],
        ):  # fmt: skip
            status, _, errors = self.gate("run", "a=x", *options)
            self.assertEqual((status, errors.count("\n")), (2, 1), options)
            self.assertIn("argument", errors)
        for key in ("timeout = nan", "timeout = inf", "timeout = -inf", "timeout = 1e400",
                    "timeout = 0", "timeout = -1", "timeout = true", "timeout = '5'",
                    f"timeout = {'9' * 4000}", "timeout = 1000001"):  # fmt: skip
            Path("gate.toml").write_text(f"[benchmarks.a]\ncommand = 'x'\n{key}")
            status, _, errors = self.gate("run")
            self.assertEqual((status, errors.count("\n")), (2, 1), key[:60])
            self.assertIn("timeout: is no number of seconds, up to 1000000", errors)

    def test_without_a_file(self) -> None:
        status, _, errors = self.gate("run")
        self.assertEqual(status, 2)
        self.assertIn("no gate.toml in this folder, and no NAME=COMMAND", errors)
        for word in ("x", "=x", "a="):
            self.assertEqual(self.gate("run", word)[0], 2, word)
        self.assertIn("two benchmarks", self.gate("run", "a=x", "a=y")[2])

    def test_without_a_reader_of_toml(self) -> None:
        Path("gate.toml").write_text(TOML)
        none = {"tomllib": None, "tomli": None}
        with mock.patch.dict("sys.modules", none):
            status, _, errors = self.gate("run")
        self.assertEqual((status, errors.count("\n")), (2, 1))
        self.assertIn("as JSON, in a file *.json, needs neither", errors)

    def test_shards_have_every_benchmark_once(self) -> None:
        found = read_benchmarks(None, [f"b{number}=x" for number in range(10)])
        for of in (1, 3, 10, 12):
            shards = [shard_of(found, number + 1, of) for number in range(of)]
            names = sorted(each.name for shard in shards for each in shard)
            self.assertEqual(names, sorted(each.name for each in found))
        for text in ("0/2", "3/2", "1", "1/x"):
            self.assertEqual(self.gate("run", "a=x", "--shard", text)[0], 2, text)


class Around(GateCase):
    def test_only_what_matters_is_passed_on(self) -> None:
        whole = {"PATH": "/bin", "LC_ALL": "C", "CI_JOB": "4", "MY_X": "1"}
        self.assertEqual(
            plain_environment(whole, ["MY_*"], {"OWN": "2"}),
            {"PATH": "/bin", "LC_ALL": "C", "MY_X": "1", "OWN": "2"},
        )

    def test_the_stack_begins_at_the_same_place_in_its_page(self) -> None:
        sizes = set()
        for folder in ("/a", "/a/longer/path", "/" + "x" * 5000):
            command = ["bench", folder]
            found = surroundings("b", 0, command, {"HOME": folder})
            sizes.add(stack_size(command, found.env) % 4096)
            self.assertIn(PADDING, found.env)
        self.assertEqual(len(sizes), 1)

    def test_shaken_ones_differ_and_are_the_same_in_every_run(self) -> None:
        found = [surroundings("b", n, ["x"], {}) for n in range(50)]
        places = {stack_size(["x"], each.env) % 4096 for each in found}
        self.assertGreater(len(places), 40)
        self.assertEqual(found, [surroundings("b", n, ["x"], {}) for n in range(50)])
        self.assertNotEqual(found[1].env, surroundings("c", 1, ["x"], {}).env)

    def test_a_stack_whose_start_is_fixed_is_moved_by_the_tool(self) -> None:
        shifts = [surroundings("b", n, ["x"], {}).stack_shift for n in range(50)]
        self.assertEqual(shifts[0], 0)
        self.assertGreater(len(set(shifts)), 35)
        for shift in shifts:
            self.assertTrue(0 <= shift < 4096 and shift % 16 == 0)

    def test_paths_get_longer_and_lead_to_the_same(self) -> None:
        Path("bench").touch()
        absolute = str(Path("bench").resolve())
        command = ["./bench", absolute, "bench", "./absent", "s/a/b/", "/"]
        lengths = set()
        for number in range(30):
            found = surroundings("b", number, command, {}).command
            lengths.add((len(found[0]), len(found[1])))
            for word, longer in zip(command[:2], found):
                self.assertTrue(os.path.samefile(word, longer))
                self.assertEqual(os.path.basename(word), os.path.basename(longer))
            self.assertEqual(list(found[2:]), command[2:])
        self.assertGreater(len(lengths), 20)
        self.assertEqual(surroundings("b", 0, command, {}).command, tuple(command))
        (there,) = surroundings("b", 1, ["proc/self"], {}, "/").command
        self.assertGreater(len(there), len("proc/self"))

    def test_a_seed_that_the_benchmark_sets_stays(self) -> None:
        for number in (0, 1):
            found = surroundings("b", number, ["x"], {"PYTHONHASHSEED": "7"})
            self.assertEqual(found.env["PYTHONHASHSEED"], "7")


class Folders(GateCase):
    def test_files_are_as_described(self) -> None:
        self.base_and_head({"a": "f=1"}, {"a": "f=2"})
        self.assertEqual({each.name for each in Path("base").iterdir()},
                         {"callgrind_gate", "runs", "data"})
        self.assertEqual(os.listdir("base/runs"), ["old.json"])
        for path in Path("base/data").iterdir():
            content = gzip.decompress(path.read_bytes())
            self.assertEqual(hashlib.sha256(content).hexdigest() + ".gz", path.name)

    def test_a_run_does_not_depend_on_order_and_number(self) -> None:
        found = []
        many = {f"b{number}": f"f={number} g=7" for number in range(6)}
        for jobs, names in ((1, sorted(many)), (4, sorted(many, reverse=True))):
            self.run_fake({name: many[name] for name in names}, "-j", str(jobs),
                          "--shake=2", out=f"run{jobs}")  # fmt: skip
            found.append({
                path.relative_to(f"run{jobs}"): path.read_bytes()
                for path in Path(f"run{jobs}").rglob("*") if path.is_file()
                and path.name != "head.json"
            })  # fmt: skip
            index = json.loads(Path(f"run{jobs}/runs/head.json").read_text())
            found[-1][Path("index")] = json.dumps(index["benchmarks"]).encode()
        self.assertEqual(found[0], found[1])

    def test_run_writes_its_folder_anew_but_no_other(self) -> None:
        self.run_fake({"a": "f=1"}, commit="one")
        self.run_fake({"a": "f=2"}, commit="two")
        self.assertEqual(os.listdir("gate-run/runs"), ["two.json"])
        Path("mine").mkdir()
        Path("mine/file").write_text("x")
        self.assertEqual(self.run_fake({"a": "f=1"}, out="mine"), 2)
        self.assertEqual(os.listdir("mine"), ["file"])
        for commit in ("one", "two"):
            self.run_fake({"a": "f=1"}, commit=commit)
            self.gate("accept", "base")
        self.assertEqual(self.run_fake({"a": "f=1"}, out="base"), 2)
        self.assertEqual(len(os.listdir("base/runs")), 2)

    def test_old_runs_can_be_removed(self) -> None:
        for number in range(5):
            self.run_fake({"a": f"f={number + 1}"}, commit=f"c{number}")
            index = json.loads(Path(f"gate-run/runs/c{number}.json").read_text())
            index["time"] = number
            Path(f"gate-run/runs/c{number}.json").write_text(json.dumps(index))
            self.gate("accept", "base", "--keep=2")
        self.assertEqual(sorted(os.listdir("base/runs")), ["c3.json", "c4.json"])
        needed = self.stored("base", "c3").blobs() | self.stored("base", "c4").blobs()
        self.assertEqual({name[:-3] for name in os.listdir("base/data")}, needed)

    def test_nothing_measured_is_accepted_that_failed(self) -> None:
        self.run_fake({"a": "f=1"})
        self.assertEqual(self.gate("run", "x=fails", "--valgrind",
                                   str(self.valgrind), "--commit=c")[0], 2)
        status, _, errors = self.gate("accept", "base")
        self.assertEqual(status, 2)
        self.assertIn("'x' was not measured; not accepted", errors)


class Damage(GateCase):
    """What came from a cache or a pull request is checked before it is used."""

    def setUp(self) -> None:
        super().setUp()
        self.base_and_head({"a": "f=1"}, {"a": "f=1"})
        self.index = Path("base/runs/old.json")

    def refused(self, said: str) -> None:
        status, output, errors = self.gate("compare", "base")
        self.assertEqual((status, output, errors.count("\n")), (2, "", 1), errors)
        self.assertIn(said, errors)

    def changed(self, change: Callable[[Any], Any]) -> None:
        document = json.loads(self.index.read_text())
        change(document)
        self.index.write_text(json.dumps(document))

    def test_indexes(self) -> None:
        good = self.index.read_text()
        for change in (
            lambda d: d.update(schema="other"),
            lambda d: d.update(commit="../../x"),
            lambda d: d.update(time="now"),
            lambda d: d["benchmarks"][0].update(counts="../../../etc/passwd"),
            lambda d: d["benchmarks"][0].update(counts=""),
            lambda d: d["benchmarks"][0].update(limits=[["total", "x"]]),
            lambda d: d["benchmarks"][0].update(name=3),
            lambda d: d["benchmarks"][0].update(total={"Ir": -1}),
            lambda d: d["benchmarks"][0].pop("profiles"),
            lambda d: d["benchmarks"].append(d["benchmarks"][0]),
            lambda d: d.update(benchmarks=7),
            lambda d: d.update(time=10**400),
            lambda d: d["benchmarks"][0].update(total={"Ir": 10**400}),
            lambda d: d["benchmarks"][0].update(total={"Ir": float("inf")}),
            lambda d: d["benchmarks"][0].update(limits=[["total", "1e400%"]]),
        ):
            self.index.write_text(good)
            self.changed(change)
            self.refused("base/runs/old.json: is not the index of a run")
        for text in ("", "[", "[" * 100_000, "7"):
            self.index.write_text(text)
            self.refused("is not the index of a run")
        self.index.write_text(good.replace('"old"', '"other"'))
        self.refused("is the index of other")

    def test_contents(self) -> None:
        digest = self.stored("base", "old").results["a"].counts
        path = Path(f"base/data/{digest}.gz")
        good = path.read_bytes()
        for content in (b"", good[:-9], gzip.compress(b"other"), b"\0" * 100):
            path.write_bytes(content)
            self.refused(f"{digest}.gz: is damaged")
        path.unlink()
        self.refused(f"{digest}.gz: No such file")

    def test_links_and_pipes_are_not_read(self) -> None:
        good = self.index.read_text()
        Path("elsewhere").write_text(good)
        self.index.unlink()
        self.index.symlink_to(self.folder / "elsewhere")
        self.refused("old.json: ")
        self.index.unlink()
        os.mkfifo(self.index)
        self.refused("is no plain file")

    def test_a_folder_without_its_mark(self) -> None:
        Path("base/callgrind_gate").unlink()
        self.refused("holds no runs of callgrind_gate")

    def test_made_up_counts(self) -> None:
        good = {
            "schema": "callgrind_gate counts 1", "events": ["Ir"], "surroundings": 1,
            "total": [3], "objects": ["o"], "files": [""],
            "functions": [[0, 0, "f", [3], [3]]],
        }  # fmt: skip
        self.assertEqual(decode(json.dumps(good).encode()).total[0].middle, 3)
        bad: tuple[dict[str, Any], ...] = (
            {"events": [1]}, {"total": []}, {"total": [-1]}, {"total": [[3, 2, 1]]},
            {"total": [10**4000]}, {"total": [float("nan")]}, {"surroundings": 10**9},
            {"functions": [[10**400, 0, "f", [3], [3]]]}, {"total": [True]},
            {"total": [1.5]}, {"surroundings": "1"},
            {"functions": [[1, 0, "f", [3], [3]]]}, {"functions": [[0, 0, "f", [3]]]},
            {"functions": [[-1, 0, "f", [3], [3]]]}, {"functions": 1},
            {"functions": [[0, 0, "f", [3], []]]}, {"schema": "x"},
        )  # fmt: skip
        for change in bad:
            with self.assertRaises(GateError, msg=change):
                decode(json.dumps({**good, **change}).encode())


class TranslationCache(GateCase):
    """What is passed to a tool depends on what it knows."""

    def passed(self, help_text: str, *options: str, **variables: str) -> str:
        Path("words").unlink(missing_ok=True)
        script = self.valgrind.read_text()
        script = script.replace("  --tool=callgrind", f"  --tool=callgrind {help_text}")
        script = script.replace("out= events", 'echo "$*" >> words; out= events')
        tool = self.folder / "other-valgrind"
        tool.write_text(script)
        tool.chmod(0o755)
        with mock.patch.dict(os.environ, variables):
            words = ["run", "a=costs f=1", "--valgrind", str(tool), *options]
            self.assertEqual(self.gate(*words)[0], 0)
        return Path("words").read_text()

    def test_is_on_where_the_tool_has_one(self) -> None:
        clean = {"CALLGRIND_TRANSLATION_CACHE": "yes", "XDG_CACHE_HOME": ""}
        self.assertNotIn("translation-cache", self.passed("", **clean))
        known = "--translation-cache="
        self.assertIn(" --translation-cache=yes ", self.passed(known, **clean))
        clean["XDG_CACHE_HOME"] = "/x"
        folder = " --translation-cache=/x/callgrind-exact/translations "
        self.assertIn(folder, self.passed(known, **clean))
        clean["CALLGRIND_TRANSLATION_CACHE"] = "no"
        self.assertIn(" --translation-cache=no ", self.passed(known, **clean))

    def test_steady_is_passed_where_the_tool_has_it(self) -> None:
        self.assertNotIn("--steady", self.passed(""))
        self.assertIn(" --steady=yes ", self.passed("--steady=no|yes"))

    def test_the_folder_gets_a_longer_name_where_the_tool_has_that(self) -> None:
        known = "--steady=no,--steady-shift=,--steady-folder="
        self.assertNotIn("--steady-folder", self.passed(known))
        self.assertNotIn("--steady-folder", self.passed("--steady=no", "--shake", "9"))
        self.assertNotIn("--steady-folder", self.passed("", "--shake", "9"))
        said = self.passed(known, "--shake", "9").splitlines()
        runs = [line for line in said if "--help" not in line]
        lengths = [re.findall(r" --steady-folder=(\d+) ", run) for run in runs]
        self.assertEqual(sorted(map(len, lengths)), [0] + [1] * 8)
        self.assertGreater(len({each[0] for each in lengths if each}), 4)
