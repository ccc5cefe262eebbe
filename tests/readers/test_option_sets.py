# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every option set of the regression tests, with a program that callgrind itself counts as
# we do: what callgrind_annotate makes of our profile is what it makes of the
# distribution's, function by function, inclusive costs and the calls of each, too.
#
# Owns: what of an option set is left out on either side, and why.  Relies on
# test_annotate.py for the tables.

"""callgrind_annotate's tables with the options of all regression tests."""

from __future__ import annotations

import re
import shlex
import unittest
from pathlib import Path

from tests.build.built import IN_PLACE, SOURCE, STOCK_LAUNCHER, run
from tests.readers import test_annotate
from tests.readers.test_annotate import ANNOTATE, COUNT, NO_CALLS
from tests.regtest.description import read_description
from tests.runner.series import in_turn, is_long

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "calls.c"
REGRESSION = SOURCE / "callgrind" / "tests"

# Where something is written, whom to talk to, what is printed: not what is measured.
ELSEWHERE = (
    "-q", "-v", "--callgrind-out-file", "--call-tree-out-file", "--timeline-out-file",
    "--log-file", "--vgdb-prefix", "--stats", "--profile-heap", "--profile-flags",
)  # fmt: skip
# What the distribution does not know, and what changes nothing of this program's table:
# it has no tail calls, no objects to be skipped and no inlined functions.
OURS_ALONE = (
    "--call-tree", "--call-tree-fold-recursion", "--call-tree-max-nodes", "--timeline",
    "--timeline-min", "--timeline-max", "--ct-check", "--ct-max-functions",
    "--ct-cold-runs", "--ct-verbose", "--ct-verbose3", "--ct-vstart", "--off",
    "--alloc-fn", "--obj-skip", "--skip-jit", "--tail-calls", "--dump-inlined",
    "--steady", "--cache-at-start", "--layout", "--pop-on-jump",
)  # fmt: skip
# No part of a set that can be compared, for these reasons.
NOT_COMPARED = {
    "--dump-every-bb": "parts end by superblocks, which are not the distribution's",
    "--cycle-estimation": "it has an event that the distribution does not know",
    "--cycle-model": "the same event",
    "--ct-max-functions": "functions beyond the limit are one",
    "--guest-cpu": "the C library chooses other code",
    "--fn-group1": "the distribution gives a group the name of its first function",
}
# The value is a function's name, or a pattern for some.
OF_FUNCTIONS = re.compile(
    r"--(toggle-collect|dump-before|dump-after|zero-before|fn-skip|fn-group\d|"
    r"separate-callers\d|separate-recs\d)"
)
MATCHES_NOTHING = re.compile("no_?such|no::such|none|nothing")
FUNCTIONS = ("bottom", "middle", "leaf", "recursive", "top")
# How often a miss happens is compared by the simulators' own tests, where both have the
# same addresses; how long a system call takes is not the same twice.
SURE_EVENTS = ("Ir", "Dr", "Dw", "Bc", "Bi", "Ge")

# The tree has the inclusive costs, too.
VIEWS: list[list[str]] = [[], ["--inclusive=yes", "--tree=both"]]
# Of a profile, what is not in any table.
NOT_SHOWN = re.compile(r"^(?:pid|cmd|desc): .*\n", re.MULTILINE)

# A row about main itself, or about a call by it or of it.
MAIN = re.compile(r":main( \(\d+x\))?$")
PARTS = re.compile("--(dump|zero)-(before|after)=")

OptionSet = tuple[str, ...]


def name_of(word: str) -> str:
    return word.split("=")[0]


def with_own_functions(words: list[str]) -> OptionSet:
    """The set with functions of our program in place of the test's, each for one."""
    own: dict[str, str] = {}
    found = []
    for word in words:
        name, _, value = word.partition("=")
        if OF_FUNCTIONS.fullmatch(name) and not MATCHES_NOTHING.search(value):
            own.setdefault(value, FUNCTIONS[len(own) % len(FUNCTIONS)])
            word = f"{name}={own[value]}"
        elif name == "--obj-skip":
            word = "--obj-skip=/no/such/object.so"
        found.append(word)
    return tuple(dict.fromkeys(found))


def option_sets() -> list[OptionSet]:
    """Those of all regression tests, without what is not measured."""
    found: dict[OptionSet, None] = {}
    for path in sorted(REGRESSION.rglob("*.vgtest")):
        text = " ".join(read_description(path).vgopts)
        words = [word for word in shlex.split(text) if word.startswith("--")
                 and name_of(word) not in ELSEWHERE]  # fmt: skip
        if not any(name_of(word) in NOT_COMPARED for word in words):
            found[with_own_functions(words)] = None
    return list(found)


def is_about_calls(words: OptionSet) -> bool:
    """Whether what is written of calls goes by the set."""
    return any(OF_FUNCTIONS.fullmatch(name_of(word)) for word in words)


class OptionSets(test_annotate.Compared):
    def test_tables_are_those_of_the_distribution_s_profiles(self) -> None:
        self.build_program()
        self.of_stock: dict[OptionSet, dict[str, Path]] = {}
        self.tables: dict[tuple[str, ...], list[str]] = {}
        sets = option_sets()
        self.assertGreater(len(sets), 60)
        few = [*filter(is_about_calls, sets)][::4]
        for words in in_turn(sets) if is_long() else few:
            with self.subTest(" ".join(words)):
                self.compare_tables(words)

    def build_program(self) -> None:
        """Without a dynamic linker, whose work depends on the launcher."""
        program = self.folder / PROGRAM.stem
        ended = run("gcc", "-g", "-O1", "-static", "-pthread", "-o", program, PROGRAM)
        self.assert_ended(ended, 0)

    def compare_tables(self, words: OptionSet) -> None:
        """Where a thread is joined, what that costs depends on whether it has ended: so
        there is one only where threads are apart, and then nothing is said of main."""
        with_thread = any(word == "--separate-threads=yes" for word in words)
        program = [str(self.folder / PROGRAM.stem), *(["thread"] if with_thread else [])]
        known = [word.replace("=inherit", "=no")  # from nobody, here
                 for word in words if name_of(word) not in OURS_ALONE]  # fmt: skip
        stock = self.profiles_of_stock((*known, *program))
        ours = self.profiles(IN_PLACE, *words, *program)
        # The distribution also leaves files of threads in which nothing was counted.
        self.assertLessEqual(set(ours), set(stock))
        # Nor does it count calls that were open when a part began.
        in_parts = any(PARTS.match(word) for word in words)
        for end, path in sorted(stock.items()):
            self.assertNotRegex(ours.get(end, path).read_text(), NO_CALLS)
            for view in VIEWS:
                there = self.table(path, view)
                here = self.table(ours[end], view) if end in ours else []
                if with_thread:
                    there, here = ([row for row in side if not MAIN.search(row)]
                                   for side in (there, here))  # fmt: skip
                if in_parts:
                    there, here = ([COUNT.sub("", row) for row in side]
                                   for side in (there, here))  # fmt: skip
                with self.subTest(part=end, view=view):
                    self.assertEqual(here, there)

    def profiles_of_stock(self, words: OptionSet) -> dict[str, Path]:
        """With calls where the distribution has none; of several sets with the same
        options but for those of ours, made once."""
        if words not in self.of_stock:
            self.of_stock[words] = self.profiles(STOCK_LAUNCHER, *words)
            for path in self.of_stock[words].values():
                path.write_text(NO_CALLS.sub("calls=1 ", path.read_text()))
        return self.of_stock[words]

    def table(self, profile: Path, view: list[str]) -> list[str]:
        """What is made of a profile; made once of those that say the same."""
        key = (NOT_SHOWN.sub("", profile.read_text()), *view)
        if key not in self.tables:
            self.tables[key] = self.table_made_of(profile, view)
        return self.tables[key]

    def table_made_of(self, profile: Path, view: list[str]) -> list[str]:
        """The rows of the program's functions, of the events that are sure."""
        found = re.search(r"^events: (.*)$", profile.read_text(), re.MULTILINE)
        assert found is not None
        events = ",".join(word for word in found[1].split() if word in SURE_EVENTS)
        ended = run(ANNOTATE, "--auto=no", "--show-percs=no", "--threshold=100",
                    f"--show={events}", f"--sort={events}", *view, profile)  # fmt: skip
        self.assert_ended(ended, 0)
        rows = [row.split(" [")[0] for row in ended.out.splitlines()
                if f"/{PROGRAM.name}:" in row]  # fmt: skip
        # The distribution also writes functions of a part that have cost nothing in it.
        rows = [re.sub(r"\s+", " ", row).strip() for row in rows]
        return sorted(row for row in rows if re.search(r"\d", row.split("/")[0]))


if __name__ == "__main__":
    unittest.main()
