# SPDX-License-Identifier: GPL-2.0-or-later
#
# One real program: its runs, and what is demanded of each profile.
#
# Owns: the three runs.
#   default  options as they are
#   counts   with addresses, so that calls can be compared with executed instructions
#   start    with addresses, the measurement beginning in the middle
# All three have to obey the conservation law, with recursion levels merged and apart.
# Relies on program_table.py for the program, conservation.py and call_counts.py for the
# rules, known_roots.py and exception_list.py for what is excused.

"""Run a program in three ways and judge its profiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from profile_file.reader import Detail, ProfileError, read_profile
from profile_file.model import FunctionKey, Part
from tests.differential.code_map import CodeMap
from tests.differential.launching import BASE_ENVIRONMENT, Launcher, RunResult
from tests.groundtruth.conservation import Violation, base_key, violations_by_levels
from tests.groundtruth.real.call_counts import compare_counts
from tests.groundtruth.real.exception_list import COUNT_RULES, Listed, Use, use_for
from tests.groundtruth.real.executed_code import ExecutedCode
from tests.groundtruth.real.known_roots import (
    KnownRoots,
    LIVE_AT_START,
    entry_point,
    read_stack,
)
from tests.groundtruth.real.program_table import Program, Unavailable, start_library

RUNS = ("default", "counts", "start")
ADDRESSES = "--dump-instr=yes"
SHOWN_ERRORS = 300
# Fewer functions than any process has: then there is nothing to judge.
FEWEST_FUNCTIONS = 50


@dataclass
class Verdict:
    """What came of one run."""

    name: str
    failures: list[str] = field(default_factory=list)
    excused: dict[str, str] = field(default_factory=dict)  # what, why
    uses: set[Use] = field(default_factory=set)
    summary: str = ""
    skipped: str = ""  # the reason


class Measurement:
    """The runs of one program."""

    def __init__(
        self, program: Program, launcher: str, folder: Path, listed: list[Listed]
    ) -> None:
        self.program = program
        self.launcher = launcher
        self.folder = folder
        self.listed = listed
        self.files = CodeMap({})
        self._command: list[str] = []

    def judge(self, run: str) -> Verdict:
        """Run the program in one of the three ways, and say what came of it."""
        verdict = Verdict(f"{self.program.name}/{run}")
        try:
            if not self._command:
                self._command = self.program.make(self.folder)
            self._judge(run, verdict)
        except Unavailable as error:
            verdict.skipped = str(error)
        except (OSError, ProfileError) as error:
            verdict.failures.append(str(error))
        return verdict

    def _judge(self, run: str, verdict: Verdict) -> None:
        profile = self.folder / f"{run}.out"
        stack = self.folder / f"{run}.stack"
        result = self._run(run, profile, stack)
        said = result.errors.strip()[-SHOWN_ERRORS:]
        if result.status != 0 or said:
            verdict.failures.append(f"exit status {result.status}: {said}")
        else:
            self._judge_profile(profile, stack, run, verdict)

    # --- Runs ---------------------------------------------------------------------------

    def _run(self, run: str, profile: Path, stack: Path) -> RunResult:
        options = [f"--callgrind-out-file={profile}"]
        environment = dict(BASE_ENVIRONMENT)
        if run != "default":
            options.append(ADDRESSES)
        if run == "start":
            if self.program.start_after == 0:
                raise Unavailable(self.program.why_no_start)
            options.append("--instr-atstart=no")
            environment["LD_PRELOAD"] = str(start_library(self.folder))
            environment["START_AFTER"] = str(self.program.start_after)
            environment["START_STACK"] = str(stack)
        launcher = Launcher(self.launcher, environment)
        return launcher.run(options, self._command, self.folder)

    # --- Rules --------------------------------------------------------------------------

    def _judge_profile(
        self, path: Path, stack: Path, run: str, verdict: Verdict
    ) -> None:
        detail = Detail.FUNCTIONS if run == "default" else Detail.INSTRUCTIONS
        executable = Path(self._command[0]).resolve()
        entry = entry_point(executable)
        calls = read_stack(stack, executable) if run == "start" else []
        figures = []
        for part in read_profile(path, detail).parts:
            if len(part.functions) < FEWEST_FUNCTIONS:
                verdict.failures.append(f"only {len(part.functions)} functions")
            figures.append(f"{part.sum_of_self_costs()[0]:,} Ir")
            figures.append(f"{len(part.functions):,} functions")
            if run == "default":
                roots = KnownRoots(self.files, entry, set())
                self._judge_balance(part, roots, verdict)
                continue
            code = ExecutedCode(part, self.files)
            live = set().union(*(code.functions_at(place) for place in calls))
            roots = KnownRoots(self.files, entry, live)
            self._judge_balance(part, roots, verdict)
            figures += self._judge_counts(code, roots, verdict)
        if run == "start" and LIVE_AT_START not in verdict.excused.values():
            verdict.failures.append("nothing was live at START: it came too early")
        verdict.summary = ", ".join(figures)

    def _judge_balance(self, part: Part, roots: KnownRoots, verdict: Verdict) -> None:
        for levels, violation in violations_by_levels(part):
            name = function_name(violation.function)
            why = self._excuse(violation, name, roots, verdict)
            if why is not None:
                verdict.excused[name] = why
            else:
                verdict.failures.append(f"balance, {levels}: {violation}")

    def _excuse(
        self, violation: Violation, name: str, roots: KnownRoots, verdict: Verdict
    ) -> Optional[str]:
        if violation.missing < 0:
            return None  # more arrives than is spent: there is no reason for that
        reason = roots.reason(base_key(violation.function))
        return reason or self._listed("root", name, verdict)

    def _listed(self, rule: str, name: str, verdict: Verdict) -> Optional[str]:
        use = use_for(self.listed, self.program.name, rule, name)
        if use is None:
            return None
        verdict.uses.add(use)
        return f"[{use[0]}]"

    def _judge_counts(
        self, code: ExecutedCode, roots: KnownRoots, verdict: Verdict
    ) -> list[str]:
        outcome = compare_counts(code)
        for difference in outcome.differences:
            root = difference.rule == "start" and roots.reason(difference.function)
            why = root or self._listed(difference.rule, difference.name, verdict)
            if why:
                verdict.excused[difference.name] = why
            else:
                verdict.failures.append(str(difference))
        nothing = [rule for rule in COUNT_RULES if not outcome.checked[rule]]
        if nothing:
            verdict.failures.append(f"nothing was compared by rule {', '.join(nothing)}")
        return [
            f"{outcome.checked['call']:,} call instructions",
            f"{outcome.checked['start']:,} entries",
        ]


def function_name(key: FunctionKey) -> str:
    """As exceptions.ini has it."""
    return f"{base_key(key).name} ({Path(key.object_file).name})"
