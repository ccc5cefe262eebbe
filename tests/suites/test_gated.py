# SPDX-License-Identifier: GPL-2.0-or-later
#
# Real frameworks under callgrind_gate, as docs/frameworks.md says: each benchmark is
# measured, a function that is made slower is named, and what costs nothing raises no
# alarm.
#
# frameworks.py is the table, gated.py runs the page's lines, checked.py knows what the
# benchmarks do.

"""Frameworks under the gate."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.clients.fetched import named_python, needed, run
from tests.suites.checked import check_parts, check_paths
from tests.suites.frameworks import FRAMEWORKS, Framework
from tests.suites.gated import GateRun, lines_of, project_of

HERE = Path(__file__).resolve().parent
FUNCTION = "merge"  # that is made slower; its benchmark is called sort
LEAST, MOST = 0.01, 0.05  # by how much that grows
NAMELESS = re.compile(r"python3\.([0-9]|1[01])")  # have no names for functions of Python


def version_of(program: str) -> tuple[int, ...]:
    words = [needed(program), "version" if program == "go" else "--version"]
    found = re.search(r"\b(?:go|v)?(\d+)\.(\d+)", run(words, HERE))
    assert found, words
    return int(found[1]), int(found[2])


def needs_all(framework: Framework) -> None:
    for each in framework.needs:
        program, _, least = each.partition(" ")
        needed(program)
        if least and version_of(program) < tuple(map(int, least.split("."))):
            pytest.skip(f"{program} is older than {least}")
    for each in framework.headers:
        header, package = each.split()
        if not Path("/usr/include", header).exists():
            pytest.skip(f"{package} is not installed")
    if framework.names_python:
        python = Path(named_python()).resolve().name
        if NAMELESS.fullmatch(python):
            pytest.skip(f"{python} has no names for functions; 3.12 was the first")


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
    number = len(framework.suites)  # in each a benchmark is renamed, and one is added
    new = [name for name, state in quiet.states.items() if state == "new"]
    assert (len(new), len(quiet.not_run)) == (2 * number, number), quiet
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
