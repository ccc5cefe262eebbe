# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that the differential test sees differences: a real profile is compared with
# copies of itself in which one number, name or line was changed.

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Optional

from profile_file.reader import Detail, read_profile
from profile_file.model import Profile
from tests.differential.comparison import Difference, compare_profiles, consistency_errors
from tests.differential.deviations import (
    DeviationError,
    read_deviations,
    split_differences,
)
from tests.differential.launching import path_beside, path_of_length, unequal_variables

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent.parent / "callgrind" / "report"

DATA = REPORT / "tests" / "data"
Edit = tuple[str, str]


class Folder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def edited(self, name: str, *edits: Edit) -> Profile:
        """The profile with each old text, which must be there once, made new."""
        text = (DATA / name).read_text("utf-8")
        for old, new in edits:
            self.assertEqual(text.count(old), 1, f"{old!r} in {name}")
            text = text.replace(old, new)
        path = self.folder / name
        path.write_text(text, "utf-8")
        return read_profile(path, Detail.INSTRUCTIONS)

    def compare(self, name: str, *edits: Edit) -> tuple[list[Difference], list[str]]:
        stock = read_profile(DATA / name, Detail.INSTRUCTIONS)
        return compare_profiles(stock, self.edited(name, *edits))

    def categories(self, name: str, *edits: Edit) -> dict[str, list[Difference]]:
        found: dict[str, list[Difference]] = {}
        for difference in self.compare(name, *edits)[0]:
            found.setdefault(difference.category, []).append(difference)
        return found


class Detected(Folder):
    def test_equal_profiles(self) -> None:
        for name in ("tiny_default.out", "tiny_instr.out", "combined.out"):
            self.assertEqual(self.compare(name), ([], []))
        self.assertEqual(self.compare("tiny_cache.out")[0], [])

    def test_summary_of_the_distribution_with_cache_simulation(self) -> None:
        """Its summary: holds the last superblock, its totals: does not; ours agree."""
        (error,) = self.compare("tiny_cache.out")[1]
        self.assertIn("summary: [284, 93, 67", error)

    def test_other_spelling_of_the_same_numbers(self) -> None:
        compressed = read_profile(DATA / "tiny_instr.out", Detail.INSTRUCTIONS)
        plain = read_profile(DATA / "tiny_uncompressed.out", Detail.INSTRUCTIONS)
        self.assertEqual(compare_profiles(compressed, plain), ([], []))

    def test_cost_moved_to_another_line(self) -> None:
        found = self.categories("tiny_default.out", ("fn=(7)\n5 9", "fn=(7)\n6 9"))
        self.assertEqual(list(found), ["line"])
        self.assertEqual(
            [str(item) for item in found["line"]],
            [
                "line        tiny:even'2 (/src/tiny.c) @ /src/tiny.c:5: stock 9, ours -",
                "line        tiny:even'2 (/src/tiny.c) @ /src/tiny.c:6: stock -, ours 9",
            ],
        )

    def test_cost_moved_to_another_function(self) -> None:
        found = self.categories(
            "tiny_default.out", ("6 16\n", "6 15\n"), ("5 26\n", "5 27\n")
        )
        self.assertEqual(
            {kind: len(items) for kind, items in found.items()},
            {"function": 2, "line": 2},
        )

    def test_call_count(self) -> None:
        found = self.categories("tiny_default.out", ("calls=6 *", "calls=7 *"))
        self.assertEqual(list(found), ["arc", "site"])
        self.assertEqual(
            (found["arc"][0].stock, found["arc"][0].ours), ((6, 110), (7, 110))
        )

    def test_inclusive_cost(self) -> None:
        found = self.categories("tiny_default.out", ("* 111", "* 112"))
        self.assertEqual(list(found), ["arc", "site"])
        self.assertEqual(found["arc"][0].change(), (0, 1))

    def test_call_from_another_line(self) -> None:
        found = self.categories(
            "tiny_default.out",
            ("calls=2 +1 \n* 31", "calls=2 6\n+1 31"),
            ("* 9\n\nfn=(7)", "-1 9\n\nfn=(7)"),
        )
        self.assertEqual({kind: len(items) for kind, items in found.items()}, {"site": 2})

    def test_missing_arc(self) -> None:
        found = self.categories(
            "tiny_default.out",
            ("cfn=(7) even'2\ncalls=1 -1 \n* 9\n", ""),
            ("fn=(7)\n", "fn=(7) even'2\n"),
        )
        self.assertEqual(list(found), ["arc", "site"])
        self.assertIsNone(found["arc"][0].ours)

    def test_renamed_function(self) -> None:
        found = self.categories("tiny_default.out", ("(8) odd", "(8) strange"))
        self.assertEqual(
            {item.name for item in found["function"]},
            {"tiny:odd (/src/tiny.c)", "tiny:strange (/src/tiny.c)"},
        )

    def test_other_object_and_file(self) -> None:
        self.assertEqual(
            len(
                self.categories("tiny_default.out", ("/src/tiny\n", "/src/tina\n"))[
                    "function"
                ]
            ),
            14,
        )
        self.assertEqual(
            len(self.categories("tiny_default.out", ("/tiny.c", "/tina.c"))["function"]),
            14,
        )

    def test_instruction(self) -> None:
        text = (DATA / "tiny_uncompressed.out").read_text("utf-8")
        line = next(line for line in text.splitlines() if line.startswith("0x"))
        address, rest = line.split(" ", 1)
        found = self.categories(
            "tiny_uncompressed.out",
            (f"\n{line}\n", f"\n{int(address, 16) + 0x100000:#x} {rest}\n"),
        )
        self.assertEqual(
            {kind: len(items) for kind, items in found.items()}, {"instruction": 2}
        )

    def test_jump(self) -> None:
        found = self.categories("tiny_instr.out", ("jcnd=3/9", "jcnd=4/9"))
        self.assertEqual([item.change() for item in found["jump"]], [(0, 1)])

    def test_event_of_the_cache_simulation(self) -> None:
        found = self.categories(
            "tiny_cache.out",
            ("* 33 24\n", "* 33 24 0 1\n"),
            ("totals: 279 93 66 4 1", "totals: 279 93 66 5 1"),
        )
        self.assertEqual(found["line"][0].change(), (0, 0, 0, 1, 0, 0, 0, 0, 0))

    def test_one_part_of_several(self) -> None:
        found = self.categories("combined.out", ("calls=4 +8", "calls=5 +8"))
        self.assertEqual(found["arc"][0].part, "part 1 thread 1")

    def test_missing_part(self) -> None:
        text = (DATA / "combined.out").read_text("utf-8")
        second = text[text.index("\npart: 2") :]
        errors = self.compare("combined.out", (second, ""))[1]
        self.assertEqual(len(errors), 1)
        self.assertIn("parts differ", errors[0])

    def test_other_events(self) -> None:
        found = self.categories("tiny_default.out", ("events: Ir", "events: Dr"))
        self.assertIn("events: Ir / Dr", found["total"][0].name)


class Consistency(Folder):
    def test_summary(self) -> None:
        profile = self.edited("tiny_default.out", ("summary: 279", "summary: 280"))
        (error,) = consistency_errors(profile)
        self.assertIn("summary: [280], but self costs add up to [279]", error)

    def test_missing_summary(self) -> None:
        profile = self.edited("tiny_default.out", ("summary: 279\n", ""))
        self.assertIn("no summary: line", consistency_errors(profile)[0])


class Deviations(Folder):
    ENTRY = (
        "[odd]\nwhat = function line\nmatch = tiny:odd *\nmay = by 3\n"
        "reason = a reason of several words\n"
    )

    def listed(self, text: str) -> Path:
        path = self.folder / "deviations.ini"
        path.write_text(text, "utf-8")
        return path

    def difference(
        self, name: str, ours: Optional[int], category: str = "function"
    ) -> Difference:
        return Difference(category, name, (10,), None if ours is None else (ours,))

    def left(
        self,
        text: str,
        *differences: Difference,
        case: str = "bzip2",
        options: str = "default",
    ) -> int:
        entries = read_deviations(self.listed(text))
        return len(split_differences(list(differences), entries, case, options)[0])

    def test_covers_what_it_names(self) -> None:
        close = self.difference("tiny:odd (a.c)", 12)
        self.assertEqual(self.left(self.ENTRY, close), 0)
        self.assertEqual(self.left(self.ENTRY, self.difference("tiny:odd (a.c)", 14)), 1)
        self.assertEqual(self.left(self.ENTRY, self.difference("tiny:even (a.c)", 12)), 1)
        self.assertEqual(
            self.left(self.ENTRY, self.difference("tiny:odd (a.c)", 12, "arc")), 1
        )

    def test_cases_and_options(self) -> None:
        entry = self.ENTRY + "cases = perl python*\noptions = recs=*\n"
        item = self.difference("tiny:odd (a.c)", 12)
        self.assertEqual(self.left(entry, item), 1)
        self.assertEqual(self.left(entry, item, case="python3"), 1)
        self.assertEqual(self.left(entry, item, case="python3", options="recs=4"), 0)

    def test_missing_and_extra(self) -> None:
        entry = self.ENTRY.replace("by 3", "missing")
        self.assertEqual(self.left(entry, self.difference("tiny:odd (a.c)", None)), 0)
        self.assertEqual(self.left(entry, self.difference("tiny:odd (a.c)", 9)), 1)
        extra = Difference("function", "tiny:odd (a.c)", None, (3,))
        self.assertEqual(self.left(self.ENTRY.replace("by 3", "extra"), extra), 0)

    def test_use_is_counted(self) -> None:
        entries = read_deviations(self.listed(self.ENTRY))
        item = self.difference("tiny:odd (a.c)", 12)
        split_differences([item, item], entries, "bzip2", "default")
        self.assertEqual(entries[0].used, 2)

    def test_malformed_lists(self) -> None:
        for old, new, what in (
            ("reason = a reason of several words\n", "", "lacks reason"),
            ("a reason of several words", "because", "gives no reason"),
            ("what = function", "what = everything", "what ="),
            ("may = by 3", "may = by much", "may ="),
            ("may = by 3", "may = by 3\nwhy = x", "has why"),
            ("[odd]", "odd", "no section headers"),
        ):
            with self.subTest(new or what), self.assertRaisesRegex(DeviationError, what):
                read_deviations(self.listed(self.ENTRY.replace(old, new)))

    def test_the_checked_in_list(self) -> None:
        names = [entry.name for entry in read_deviations(HERE / "deviations.ini")]
        self.assertEqual(len(names), len(set(names)))


class EqualSurroundings(unittest.TestCase):
    def test_links_of_any_length(self) -> None:
        for length in (8, 20, 60, 100):
            path = path_of_length(length, Path("/a/rather/long/folder"))
            assert path is not None
            self.assertEqual(len(str(path)), length)
        self.assertIsNone(path_of_length(3, Path("/a")))

    def test_link_beside_the_tools(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tools, beside = Path(folder) / "tools", Path(folder) / "toolr"
            tools.mkdir()
            self.assertEqual(path_beside(tools), beside)
            beside.symlink_to(tools)  # of an earlier run
            self.assertEqual(path_beside(tools), beside)
            beside.unlink()
            beside.touch()
            self.assertIsNone(path_beside(tools))

    def test_what_would_count_differently(self) -> None:
        tools = Path("/tools")
        stock = {"PATH": "/bin", "LIB": "/aaa"}
        self.assertEqual(
            unequal_variables(stock, {"PATH": "/bin", "LIB": "/bbb"}, tools), []
        )
        self.assertEqual(
            len(unequal_variables(stock, {"PATH": "/bin", "LIB": "/b"}, tools)), 1
        )
        self.assertEqual(
            len(unequal_variables(stock, {"LIB": "/aaa", "PATH": "/bin"}, tools)), 1
        )


if __name__ == "__main__":
    unittest.main()
