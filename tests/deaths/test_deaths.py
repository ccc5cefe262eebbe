# SPDX-License-Identifier: GPL-2.0-or-later
#
# However a process dies, whichever of its threads does it, and whatever the others are
# doing: its status is the one that it has without the tool, and its profile is whole.
# Relies on the program dies_among_threads, which is also that of three regression tests.

"""The ways in which a process dies, times its threads, times what the others do."""

from __future__ import annotations

import os
import random
import re
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest

from tests.files.hostile import BUILD, SOURCE
from tests.native.building import build_of
from tests.regtest.queries import Query
from tests.runner.series import in_turn, is_long

SEED = 51
LEAF_COST = 10
PROGRAM = SOURCE / "callgrind" / "tests" / "threads" / "dies_among_threads.c"
HELPERS = SOURCE / "callgrind" / "tests" / "helpers"

WHO = ("main", "thread", "alone")
WAYS = tuple(
    "segv fpe bus ill trap blocked handler overflow abort term others pipe alarm size"
    " time hardtime kill tkill tgkill queue queuethread pidfd killgroup seccomp"
    " seccomptrap exit return exec noexec vfork".split()
)
STATES = tuple(
    "running yielding making handling reading writing waiting joining conditioned locked"
    " sleeping polling epolling sigwaiting accepting parent".split()
)
OPTIONS = (
    "",
    "--separate-threads=yes",
    "--ct-check=all",
    "--collect-systime=nsec --cache-sim=yes",
    "--steady=yes",
    "--fair-sched=try",
    "--call-tree=yes --call-tree-out-file=/dev/null",
)
# What the core and the tool say of errors of their own.
WRONG = re.compile("ct-check:|Assertion|INTERNAL|is lost|cannot write")
SUMS_AGREE = "well-formed, sums agree, inclusive costs conserved"


@dataclass(frozen=True)
class Death:
    who: str
    how: str
    states: tuple[str, ...]
    options: str

    @property
    def name(self) -> str:
        states = "all" if self.states == STATES else "+".join(self.states)
        return "-".join([self.how, self.who, states, *self.options.split()[:1]])


def deaths(ways_a_state: int, every_thread: bool) -> list[Death]:
    """Each way, with one thread or with every one, among all states; and so many ways
    among threads of each state alone."""
    drawn = random.Random(SEED)
    choose = drawn.choice
    found = []
    for way in WAYS:
        for who in WHO if every_thread else (choose(WHO),):
            found.append(Death(who, way, STATES, choose(OPTIONS)))
    for state in STATES:
        for way in drawn.sample(WAYS, ways_a_state):
            found.append(Death(choose(WHO), way, (state,), choose(OPTIONS)))
    # A filter that ends a thread, which is the last one.
    found.append(Death("alone", "seccompthread", ("none",), ""))
    return list(dict.fromkeys(found))


@lru_cache(maxsize=None)
def program() -> str:
    flags = (f"-I{HELPERS}", "-fno-sanitize=all", "-O1", "-static", "-pthread",
             "-Wno-infinite-recursion")  # fmt: skip
    return build_of("dies_among_threads", PROGRAM, flags=flags)


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="replace", check=False,
    )  # fmt: skip


def leaf_cost(profile: Path) -> int:
    """Of a profile that is whole."""
    words = ("check", "--roots", "clone* _start* *", "+", "self", "leaf", "--profile")
    query = Query("profile_query", (*words, profile.name))
    said = query.answer(profile.parent)[1].splitlines()
    assert said and SUMS_AGREE in said[0], said
    return sum(int(line.split()[1]) for line in said if line.startswith("leaf "))


def wanted() -> list[Death]:
    """All take a quarter of an hour: only by hand, with CT_ALL_DEATHS=1."""
    if os.environ.get("CT_ALL_DEATHS"):
        return deaths(len(WAYS), True)
    # By turns, each way has another thread.
    return [*in_turn(deaths(4, True))] if is_long() else deaths(1, False)


@pytest.mark.parametrize("death", wanted(), ids=lambda death: death.name)
def test_death(death: Death, tmp_path: Path) -> None:
    words = [program(), death.who, death.how, *death.states]
    alone = run(words, tmp_path)
    tool = [str(BUILD / "vg-in-place"), "-q", "--vgdb=no", "--command-line-only=yes",
            "--tool=callgrind", "--callgrind-out-file=out.%p"]  # fmt: skip
    done = run([*tool, *death.options.split(), *words], tmp_path)
    assert done.returncode == alone.returncode, done.stderr
    assert not WRONG.search(done.stderr), done.stderr
    profiles = sorted(tmp_path.glob("out.*"))
    arrived = len([state for state in death.states if state != "none"])
    assert sum(map(leaf_cost, profiles)) == LEAF_COST * (arrived + 1)
    assert not list(tmp_path.glob(".callgrind*"))
