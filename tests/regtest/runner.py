# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs one test from its prerequisite to its clean-up and judges it.  Owns: the order of
# these steps, the Valgrind command line, the output files in the test's run folder, and
# which of them stay.  Relies on `places` and `run_folder` for paths, on `shell` and
# `queries` for commands and on `compare` for the verdict.

"""One regression test, from start to verdict."""

from __future__ import annotations

import enum
import os
import shlex
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Mapping, Optional, Sequence

from tests.regtest import queries
from tests.regtest.compare import compare
from tests.regtest.description import (
    BadTest,
    Description,
    Expectation,
    Filter,
    Program,
    read_description,
)
from tests.regtest.places import TestPlaces, Trees
from tests.regtest.profiles import ProfileWatch
from tests.regtest.run_folder import RunFolder
from tests.regtest.shell import Command, Shell, TimedOut

PROFILE = "callgrind.out"
DEFAULT_TOOL = "callgrind"
EXTRA_OPTIONS = "EXTRA_REGTEST_OPTS"  # in the environment


class Verdict(enum.Enum):
    PASS = "pass"
    FAIL = "FAIL"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Result:
    verdict: Verdict
    reason: str = ""  # one line
    details: Sequence[str] = ()  # what explains a failure, such as diffs
    printed: Mapping[Expectation, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """What the command line says about every test."""

    keep_unfiltered: bool
    limit: float
    extra_options: str
    log: Callable[[str], None]


def _tool(options: str) -> str:
    """The tool that Valgrind options select; the launcher heeds the last one named."""
    tool = DEFAULT_TOOL
    for word in _words(options):
        if word.startswith("--tool="):
            tool = word.partition("=")[2]
    return tool


def _words(options: str) -> list[str]:
    try:
        return shlex.split(options)
    except ValueError:  # unbalanced quotes: the shell will say so in its own words
        return options.split()


class TestRun:
    """One run of one test."""

    def __init__(self, description: Description, trees: Trees, settings: Settings):
        self.description = description
        self.settings = settings
        source = description.path.parent
        self.folder = RunFolder(
            trees.build_folder(source), description.name, trees.programs_folder(source)
        )
        self.places = TestPlaces(trees, source, self.folder.path)
        environment = self.places.environment()
        if settings.extra_options:  # also for the runs that a `post` makes
            environment[EXTRA_OPTIONS] = settings.extra_options
        self.shell = Shell(self.folder.path, environment, settings.limit, self._log)
        # Told of the run folder when the program has ended.
        self.after_program: Callable[[Path], None] = lambda folder: None
        self.printed: dict[Expectation, bytes] = {}
        self.wrong: list[str] = []  # what the test failed by
        self.details: list[str] = []

    def _log(self, line: str) -> None:
        self.settings.log(f"{self.description.name}: {line}")

    def run(self) -> Result:
        """Run the test in a folder of its own.  All stays there where it fails."""
        with self.folder:
            result = self._run_in_folder()
            if result.verdict is not Verdict.FAIL:
                self.folder.clear(
                    ["*.unfiltered.out"] if self.settings.keep_unfiltered else []
                )
        return result

    def _run_in_folder(self) -> Result:
        if self.description.prereq is not None:
            reason = self._unmet_prerequisite(self.description.prereq)
            if reason is not None:
                return Result(Verdict.SKIPPED, reason)
        try:
            result = self._run_and_judge()
        except (BadTest, TimedOut) as problem:
            result = Result(Verdict.FAIL, str(problem))
        return self._clean_up(result)

    # Before the test

    def _output(self, stream: str) -> Path:
        return self.folder.path / f"{self.description.name}.{stream}.out"

    def _unmet_prerequisite(self, command: str) -> Optional[str]:
        """Why the test is to be skipped; None when it can run."""
        output = self._output("prereq")
        status = self.shell.run(Command("prereq", command, output))
        said = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        if status == 0:
            return None
        if status == 1:
            return said[-1] if said else f"prereq: {command}"
        raise BadTest(
            f"prereq `{command}` ended with status {status}, neither 0 (run) nor 1 (skip)"
            + (f": {said[-1]}" if said else "")
        )

    # The test

    def _command_line(self, program: Program) -> str:
        # Without exec the shell may stay, and write to stderr which signal ended it.
        words = [*program.env, "exec"]
        if program is self.description.main:
            words += self._valgrind_words()
        words += [self.places.program(program), program.args]
        return " ".join(word for word in words if word)

    def _valgrind_words(self) -> list[str]:
        given = " ".join([self.settings.extra_options, *self.description.vgopts])
        words = [shlex.quote(str(self.places.trees.launcher)), "--command-line-only=yes"]
        names = [word.partition("=")[0] for word in _words(given)]
        if "--tool" not in names:
            words.append(f"--tool={DEFAULT_TOOL}")
        if _tool(given) == DEFAULT_TOOL and "--callgrind-out-file" not in names:
            words.append(f"--callgrind-out-file={PROFILE}")
        return [*words, given.strip()]

    def _run_and_judge(self) -> Result:
        watch = ProfileWatch(self.folder.path)
        status = self._run_programs()
        self.after_program(self.folder.path)
        self.shell.environment["VG_STATUS"] = str(status)
        breaches = watch.breaches()  # before a `post` can remove any
        self._judge_outputs()
        self._judge_posts()
        breaches += watch.breaches()
        if breaches:
            self.wrong.append("the form of a profile")
            self.details += breaches
        if not self.wrong:
            return Result(Verdict.PASS)
        if status != 0:
            self.details.append(f"(the program ended with status {status})")
        return Result(Verdict.FAIL, ", ".join(self.wrong), self.details, self.printed)

    def _judge_outputs(self) -> None:
        for program in self.description.programs:
            for stream, spec in (("stdout", program.stdout), ("stderr", program.stderr)):
                name = stream + program.suffix
                self._filter(name, spec)
                self._judge(name, self._output(name), self.description.outputs.get(name))

    def _judge_posts(self) -> None:
        posts = self.description.posts
        for number, post in enumerate(posts, start=1):
            output = self._output(f"post{number}" if len(posts) > 1 else "post")
            where = f"post in line {post.expected.line}"
            status = self._run_post(where, post.command, output)
            if status != 0:
                self.wrong.append(f"{where} ended with status {status}")
            self._judge(where, output, post.expected)

    def _run_post(self, where: str, command: str, output: Path) -> int:
        """Run a command after the program; a query, which many are, without a shell."""
        query = queries.parse(command)
        if query is None:
            return self.shell.run(Command(where, command, output))
        self._log(f"{where}: {command}")
        status, text = query.answer(self.folder.path)
        output.write_bytes(text.encode(errors="surrogateescape"))
        return status

    def _judge(self, what: str, output: Path, expected: Optional[Expectation]) -> None:
        """Compare an output with what the file says; None: it has to be empty."""
        wanted: Sequence[bytes] = [b""]
        if expected is None:
            name = f"(no `{what}:`, so no output is expected)"
        else:
            wanted = expected.alternatives
            name = f"{self.description.path.name}:{expected.line}"
            self.printed[expected] = output.read_bytes()
        diff = compare(output.read_bytes(), wanted, name, output.name)
        if diff is not None:
            if not any(said.startswith(what) for said in self.wrong):
                self.wrong.append(what)
            self.details += diff

    def _run_programs(self) -> int:
        """Run the program, beside the second one if there is one; the first's status."""
        commands = [
            Command(
                f"prog{program.suffix}",
                self._command_line(program),
                self._output(f"stdout{program.suffix}.unfiltered"),
                self._output(f"stderr{program.suffix}.unfiltered"),
                self.places.input(program),
            )
            # The second one first: it is there to meet the other from its beginning.
            for program in reversed(self.description.programs)
        ]
        return self.shell.run_together(commands)[-1]

    def _filter(self, stream: str, spec: Filter) -> None:
        unfiltered = self._output(f"{stream}.unfiltered")
        if spec.command is None:
            shutil.copyfile(unfiltered, self._output(stream))
            return
        key = f"{stream}_filter"
        complaint = self._output(f"{stream}.filter")
        status = self.shell.run(
            Command(
                key,
                self.places.filter(key, spec, self.description.name),
                self._output(stream),
                complaint,
                unfiltered,
            )
        )
        # 1 is how grep and diff report an ordinary outcome.
        if status > 1:
            said = complaint.read_text(encoding="utf-8", errors="replace").splitlines()
            raise BadTest(
                f"{key} `{spec.command}` ended with status {status}"
                + (f": {said[0]}" if said else "")
            )
        if complaint.stat().st_size == 0:
            complaint.unlink()

    # After the test

    def _clean_up(self, result: Result) -> Result:
        """Run the clean-up, whatever became of the test; its failure is one too."""
        if self.description.cleanup is None:
            return result
        command = Command("cleanup", self.description.cleanup, self._output("cleanup"))
        try:
            status = self.shell.run(command)
            problem = "" if status == 0 else f"cleanup ended with status {status}"
        except TimedOut as late:
            problem = str(late)
        if not problem:
            return result
        said = self._output("cleanup").read_text(encoding="utf-8", errors="replace")
        reasons = [reason for reason in (result.reason, problem) if reason]
        details = [*result.details, *said.splitlines()]
        return Result(Verdict.FAIL, ", ".join(reasons), details, result.printed)


def judged(run: Callable[[], Result]) -> Result:
    """What running a test came to; a test that cannot be run has failed."""
    try:
        return run()
    except (BadTest, TimedOut) as problem:
        return Result(Verdict.FAIL, str(problem))
    except OSError as error:
        where = f"{os.fspath(error.filename)}: " if error.filename is not None else ""
        return Result(Verdict.FAIL, f"cannot run the test: {where}{error.strerror}")


def run_test(path: Path, trees: Trees, settings: Settings) -> Result:
    """Run the test that a .vgtest file describes."""
    return judged(lambda: TestRun(read_description(path), trees, settings).run())
