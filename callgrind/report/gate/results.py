# SPDX-License-Identifier: GPL-2.0-or-later
#
# From what was measured to what is kept.
#
# Owns: the results of benchmarks and suites, of one run or of several in other
# surroundings, and what each of them has to have for that.

"""Results of benchmarks."""

from __future__ import annotations

from typing import Iterator, Sequence

from gate.benchmark import Benchmark
from gate.counts import counts_of, encode
from gate.error import GateError
from gate.measured import Measured, Outcome
from gate.run import Result
from gate.store import Store
from gate.suites import Suite


def results_of(
    benchmark: Benchmark, outcomes: Sequence[Outcome], store: Store
) -> Iterator[Result]:
    """Put what was measured into the store.  Of a suite that has failed there is a result
    of its name besides, which says so."""
    error = next((outcome.error for outcome in outcomes if outcome.error), "")
    if isinstance(benchmark, Suite):
        yield from _results_of_suite(benchmark, outcomes, bool(error), store)
    elif not error:
        runs = [run for each in outcomes if (run := each.part(benchmark.name))]
        yield _kept_result(benchmark, runs, store)
    if error:
        yield _without_costs(benchmark, error)


def _results_of_suite(
    suite: Suite, outcomes: Sequence[Outcome], has_failed: bool, store: Store
) -> Iterator[Result]:
    for name in sorted({name for outcome in outcomes for name in outcome.parts}):
        runs = [run for outcome in outcomes if (run := outcome.part(name))]
        if len(runs) < len(outcomes) and not has_failed:
            missing = len(outcomes) - len(runs)
            what = f"was not measured in {missing} of {len(outcomes)} surroundings"
            yield _without_costs(suite.part(name), what)
        else:
            yield _kept_result(suite.part(name), runs, store)


def _without_costs(benchmark: Benchmark, error: str) -> Result:
    return Result(
        benchmark.name,
        list(benchmark.command),
        error,
        events=list(benchmark.events),
        limits=list(benchmark.limits),
    )


def _kept_result(
    benchmark: Benchmark, runs: Sequence[Measured], store: Store
) -> Result:
    result = _without_costs(benchmark, next((run.error for run in runs if run.error), ""))
    costs = [run.costs for run in runs if run.costs is not None]
    if result.error or len(costs) != len(runs):
        return result
    result.surroundings = runs[0].surroundings
    try:
        counts = counts_of(costs)
    except GateError as error:
        result.error = str(error)
        return result
    result.counts = store.put(encode(counts))
    result.total = {
        event: spread.middle for event, spread in zip(counts.events, counts.total)
    }
    result.profiles = [store.put(content) for content in runs[0].profiles]
    result.trees = [store.put(content) for content in runs[0].trees]
    return result
