#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What does the tool cost with one core of Valgrind, and with another?

Runs the programs of this machine under bundles (docs/bundle.md), each of which has
another core in it: that of this build, and those that are made in the roots of Debian 13
and sid (tests/machines). So programs and libraries are the same, and the core alone
differs. Each core's columns are divided by its own `--tool=none`, measured in turn with
them. Prints a table of means by core, and tables of all programs.

Owns which columns are compared, and their tables. Relies on rows.py for the measuring,
and on `make bundle`.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Sequence

if __name__ == "__main__":
    sys.dont_write_bytecode = True
SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE))  # when run as a command

from tests.bench import machine  # noqa: E402
from tests.bench.columns import BASE, SETS, Column  # noqa: E402
from tests.bench.inputs import Place, Unavailable  # noqa: E402
from tests.bench.measure import Failed, Surroundings  # noqa: E402
from tests.bench.result import Result, as_json  # noqa: E402
from tests.bench.rows import columns_for, measure_row  # noqa: E402
from tests.bench.tables import table, two_places  # noqa: E402
from tests.bench.workloads import WORKLOADS, Workload, chosen  # noqa: E402
from tests.machines.debian_root import CannotMake  # noqa: E402
from tests.machines.other_debian import OTHERS, bundle_made_on  # noqa: E402

HERE = "here"
MACHINES = (HERE, *OTHERS)
# Of the sets `off` and `warm`, what is ours: a bundle has no other callgrind.
COLUMNS = (BASE, *(column for name in ("off", "warm") for column in SETS[name]
                   if column.ours))
VERSION = re.compile(r"Valgrind (\S+)")


class Unusable(Exception):
    """A core cannot be measured; the text says why and what to do."""


@dataclass(frozen=True)
class Core:
    """A bundle that is unpacked."""

    version: str
    launcher: Path

    @property
    def launchers(self) -> dict[bool, Path]:
        return {False: self.launcher, True: self.launcher}


# -- Bundles --------------------------------------------------------------------------


def core_in(folder: Path) -> Core:
    """Of an unpacked bundle."""
    told = folder / "share/callgrind-exact/bundle"
    try:
        found = VERSION.search(told.read_text(encoding="utf-8"))
    except OSError as error:
        raise Unusable(f"{folder} is no unpacked bundle: {told}: {error.strerror}"
                       ) from error
    if found is None:
        raise Unusable(f"{told} does not name a version of Valgrind")
    return Core(found[1], folder / "bin" / "valgrind")


def unpacked(archive: Path, folder: Path) -> Path:
    """The folder that is in an archive, which is unpacked into another one."""
    folder.mkdir()
    done = subprocess.run(["tar", "-C", str(folder), "-xf", str(archive)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unusable(f"{archive} cannot be unpacked: {done.stderr.strip()}")
    return next(folder.iterdir())


def newest_bundle(build: Path) -> Path:
    return max(build.glob("bundle/callgrind-exact-*.tar.xz"),
               key=lambda path: path.stat().st_mtime)


def make_here(build: Path) -> Path:
    done = subprocess.run(["make", "-s", "-C", str(build), "bundle", "BUNDLE_SAMPLER="],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unusable(f"make -C {build} bundle: {done.stdout}{done.stderr}")
    return newest_bundle(build)


def make_on(name: str, build: Path, folder: Path) -> Path:
    """The archive of a machine's bundle; another machine's is put into the folder."""
    if name == HERE:
        return make_here(build)
    try:
        return bundle_made_on(name, folder, lambda text: tell(f"{name}: {text}"))
    except CannotMake as reason:
        raise Unusable(f"{name}: {reason}; without it: --on of the others") from reason


def all_cores(arguments: argparse.Namespace, folder: Path) -> list[Core]:
    """Those of the bundles that are named, or else of the machines."""
    archives: dict[str, Path] = {f"bundle{number}": path.absolute()
                                 for number, path in enumerate(arguments.bundles)}
    for name in [] if archives else arguments.machines or MACHINES:
        archives[name] = make_on(name, arguments.build, folder)
    return [core_in(unpacked(path, folder / name) if path.is_file() else path)
            for name, path in archives.items()]


# -- Measuring ------------------------------------------------------------------------


def tell(text: str) -> None:
    print(f"by_core: {text}", file=sys.stderr, flush=True)


def measure_all(
    cores: Sequence[Core], workloads: Sequence[Workload], arguments: argparse.Namespace,
    folder: Path,
) -> list[Result]:
    """A result for each core, of the same workloads: each is measured with all of them
    before the next one is."""
    results = [Result(list(COLUMNS)) for _ in cores]
    place = Place(SOURCE / "tests/bench/programs", arguments.build / "tests/bench", "gcc")
    place.build.mkdir(parents=True, exist_ok=True)
    prefix = machine.fixed_addresses()
    for workload in workloads:
        columns = columns_for(workload, COLUMNS)
        if not columns:
            tell(f"{workload.name} is left out: no column is for it")
            continue
        for number, (core, result) in enumerate(zip(cores, results)):
            # Names of one length: what lies on a program's stack is the same.
            own = folder / f"runs{number}"
            own.mkdir(exist_ok=True)
            try:
                result.series[workload.name] = measure_row(
                    workload, arguments.size, columns, core.launchers, arguments.runs,
                    place, Surroundings(own, prefix), f"{core.version} {workload.name}")
            except Unavailable as missing:
                tell(f"{workload.name} is left out: {missing}")
                break
            except Failed as failure:
                raise Unusable(f"{workload.name} fails without Valgrind: {failure}"
                               ) from failure
    if not results[0].series:
        raise Unusable("no workload can run")
    return results


# -- What is printed ------------------------------------------------------------------


def mean_of(result: Result, column: Column) -> Optional[float]:
    return result.mean(column.key, "cpu")[0]


def to_the_first(results: Sequence[Result], column: Column) -> list[Optional[float]]:
    """By how much a column's mean with each core is that with the first one."""
    first = mean_of(results[0], column)
    return [None if not first or not (mean := mean_of(result, column)) else mean / first
            for result in results]


def tables_of(cores: Sequence[Core], results: Sequence[Result]) -> str:
    columns = [column for column in COLUMNS if column is not BASE]
    names = [core.version for core in cores]
    rows = [[name, *(two_places(mean_of(result, column)) for column in columns)]
            for name, result in zip(names, results)]
    rows += [[f"{name} by {names[0]}",
              *(two_places(to_the_first(results, column)[number]) for column in columns)]
             for number, name in enumerate(names) if number > 0]
    parts = [table(["core", *(column.title for column in columns)], rows,
                   "CPU time, as ratio to no tool with the same core; geometric means")]
    for column in COLUMNS:
        rows = []
        for workload, series in results[0].series.items():
            if column.suits(series.kind):
                rows.append([workload, *(cell(result, workload, column)
                                         for result in results)])
        if rows:
            title = "No tool" if column is BASE else column.title
            parts.append(table(["", *names], rows, f"{title}, by core"))
    return "\n".join(parts)


def cell(result: Result, workload: str, column: Column) -> str:
    series = result.series.get(workload)
    if series is None or column.key in series.failures:
        return "FAILED"
    if column is BASE:
        seconds = result.seconds(workload, column.key)
        return "-" if seconds is None else f"{seconds:.2f} s"
    return two_places(result.ratio(workload, column.key, "cpu"))


def too_far(
    cores: Sequence[Core], results: Sequence[Result], per_cent: float
) -> list[str]:
    """The means that are further from those of the first core than so much."""
    told = []
    for column in COLUMNS:
        for core, quotient in zip(cores, to_the_first(results, column)):
            if quotient is not None and abs(quotient - 1) * 100 > per_cent:
                told.append(f"{column.title}: with {core.version} {quotient:.2f} of what"
                            f" it is with {cores[0].version}")
    return told


# -- The command line -----------------------------------------------------------------


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="by_core",
        description="Measures the tool with several cores of Valgrind, on the programs"
                    " of this machine, and prints what it costs with each.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("bundles", nargs="*", type=Path, metavar="BUNDLE",
        help="archives or folders of bundles; without one, they are made (--on)")
    add("--on", action="append", dest="machines", default=[], metavar="MACHINE",
        choices=MACHINES, help="make the bundle on this machine; may be repeated"
        f" (default: {', '.join(MACHINES)})")
    add("--quick", action="store_const", const="quick", dest="size", default="full",
        help="a quarter of the work")
    add("--runs", type=int, choices=range(1, 100), default=3, metavar="N",
        help="rounds through the columns of a workload (default: 3)")
    add("--only", action="append", default=[], metavar="NAME",
        choices=[one.name for one in WORKLOADS if columns_for(one, COLUMNS)],
        help="this workload alone; may be repeated")
    add("--within", type=float, metavar="PERCENT",
        help="status 1 if the mean of a column differs by more from that with the first"
             " core")
    add("--json", type=Path, metavar="FILE",
        help="machine-readable copy (default: by_core.json in the build folder)")
    add("--build", type=Path, default=SOURCE / "build", metavar="DIR",
        help="build folder (default: build/ beside the sources)")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    return arguments


def facts_of(cores: Sequence[Core], arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        **machine.facts(SOURCE, cores[0].launchers, "gcc", sys.argv),
        "settings": {"runs": arguments.runs, "size": arguments.size},
    }


def by_core(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="by_core.") as name:
        folder = Path(name)
        cores = all_cores(arguments, folder)
        workloads = [one for one in chosen(arguments.only) if columns_for(one, COLUMNS)]
        facts = facts_of(cores, arguments)
        results = measure_all(cores, workloads, arguments, folder)
    path = arguments.json or arguments.build / "by_core.json"
    path.write_text(json.dumps({
        core.version: as_json(result, facts, []) for core, result in zip(cores, results)
    }, indent=1) + "\n", encoding="utf-8")
    print(tables_of(cores, results))
    print(f"Medians of N rounds, N = {arguments.runs}, {arguments.size} sizes, user and"
          f" system time.\n{facts['machine']['cpu']}, {facts['date']}, revision"
          f" {facts['revision']}.")
    for core, result in zip(cores, results):
        for note in result.all_notes():
            print(f"- {core.version}: {note}")
    tell(f"all figures are in {path}")
    far = [] if arguments.within is None else too_far(cores, results, arguments.within)
    for line in far:
        print(f"too far: {line}")
    return 1 if far or any(result.failed for result in results) else 0


def main() -> int:
    try:
        return by_core(parse_arguments())
    except (Unusable, OSError) as error:
        print(f"by_core: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nby_core: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
