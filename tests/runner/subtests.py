# SPDX-License-Identifier: GPL-2.0-or-later
#
# unittest's sub-tests under pytest, which by itself ends a test at the first sub-test
# that fails or is skipped.  Here all of them run, as under unittest.  A test with a
# failing sub-test has failed, and all that fail are shown.  A test with a skipped
# sub-test is skipped, unless another sub-test fails.
#
# pytest's item for a test method is unittest's `result` as well: it is told what happens.

"""Sub-tests of unittest.TestCase."""

from __future__ import annotations

import traceback
from types import TracebackType
from typing import Any, Generator, Optional, Union

import pytest
from _pytest.unittest import TestCaseFunction

ExceptionInfo = Union[
    tuple[type[BaseException], BaseException, TracebackType], tuple[None, None, None]
]

FAILING = pytest.StashKey[list[tuple[str, str]]]()


def _add_sub_test(
    self: Any, test: Any, sub_test: Any, error: Optional[ExceptionInfo]
) -> None:
    """unittest reports a sub-test; `error` is None where it has passed."""
    if error is None:
        return
    text = "".join(traceback.format_exception(*error))
    # "test_name (module.Class) [message] (parameters)": the end tells which it was.
    name = str(sub_test.id()).rpartition(".")[2]
    self.stash.setdefault(FAILING, []).append((name, text))
    self.addFailure(test, error)


def pytest_configure() -> None:
    TestCaseFunction.addSubTest = _add_sub_test  # type: ignore[attr-defined]
    TestCaseFunction.failfast = False  # type: ignore[attr-defined]


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, None]:
    """pytest makes the report from the first that the item was told: a failure, where
    there is one."""
    told = getattr(item, "_excinfo", None)
    if told:
        told.sort(key=lambda info: isinstance(info.value, pytest.skip.Exception))
    outcome = yield
    if call.when == "call":
        for name, text in item.stash.get(FAILING, []):
            outcome.get_result().sections.append((f"failing sub-test {name}", text))
