# SPDX-License-Identifier: GPL-2.0-or-later
#
# What no other program checks: the length of lines, files and functions, licences, and
# whether files that are spoken of exist.

"""Rules of CONTRIBUTING.md that can be counted."""

from __future__ import annotations

import re
import unittest
from pathlib import Path
from typing import Iterator

from tests.style.files import REPOSITORY, files, name_of, python_files, with_suffix

COLUMNS = 90
# A file is one idea; over about 600 lines it is two.
FILE_LINES = 650
# A function fits a screen.
FUNCTION_LINES = 60
PRODUCT = ("callgrind/", "sampler/", "shared/", "coregrind/", "include/", "clients/")
# Tests whose expectations are made of their text, and data.
TEST_PROGRAMS = (
    "callgrind/report/tests/data/",
    "callgrind/tests/",
    "tests/sampler/programs/",
    "tests/groundtruth/",
    "tests/differential/programs/",
)
CODE = (".c", ".h", ".cpp", ".py", ".js", ".sh", ".am", ".ac")
FENCE = re.compile(r"^ *```")


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()


def long_lines_of_text(path: Path) -> Iterator[int]:
    """Tables and what a program printed may be wide."""
    is_fenced = False
    for number, line in enumerate(lines_of(path), 1):
        is_fenced ^= FENCE.match(line) is not None
        is_free = is_fenced or line.lstrip().startswith("|") or line.startswith("   ")
        if len(line) > COLUMNS and not is_free:
            yield number


def functions_of_c(path: Path) -> Iterator[tuple[int, int]]:
    """Where each function's body begins, and how many lines it has."""
    start = 0
    for number, line in enumerate(lines_of(path), 1):
        if line == "{":
            start = number
        elif line.startswith("}") and start:
            yield start, number - start
            start = 0


class Lines(unittest.TestCase):
    maxDiff = None

    def test_code_is_at_most_90_columns_wide(self) -> None:
        wide = [
            f"{name_of(path)}:{number}"
            for path in sorted({*with_suffix(*CODE), *python_files()})
            if not name_of(path).startswith(TEST_PROGRAMS)
            for number, line in enumerate(lines_of(path), 1)
            if len(line) > COLUMNS
        ]
        self.assertEqual(wide, [])

    def test_so_is_text(self) -> None:
        wide = [
            f"{name_of(path)}:{number}"
            for path in with_suffix(".md")
            for number in long_lines_of_text(path)
        ]
        self.assertEqual(wide, [])

    def test_no_line_ends_with_a_blank(self) -> None:
        ending = [
            f"{name_of(path)}:{number}"
            for path in with_suffix(*CODE, ".md", ".vgtest")
            if "/data/" not in name_of(path)
            for number, line in enumerate(lines_of(path), 1)
            if line != line.rstrip() and not line.lstrip().startswith("|")
        ]
        self.assertEqual(ending, [])


class Merges(unittest.TestCase):
    def test_no_merge_was_left_unfinished(self) -> None:
        marker = re.compile(rb"^(?:<{7}|>{7}) ", re.M)
        left = [name_of(path) for path in files() if marker.search(path.read_bytes())]
        self.assertEqual(left, [])


class Sizes(unittest.TestCase):
    maxDiff = None

    def test_a_file_is_one_idea(self) -> None:
        long = [
            f"{name_of(path)}: {len(lines_of(path))} lines"
            for path in with_suffix(".c", ".h", ".py", ".js")
            if len(lines_of(path)) > FILE_LINES
            # Nobody reads such a table.
            and "; do not edit." not in "\n".join(lines_of(path)[:10])
        ]
        self.assertEqual(long, [])

    def test_a_function_fits_a_screen(self) -> None:
        long = [
            f"{name_of(path)}:{at}: {size} lines"
            for path in with_suffix(".c", ".h")
            if name_of(path).startswith(PRODUCT) and "/tests/" not in name_of(path)
            for at, size in functions_of_c(path)
            if size > FUNCTION_LINES
        ]
        self.assertEqual(long, [])


class Heads(unittest.TestCase):
    maxDiff = None

    def test_every_source_names_its_licence(self) -> None:
        without = [
            name_of(path)
            for path in sorted({*with_suffix(*CODE), *python_files()})
            if "/data/" not in name_of(path)
            and "SPDX-License-Identifier: " not in "\n".join(lines_of(path)[:5])
        ]
        self.assertEqual(without, [])

    def test_every_source_of_the_product_says_what_it_is(self) -> None:
        silent = []
        for path in with_suffix(".c", ".h"):
            if not name_of(path).startswith(PRODUCT) or "/tests/" in name_of(path):
                continue
            head = path.read_text(encoding="utf-8").partition("*/")[0]
            refers = f"See {path.stem}.h." in head and path.with_suffix(".h").exists()
            if len(head.split()) < 6 and not refers:  # no more than the licence
                silent.append(name_of(path))
        self.assertEqual(silent, [])


class Comments(unittest.TestCase):
    """What a comment refers to is named: the one above it may be moved away."""

    maxDiff = None
    COMMENT = re.compile(r"/\*.*?\*/", re.S)
    # Where the comment begins, or a sentence of it that says no more.
    REFERS = re.compile(r"/\*\**\s*The same\b|\bThe same[.;:,]")
    # Of Python and JavaScript: documentation, and the first of several lines.
    DOCUMENTS = re.compile(r'\s*[rb]?"""The same\b')
    LINE_BEGINS = re.compile(r"(?:.*\s)?(?:#|//) ?The same\b")
    LINE_GOES_ON = re.compile(r"\s*(?:#|//)")

    def test_none_begins_with_the_same(self) -> None:
        nameless = [
            f"{name_of(path)}:{text.count(chr(10), 0, comment.start()) + 1}"
            for path in with_suffix(".c", ".h")
            if "/data/" not in name_of(path)
            for text in [path.read_text(encoding="utf-8", errors="surrogateescape")]
            for comment in self.COMMENT.finditer(text)
            if self.REFERS.search(comment[0])
        ]
        self.assertEqual(nameless, [], "say: As foo(), for ...")

    def nameless(self, text: str) -> list[int]:
        """The lines of Python or JavaScript where such a comment begins."""
        lines = text.splitlines()
        return [
            number
            for number, (before, line) in enumerate(zip(["", *lines], lines), 1)
            if self.DOCUMENTS.match(line)
            or self.LINE_BEGINS.match(line) and not self.LINE_GOES_ON.match(before)
        ]

    def test_none_of_a_script_begins_with_the_same(self) -> None:
        found = [
            f"{name_of(path)}:{number}"
            for path in [*python_files(), *with_suffix(".js")]
            for number in self.nameless(path.read_text("utf-8", "surrogateescape"))
            if path != Path(__file__)
        ]
        self.assertEqual(found, [], "say: As foo(), for ...")

    def test_what_is_found_in_a_script(self) -> None:
        for text, lines in (
            ('def f():\n    """The same of g."""\n', [2]),
            ("x = 1  # The same as y\n", [1]),
            ("// The same, as SVG.\n", [1]),
            ("# It is so.\n# The same holds of y.\n", []),
            ('"""It is so.\n\nThe same holds of y."""\n', []),
            ("# The sameness of things\n", []),
        ):
            self.assertEqual(self.nameless(text), lines, text)


class Mentions(unittest.TestCase):
    """A path in a document or a comment leads somewhere."""

    maxDiff = None
    PATH = re.compile(
        r"(?<![\w/.<-])((?:[\w-]+/)+[\w-]+\.(?:c|h|py|md|txt|sh|ini|json))\b"
    )
    # Below these, paths in documents and comments begin.
    TOPS = ("", "callgrind", "sampler", "reader", "callgrind/report", "tests", "docs")
    # Other projects' documents, and made-up names.
    ELSEWHERE = ("tools/perf/", "Documentation/", "FOLDER/", "valgrind/")

    def test_paths_in_documents_and_comments_exist(self) -> None:
        known = {name_of(path) for path in files()}
        missing = []
        for path in [*with_suffix(".md"), *with_suffix(".c", ".h")]:
            name = name_of(path)
            if name.startswith(TEST_PROGRAMS) or "/tests/" in name or name == "NEWS.md":
                continue
            text = path.read_text(encoding="utf-8")
            if path.suffix in (".c", ".h"):
                text = "\n".join(re.findall(r"/\*.*?\*/", text, re.S))
            tops = (*self.TOPS, Path(name).parent.as_posix())
            for match in self.PATH.finditer(text):
                said = match[1]
                if said.startswith(self.ELSEWHERE):
                    continue
                if not any(f"{top}/{said}".lstrip("/") in known for top in tops):
                    missing.append(f"{name}: {said}")
        self.assertEqual(sorted(set(missing)), [])


class Variables(unittest.TestCase):
    """The environment is part of what a user sees; a debugging aid is not."""

    ASKED = re.compile(r'\bgetenv\)?\("(\w+)"')

    def test_what_is_asked_of_the_environment_is_documented(self) -> None:
        documents = "\n".join(
            path.read_text(encoding="utf-8") for path in with_suffix(".md", ".1")
        )
        asked = {
            (name_of(path), variable)
            for path in with_suffix(".c", ".h")
            if name_of(path).startswith(PRODUCT) and "/tests/" not in name_of(path)
            for variable in self.ASKED.findall(path.read_text(encoding="utf-8"))
        }
        self.assertIn(("sampler/profile/output.c", "TMPDIR"), asked)
        unknown = [
            f"{name}: {variable}"
            for name, variable in sorted(asked)
            if re.search(rf"\b{variable}\b", documents) is None
        ]
        self.assertEqual(unknown, [])


class Scope(unittest.TestCase):
    def test_there_is_something_to_check(self) -> None:
        self.assertGreater(len(files()), 500)
        self.assertIn(REPOSITORY / "callgrind" / "main.c", files())
