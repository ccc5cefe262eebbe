# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a person sees of a run.  Owns: a line for each test that fails, at once; a line for
# each suite, as soon as its last test is done; and the end: failures in full, why tests
# were skipped, the slowest tests, the names of all that failed, and the closing line that
# scripts read:
#
#     N passed, N failed, N skipped

"""The report of a run."""

from __future__ import annotations

import os
from typing import Any

import pytest
from _pytest import timing
from _pytest.terminal import TerminalReporter

from tests.runner.counting import Count, Outcome, Sums, outcome_of, plain_name
from tests.runner.series import TURN_VARIABLE
from tests.runner.suites import has_quick_tests

SLOWEST = 10  # so many are named
# pytest's options -k, -m, --deselect, --lf and --stepwise leave tests out.
CHOOSING = ("keyword", "markexpr", "deselect", "lf", "stepwise")
SKIP_PREFIX = "Skipped: "  # how pytest begins the reason


def suite_line(name: str, sums: Sums) -> str:
    counts = sums.counts
    return (
        f"{name:<13}{counts[Outcome.PASSED]:>5} passed {counts[Outcome.FAILED]:>4} failed"
        f" {counts[Outcome.SKIPPED]:>4} skipped {sums.seconds:>7.1f} s"
        f" {sums.cost:>7.1f} s of processors"
    )


class Reporter(TerminalReporter):  # type: ignore[misc]  # final, for type checkers
    """In place of pytest's own, of which remains how a failure is shown."""

    def __init__(
        self, config: pytest.Config, count: Count, leaves_long_out: bool = False
    ) -> None:
        super().__init__(config)
        self.count = count
        self.leaves_long_out = leaves_long_out
        self.nothing_ran = False
        self.interrupted = ""
        self.internal_error = False

    # While tests run

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session
        self._sessionstarttime = timing.time()  # which --collect-only shows

    def pytest_collection(self) -> None:
        pass

    def report_collect(self, final: bool = False) -> None:
        pass

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.count.add_collected(report)
        self._numcollected += sum(isinstance(one, pytest.Item) for one in report.result)
        if report.failed:
            self._add_stats("error", [report])
            self.write_line(f"FAIL: {report.nodeid}")
        elif report.skipped:
            self._add_stats("skipped", [report])

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        pass

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        report.nodeid = plain_name(report.nodeid)
        self.count.add(report)
        outcome = outcome_of(report)
        if outcome is Outcome.FAILED:
            # "???": the process that ran it has died, and will report no more.
            in_test = report.when in ("call", "???")
            self._add_stats("failed" if in_test else "error", [report])
            self.write_line(f"FAIL: {report.nodeid}")
            if report.when == "???":
                self.pytest_runtest_logfinish(report.nodeid)
        elif outcome is Outcome.SKIPPED:
            self._add_stats("skipped", [report])

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        suite = self.count.finish(nodeid)
        name = plain_name(nodeid)
        if self.verbosity > 0:
            outcome = self.count.outcomes.get(name)
            cost = self.count.costs.get(name, 0.0)
            said = outcome.name.lower() if outcome else "?"
            self.write_line(f"{said}: {name} {cost:.2f} s")
        if suite is not None:
            self.write_line(suite_line(suite, self.count.suites[suite]))

    # At the end

    def summary_warnings(self) -> None:
        if self.verbosity > 0:
            super().summary_warnings()

    def short_test_summary(self) -> None:
        if self.config.option.collectonly:
            return
        self._show_skipped()
        if self.leaves_long_out:
            self.write_line("Not run: what only --long runs (docs/testing.md)")
        if TURN_VARIABLE in os.environ:
            self.write_line("Not run: what has its turn with other commits"
                            " (docs/testing.md)")
        self._show_slowest()

    def _show_skipped(self) -> None:
        reasons: dict[str, list[str]] = {}
        for report in self.stats.get("skipped", []):
            where = report.longrepr
            reason = where[2] if isinstance(where, tuple) else str(where)
            if reason.startswith(SKIP_PREFIX):
                reason = reason[len(SKIP_PREFIX):]
            reasons.setdefault(reason, []).append(report.nodeid)
        if reasons:
            self.write_line("Skipped:")
        for reason, names in reasons.items():
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            self.write_line(f"   {reason}: {names[0]}{more}")

    def _show_slowest(self) -> None:
        if len(self.count.seconds) > SLOWEST:
            self.write_line("The slowest:")
            for name, seconds in self.count.slowest(SLOWEST):
                self.write_line(f"{seconds:>9.1f} s  {name}")

    def more_failures(self) -> list[str]:
        """What makes a run fail beside its tests."""
        found = []
        if self.internal_error:
            found.append("an error of the test runner, see above")
        if self.interrupted:
            found.append(self.interrupted)
        missing = self.count.missing()
        if missing:
            some = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
            found.append(f"{len(missing)} tests did not run to their end: {some}")
        if not found:
            found += [f"suite {name} has no test" for name in self.empty_suites()]
        if not found and not self.count.outcomes:
            found.append("no test ran")
        return found

    def empty_suites(self) -> list[str]:
        """Suites that are to run and have no test, unless tests were chosen by name."""
        if any(self.config.getoption(name, None) for name in CHOOSING):
            return []
        wanted = self.config.getoption("suite") or []
        if self.config.getoption("quick"):
            wanted = [name for name in wanted if has_quick_tests(name)]
        return [name for name in wanted if name not in self.count.suites]

    def has_failed(self) -> bool:
        return bool(self.count.failed() or self.more_failures())

    def summary_stats(self) -> None:
        if self.config.option.collectonly:
            super().summary_stats()
            return
        failed = [*sorted(self.count.failed()), *self.more_failures()]
        if failed:
            self.write_line("These failed:")
            for name in failed:
                self.write_line(f"   {name}")
        self.write_line(
            f"{self.count.total(Outcome.PASSED)} passed, {len(failed)} failed,"
            f" {self.count.total(Outcome.SKIPPED)} skipped"
        )
        self.flush()

    def pytest_internalerror(self, excrepr: Any) -> bool:
        self.internal_error = True
        return bool(super().pytest_internalerror(excrepr))
