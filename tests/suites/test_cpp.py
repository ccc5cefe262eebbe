# SPDX-License-Identifier: GPL-2.0-or-later
#
# Google Benchmark and Catch2, measured by include/callgrind_benchmark.h.

"""Frameworks for C++."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.fetched import REPOSITORY, content_of, made_once, needed, run
from tests.clients.measured import measure, total
from tests.core_headers import request_flags
from tests.suites.checked import Expected, check_counts, check_flame_graph

HERE = Path(__file__).resolve().parent / "cpp"
# The framework, and what our header is called for.
HARNESS = ("benchmark::*", "Catch::*", "void Catch::*", "callgrind_benchmark::*")
ROOTS = r"\(below main\)|__libc_start_main.*|main|clone|start_thread"
GOOGLE = Expected(
    part=r"{}(/64/repeats:2|/iterations:1)?",
    function=r"counted::{}(\[abi:cxx11\])?\(.*\)",
    roots=rf"{ROOTS}|\w+\(benchmark::State&\)",
)
CATCH = Expected(
    part=r"\w+::{}",
    function=r"counted::{}(\[abi:cxx11\])?\(.*\)",
    roots=rf"{ROOTS}|\w+_T_E_S_T_\d+\(\)(::\{{lambda\(.*)?|CATCH2_INTERNAL_TEST_\d+\(\)",
)


def compiled(name: str, *words: str, standard: str = "c++17") -> Path:
    command = [
        needed("g++"), f"-std={standard}", "-g", "-O2", "-Wall", "-Wextra", "-Werror",
        *request_flags(), str(HERE / f"{name}.cpp"), "-o", name, *words, "-lpthread",
    ]  # fmt: skip
    sources = content_of(HERE) + content_of(REPOSITORY / "include")
    with made_once(name, " ".join(command) + sources) as (folder, is_there):
        if not is_there:
            run(command, folder)
        return folder / name


def with_header(name: str, package: str) -> None:
    if not Path("/usr/include", name).exists():
        pytest.skip(f"{package} is not installed")


def google_benchmark() -> Path:
    with_header("benchmark/benchmark.h", "libbenchmark-dev")
    return compiled("google_benchmark", "-lbenchmark", standard="c++11")


def catch2() -> Path:
    with_header("catch2", "catch2")
    more = []
    if Path("/usr/include/catch2/catch_all.hpp").exists():
        more = ["-lCatch2Main", "-lCatch2"]
    return compiled("catch2", *more)


def skipped_harness() -> list[str]:
    return [f"--fn-skip={name}" for name in HARNESS]


@pytest.fixture
def google() -> Path:
    return google_benchmark()


def test_google_benchmark(google: Path, tmp_path: Path) -> None:
    options = [*skipped_harness(), "--obj-skip=*/libbenchmark.so*"]
    measured = measure([str(google)], tmp_path / "run", options=options)
    check_counts(measured, GOOGLE)
    check_flame_graph(measured, GOOGLE, "Client Request: parse")
    check_flame_graph(measured, GOOGLE, "Client Request: sort/64/repeats:2")
    assert "failed   fails" in measured.said


def test_google_benchmark_by_its_filter(google: Path, tmp_path: Path) -> None:
    command = [str(google), "--benchmark_filter=sort|pool"]
    names = [name for name, part in measure(command, tmp_path / "run").parts()
             if total(part)]
    assert [*dict.fromkeys(names)] == ["sort/64/repeats:2", "pool"]


def test_google_benchmark_natively(google: Path, tmp_path: Path) -> None:
    said = run([str(google), "--benchmark_min_time=0.001"], tmp_path)
    assert "Iterations" in said and "ERROR OCCURRED: 'as it should'" in said
    assert list(tmp_path.glob("callgrind*")) == []


def test_catch2(tmp_path: Path) -> None:
    measured = measure([str(catch2())], tmp_path / "run",
                       options=skipped_harness())
    check_counts(measured, CATCH)
    check_flame_graph(measured, CATCH, "order::sort")
    assert "1 failed as expected" in measured.said


def test_catch2_natively(tmp_path: Path) -> None:
    words = [str(catch2()), "~failing", "--benchmark-samples", "2",
             "--benchmark-warmup-time", "1", "--benchmark-no-analysis"]
    said = run(words, tmp_path)
    assert "benchmark name" in said and "sort" in said
