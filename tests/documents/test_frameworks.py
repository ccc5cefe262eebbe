# SPDX-License-Identifier: GPL-2.0-or-later
#
# The workflow of docs/ci.md that serves all frameworks does, for each of the projects in
# tests/suites, what the lines of docs/frameworks.md do, which run in suite `suites`.

"""docs/ci.md against docs/frameworks.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.suites.frameworks import FRAMEWORKS
from tests.suites.gated import lines_of

REPOSITORY = Path(__file__).resolve().parents[2]
SECTION = "\n## A suite in any framework\n"
STEP = re.compile(r"(?m)^ +if \[ -f (\S+) \]; then (.*); fi$")
REQUIREMENTS = "requirements.txt"
# The page's sections, with the folders of their projects.
PROJECTS = {
    "pytest-codspeed": "python", "pytest-benchmark": "python", "rust": "rust",
    "node": "node", "cpp": "cpp", "go": "go",
}  # fmt: skip
OTHER_REQUIREMENTS = {"pytest-benchmark": "pytest_benchmark.txt"}


@pytest.mark.parametrize("name", PROJECTS)
def test_the_workflow_prepares_each_project(name: str) -> None:
    page = (REPOSITORY / "docs" / "ci.md").read_text("utf-8")
    steps = STEP.findall(page.partition(SECTION)[2].partition("\n## ")[0])
    assert len(steps) == 5
    project = REPOSITORY / "tests" / "suites" / PROJECTS[name]
    own = OTHER_REQUIREMENTS.get(name, REQUIREMENTS)
    done = [command.replace(REQUIREMENTS, own) for file, command in steps
            if (project / file).is_file()]
    assert done == list(lines_of(name).set_up)


def test_each_section_is_known_here_and_those_that_run_are_there() -> None:
    page = (REPOSITORY / "docs" / "frameworks.md").read_text("utf-8")
    assert sorted(re.findall(r"<!-- suite ([\w-]+) -->", page)) == sorted(PROJECTS)
    assert {each.name: each.folder for each in FRAMEWORKS}.items() <= PROJECTS.items()
