# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which suites of benchmarks a project has, from the files that say what it is made of.
#
# Owns: what in pyproject.toml, Cargo.toml, go.mod, package.json, CMakeLists.txt and
# pom.xml names a framework, and the command that runs it.  Nothing of a project is
# executed, no link in it is followed, and no file is read beyond a size: a project may be
# anybody's.  Relies on folder.py for that.

"""Projects and their suites of benchmarks."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence

from gate.error import GateError
from gate.folder import Folder

MOST_BYTES = 1 << 20  # of a file
MOST_FILES = 5000  # that are looked at, of one kind
MOST_DEPTH = 6  # of folders
# Folders of what was built, fetched or kept, which is not the project's own.
PASSED_OVER = ("build", "target", "vendor", "node_modules", "testdata", "third_party")
COMMENT = re.compile(r"(?m)(?:^|\s)#.*$")
PAGE = "docs/frameworks.md"


@dataclass(frozen=True)
class FoundSuite:
    """A suite that a project has."""

    source: str  # the file that says so
    what: str  # what it names
    framework: str  # of frameworks.py; '': nothing measures it as it is
    name: str = ""  # of the suite
    command: str = ""  # as a shell has it
    first: str = ""  # what has to be done before it is measured


def suites_of(project: Folder) -> list[FoundSuite]:
    """What all files of a project say, in an order that does not change."""
    found: list[FoundSuite] = []
    for look in (_python, _rust, _go, _javascript, _cpp, _java):
        found += look(project)
    return found


# --- Files ------------------------------------------------------------------------------


def _text(folder: Folder, name: str) -> str:
    """What a file has; '' if there is none, or none that can be read."""
    try:
        return folder.read(name, MOST_BYTES).decode("utf-8", "replace")
    except (GateError, OSError):
        return ""


def _files(folder: Folder, wanted: re.Pattern[str], depth: int = MOST_DEPTH
           ) -> Iterator[tuple[str, str]]:
    """The files of such names in a folder and those in it: their paths within it, and
    what they have."""
    budget = MOST_FILES
    waiting: list[tuple[str, int]] = [("", depth)]
    while waiting and budget > 0:
        place, left = waiting.pop(0)
        inside = _inner(folder, place)
        if inside is None:
            continue
        try:
            for name in sorted(inside.names()):
                budget -= 1
                path = f"{place}/{name}" if place else name
                if wanted.fullmatch(name):
                    yield path, _text(inside, name)
                elif left and not name.startswith(".") and name not in PASSED_OVER:
                    waiting.append((path, left - 1))
        finally:
            if inside is not folder:
                inside.close()


def _inner(folder: Folder, place: str) -> Optional[Folder]:
    """A folder within; None if it is none."""
    found = folder
    for part in filter(None, place.split("/")):
        outer = found
        try:
            inner = outer.inner(part)
        except (GateError, OSError):
            inner = None
        if outer is not folder:
            outer.close()
        if inner is None:
            return None
        found = inner
    return found


def _has_word(text: str, word: str) -> bool:
    """Whether it is there as a word of its own, as names of packages are."""
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


# --- Languages --------------------------------------------------------------------------


def _python(project: Folder) -> Iterator[FoundSuite]:
    for source in ("pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt",
                   "requirements-dev.txt", "requirements-test.txt"):  # fmt: skip
        text = COMMENT.sub("", _text(project, source))
        if _has_word(text, "pytest-codspeed"):
            yield FoundSuite(source, "pytest-codspeed", "pytest-codspeed", "py",
                             "pytest --codspeed")  # fmt: skip
            return
        if _has_word(text, "pytest-benchmark"):
            yield FoundSuite(
                source, "pytest-benchmark", "pytest-benchmark", "py",
                "pytest -p callgrind_requests.pytest_benchmark --benchmark-only",
                "the package callgrind-requests has to be installed (clients/python)",
            )  # fmt: skip
            return


RUST = ("criterion", "divan", "bencher")


def _rust(project: Folder) -> Iterator[FoundSuite]:
    texts = {path: COMMENT.sub("", text)
             for path, text in _files(project, re.compile(r"Cargo\.toml"), 3)}
    for name in RUST:
        package = f"codspeed-{name}-compat"
        source = next((p for p, text in texts.items() if _has_word(text, package)), "")
        if source:
            yield FoundSuite(source, package, "codspeed-rust", "rust",
                             "cargo codspeed run", "cargo codspeed build makes the "
                             "benchmarks (cargo install cargo-codspeed)")  # fmt: skip
            break
    else:
        for name in RUST:
            source = next((p for p, text in texts.items() if _has_word(text, name)), "")
            if source:
                yield FoundSuite(source, name, "", first=f"{name} makes no requests; "
                                 f"codspeed-{name}-compat in its place does")  # fmt: skip
                break
    for source, text in texts.items():
        if _has_word(text, "gungraun"):
            yield FoundSuite(source, "gungraun", "gungraun", "rust", "cargo bench",
                             "cargo install gungraun-runner")  # fmt: skip
            break


GO_BENCHMARK = re.compile(r"(?m)^func Benchmark\w*\(")


def _go(project: Folder) -> Iterator[FoundSuite]:
    if not _text(project, "go.mod"):
        return
    measured = False
    source = ""
    for path, text in _files(project, re.compile(r".*_test\.go")):
        if GO_BENCHMARK.search(text):
            source = source or path
            measured = measured or "callgrind_requests.Measure(" in text
    if source:
        first = "each needs `defer callgrind_requests.Measure(b)()` (clients/go)"
        yield FoundSuite(
            source, "testing.B", "go" if measured else "", "go",
            "go test -run=^$ -bench=. -benchtime=1x ./...", "" if measured else first,
        )  # fmt: skip


JS_PLUGINS = (
    ("@codspeed/vitest-plugin", "vitest"),
    ("@codspeed/tinybench-plugin", "tinybench"),
    ("@codspeed/benchmark.js-plugin", "tinybench"),
)


def _javascript(project: Folder) -> Iterator[FoundSuite]:
    source = "package.json"
    try:
        document = json.loads(_text(project, source) or "{}")
    except (ValueError, RecursionError):
        return
    packages = {*_table(document, "dependencies"), *_table(document, "devDependencies")}
    scripts = _table(document, "scripts")
    for package, framework in JS_PLUGINS:
        if package in packages:
            command = "npx vitest bench --run"
            if framework != "vitest":
                command = _bench_script(scripts)
            name = "js" if framework == "vitest" else "js-bench"
            yield FoundSuite(source, package, framework if command else "", name, command,
                             "" if command else "package.json has no script called "
                             "bench, which would say how they are run")  # fmt: skip
            return
    for name in ("vitest", "tinybench", "benchmark"):
        if name in packages and (name != "vitest" or "bench" in str(scripts)):
            package = "benchmark.js" if name == "benchmark" else name
            yield FoundSuite(source, name, "", first=f"{name} makes no requests; "
                             f"@codspeed/{package}-plugin beside it does")  # fmt: skip
            return


def _table(document: Any, key: str) -> dict[str, Any]:
    found = document.get(key) if isinstance(document, dict) else None
    return found if isinstance(found, dict) else {}


def _bench_script(scripts: dict[str, Any]) -> str:
    """What runs the benchmarks: as it stands in the script, if that is node alone."""
    names = [name for name in scripts if name.startswith("bench")]
    if not names:
        return ""
    text = str(scripts[names[0]])
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if words[:1] == ["node"] and not set("&|;<>$`\n") & set(text):
        return text
    return f"npm run {shlex.quote(names[0])}"


CMAKE_PROGRAM = re.compile(r"(?i)\badd_executable\s*\(\s*([\w.+-]+)\b([^)]*)\)")
CMAKE_LINKS = re.compile(r"(?i)\btarget_link_libraries\s*\(\s*([\w.+-]+)\b([^)]*)\)")
CPP = (
    ("benchmark::benchmark_main", "google-benchmark"),
    ("benchmark::benchmark", "google-benchmark"),
    ("Catch2::Catch2WithMain", "catch2"),
    ("Catch2::Catch2", "catch2"),
)
CPP_SOURCE = re.compile(r".*\.(cc|cpp|cxx|C|h|hh|hpp)")
CPP_HEADER = "callgrind_benchmark.h"


def _cpp(project: Folder) -> Iterator[FoundSuite]:
    has_header = any(CPP_HEADER in text for _, text in _files(project, CPP_SOURCE, 4))
    for path, text in _files(project, re.compile(r"CMakeLists\.txt"), 4):
        text = COMMENT.sub("", text)
        programs = {match[1] for match in CMAKE_PROGRAM.finditer(text)}
        for match in CMAKE_LINKS.finditer(text):
            framework = next((found for library, found in CPP
                              if library in match[2].split()), "")
            if match[1] not in programs or not framework:
                continue
            what = next(library for library, _ in CPP if library in match[2].split())
            folder = path.rpartition("/")[0]
            command = "/".join(filter(None, ("build", folder, match[1])))
            yield FoundSuite(
                path, what, framework if has_header else "", match[1],
                shlex.quote(command),
                "" if has_header else f"its benchmarks have to include {CPP_HEADER}",
            )  # fmt: skip


def _java(project: Folder) -> Iterator[FoundSuite]:
    text = re.sub(r"<!--.*?-->", "", _text(project, "pom.xml"), flags=re.DOTALL)
    if _has_word(text, "jmh-core"):
        yield FoundSuite("pom.xml", "JMH", "", first="callgrind counts no JVM as it runs "
                         "by itself; callgrind_sample measures it")  # fmt: skip


# --- What is said of them ---------------------------------------------------------------


def measured(found: Sequence[FoundSuite]) -> list[FoundSuite]:
    """Those that can be measured as they are."""
    return [suite for suite in found if suite.framework]


def obstacle(suite: FoundSuite) -> str:
    """Why one cannot be measured as it is."""
    return f"{suite.source} has {suite.what}: {suite.first} ({PAGE})"
