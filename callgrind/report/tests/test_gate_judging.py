# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate compare: what is a regression, what cannot be compared, which functions
# are the same; and the exit status.

from __future__ import annotations

import os
import unittest
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

from analysis.build_names import plain_function, plain_object
from callgrind.report.tests.gate_case import FAKE_ENV, GateCase
from console.short_names import shortened
from gate.judge import is_enough, surroundings_needed
from gate.limits import parse_gate_limit


class Verdicts(GateCase):
    def test_states_and_the_worst_first(self) -> None:
        self.base_and_head(
            {"same": "f=100", "worse": "f=100", "better": "f=100", "moved": "f=50 g=50"},
            {"same": "f=100", "worse": "f=102", "better": "f=90", "moved": "f=51 g=49",
             "added": "f=1"},
        )  # fmt: skip
        self.assertEqual(
            list(self.states(status=1).items()),
            [("worse", "worse"), ("better", "better"), ("moved", "changed"),
             ("added", "new"), ("same", "same")],
        )  # fmt: skip

    def test_of_one_state_the_one_that_moved_most_comes_first(self) -> None:
        before = {"b-10": "f=100", "b-9": "f=100", "most": "f=10", "least": "f=1000"}
        after = {"b-10": "f=110", "b-9": "f=110", "most": "f=20", "least": "f=1050"}
        self.base_and_head(before, after)
        self.assertEqual([*self.states(status=1)], ["most", "b-9", "b-10", "least"])

    def test_a_limit_of_nothing_is_told(self) -> None:
        self.base_and_head({"a": "f=100", "b": "g=1"}, {"a": "f=100", "b": "g=1"})
        limits = ["--function-growth=g:1%", "--function-growth=inlined:1%",
                  "--object-growth=fake:1%", "--object-growth=lib*:1%"]  # fmt: skip
        idle = ["inlined:1%", "lib*:1%"]
        self.assertEqual(self.compared(*limits)["idle_limits"], idle)
        _, text, _ = self.gate("compare", "base", *limits)
        for limit in idle:
            self.assertIn(f"the limit {limit} is of nothing: ", text)
        self.assertNotIn("the limit g:1%", text)

    def test_without_limits_the_total_may_grow_by_one_per_cent(self) -> None:
        self.base_and_head({"a": "f=1000"}, {"a": "f=1010"})
        self.assertEqual(self.states(), {"a": "changed"})
        self.base_and_head({"a": "f=1000"}, {"a": "f=1011"})
        self.assertEqual(self.states("--base=old", status=1), {"a": "worse"})

    def test_limits_of_the_file_and_of_the_command_line(self) -> None:
        self.base_and_head({"a": "f=1000"}, {"a": "f=1011"}, limits=["2%"])
        self.assertEqual(self.states(), {"a": "changed"})
        self.assertEqual(self.states("--limit=10", status=1), {"a": "worse"})
        self.assertEqual(self.states("--limit=Ir:11"), {"a": "changed"})

    def test_a_function_by_its_own_cost(self) -> None:
        self.base_and_head({"a": "f=9000 n::g=100"}, {"a": "f=9000 n::g=103"})
        self.assertEqual(self.states("--function-growth=n::g:3%"), {"a": "changed"})
        found = self.compared("--function-growth=n::g:2.9%", status=1)["benchmarks"][0]
        self.assertEqual(
            found["regressions"],
            [{"scope": "function", "name": "n::g", "event": "Ir", "limit": "n::g:2.9%",
              "old": {"low": 100, "middle": 100, "high": 100},
              "new": {"low": 103, "middle": 103, "high": 103}}],
        )  # fmt: skip
        self.assertEqual(self.states("--function-growth=*:1%", status=1), {"a": "worse"})
        self.assertEqual(self.states("--function-growth=f:0"), {"a": "changed"})

    def test_a_new_function_is_no_growth_by_a_share(self) -> None:
        self.base_and_head({"a": "f=100"}, {"a": "f=90 g=10"})
        self.assertEqual(self.states("--function-growth=*:5%"), {"a": "changed"})
        self.assertEqual(self.states("--function-growth=*:9", status=1), {"a": "worse"})

    def test_an_object(self) -> None:
        self.base_and_head({"a": "f=50 g=50"}, {"a": "f=60 g=50"})
        self.assertEqual(self.states("--object-growth=fake:10%"), {"a": "changed"})
        self.assertEqual(self.states("--object-growth=fa*:9%", status=1), {"a": "worse"})
        self.assertEqual(self.states("--object-growth=other:0"), {"a": "changed"})

    def test_cycles_are_shown_in_cycles(self) -> None:
        events = ["--events=Cy"]
        self.base_and_head({"a": "f=123456"}, {"a": "f=133400"}, options=events)
        shown = "1,234.56 -> 1,334.00, +99.44 (+8.05%)"
        status, output, _ = self.gate("compare", "base", "--markdown=m.md", "--junit=j")
        self.assertEqual((status, f"Cy {shown}" in output), (1, True))
        self.assertIn("| 1,234.56 | 1,334.00 |", Path("m.md").read_text())
        self.assertIn(shown.replace(">", "&gt;"), Path("j").read_text())
        self.gate("accept", "base")
        self.assertRegex(self.gate("log", "base")[1], r"Cy 1,[23]34\.[05][06] -> 1,")
        self.assertEqual(self.gate("log", "base", "--html=log.html")[0], 0)
        self.assertIn("1,334.00 cycles Cy", Path("log.html").read_text())

    def test_other_events(self) -> None:
        events = ["--events=Ir,D1mr"]
        self.base_and_head({"a": "f=100,10"}, {"a": "f=100,11"}, options=events)
        self.assertEqual(self.states(), {"a": "same"})  # of Ir
        self.assertEqual(self.states("--limit=D1mr:10%"), {"a": "changed"})
        self.assertEqual(self.states("--limit=D1mr:9%", status=1), {"a": "worse"})


class FormerNames(GateCase):
    """Of limits whose per cents are not those of callgrind_report, as those of `--limit`
    are."""

    def test_are_told(self) -> None:
        for words in (["--function-limit=f:1%"], ["--object-limit", "f:1%"]):
            status, _, errors = self.gate("compare", "base", *words)
            self.assertEqual((status, errors.count("\n")), (2, 1))
            former = words[0].partition("=")[0]
            name = former.replace("limit", "growth")
            self.assertIn(f"{former} is called {name} now", errors)


class Comparable(GateCase):
    def test_a_benchmark_that_fails_or_was_killed_or_counts_nothing(self) -> None:
        for word, said in (("fails", "ended with 7: it went wrong"),
                           ("killed", "was ended by SIGKILL"),
                           ("nothing", "it has left no profile")):  # fmt: skip
            status, _, errors = self.gate(
                "run", f"x={word}", "--valgrind", str(self.valgrind), "--commit=c"
            )
            self.assertEqual(status, 2)
            self.assertIn(f"callgrind_gate: x: {said}", errors)
            self.assertEqual(errors.count("\n"), 1)
        self.assertEqual(self.run_fake({"x": "f=1"}, commit="old"), 0)
        self.gate("accept", "base")
        self.gate("run", "x=fails", "--valgrind", str(self.valgrind), "--commit=c")
        self.assertEqual(self.states(status=3), {"x": "not comparable"})

    def test_status_that_is_meant(self) -> None:
        self.run_fake({}, commit="old")
        self.assertEqual(self.run_fake({"x": "f=1"}, status=3), 2)

    def test_no_base(self) -> None:
        self.run_fake({"a": "f=1"})
        status, _, errors = self.gate("compare", "base")
        self.assertEqual(status, 3)
        self.assertIn("base: has no run yet", errors)
        self.assertEqual(self.gate("compare", "base", "--allow-missing")[0], 0)

    def test_a_benchmark_that_was_not_run(self) -> None:
        self.base_and_head({"a": "f=1", "b": "f=1"}, {"a": "f=1"})
        self.assertEqual(self.states(status=3), {"b": "not comparable", "a": "same"})
        found = self.compared("--allow-missing")
        self.assertEqual(found["not_run"], ["b"])

    def test_a_regression_counts_more(self) -> None:
        self.base_and_head({"a": "f=1", "b": "f=1"}, {"a": "f=2"})
        self.assertEqual(self.gate("compare", "base")[0], 1)

    def test_other_events(self) -> None:
        self.base_and_head({"a": "f=1"}, {"a": "f=1"})
        found = self.compared("--limit=D1mr:1%", status=3)["benchmarks"][0]
        self.assertIn("not both sides have event D1mr", found["reason"])

    def test_other_caches(self) -> None:
        table: dict[str, Any] = {"options": ["--events=Ir,D1mr"]}
        self.run_fake({"a": "f=1,1"}, commit="old", **table)
        self.gate("accept", "base")
        with mock.patch.dict(os.environ, {"FAKE_CACHE": "16384 B"}):
            self.run_fake({"a": "f=1,1"}, **table, **FAKE_ENV)
        self.assertEqual(self.states(), {"a": "same"})  # Ir does not ask for caches
        self.run_fake({"a": "f=1,1"}, commit="old", **table, events=["Ir", "D1mr"])
        with mock.patch.dict(os.environ, {"FAKE_CACHE": "16384 B"}):
            self.run_fake({"a": "f=1,1"}, **table, events=["Ir", "D1mr"],
                          **FAKE_ENV)  # fmt: skip
        found = self.compared(status=3)["benchmarks"][0]
        self.assertEqual(found["reason"], "D1 cache: 32768 B in the base, 16384 B here")

    def test_other_caches_where_only_a_limit_names_their_event(self) -> None:
        table: dict[str, Any] = {"options": ["--events=Ir,D1mr"]}
        self.run_fake({"a": "f=1,10"}, commit="old", **table)
        self.gate("accept", "base")
        with mock.patch.dict(os.environ, {"FAKE_CACHE": "16384 B"}):
            self.run_fake({"a": "f=1,20"}, **table, **FAKE_ENV)
        for limit in ("--limit=D1mr:1%", "--function-growth=f:D1mr:1%",
                      "--object-growth=*:D1mr:1%"):  # fmt: skip
            found = self.compared(limit, status=3)["benchmarks"][0]
            self.assertEqual(found["judged"], ["Ir", "D1mr"])
            self.assertIn("D1 cache", found["reason"])
        self.assertEqual(self.states("--limit=Ir:1%"), {"a": "same"})

    def test_another_tool_is_told_and_refused_if_asked_for(self) -> None:
        self.run_fake({"a": "f=1"}, commit="old")
        self.gate("accept", "base")
        with mock.patch.dict(os.environ, {"FAKE_CREATOR": "fake 2"}):
            self.run_fake({"a": "f=1"}, **FAKE_ENV)
        self.assertIn("creator: fake 1 in the base, fake 2 here",
                      self.gate("compare", "base")[1])
        self.assertEqual(self.states("--strict", status=3), {"a": "not comparable"})

    def test_what_cannot_move_the_judged_events_is_no_obstacle(self) -> None:
        """Of caches of another shape nothing follows for instructions."""
        table: dict[str, Any] = {**FAKE_ENV, "events": ["Ir"]}
        self.run_fake({"a": "f=1"}, commit="old", **table)
        self.gate("accept", "base")
        with mock.patch.dict(os.environ, {"FAKE_CACHE": "1 B"}):
            self.run_fake({"a": "f=1"}, **table)
        self.assertEqual(self.states("--strict"), {"a": "same"})


class SameFunctions(GateCase):
    def test_hashes_of_builds_do_not_matter(self) -> None:
        old, new = "0123456789abcdef", "fedcba9876543210"
        self.run_fake({"a": f"core::f::h{old}=5 g.llvm.123=5 h.constprop.0=1"},
                      commit="old")  # fmt: skip
        self.gate("accept", "base")
        self.run_fake({"a": f"core::f::h{new}=5 g.llvm.456=5 h.constprop.1=1"})
        self.assertEqual(self.compared()["benchmarks"][0]["functions"], [])
        found = self.compared("--match=name+object")["benchmarks"][0]["functions"]
        self.assertEqual({each["change"] for each in found}, {"new", "gone"})
        self.assertEqual(len(found), 6)

    def test_names_and_objects(self) -> None:
        for name, same in (
            ("a::b::h0123456789abcdef", "a::b"),
            ("<a as b>::c::h0123456789abcdef", "<a as b>::c"),
            ("core[0123456789abcdef]::f", "core::f"),
            ("f.llvm.1234", "f"),
            ("f.constprop.12.isra.0", "f.constprop.isra"),
            ("a::h0123", "a::h0123"),
            ("a[12]", "a[12]"),
            ("part.0", "part.0"),
            ("JS:*f /a/b.mjs:12:7", "JS:f /a/b.mjs"),
            ("JS:~f file:///a/b.mjs:3:1", "JS:f file:///a/b.mjs"),
            ("JS:+'f b.js:3:1", "JS:f b.js"),
            ("JS:^ b.js:3:1", "JS: b.js"),
            ("JS:f b.js:3:1", "JS:f b.js"),
            ("JS:*get [Symbol.iterator] b.js:3:1", "JS:get [Symbol.iterator] b.js"),
            ("LazyCompile:~f node:internal/a:3:1", "LazyCompile:f node:internal/a"),
            ("JS:~f b.js:3:1'JS:*g c.js:4:5", "JS:f b.js'JS:g c.js"),
            ("main'JS:*g c.js:4:5", "main'JS:g c.js"),
            ("JS:~f", "JS:f"),
            ("JS::~f a:1:2", "JS::~f a:1:2"),  # a destructor of C++
            ("f b.js:3:1", "f b.js:3:1"),
            ("py::f:/a/b.py", "py::f:/a/b.py"),
            ("MyJS:*f a:1:2", "MyJS:*f a:1:2"),
        ):
            self.assertEqual(plain_function(name), same)
        self.assertEqual(plain_object("/t/deps/bench-0123456789abcdef"), "bench")
        self.assertEqual(plain_object("/l/libx-0123456789abcdef.so"), "libx.so")
        self.assertEqual(plain_object("/t/bench-1.2"), "bench-1.2")

    def test_a_javascript_function_that_moves_is_no_new_one(self) -> None:
        """Twenty comments above it, and the compiler comes later: nothing has changed."""
        old = {"py": "JS:~f~a.mjs:3:4=70 JS:*f~a.mjs:3:4=30 JS:~g~a.mjs:9:1=5"}
        new = {"py": "JS:~f~a.mjs:23:4=80 JS:*f~a.mjs:23:4=20 JS:~g~a.mjs:29:1=5"}
        self.base_and_head(old, new, limits=["0"], **{"function-growth": ["JS:*:0"]})
        self.assertEqual(self.compared()["benchmarks"][0]["functions"], [])
        found = self.compared("--match=name+object", status=1)
        self.assertEqual(len(found["benchmarks"][0]["functions"]), 6)

    def test_functions_of_another_object_are_hinted_at(self) -> None:
        self.run_fake({"a": "f=5"}, commit="old")
        self.gate("accept", "base")
        with mock.patch.dict(os.environ, {"FAKE_OBJECT": "fake2"}):
            self.run_fake({"a": "f=5"}, **FAKE_ENV)
        found = self.compared()["benchmarks"][0]
        self.assertIn("--match=name takes them as the same", found["hint"])
        found = self.compared("--match=name")["benchmarks"][0]
        self.assertEqual((found["hint"], found["functions"]), (None, []))

    def test_names_can_be_rewritten(self) -> None:
        self.base_and_head({"a": "f.1=5"}, {"a": "f.2=5"})
        found = self.compared(r"--map-name=s/\.[0-9]//")["benchmarks"][0]
        self.assertEqual(found["functions"], [])

    def test_hashes_are_left_out_of_names_that_are_rewritten(self) -> None:
        names = [f"{old}::f::h{digit * 16}" for old, digit in (("a", "1"), ("b", "2"))]
        self.base_and_head(*({"a": f"{name}=5"} for name in names))
        found = self.compared("--map-name=s/^a/b/")["benchmarks"][0]
        self.assertEqual(found["functions"], [])


class Rule(unittest.TestCase):
    def test_enough_surroundings(self) -> None:
        sure = Fraction("0.999")
        # C(8, 4) = 70, C(24, 12) = 2,704,156
        self.assertTrue(is_enough(4, 4, 7, Fraction("0.9")))
        self.assertFalse(is_enough(4, 4, 8, Fraction("0.9")))
        self.assertTrue(is_enough(12, 12, 2704, sure))
        self.assertFalse(is_enough(12, 12, 2705, sure))
        self.assertEqual(surroundings_needed(2704, sure), 12)
        self.assertEqual(surroundings_needed(2705, sure), 13)

    def test_limits(self) -> None:
        for text, name, event, amount in (
            ("parse:2%", "parse", None, 2),
            ("a::b:2%", "a::b", None, 2),
            ("a::b:Dr:20", "a::b", "Dr", 20),
            ("f(int, char):0.5%", "f(int, char)", None, 0.5),
            ("a::~b():D1mr:1%", "a::~b()", "D1mr", 1),
            ("*:1%", "*", None, 1),
        ):
            found = parse_gate_limit("function", text)
            self.assertEqual(
                (found.pattern, found.limit.event, float(found.limit.amount)),
                (name, event, amount),
            )
            self.assertEqual(found.text, text)
        for text in ("2%", "f", "f:", ":2%", "f:2x", "f:1.2.3"):
            with self.assertRaises(ValueError, msg=text):
                parse_gate_limit("function", text)


class Names(unittest.TestCase):
    def test_short_ones_stay(self) -> None:
        self.assertEqual(shortened("std::vector<int>::push_back(int)"),
                         "std::vector<int>::push_back(int)")

    def test_arguments_go_first_from_the_inside(self) -> None:
        name = ("std::map<std::string, std::vector<int, std::allocator<int>>>::"
                "operator[](std::string const&)")
        self.assertEqual(
            shortened(name, 60), "std::map<std::string, std::vector<…>>::operator[](…)"
        )
        self.assertEqual(shortened(name, 40), "std::map<…>::operator[](…)")
        self.assertEqual(
            shortened("bool operator<< <std::pair<int, int>>(a, b) [clone .cold]", 40),
            "bool operator<< <…>(…) [clone .cold]",
        )
        name = "f(std::piecewise_construct_t const&, std::tuple<a&&>&&, std::tuple<>&&)"
        self.assertEqual(shortened(name, 40), "f(…)")
        rust = "<alloc::vec::Vec<T> as core::iter::FromIterator<T>>::from_iter_in_place"
        self.assertEqual(shortened(rust, 30), "<…>::from_iter_in_place")

    def test_no_name_is_longer_and_the_end_stays(self) -> None:
        for name in ("x" * 500 + "end", "a<" * 300 + "end", "operator<" * 90 + "end",
                     "f(" + "g(" * 50 + ")" * 50 + ")end"):  # fmt: skip
            found = shortened(name)
            self.assertLessEqual(len(found), 60)
            self.assertTrue(found.endswith("end"), found)
