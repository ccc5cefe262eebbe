# SPDX-License-Identifier: GPL-2.0-or-later
#
# One run of a program in a runtime: without a tool and under ours, and what is demanded
# of both.
#
# Owns: the rules.
#   sums     the file is well-formed, and its totals are the sums of its costs
#   output   prints the same, and ends with the same status, as under no tool
#   calls    a function that the program counts is called as often as the program says
#   balance  no function is given more than it spends
#   root     no function spends more than it is given, but the entry point of the process
#   main     the function from which all is called has not more than all, and not less
#            than the table says
#   repair   the tool did not find its shadow stack to be wrong
# Relies on runtime_table.py for what runs, conservation.py for the law, known_roots.py
# for the entry point; exceptions and shortfalls are the caller's.

"""Run a program in a runtime and judge its profile."""

from __future__ import annotations

import re
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Sequence

from profile_file.model import Part
from profile_file.reader import Detail, ProfileError, read_profile
from tests.differential.code_map import CodeMap
from tests.differential.launching import (
    BASE_ENVIRONMENT,
    default_stock,
    fixed_addresses,
)
from tests.groundtruth.conservation import base_key, base_name, violations_by_levels
from tests.groundtruth.real.known_roots import KnownRoots, entry_point
from tests.regtest.profile_query import breaches_of_form, disagreements
from tests.runtimes.runtime_table import Run, Unavailable, pattern

RULES = ("sums", "output", "calls", "balance", "root", "main", "repair")
SHOWN_ERRORS = 300
TIMEOUT = 600.0
REPAIRS = re.compile(
    r"shadow stack repaired: (?P<rebuilt>\d+) times rebuilt .*?, (?P<underflow>\d+) .*?, "
    r"(?P<unknown>\d+) "
)


@dataclass(frozen=True)
class Finding:
    """What is not as demanded; `name` is what exceptions are matched with."""

    rule: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.name}: {self.text}"


@dataclass
class Outcome:
    """What came of one run."""

    findings: list[Finding] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)

    def add(self, rule: str, name: str, text: str) -> None:
        self.findings.append(Finding(rule, name, text))


@dataclass
class _Printed:
    status: int
    lines: list[str]
    events: int

    @classmethod
    def of(cls, result: subprocess.CompletedProcess[str], run: Run) -> _Printed:
        lines = (result.stdout + result.stderr).splitlines()
        kept = [line for line in lines if not re.fullmatch(run.noise or "$.", line)]
        events = sum(bool(re.fullmatch(run.events or "$.", line)) for line in lines)
        return cls(result.returncode, kept, events)


def measure(run: Run, launcher: str, folder: Path) -> Outcome:
    """Run it twice in a folder, and say what is not as demanded. Unavailable: the core
    cannot run it, whichever tool is asked for."""
    outcome = Outcome()
    command = run.make(folder)
    profile, log = folder / "callgrind.out", folder / "log"
    plain = _Printed.of(_started(run, command, folder), run)
    options = ["-v", "--tool=callgrind", f"--log-file={log}", *run.options]
    tool = [launcher, *options, f"--callgrind-out-file={profile}"]
    measured = _Printed.of(_started(run, [*tool, *command], folder), run)
    said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    _forget_names(said)
    if measured.status == -signal.SIGILL != plain.status:
        none = [default_stock(), "-q", "--tool=none", *command]
        if _started(run, none, folder).returncode == measured.status:
            raise Unavailable("Valgrind's core does not know an instruction that this"
                              " program executes on this processor")
    _judge_output(plain, measured, run, outcome)
    try:
        parts = read_profile(profile, Detail.FUNCTIONS).parts
    except (OSError, ProfileError) as error:
        outcome.add("output", "profile", f"{error}; {said[-SHOWN_ERRORS:]}")
        return outcome
    for text in breaches_of_form(profile):
        outcome.add("sums", "form", text)
    _judge_repairs(said, outcome)
    entry = KnownRoots(CodeMap({}), entry_point(Path(command[0]).resolve()), set())
    for part in parts:
        outcome.figures.append(f"{part.sum_of_self_costs()[0]:,} Ir")
        for text in disagreements(profile, part):
            outcome.add("sums", "part", text)
        _judge_balance(part, entry, outcome)
        _judge_calls(part, run, measured.lines, outcome)
        _judge_main(part, run, outcome)
    return outcome


def _started(
    run: Run, command: Sequence[str], folder: Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*fixed_addresses(), *command],
        cwd=folder,
        env={**BASE_ENVIRONMENT, "HOME": str(folder), **run.environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=TIMEOUT,
    )


def _forget_names(log: str) -> None:
    """Virtual machines leave files with names in /tmp."""
    for process in set(re.findall(r"(?m)^==(\d+)==", log)):
        Path(f"/tmp/perf-{process}.map").unlink(missing_ok=True)


# --- Rules ------------------------------------------------------------------------------


def _judge_output(
    plain: _Printed, measured: _Printed, run: Run, outcome: Outcome
) -> None:
    if plain.status != 0:
        outcome.add("output", "no tool", f"status {plain.status}: {plain.lines[-3:]}")
    if measured.status != plain.status:
        text = f"status {measured.status}, not {plain.status}: {measured.lines[-3:]}"
        outcome.add("output", "status", text)
    if measured.lines != plain.lines:
        outcome.add("output", "text", f"{measured.lines[-9:]}, not {plain.lines[-9:]}")
    for name, events in (("no tool", plain.events), ("tool", measured.events)):
        if events != run.event_count:
            text = f"{events} lines as {run.events}, not {run.event_count}"
            outcome.add("output", name, text)


def _judge_repairs(log: str, outcome: Outcome) -> None:
    for found in REPAIRS.finditer(log):
        for name, number in found.groupdict().items():
            if number != "0":
                outcome.add("repair", name, f"{number} times")


def _judge_balance(part: Part, entry: KnownRoots, outcome: Outcome) -> None:
    total = part.sum_of_self_costs()[0]
    for levels, violation in violations_by_levels(part):
        function = base_key(violation.function)
        name = f"{function.name} ({Path(function.object_file).name})"
        share = f"{100 * abs(violation.missing) / total:.2f} % of all"
        text = f"{share}, {levels}: {violation}"
        if violation.missing < 0:
            outcome.add("balance", name, text)
        elif not entry.reason(function):
            outcome.add("root", name, text)


def counted(lines: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The functions of which a program says how often it has called them."""
    for line in lines:
        found = re.fullmatch(r"count (\S+) (\d+)", line)
        if found:
            yield found[1], int(found[2])


def calls_of(part: Part, run: Run, function: str) -> int:
    """How often arcs count calls of one of the program's functions."""
    named = pattern(run.names, function)
    goes_on = [
        (pattern(caller, function), pattern(callee, function))
        for caller, callee in run.goes_on
    ]
    calls = 0
    for caller in part.functions.values():
        for arc in caller.arcs.values():
            name = base_name(arc.callee.name)
            if named.fullmatch(name) and not any(
                before.fullmatch(base_name(arc.caller.name)) and after.fullmatch(name)
                for before, after in goes_on
            ):
                calls += arc.count
    return calls


def _judge_calls(part: Part, run: Run, lines: Sequence[str], outcome: Outcome) -> None:
    compared = 0
    for function, count in counted(lines):
        calls = calls_of(part, run, function)
        # No name, no arcs: the runtime has not said how it is called.
        if calls != count:
            outcome.add("calls", function, f"arcs count {calls:,} calls, not {count:,}")
        compared += count
    if not compared:
        outcome.add("calls", "all", "nothing was compared")
    outcome.figures.append(f"{compared:,} calls")


def _judge_main(part: Part, run: Run, outcome: Outcome) -> None:
    # What it spends: where it is a goroutine's first function, nobody gives it that.
    spent = [
        function.self_cost[0] + sum(arc.inclusive[0] for arc in function.arcs.values())
        for function in part.functions.values()
        if re.fullmatch(run.main, function.key.name)
    ]
    share = 100 * max(spent, default=0) / part.sum_of_self_costs()[0]
    outcome.figures.append(f"main {share:.1f} %")
    if not run.least_main <= share <= 100:
        text = f"{run.main}: {share:.2f} %, not {run.least_main:.0f} to 100"
        outcome.add("main", "main", text)
