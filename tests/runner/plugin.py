# SPDX-License-Identifier: GPL-2.0-or-later
#
# Joins the parts of this folder to pytest, and to pytest-xdist where tests run in several
# processes: the controller, which counts and reports, and its workers, which run them.
# Owns: the options --suite and --quick, and how signals end a run.

"""Suites, their order and their report, for pytest."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import FrameType
from typing import Any, Callable, Optional, Sequence

import pytest

from tests.runner.costs import Meter, write_costs
from tests.runner.counting import Count
from tests.runner.report import Reporter
from tests.runner.series import in_turn, is_long
from tests.runner.sharing import arrange, group_of, keep_together, make_scheduler
from tests.runner.suites import (
    NAMES,
    is_for_long_runs,
    is_quick,
    paths_of,
    suite_of,
    takes_turns,
)

CACHED_SECONDS = "runner/seconds"
MOST_PROCESSES = 8
# What others leave of the processors when they wait: for samples, a time limit, a port.
MORE_THAN_PROCESSORS = 2


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("suites")
    group.addoption(
        "--suite",
        action="append",
        choices=NAMES,
        metavar="NAME",
        help="of the tests that are found, only those of this suite (repeatable)",
    )
    group.addoption(
        "--quick", action="store_true", help="only the quick tests of each suite"
    )


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _heed_signals() -> None:
    """SIGINT ends a run even where a shell has started it in the background, which has it
    ignored in all that it starts.  So does every other signal by which runs are ended, so
    that no test leaves a program running."""

    def end(number: int, frame: Optional[FrameType]) -> None:
        raise KeyboardInterrupt(f"signal {number}")

    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, end)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, end)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    _heed_signals()
    config.addinivalue_line(
        "markers", "xdist_group(name): tests of one group never run at the same time"
    )
    plugins = config.pluginmanager
    plugins.register(Meter(), "processor-time")
    standard = plugins.getplugin("terminalreporter")
    if _is_worker(config) or standard is None:
        return
    reporter = Reporter(config, Count(), _leaves_long_out(config))
    plugins.unregister(standard)
    plugins.register(reporter, "terminalreporter")
    plugins.register(Controller(config, reporter), "suites-controller")
    # pytest-xdist's own lines, about the processes that it starts.
    noise = plugins.getplugin("terminaldistreporter")
    if noise is not None:
        plugins.unregister(noise)
    distribution = plugins.getplugin("dsession")
    if distribution is not None:
        distribution.terminal = None


def pytest_ignore_collect(
    collection_path: Path, config: pytest.Config
) -> Optional[bool]:
    wanted: Optional[Sequence[str]] = config.getoption("suite")
    if not wanted or not collection_path.is_file():
        return None
    if not collection_path.is_relative_to(config.rootpath):
        return None
    suite = suite_of(collection_path.relative_to(config.rootpath).as_posix())
    return True if suite is not None and suite.name not in wanted else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    # Before pytest-xdist puts the group at the end of a test's name.
    if config.getoption("quick"):
        _leave_out(config, items, lambda name: not is_quick(name))
    elif _leaves_long_out(config):
        _leave_out(config, items, is_for_long_runs)
    keep_together(items)
    if not _names_tests(config):
        _leave_out(config, items, _waits_for_its_turn(items))
    arrange(items, _known_seconds(config))


def _waits_for_its_turn(items: list[pytest.Item]) -> Callable[[str], bool]:
    """Whether it is the turn of other tests.  Those of a group have theirs together, for
    they share what costs most."""
    units: dict[str, set[str]] = {}
    for item in items:
        if takes_turns(item.nodeid):
            unit = group_of(item) or item.nodeid
            units.setdefault(unit, set()).add(item.nodeid)
    here = set(in_turn(sorted(units)))
    waiting = {name for unit, names in units.items() if unit not in here
               for name in names}
    return waiting.__contains__


def _names_tests(config: pytest.Config) -> bool:
    """Whether somebody asks for tests by their names or files: none is left out then."""
    if config.getoption("keyword") or config.getoption("lf", False):
        return True
    suites = paths_of(NAMES)
    named = [str(word) for word in config.args if str(word) not in suites]
    return any("::" in word or Path(word).is_file() for word in named)


def _leaves_long_out(config: pytest.Config) -> bool:
    """Whether tests of long runs are left out."""
    return not is_long() and not _names_tests(config)


def _leave_out(
    config: pytest.Config, items: list[pytest.Item], unwanted: Callable[[str], bool]
) -> None:
    left_out = [item for item in items if unwanted(item.nodeid)]
    items[:] = [item for item in items if not unwanted(item.nodeid)]
    config.hook.pytest_deselected(items=left_out)


def _known_seconds(config: pytest.Config) -> dict[str, float]:
    """What each test took when it ran last; the same in every process of a run."""
    if _is_worker(config):
        known = config.workerinput["seconds"]  # type: ignore[attr-defined]
    else:
        cache = getattr(config, "cache", None)  # absent with -p no:cacheprovider
        known = cache.get(CACHED_SECONDS, {}) if cache is not None else {}
    return dict(known)


class DistributionHooks:
    """Of pytest-xdist: registered where that is there."""

    def __init__(self, config: pytest.Config, count: Count) -> None:
        self.count = count
        self.seconds = _known_seconds(config)

    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["seconds"] = self.seconds

    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        self.count.expect(ids)

    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        if config.getvalue("dist") == "loadgroup":
            return make_scheduler(config, log)
        return None


class Controller:
    """The one process that counts and reports."""

    def __init__(self, config: pytest.Config, reporter: Reporter) -> None:
        self.reporter = reporter
        if config.pluginmanager.hasplugin("xdist"):
            config.pluginmanager.register(DistributionHooks(config, reporter.count))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.reporter.count.expect(item.nodeid for item in session.items)

    def pytest_keyboard_interrupt(
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> None:
        self.reporter.interrupted = f"interrupted: {excinfo.value}".rstrip(": ")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        config = session.config
        if config.option.collectonly:
            return
        if self.reporter.has_failed() and session.exitstatus in (0, 5):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        build = os.environ.get("VG_BUILD")
        if build is not None:
            write_costs(Path(build), self.reporter.count.costs)
        seconds = self.reporter.count.seconds
        cache = getattr(config, "cache", None)
        if cache is not None and seconds:
            cache.set(CACHED_SECONDS, {**_known_seconds(config), **seconds})


def pytest_xdist_auto_num_workers() -> int:
    processors = len(os.sched_getaffinity(0))
    return min(processors + MORE_THAN_PROCESSORS, MOST_PROCESSES)
