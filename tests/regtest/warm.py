# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs one test without stored translations, while they are stored, and with them; it has
# to pass each time, and the profiles of its program's own run have to be the same.
# Relies on tests/differential/stored.py for the order of the runs and the comparison.

"""One regression test, with and without stored translations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.differential import stored
from tests.regtest.description import Description, read_description
from tests.regtest.places import Trees
from tests.regtest.runner import Result, Settings, TestRun, Verdict, judged


class _NotPassed(Exception):
    def __init__(self, result: Result) -> None:
        super().__init__(result.reason)
        self.result = result


def _run(description: Description, trees: Trees, settings: Settings) -> Result:
    def run(option: str) -> stored.Files:
        options = f"{option} {settings.extra_options}"
        test = TestRun(description, trees, replace(settings, extra_options=options))
        found: stored.Files = {}
        test.after_program = lambda folder: found.update(
            stored.profiles_of(folder.iterdir())
        )
        result = test.run()
        if result.verdict is Verdict.FAIL:
            reason = f"{result.reason}, with {option.strip()}"
            raise _NotPassed(replace(result, reason=reason))
        if result.verdict is Verdict.SKIPPED:
            raise _NotPassed(result)
        return found

    try:
        seen = stored.compare_ways(run)
    except _NotPassed as end:
        return end.result
    except stored.Differs as difference:
        return Result(Verdict.FAIL, str(difference))
    settings.log(f"{description.name}: {seen}")
    return Result(Verdict.PASS)


def run_warm(path: Path, trees: Trees, settings: Settings) -> Result:
    """Run the test that a .vgtest file describes, in all three ways."""
    return judged(lambda: _run(read_description(path), trees, settings))
