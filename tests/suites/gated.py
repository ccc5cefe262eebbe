# SPDX-License-Identifier: GPL-2.0-or-later
#
# A framework's project, measured by callgrind_gate as docs/frameworks.md says.
#
# Owns: the lines of that page, which are run here word by word; the folder of each
# project below the build folder; and what becomes of its sources in between: what must
# raise an alarm stands in the page, what must raise none is in Quiet.

"""Projects under the gate."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

from gate.store import Store, opened
from profile_file.model import Part
from profile_file.reader import Detail, read_profile
from tests.clients.fetched import (
    REPOSITORY, content_of, copy_of, made_once, named_python, run,
)  # fmt: skip
from tests.clients.measured import folded_paths
from tests.differential.options import build_folder

PAGE = REPOSITORY / "docs" / "frameworks.md"
BLOCK = "<!-- suite {} -->\n```sh\n"
GATE = "callgrind_gate "
CLIENTS = ("clients", "include")  # what projects use of the clone beside them
COMMENTS = 20
NEW_COMMENT = "A comment, which is no work."


@dataclass(frozen=True)
class Lines:
    """What the page says of a framework, from an empty checkout on."""

    set_up: Sequence[str]
    run: str
    accept: str
    edit: str  # makes one function slower
    build: Sequence[str]  # builds what was edited
    again: str
    compare: str


def lines_of(framework: str) -> Lines:
    start = BLOCK.format(framework)
    text = PAGE.read_text("utf-8")
    assert start in text, f"{PAGE} has no lines for {framework}"
    lines = text.partition(start)[2].partition("```")[0].splitlines()
    calls = [at for at, line in enumerate(lines) if line.startswith(GATE)]
    assert len(calls) == 4 and calls[3] == len(lines) - 1, lines
    first, accept, again, compare = calls
    assert accept == first + 1 and lines[accept + 1].startswith("sed -i "), lines
    return Lines(lines[:first], lines[first], lines[accept], lines[accept + 1],
                 lines[accept + 2:again], lines[again], lines[compare])  # fmt: skip


@dataclass(frozen=True)
class Edited:
    """A file of benchmarks, in which one has another name and one is new."""

    file: str
    edits: Sequence[tuple[str, str]]  # text that is there once, and what replaces it
    end: str = ""  # what is added

    def apply(self, folder: Path) -> None:
        path = folder / self.file
        text = path.read_text("utf-8")
        for old, new in self.edits:
            assert text.count(old) == 1, (self.file, old)
            text = text.replace(old, new)
        path.write_text(text + self.end, "utf-8")


@dataclass(frozen=True)
class Quiet:
    """Changes of a project that cost nothing, or only where they are."""

    functions: str  # the file of the functions
    benchmarks: Sequence[Edited]
    moved: tuple[str, str] = ("make_node", "merge")  # the one before the other
    comment: str = "//"

    def apply(self, folder: Path) -> None:
        functions = folder / self.functions
        text = functions.read_text("utf-8")
        functions.write_text(self._commented(_moved(text, *self.moved)), "utf-8")
        for each in self.benchmarks:
            each.apply(folder)

    def _commented(self, text: str) -> str:
        """Comments at empty lines, in turns, so that all that follows moves."""
        pieces = text.split("\n\n")
        added = [0] * (len(pieces) - 1)
        for number in range(COMMENTS):
            added[number % len(added)] += 1
        line = f"\n{self.comment} {NEW_COMMENT}"
        return pieces[0] + "".join(
            f"\n{line * count}\n{piece}" for count, piece in zip(added, pieces[1:])
        )


def _moved(text: str, function: str, before: str) -> str:
    """A definition goes before that of another; each is a paragraph."""
    paragraphs = text.split("\n\n")

    def place(name: str) -> int:
        begins = re.compile(rf"(?m)^[^\s/#].*\b{name}\([^;]*$")
        return next(at for at, each in enumerate(paragraphs) if begins.search(each))

    taken = paragraphs.pop(place(function))
    paragraphs.insert(place(before), taken)
    return "\n\n".join(paragraphs)


@dataclass(frozen=True)
class Verdict:
    """What `compare` says: of each benchmark its state, and by how much it has grown; of
    those that are worse, the functions whose own cost has, the most grown first."""

    states: dict[str, str]
    growths: dict[str, float]
    functions: dict[str, list[str]]
    not_run: list[str]


def read_verdict(path: Path) -> Verdict:
    document = json.loads(path.read_text("utf-8"))
    states, growths, functions = {}, {}, {}
    for each in document["benchmarks"]:
        name = each["name"]
        states[name] = each["state"]
        if each["old_total"] and each["new_total"]:
            old, new = (each[f"{side}_total"]["Ir"]["middle"] for side in ("old", "new"))
            growths[name] = new / old - 1
        grown = [(row["new_self"]["Ir"]["middle"] - row["old_self"]["Ir"]["middle"],
                  row["name"]) for row in each["functions"]]
        functions[name] = [function for growth, function in sorted(grown, reverse=True)
                           if growth > 0]
    return Verdict(states, growths, functions, document["not_run"])


@dataclass
class Project:
    """A project's folder, in which the lines of the page are run."""

    folder: Path
    lines: Lines

    def line(self, line: str, status: int = 0, registry: str = "") -> str:
        """Run one, as a user's shell does; what it has said."""
        python = str(Path(named_python()).parent)
        path = os.environ["PATH"].split(os.pathsep)
        tools = build_folder() / "tests" / "fetched" / "cargo-tools"
        path = [str(build_folder()), str(tools / "bin"),
                *([] if python in path else [python]), *path]
        environment = {"PATH": os.pathsep.join(path), "CARGO_INSTALL_ROOT": str(tools)}
        return run(["bash", "-c", line], self.folder, environment, registry, status)

    def restore(self) -> None:
        """The sources as they were, and what is built of them."""
        self.line("git checkout -q .")
        for line in self.lines.build:
            self.line(line)

    def measured(self) -> str:
        """The base; what the gate has said."""
        said = self.line(self.lines.run)
        self.line(self.lines.accept)
        return said

    def slowed(self) -> tuple[Verdict, str]:
        """After the edit that makes a function slower; what is said of it, besides."""
        self.line(self.lines.edit)
        for line in [*self.lines.build, self.lines.again]:
            self.line(line)
        said = self.line(f"{self.lines.compare} --json=verdict.json", status=1)
        return read_verdict(self.folder / "verdict.json"), said

    def quieted(self, quiet: Quiet) -> Verdict:
        """After changes that cost nothing."""
        quiet.apply(self.folder)
        for line in self.lines.build:
            self.line(line)
        self.line(self.lines.again.replace(GATE + "run", f"{GATE}run -o quiet"))
        self.line(f"{GATE}compare baseline quiet --allow-missing --json=verdict.json")
        return read_verdict(self.folder / "verdict.json")


def project_of(name: str, sources: Path, registry: str, lines: Lines) -> Project:
    """What is ready to be measured: a repository with a commit, built once."""
    content = "\n".join(lines.set_up) + content_of(sources)
    said = [*lines.set_up, *(path.read_text("utf-8") for path in sources.rglob("*")
                             if path.is_file())]  # fmt: skip
    if any("/callgrind-exact/" in text for text in said):
        for used in CLIENTS:
            content += content_of(REPOSITORY / used)
    with made_once(f"suite-{name}", content) as (folder, is_there):
        project = Project(folder / "bench", lines)
        if not is_there:
            copy_of(sources, project.folder)
            for used in CLIENTS:
                copy_of(REPOSITORY / used, folder / "callgrind-exact" / used)
            project.line("git init -q . && git add . && git -c user.name=A "
                         "-c user.email=a@b commit -qm first")
            for line in lines.set_up:
                project.line(line, registry=registry)
        else:
            project.restore()
        for left in ("baseline", "gate-run", "quiet", "pages"):
            shutil.rmtree(project.folder / left, ignore_errors=True)
        return project


class GateRun:
    """The run that the gate has left: parts and paths of those of its benchmarks whose
    names begin so."""

    def __init__(self, folder: Path, start: str) -> None:
        self._start = start
        self._store = Store(folder)
        with opened([self._store]):
            self._results = self._store.only_run().results

    def _contents(self, digests: Sequence[str], place: Path) -> list[Path]:
        found = []
        with opened([self._store]):
            for number, digest in enumerate(digests):
                found.append(place / str(number))
                found[-1].write_bytes(self._store.get(digest))
        return found

    def parts(self, scratch: Path) -> list[tuple[str, Part]]:
        """All parts of benchmarks, with the names of these."""
        found = []
        for name, result in self._results.items():
            if not name.startswith(self._start):
                continue
            assert not result.error, (name, result.error)
            for path in self._contents(result.profiles, scratch):
                for part in read_profile(path, Detail.FUNCTIONS).parts:
                    found.append((name.removeprefix(self._start), part))
        return found

    def paths(self, name: str, scratch: Path) -> Iterator[tuple[list[str], int]]:
        """Of the flame graph of a benchmark."""
        result = self._results[self._start + name]
        assert result.trees, f"{name} has no tree"
        yield from folded_paths(self._contents(result.trees, scratch), "")
