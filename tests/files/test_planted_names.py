# SPDX-License-Identifier: GPL-2.0-or-later
#
# What happens where another user has planted something under the name of a file that we
# write: its own name, or that of the fall-back.  The measurement is kept, in a file that
# only the victim can read; nothing else is touched; nothing hangs.

"""Profiles, samples and exports, written where everybody may write."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Callable, NamedTuple

from tests.files.hostile import BUILD, ROOT, VICTIM, Ended, HostileFolder, Plant
from tests.format.tree_examples import example
from tests.reachable_build import reachable_build, reachable_copy
from tests.sampler.sampling import why_not_sampling
from tests.small_program import small_program


class Run(NamedTuple):
    """A run of the tool: where its file goes if nothing is in the way."""

    options: list[str]
    own_name: str  # PID stands for its process
    fall_back: str

    def command(self) -> list[str]:
        folder = reachable_build()
        words = ["-q", "--tool=callgrind", *self.options]
        program = reachable_copy(small_program())
        return [str(folder / "vg-in-place"), *words, str(program), "3"]


def tool(*options: str, own_name: str = "callgrind.out.PID") -> Run:
    return Run([*options], own_name, "callgrind.out.PID.part1")


# The processes that may be the sampler's child: the next numbers.
NEXT = 20
Kind = Callable[[Plant, Path], None]


USUAL = tool()
NAMED = tool("--callgrind-out-file=out", own_name="out")
COMBINED = tool("--combine-dumps=yes")


class PlantedNames(HostileFolder):
    """Each kind of plant under each name, for each victim."""

    def attack(
        self, run: Run, user: int, kind: Kind, fall_back: bool
    ) -> None:
        """One run, with `kind` planted under its own name, or also under the other."""
        plant = Plant(self, user)

        def plant_names(process: int) -> None:
            for name in (run.own_name, run.fall_back)[: 2 if fall_back else 1]:
                kind(plant, self.sticky / name.replace("PID", str(process)))

        ended = self.run_as(user, run.command(), self.sticky, plant_names)
        self.assertEqual(ended.status, 3, ended.said)
        self.assertEqual(plant.harm(), "", ended.said)
        self.check_profile(run, ended, user)
        self.clear()

    def check_profile(self, run: Run, ended: Ended, user: int) -> None:
        """It is in one file, whole and only the victim's; which one is said."""
        found = [path for path in self.sticky.iterdir() if is_profile(path)]
        self.assertEqual(len(found), 1, ended.said)
        status = found[0].lstat()
        self.assertEqual((status.st_uid, stat.S_IMODE(status.st_mode)), (user, 0o600))
        if found[0].name != run.own_name.replace("PID", str(ended.process)):
            self.assertIn(f"the profile is in '{found[0]}' instead", ended.said)

    def test_its_own_name(self) -> None:
        for run in (USUAL, NAMED, COMBINED):
            for user in (ROOT, VICTIM):
                for kind in Plant.KINDS:
                    with self.subTest(run.own_name, user=user, kind=kind.__name__):
                        self.attack(run, user, kind, fall_back=False)

    def test_its_own_name_and_the_fall_back(self) -> None:
        for user in (ROOT, VICTIM):
            for kind in Plant.KINDS:
                with self.subTest(user=user, kind=kind.__name__):
                    self.attack(USUAL, user, kind, fall_back=True)


class OtherPrograms(HostileFolder):
    """What refuses a name before it begins, and what has no other place."""

    def check_written(self, user: int, start: str, said: str) -> None:
        """There is one file of the victim's, which nobody else can read."""
        found = [
            path for path in self.sticky.iterdir()
            if stat.S_ISREG(path.lstat().st_mode) and path.read_text().startswith(start)
        ]
        self.assertEqual(len(found), 1, said)
        status = found[0].lstat()
        self.assertEqual((status.st_uid, stat.S_IMODE(status.st_mode)), (user, 0o600))

    def test_the_sampler_under_a_name_that_is_given(self) -> None:
        if why_not_sampling():
            self.skipTest(why_not_sampling())
        command = [str(BUILD / "callgrind_sample"), "-o", "out", "sh", "-c", "exit 3"]
        for kind in Plant.KINDS:
            with self.subTest(kind.__name__):
                plant = Plant(self, ROOT)
                kind(plant, self.sticky / "out")
                ended = self.run_as(ROOT, command, self.sticky)
                self.assertEqual(plant.harm(), "", ended.said)
                if kind is Plant.open_file:  # which root may replace
                    self.assertEqual(ended.status, 3, ended.said)
                    self.check_written(ROOT, "callgrind-tree 1\n", ended.said)
                else:
                    self.assertEqual(ended.status, 2, ended.said)
                    self.assertRegex(ended.said, "/out: .*; name .* file with -o\n")
                self.clear()

    def test_the_sampler_under_its_usual_name(self) -> None:
        if why_not_sampling():
            self.skipTest(why_not_sampling())
        command = [str(BUILD / "callgrind_sample"), "sh", "-c", "exit 3"]
        for kind in Plant.KINDS:
            if kind is Plant.folder:  # is refused, as above
                continue
            with self.subTest(kind.__name__):
                plant = Plant(self, ROOT)

                def plant_names(process: int, kind: Kind = kind) -> None:
                    for number in range(process + 1, process + 1 + NEXT):
                        kind(plant, self.sticky / f"callgrind.sample.{number}")

                ended = self.run_as(ROOT, command, self.sticky, plant_names)
                self.assertEqual(plant.harm(), "", ended.said)
                self.assertEqual(ended.status, 3, ended.said)
                self.check_written(ROOT, "callgrind-tree 1\n", ended.said)
                self.clear()

    def test_an_export(self) -> None:
        tree = self.home / "a.tree"
        tree.write_bytes(example())
        command = [
            str(reachable_build() / "callgrind_export"),
            "--to", "folded", "-o", "out", str(tree),
        ]
        for user in (ROOT, VICTIM):
            for kind in Plant.KINDS:
                with self.subTest(user=user, kind=kind.__name__):
                    plant = Plant(self, user)
                    kind(plant, self.sticky / "out")
                    ended = self.run_as(user, command, self.sticky)
                    self.assertEqual(plant.harm(), "", ended.said)
                    if kind is Plant.open_file and user == ROOT:
                        self.assertEqual(ended.status, 0, ended.said)
                        self.check_written(user, "main", ended.said)
                    else:
                        self.assertEqual(ended.status, 2, ended.said)
                        self.assertRegex(ended.said, "^callgrind_export: out: .*\n$")
                    self.clear()


def is_profile(path: Path) -> bool:
    """A file that holds a whole profile."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
        return False
    lines = path.read_text("utf-8", "replace").splitlines()
    return lines[0] == "# callgrind format" and lines[-1].startswith("totals: ")
