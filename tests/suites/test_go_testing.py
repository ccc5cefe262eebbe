# SPDX-License-Identifier: GPL-2.0-or-later
#
# Go's testing.B, measured by the package of clients/go.

"""Benchmarks of Go's package testing."""

from __future__ import annotations

from pathlib import Path

from tests.clients.fetched import needed, run
from tests.clients.measured import measure
from tests.clients.test_go import NO_C, module_with
from tests.suites.checked import Expected, check_counts, check_flame_graph

SUITE = Path(__file__).resolve().parent / "go" / "counted_test.go"
HARNESS = ("--fn-skip=testing.*", "--fn-skip=callgrind_requests.*")
ONCE = ("-test.run=^$", "-test.bench=.", "-test.benchtime=1x")
EXPECTED = Expected(
    part=r"Benchmark(Read/|_){}",
    function=r"counted\.{}",
    roots=r"\(skipped\)|runtime\..*|counted\.Benchmark.*",
)


def suite() -> str:
    folder = module_with("go-suite", SUITE)
    run([needed("go"), "test", "-c", "-o", "bench", "."], folder, NO_C)
    return str(folder / "bench")


def test_go(tmp_path: Path) -> None:
    measured = measure([suite(), *ONCE], tmp_path / "run", {"GOMAXPROCS": "1"}, HARNESS)
    check_counts(measured, EXPECTED)
    # The runtime's own goroutines and threads may work meanwhile, on memory for example.
    check_flame_graph(measured, EXPECTED, "Benchmark_sort", least_share=0.5)


def test_on_several_processors_and_for_a_time(tmp_path: Path) -> None:
    """Without -test.benchtime=1x a benchmark is called again, which is not measured."""
    words = ["-test.run=^$", "-test.bench=sort", "-test.benchtime=2ms"]
    measured = measure([suite(), *words], tmp_path / "run", options=HARNESS)
    assert [name for name, _ in measured.parts()] == ["Benchmark_sort"]


def test_natively(tmp_path: Path) -> None:
    said = run([suite(), *ONCE], tmp_path)
    assert "Benchmark_pool" in said and "PASS" in said
    assert list(tmp_path.iterdir()) == []
