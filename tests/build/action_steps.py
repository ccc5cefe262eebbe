# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads action.yml and runs its shell steps as GitHub's runner would: inputs and contexts
# are put in where expressions stand, steps whose condition does not hold are left out, a
# step's outputs, additions to PATH and the summary go by files, and a step that fails
# ends the job.  Steps that use another action are told of and not run.
#
# Owns: of YAML and of expressions, what action.yml has of them; anything else is an
# error.

"""The steps of the action, as its service would run them."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Mapping

from tests.build.built import SOURCE, Ended

ACTION = SOURCE / "action.yml"
EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")
COMPARISON = re.compile(r"(\S+) (==|!=) (\S+)")


@dataclass
class Step:
    name: str
    run: str = ""
    fields: dict[str, str] = field(default_factory=dict)  # id, if, shell, uses
    env: dict[str, str] = field(default_factory=dict)
    uses: dict[str, str] = field(default_factory=dict)  # its `with:`


@dataclass(frozen=True)
class Action:
    defaults: Mapping[str, str]
    outputs: Mapping[str, str]
    steps: list[Step]


def indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def plain(text: str) -> str:
    """A scalar without its quotes."""
    if text[:1] in ("'", '"') and text[-1:] == text[0]:
        return text[1:-1]
    return text


def block(lines: list[str], depth: int) -> str:
    """The lines of a `|` block, taken off the front."""
    taken = []
    while lines and (not lines[0].strip() or indentation(lines[0]) >= depth):
        taken.append(lines.pop(0)[depth:])
    return "\n".join(taken).rstrip("\n") + "\n"


def mapping(lines: list[str], depth: int) -> dict[str, str]:
    """`key: value` lines at one depth, taken off the front."""
    found = {}
    while lines and (not lines[0].strip() or indentation(lines[0]) >= depth):
        line = lines.pop(0)
        if not line.strip():
            continue
        key, _, value = line.strip().partition(": ")
        found[key.rstrip(":")] = block(lines, depth + 2) if value == "|" else plain(value)
    return found


def read_step(lines: list[str]) -> Step:
    step = Step(lines.pop(0).split("- name: ")[1])
    while lines and not lines[0].startswith("    - "):
        line = lines.pop(0)
        if not line.strip():
            continue
        key, _, value = line.strip().partition(":")
        value = value.strip()
        if key == "run":
            step.run = block(lines, 8) if value == "|" else value + "\n"
        elif key == "env":
            step.env = mapping(lines, 8)
        elif key == "with":
            step.uses = mapping(lines, 8)
        elif key in ("id", "if", "shell", "uses"):
            step.fields[key] = plain(value)
        else:
            raise ValueError(f"action.yml: a step has '{key}'")
    return step


def values_of(section: str, name: str) -> dict[str, str]:
    """For each entry of a section, one of its fields."""
    found = {}
    for entry in re.split(r"^  (?=\w)", section, flags=re.M)[1:]:
        key = entry.split(":")[0]
        match = re.search(rf"^    {name}: (.*)$", entry, re.M)
        found[key] = plain(match.group(1)) if match else ""
    return found


def read_action() -> Action:
    text = ACTION.read_text()
    inputs, rest = text.split("\ninputs:\n")[1].split("\noutputs:\n")
    outputs, runs = rest.split("\nruns:\n")
    lines = runs.split("  steps:\n")[1].splitlines()
    steps = []
    while lines:
        steps.append(read_step(lines))
    return Action(values_of(inputs, "default"), values_of(outputs, "value"), steps)


def value_of(word: str, known: Mapping[str, str]) -> str:
    if word.startswith("'"):
        return plain(word)
    if word not in known:
        raise ValueError(f"action.yml: nothing is known of '{word}'")
    return known[word]


def holds(condition: str, known: Mapping[str, str]) -> bool:
    """Comparisons, all joined by && or all by ||."""
    results = []
    for part in re.split(r" (?:&&|\|\|) ", condition):
        match = COMPARISON.fullmatch(part)
        if match is None:
            raise ValueError(f"action.yml: '{part}' is no comparison")
        left, operator, right = match.groups()
        equal = value_of(left, known) == value_of(right, known)
        results.append(equal == (operator == "=="))
    if " && " in condition and " || " in condition:
        raise ValueError(f"action.yml: && and || in '{condition}'")
    return any(results) if " || " in condition else all(results)


def put_in(text: str, known: Mapping[str, str]) -> str:
    def value(match: "re.Match[str]") -> str:
        if COMPARISON.search(match.group(1)):
            return "true" if holds(match.group(1), known) else "false"
        return value_of(match.group(1), known)

    return EXPRESSION.sub(value, text)


def pairs(path: Path) -> Iterable[tuple[str, str]]:
    for line in path.read_text().splitlines():
        name, _, value = line.partition("=")
        yield name, value


class Job:
    """A job that has the action as its step, in a project's folder."""

    def __init__(self, folder: Path, project: Path, **github: str) -> None:
        self.project = project
        self.temporary = folder / "runner"
        self.summary = folder / "summary.md"
        self.added_to_path = folder / "path"
        self.output = folder / "output"
        self.told: list[str] = []  # the names of steps that ran
        self.used: list[Step] = []  # the steps that are another action, with values
        self.known = {
            "github.event_name": "pull_request", "github.ref_name": "7/merge",
            "github.event.repository.default_branch": "main", "github.sha": "5a5a",
            "github.run_id": "1", "github.token": "secret", "runner.os": "Linux",
            "runner.arch": "X64", "runner.temp": str(self.temporary),
            "github.action_repository": "owner/callgrind-exact",
            "github.event.pull_request.number": "7",
            **{f"github.{name}": value for name, value in github.items()},
        }
        self.variables = {
            "GITHUB_ACTION_PATH": str(SOURCE), "RUNNER_TEMP": str(self.temporary),
            "GITHUB_STEP_SUMMARY": str(self.summary), "GITHUB_OUTPUT": str(self.output),
            "GITHUB_PATH": str(self.added_to_path), "GITHUB_REPOSITORY": "owner/project",
            "GITHUB_SERVER_URL": "https://github.invalid",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }

    def run(self, **given: str) -> Ended:
        """All steps; the end of the first that fails, or of the last."""
        action = read_action()
        inputs = {name.replace("_", "-"): value for name, value in given.items()}
        unknown = set(inputs) - set(action.defaults)
        if unknown:
            raise ValueError(f"the action has no input {unknown}")
        self.temporary.mkdir(exist_ok=True)
        for path in (self.summary, self.added_to_path, self.output):
            path.write_text("")
        for name, default in action.defaults.items():
            value = inputs.get(name, put_in(default, self.known))
            self.known[f"inputs.{name}"] = value
        ended = Ended(0, "", "")
        for step in action.steps:
            if "if" in step.fields and not holds(step.fields["if"], self.known):
                continue
            self.told.append(step.name)
            if "uses" in step.fields:
                values = {name: put_in(text, self.known)
                          for name, text in step.uses.items()}
                self.used.append(Step(step.name, fields=step.fields, uses=values))
                continue
            one = self.run_step(step)
            ended = Ended(one.status, ended.out + one.out, ended.err + one.err)
            if one.status != 0:
                break
        return ended

    def run_step(self, step: Step) -> Ended:
        path = [*reversed(self.added_to_path.read_text().split("\n")), os.environ["PATH"]]
        environment = {
            **os.environ, **self.variables, "PATH": ":".join(filter(None, path)),
            **{name: put_in(text, self.known) for name, text in step.env.items()},
        }
        self.output.write_text("")
        # As GitHub starts `shell: bash`.
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.run]
        done = subprocess.run(words, cwd=self.project, env=environment, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        for name, value in pairs(self.output):
            self.known[f"steps.{step.fields.get('id', '')}.outputs.{name}"] = value
        return Ended(done.returncode, done.stdout, done.stderr)
