# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the strict grammar checker lets through, and each rule that it enforces.

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from tests.format.profile_grammar import main, violations
from tests.source_files import files_below

DATA = Path(__file__).resolve().parents[2] / "callgrind" / "report" / "tests" / "data"
HEADER = [
    "# callgrind format",
    "version: 1",
    "creator: x",
    "pid: 1",
    "cmd: y",
    "part: 1",
    "desc: Trigger: Program termination",
    "positions: line",
    "events: Ir Dr",
    "summary: 3 1",
    "",
]
BODY = [
    "ob=(1) o",
    "fl=(1) a.c",
    "fn=(1) f",
    "1 2 1",
    "cfn=(2) g",
    "calls=1 5",
    "* 40",
    "+3 1",
    "",
    "totals: 3 1",
]


def check(lines: list[str], end: str = "\n") -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.out"
        path.write_text("\n".join(lines) + end, "utf-8")
        return [f"{found.line}: {found.what}" for found in violations(path)]


def replaced(old: str, new: str) -> list[str]:
    lines = HEADER + BODY
    place = lines.index(old)
    return lines[:place] + ([new] if new else []) + lines[place + 1 :]


class Accepted(unittest.TestCase):
    def test_files_of_the_distribution_and_ours(self) -> None:
        names = ["combined.out", "inlined.out"] + sorted(
            path.name for path in files_below(DATA) if path.name.startswith("tiny_")
        )
        self.assertGreater(len(names), 5)
        for name in names:
            with self.subTest(name):
                self.assertEqual(list(map(str, violations(DATA / name))), [])

    def test_the_smallest_file(self) -> None:
        self.assertEqual(check(HEADER + BODY), [])

    def test_jumps_as_written_and_as_described(self) -> None:
        for line in ("jcnd=3/9 +4 ", "jcnd=9 3 +4", "jump=3 +4"):
            self.assertEqual(
                check(HEADER + BODY[:-1] + ["jfi=(1)", line, "* ", BODY[-1]]), []
            )

    def test_ids_defined_again_alike(self) -> None:
        part = [line for line in HEADER[5:]]
        self.assertEqual(check(HEADER + BODY + [""] + part + BODY), [])


class Refused(unittest.TestCase):
    def refused(self, lines: list[str], what: str, end: str = "\n") -> None:
        found = check(lines, end)
        self.assertTrue(
            any(what in line for line in found), f"{what!r} is not in {found}"
        )

    def test_first_line(self) -> None:
        self.refused(["# something else"] + HEADER[1:] + BODY, "1: the first line is not")

    def test_order_of_header(self) -> None:
        lines = HEADER + BODY
        lines[4], lines[5] = lines[5], lines[4]
        self.refused(lines, "6: cmd: stands after part:")

    def test_header_twice(self) -> None:
        self.refused(HEADER[:6] + HEADER[5:] + BODY, "part: stands twice")

    def test_unknown_header(self) -> None:
        self.refused(replaced("pid: 1", "weather: fine"), "unknown header line weather:")

    def test_header_values(self) -> None:
        for old, new, what in (
            ("version: 1", "version: 2", "expected 1"),
            ("pid: 1", "pid: one", "is not a number"),
            ("positions: line", "positions: line instr", "positions: 'line instr'"),
            ("events: Ir Dr", "events: Ir Ir", "one twice"),
            ("events: Ir Dr", "events: Ir D-r", "is not a name"),
            ("summary: 3 1", "summary: 3 1 1", "3 costs for 2 events"),
            ("desc: Trigger: Program termination", "desc: hello", "type: value"),
        ):
            with self.subTest(new):
                self.refused(replaced(old, new), what)

    def test_totals(self) -> None:
        self.refused(
            replaced("totals: 3 1", "totals: 4 1"),
            "totals: [4, 1], but self costs add up to [3, 1]",
        )
        self.refused(replaced("totals: 3 1", ""), "not closed by 'totals:'")
        self.refused(HEADER + BODY + ["totals: 3 1"], "totals: stands twice")
        self.refused(HEADER + BODY + ["fn=(1)", "1 1"], "body line after totals:")

    def test_summary_below_totals(self) -> None:
        self.refused(replaced("summary: 3 1", "summary: 2 1"), "less than totals:")

    def test_part_not_closed(self) -> None:
        self.refused(HEADER + BODY[:-1] + HEADER[5:] + BODY, "without totals:")

    def test_calls(self) -> None:
        self.refused(
            replaced("* 40", "fn=(2)"), "calls= line is not followed by a cost line"
        )
        self.refused(replaced("cfn=(2) g", ""), "calls= without a cfn=")
        self.refused(replaced("calls=1 5", ""), "cfn= is not followed by its calls=")
        self.refused(replaced("calls=1 5", "calls=1"), "expected a count and 1 positions")
        self.refused(replaced("cfn=(2) g", "cfn=(2) g\ncob=(1)"), "cob= after cfn=")
        self.refused(replaced("calls=1 5", "calls=0 5"), "a cost of no calls")

    def test_ids(self) -> None:
        self.refused(replaced("cfn=(2) g", "cfn=(2)"), "(2) is used before it is defined")
        self.refused(
            replaced("cfn=(2) g", "cfn=(1) g"), "(1) is 'f' already, and now 'g'"
        )
        self.refused(replaced("fn=(1) f", "fn=(1 f"), "malformed compressed name")
        self.refused(replaced("fn=(1) f", "fn="), "function name ''")

    def test_places_of_names(self) -> None:
        self.refused(replaced("fl=(1) a.c", ""), "fn= without an fl=")
        self.refused(replaced("fn=(1) f", ""), "cost line outside of a function")
        self.refused(replaced("fn=(1) f", "fi=(1)"), "fi= outside of a function")
        self.refused(replaced("fn=(1) f", "cfni=x"), "cfni= outside of a function")
        self.refused(
            replaced("1 2 1", "cfni=(3) x\n1 2 1"), "cfni=(3) x: empty or compressed"
        )

    def test_unknown_specification(self) -> None:
        self.refused(replaced("1 2 1", "frfn=(1)\n1 2 1"), "unknown specification frfn=")

    def test_cost_lines(self) -> None:
        self.refused(replaced("1 2 1", "1 2 1 0"), "3 costs for 2 events")
        self.refused(replaced("1 2 1", "* 2 1"), "before any absolute one")
        self.refused(replaced("+3 1", "-3 1"), "negative position")
        self.refused(replaced("1 2 1", "1 2 -1"), "not a cost")
        self.refused(replaced("1 2 1", f"1 {1 << 64}"), "64 bits")
        self.refused(replaced("1 2 1", " 1 2 1"), "neither header")

    def test_jumps(self) -> None:
        for line, what in (
            ("jcnd=10/9 +4", "more jumps than executions"),
            ("jump=1/2 +4", "expected counts"),
            ("jcnd=9 +4", "expected counts"),
        ):
            self.refused(HEADER + BODY[:-1] + [line, "*", BODY[-1]], what)
        self.refused(HEADER + BODY[:-1] + ["jump=1 +4", "* 1", BODY[-1]], "carries costs")
        self.refused(
            HEADER + BODY[:-1] + ["jump=1 +4", BODY[-1]], "not followed by a cost"
        )

    def test_line_ends(self) -> None:
        self.refused(HEADER + BODY, "does not end with a line break", end="")
        self.refused(replaced("pid: 1", "pid: 1\r"), "carriage return")

    def test_empty(self) -> None:
        self.refused([], "no part", end="")


class CommandLine(unittest.TestCase):
    def test_status_and_output(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            good = main([str(DATA / "tiny_default.out")])
            bad = main([str(DATA / "tiny.c")])
        self.assertEqual((good, bad), (0, 1))
        self.assertIn("tiny.c:1: ", output.getvalue())
