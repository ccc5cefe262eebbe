# SPDX-License-Identifier: GPL-2.0-or-later
#
# pytest-benchmark, measured by the plugin of clients/python.

"""pytest-benchmark."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.clients.measured import Run, measure
from tests.clients.test_python import python_with_client
from tests.suites.checked import Expected, check_counts, check_flame_graph

SUITE = Path(__file__).resolve().parent / "python" / "bench_counted.py"
PLUGIN = ("-p", "callgrind_requests.pytest_benchmark", "-p", "no:cacheprovider")
EXPECTED = Expected(
    part=r"bench_counted\.py::(TestOfStrings::)?test_{}(\[40\])?",
    function=r"py::{}:.*/bench_counted\.py",
    roots=r"\(skipped\)|__libc_start_main.*|\(below main\)|measured_call",
)
COMPREHENSIONS = "bench_counted.py::test_parse[40]"


def measure_with(folder: Path, *words: str) -> Run:
    python = python_with_client()
    shutil.copy(SUITE, folder / SUITE.name)
    command = [str(python), "-m", "pytest", *PLUGIN, *words, SUITE.name]
    return measure(command, folder / "run", where=folder)


def needs_names() -> None:
    python = python_with_client().resolve().name
    if python in ("python3.9", "python3.10", "python3.11"):
        pytest.skip(f"{python} has no names for functions; 3.12 was the first")


def test_each_benchmark_is_a_part(tmp_path: Path) -> None:
    needs_names()
    run = measure_with(tmp_path)
    assert "5 passed" in run.said
    check_counts(run, EXPECTED)
    check_flame_graph(run, EXPECTED, COMPREHENSIONS)
    check_flame_graph(run, EXPECTED, "test_sort")


def test_one_that_is_chosen(tmp_path: Path) -> None:
    run = measure_with(tmp_path, "-k", "sort or strings")
    names = [name for name, _ in run.parts()]
    assert names == ["bench_counted.py::test_sort",
                     "bench_counted.py::TestOfStrings::test_strings"]


def test_none_where_benchmarks_are_disabled(tmp_path: Path) -> None:
    run = measure_with(tmp_path, "--benchmark-disable")
    assert "5 passed" in run.said
    assert run.parts() == []


PEDANTIC = '''
import pytest

CALLS = []

def once(*args, **kwargs):
    CALLS.append(("call", args, kwargs))
    return len(args)

def test_once(benchmark):
    """Neither rounds nor iterations: called once."""
    assert benchmark.pedantic(once, args=(1, 2), kwargs={"a": 3}) == 2
    assert CALLS == [("call", (1, 2), {"a": 3})]

def test_setup_and_teardown(benchmark):
    CALLS.clear()
    def setup():
        CALLS.append("setup")
        return (7,), {}
    benchmark.pedantic(once, setup=setup, teardown=lambda n: CALLS.append(n),
                       rounds=2, warmup_rounds=2)
    assert CALLS == ["setup", ("call", (7,), {}), 7] * 3

def test_wrong(benchmark):
    with pytest.raises(ValueError):
        benchmark.pedantic(once, setup=list, iterations=2)

def test_twice(benchmark):
    benchmark(once)
    with pytest.raises(Exception, match="only be used once"):
        benchmark(once)

def fails():
    raise KeyError("as it should")

def test_failing(benchmark):
    with pytest.raises(KeyError):
        benchmark.pedantic(fails)

@pytest.mark.skip
def test_skipped(benchmark):
    benchmark(once)
'''


def test_pedantic(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(PEDANTIC, encoding="utf-8")
    python = str(python_with_client())
    command = [python, "-m", "pytest", *PLUGIN, "test_it.py"]
    run = measure(command, tmp_path / "run", where=tmp_path)
    assert "5 passed, 1 skipped" in run.said
    names = [name for name, _ in run.parts()]
    assert names == [f"test_it.py::test_{name}"
                     for name in ("once", "setup_and_teardown", "twice")]
