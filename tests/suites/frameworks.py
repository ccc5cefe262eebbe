# SPDX-License-Identifier: GPL-2.0-or-later
#
# The frameworks that test_gated.py runs, each with its project here.
#
# Owns: how each names benchmarks and functions, and what in its sources is changed where
# nothing gets slower.  What makes a function slower stands in docs/frameworks.md.

"""The table of frameworks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from tests.suites.checked import LEAST_SHARE, Expected
from tests.suites.gated import Edited, Quiet


@dataclass(frozen=True)
class Measured:
    """The five benchmarks of a suite."""

    start: str  # of their names
    expected: Expected
    sort: str  # the rest of the name of one of them
    least_share: float = LEAST_SHARE


@dataclass(frozen=True)
class Framework:
    name: str  # on the page
    folder: str  # with the project
    suites: Sequence[Measured]
    quiet: Quiet
    registry: str = ""
    needs: Sequence[str] = ()  # programs, with the least version if that matters
    headers: Sequence[str] = ()  # of C++, with the package in Debian
    names_python: bool = False  # needs a Python that names its functions


# What a program begins with.
BEGINS = r"\(below main\)|__libc_start_main.*|main"

# --- Python -----------------------------------------------------------------------------

PYTHON_PART = r"bench_counted\.py::(TestOfStrings::)?test_{}(\[40\])?"
PYTHON_FUNCTION = r"py::{}:(.*/)?bench_counted\.py"
PYTHON_QUIET = Quiet(
    "bench_counted.py",
    [Edited("bench_counted.py", [("def test_allocate(", "def test_allocated(")],
            '\n\ndef test_more(benchmark):\n    assert benchmark(digits, "12") == 12\n')],
    comment="#",
)  # fmt: skip
PYTHON = (
    Framework(
        "pytest-codspeed", "python",
        [Measured("py/", Expected(PYTHON_PART, PYTHON_FUNCTION, rf"{BEGINS}|\(skipped\)"),
                  "bench_counted.py::test_sort")],
        PYTHON_QUIET, "Python's registry of packages", names_python=True,
    ),
    Framework(
        "pytest-benchmark", "python",
        [Measured("py/", Expected(PYTHON_PART, PYTHON_FUNCTION,
                                  rf"{BEGINS}|\(skipped\)|measured_call"),
                  "bench_counted.py::test_sort")],
        PYTHON_QUIET, "Python's registry of packages", names_python=True,
    ),
)  # fmt: skip

# --- C++ --------------------------------------------------------------------------------

CPP_FUNCTION = r"counted::{}(\[abi:cxx11\])?\(.*\)"
CPP = (
    Framework(
        "cpp", "cpp",
        [
            Measured("google/", Expected(
                r"{}(/64/repeats:2|/iterations:1)?", CPP_FUNCTION,
                rf"{BEGINS}|\w+\(benchmark::State&\)"), "sort/64/repeats:2"),
            Measured("catch2/", Expected(
                r"\w+::{}", CPP_FUNCTION,
                rf"{BEGINS}|\w+_T_E_S_T_\d+\(\)(::\{{lambda\(.*)?"
                r"|CATCH2_INTERNAL_TEST_\d+\(\)"), "order::sort"),
        ],
        Quiet("counted.h", [
            Edited("google_benchmark.cpp",
                   [("static void allocate(", "static void allocated("),
                    ("BENCHMARK(allocate);", "BENCHMARK(allocated);"),
                    ("BENCHMARK(fails);",
                     "BENCHMARK(fails);\n\nstatic void more(benchmark::State& state)\n"
                     "{\n   for (auto _ : state)\n"
                     '      benchmark::DoNotOptimize(counted::task(12));\n}\n'
                     "BENCHMARK(more);")]),
            Edited("catch2.cpp", [('BENCHMARK("allocate"', 'BENCHMARK("allocated"')],
                   '\nTEST_CASE("added")\n{\n'
                   '   BENCHMARK("more") { return counted::task(12); };\n}\n'),
        ]),
        needs=("g++", "make"),
        headers=("benchmark/benchmark.h libbenchmark-dev", "catch2 catch2"),
    ),
)  # fmt: skip

# --- Go ---------------------------------------------------------------------------------

GO = (
    Framework(
        "go", "go",
        # The runtime's own goroutines and threads may work meanwhile.
        [Measured("go/", Expected(
            r"Benchmark(Read/|_){}", r"counted\.{}",
            r"\(skipped\)|runtime\..*|counted\.Benchmark.*"), "Benchmark_sort", 0.5)],
        Quiet("counted_test.go", [Edited(
            "counted_test.go",
            [("func Benchmark_allocate(", "func Benchmark_allocated(")],
            "\nfunc BenchmarkMore(b *testing.B) {\n"
            "\tdefer callgrind_requests.Measure(b)()\n\tkept = digits(\"12\")\n}\n")]),
        needs=("go 1.21",),
    ),
)  # fmt: skip

FRAMEWORKS: Sequence[Framework] = (*GO, *PYTHON, *CPP)
