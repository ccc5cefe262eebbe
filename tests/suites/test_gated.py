# SPDX-License-Identifier: GPL-2.0-or-later
#
# Real frameworks under callgrind_gate, as docs/frameworks.md says: each benchmark is
# measured, a function that is made slower is named, and what costs nothing raises no
# alarm.
#
# Owns: the table of frameworks.  gated.py runs the page's lines, checked.py knows what
# the benchmarks do.

"""Frameworks under the gate."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

import pytest

from tests.clients.fetched import needed
from tests.suites.checked import LEAST_SHARE, Expected, check_parts, check_paths
from tests.suites.gated import GateRun, Quiet, lines_of, project_of

HERE = Path(__file__).resolve().parent
FUNCTION = "merge"  # that is made slower; its benchmark is called sort
LEAST, MOST = 0.01, 0.05  # by how much that grows


@dataclass(frozen=True)
class Measured:
    """The five benchmarks of a suite."""

    start: str  # of their names
    expected: Expected
    sort: str  # the rest of the name of one of them
    least_share: float = LEAST_SHARE


@dataclass(frozen=True)
class Framework:
    name: str  # on the page
    folder: str  # with the project
    suites: Sequence[Measured]
    quiet: Quiet
    registry: str = ""
    needs: Sequence[str] = ()  # programs


FRAMEWORKS: Sequence[Framework] = (
    Framework(
        "go", "go",
        [Measured("go/", Expected(
            r"Benchmark(Read/|_){}", r"counted\.{}",
            r"\(skipped\)|runtime\..*|counted\.Benchmark.*"), "Benchmark_sort", 0.5)],
        Quiet("counted_test.go", "counted_test.go",
              "\nfunc BenchmarkMore(b *testing.B) {\n"
              "\tdefer callgrind_requests.Measure(b)()\n\tkept = digits(\"12\")\n}\n",
              ("func Benchmark_allocate(", "func Benchmark_allocated(")),
        needs=("go",),
    ),
)  # fmt: skip


def needs_all(framework: Framework) -> None:
    for program in framework.needs:
        needed(program)


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda each: each.name)
def test_suite(framework: Framework, tmp_path: Path) -> None:
    """One after the other, for each begins where the one before has ended: what is
    measured, what raises no alarm, and what does."""
    needs_all(framework)
    project = project_of(framework.name, HERE / framework.folder, framework.registry,
                         lines_of(framework.name))
    said = project.measured()
    for suite in framework.suites:
        found = GateRun(project.folder / "gate-run", suite.start)
        check_parts(found.parts(tmp_path), suite.expected, said)
        graph = found.paths(suite.sort, tmp_path)
        check_paths(graph, suite.expected, suite.least_share)
    quiet = project.quieted(framework.quiet)
    assert "worse" not in quiet.states.values(), quiet
    assert "not comparable" not in quiet.states.values(), quiet
    assert len([name for name in quiet.states if quiet.states[name] == "new"]) == 2, quiet
    assert len(quiet.not_run) == 1, quiet
    project.restore()
    verdict, said = project.slowed()
    worse = {name for name, state in verdict.states.items() if state == "worse"}
    assert worse == {suite.start + suite.sort for suite in framework.suites}, verdict
    for suite in framework.suites:
        name = suite.start + suite.sort
        function = suite.expected.named(FUNCTION)
        assert re.fullmatch(function, verdict.functions[name][0]), verdict.functions
        assert LEAST < verdict.growths[name] < MOST, verdict.growths
    pages = [path.name for path in (project.folder / "pages").iterdir()]
    assert len(pages) >= len(worse), pages
    assert f"{len(worse)} worse" in said
