# SPDX-License-Identifier: BSD-2-Clause
#
# A plugin for pytest: measures what pytest-benchmark's fixture is given.
#
#    valgrind --tool=callgrind --instr-atstart=no \
#       python -m pytest -p callgrind_requests.pytest_benchmark
#
# Owns: how the fixture `benchmark` runs a function under Valgrind: once to warm up, once
# measured, as a part named by the test's id.  Elsewhere it changes nothing.  Relies on
# what pytest-benchmark documents: benchmark(...), benchmark.pedantic(...), and that with
# `disabled` a function is called once and not timed.

"""Measure pytest-benchmark's fixture `benchmark` with callgrind."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Sequence

import pytest

from . import _requests
from .measuring import measure, warm_up


def pytest_configure(config: pytest.Config) -> None:
    if not _requests.running_on_valgrind():
        return
    try:
        from pytest_benchmark.fixture import BenchmarkFixture
    except ImportError as error:
        raise pytest.UsageError(
            "callgrind_requests.pytest_benchmark: pytest-benchmark is not installed "
            f"({error})"
        ) from None
    if config.getoption("benchmark_disable", False):
        return  # the user wants each function called once, and no more
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    _measure_calls(patch, BenchmarkFixture)
    _measure_pedantic(patch, BenchmarkFixture)


def _untimed(original: Callable[..., Any], fixture: Any, *args: Any, **kw: Any) -> Any:
    """Calls a method of the fixture so that it calls what it is given once."""
    before = fixture.disabled
    fixture.disabled = True
    try:
        return original(fixture, *args, **kw)
    finally:
        fixture.disabled = before


def _measure_calls(patch: pytest.MonkeyPatch, fixture_class: Any) -> None:
    original = fixture_class.__call__

    def call(self: Any, function_to_benchmark: Any, *args: Any, **kwargs: Any) -> Any:
        def measured() -> Any:
            warm_up(function_to_benchmark, *args, **kwargs)
            return measure(self.fullname, function_to_benchmark, *args, **kwargs)

        return _untimed(original, self, measured)

    patch.setattr(fixture_class, "__call__", call)


def _measure_pedantic(patch: pytest.MonkeyPatch, fixture_class: Any) -> None:
    original = fixture_class.pedantic

    def pedantic(
        self: Any,
        target: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Optional[Mapping[str, Any]] = None,
        setup: Optional[Callable[[], Any]] = None,
        teardown: Optional[Callable[..., Any]] = None,
        rounds: int = 1,
        warmup_rounds: int = 0,
        iterations: int = 1,
    ) -> Any:
        def arguments() -> tuple[Sequence[Any], Mapping[str, Any]]:
            made = setup() if setup else None
            if made and (args or kwargs):
                raise TypeError(
                    "Can't use `args` or `kwargs` if `setup` returns the arguments."
                )
            return made or (args, kwargs or {})

        def once(call: Callable[..., Any]) -> Any:
            its_args, its_kwargs = arguments()
            result = call(*its_args, **its_kwargs)
            if teardown is not None:
                teardown(*its_args, **its_kwargs)
            return result

        def measured() -> Any:
            # What asks to be called once is called once.
            calls_again = rounds > 1 or iterations > 1
            for _ in range(max(warmup_rounds, int(calls_again))):
                once(lambda *a, **k: warm_up(target, *a, **k))
            return once(lambda *a, **k: measure(self.fullname, target, *a, **k))

        # The original refuses what it does not understand, and a second use.
        checked = {"setup": lambda: None} if setup else {}
        return _untimed(
            original,
            self,
            measured,
            rounds=rounds,
            warmup_rounds=warmup_rounds,
            iterations=iterations,
            **checked,
        )

    patch.setattr(fixture_class, "pedantic", pedantic)
