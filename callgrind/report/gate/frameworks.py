# SPDX-License-Identifier: GPL-2.0-or-later
#
# Frameworks of benchmarks: how each is told to measure under callgrind.
#
# Owns: the variables that a framework's plugin asks for, the interpreter whose own code
# is folded away, how names of code that is made at run time are written, the filter, and
# from which command a framework is known.  docs/frameworks.md is the page for users.

"""What frameworks of benchmarks need."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Mapping, Sequence

from gate.filters import BEHIND_FILE, CASE, ELEMENT, LAST, WHOLE
from gate.suites import Suite

INTROSPECTION = "__CODSPEED_NODE_CORE_INTROSPECTION_PATH__"
SCRATCH = "{scratch}"  # in the value of a variable: a folder that is gone at the end

# What CodSpeed's plugins look at.  The older word for the mode is taken by all of them.
CODSPEED = {
    "CODSPEED_ENV": "runner",
    "CODSPEED_RUNNER_MODE": "simulation",
    "CODSPEED_PROFILE_FOLDER": SCRATCH,
    "ARCH": platform.machine(),
}
PYTHON = {"PYTHONMALLOC": "malloc"}
PYTHON_KEPT = ("VIRTUAL_ENV", "PYTHONPATH")
NODE_KEPT = ("NODE_PATH", "NVM_*")
RUST_KEPT = ("CARGO_*", "RUST*")
GO_KEPT = ("GO*", "CGO_*")
# Names of JavaScript functions; interpreted ones get frames of their own.
NODE = {"NODE_OPTIONS": "--perf-basic-prof --interpreted-frames-native-stack"}
# Programs that build or fetch, and are never measured: of Go those that it compiles with.
NOT_FOLLOWED = (
    "--trace-children-skip=*esbuild,*.rustup-wrapped,*/rustc,*/pkg/tool/*/*,*/gcc,*/g++"
)
FOLLOWED = ("--trace-children=yes", NOT_FOLLOWED)
BEGIN, REQUEST = "begin", "request"  # of what a benchmark is measured from


@dataclass(frozen=True)
class Framework:
    """A framework, and what it needs."""

    name: str
    suite: str  # what a suite of it is called by default; '': as its program
    env: Mapping[str, str] = field(default_factory=dict)
    keep_env: Sequence[str] = ()
    select: Sequence[str] = ()  # words that filter
    any_of: str = ""  # between two texts in {}
    sees: str = BEHIND_FILE  # what of a name the filter looks at
    is_node: bool = False  # node's own code is folded away
    harness: Sequence[str] = ()  # options that fold the framework's code away
    words: Sequence[str] = ()  # of the command, if it has not said otherwise
    starts_valgrind: bool = False  # by itself, once for each benchmark
    asks_for_flags: bool = False  # of V8, which its command has to be given


def _folded(*functions: str) -> tuple[str, ...]:
    return tuple(f"--fn-skip={function}" for function in functions)


COMMAND = Framework("command", "", {}, ())
_ALL = (
    COMMAND,
    Framework(
        "pytest-codspeed", "py", {**CODSPEED, **PYTHON, "PYTHON_PERF_JIT_SUPPORT": "0"},
        PYTHON_KEPT, ("-k", "{}"), " or ",
        harness=_folded("py::*-packages/pytest_codspeed/*"),
    ),
    Framework("pytest-benchmark", "py", PYTHON, PYTHON_KEPT, ("-k", "{}"), " or "),
    Framework("codspeed-rust", "rust", CODSPEED, RUST_KEPT, ("{}",), sees=LAST),
    Framework("gungraun", "rust", {}, RUST_KEPT, starts_valgrind=True),
    Framework(
        "go", "go", {"GOMAXPROCS": "1"}, GO_KEPT, ("-bench={}",), "|", ELEMENT,
        harness=_folded("testing.*", "callgrind_requests.*"),
        # Where its program may be kept, it has symbols.
        words=("-run=^$", "-benchtime=1x", "-o=/dev/null"),
    ),
    Framework(
        "vitest", "js", {**CODSPEED, **NODE}, NODE_KEPT, ("-t", "{}"), "|", is_node=True
    ),
    Framework(
        "tinybench", "js", {**CODSPEED, **NODE}, NODE_KEPT, is_node=True,
        asks_for_flags=True,
    ),
    Framework(
        "google-benchmark", "cpp", {}, (), ("--benchmark_filter={}",), "|", WHOLE,
        harness=(*_folded("benchmark::*", "callgrind_benchmark::*"),
                 "--obj-skip=*/libbenchmark.so*"),
    ),
    Framework(
        "catch2", "cpp", {}, (), ("*{}*",), sees=CASE,
        harness=_folded("Catch::*", "void Catch::*", "callgrind_benchmark::*"),
    ),
)  # fmt: skip
FRAMEWORKS = {framework.name: framework for framework in _ALL}

# What only starts another command, with as many words as it has before that.
WRAPPERS = re.compile(
    r"env|nice|setarch|npx|pnpx|bunx|(uv|poetry|pipenv|hatch|pdm|rye|pnpm|yarn|npm)"
)
WRAPPED = ("run", "exec", "--", "-y")
PYTEST_PLUGIN = "callgrind_requests.pytest_benchmark"
PYTHON_PROGRAM = re.compile(r"(python|pypy)[0-9.]*")


def framework_of(command: Sequence[str]) -> Framework:
    """The framework that a command plainly is of; COMMAND if it is not plain."""
    words = _own_words(list(command))
    program = os.path.basename(words[0]) if words else ""
    if PYTHON_PROGRAM.fullmatch(program) and "-m" in words:
        words = words[words.index("-m") + 1:]
        program = words[0] if words else ""
    if program in ("pytest", "py.test"):
        if "--codspeed" in words:
            return FRAMEWORKS["pytest-codspeed"]
        if any(PYTEST_PLUGIN in word for word in words):
            return FRAMEWORKS["pytest-benchmark"]
    if program == "cargo" and words[1:2] == ["codspeed"]:
        return FRAMEWORKS["codspeed-rust"]
    if program == "go" and words[1:2] == ["test"]:
        return FRAMEWORKS["go"]
    if program == "vitest" and "bench" in words:
        return FRAMEWORKS["vitest"]
    return COMMAND


def _own_words(words: list[str]) -> list[str]:
    """Without wrappers, and the variables and options that belong to those."""
    while words:
        if WRAPPERS.fullmatch(os.path.basename(words[0])):
            words = words[1:]
            while words and (words[0] in WRAPPED or "=" in words[0]):
                words = words[1:]
        else:
            break
    return words


def as_framework(suite: Suite) -> Suite:
    """Give a suite what its framework needs; the file's own keys come on top."""
    framework = FRAMEWORKS.get(suite.framework) or framework_of(suite.command)
    suite.framework = framework.name
    suite.start = BEGIN if framework.starts_valgrind else REQUEST
    suite.env.update(framework.env)
    suite.keep_env += framework.keep_env
    suite.select = _own_flags(suite, framework.select)
    suite.any_of = framework.any_of
    suite.sees = framework.sees
    suite.options += [*FOLLOWED, *framework.harness]
    suite.command += [
        word
        for word in _own_flags(suite, framework.words)
        if not any(each.startswith(word.partition("=")[0]) for each in suite.command)
    ]
    return suite


def _own_flags(suite: Suite, words: Sequence[str]) -> list[str]:
    """The program that `go test -c` makes has flags of other names than `go test`."""
    is_program = suite.framework == "go" and framework_of(suite.command).name != "go"
    if not is_program:
        return list(words)
    return [
        f"-test.{word[1:]}" if word[:1] == "-" else word
        for word in words
        if not word.startswith("-o=")
    ]


def options_in(suite: Suite, env: Mapping[str, str]) -> list[str]:
    """Options of Valgrind that follow from what is installed where the suite runs."""
    if not FRAMEWORKS[suite.framework].is_node:
        return []
    node = shutil.which("node", path=env.get("PATH"))
    return [f"--obj-skip={os.path.realpath(node)}"] if node else []


def command_in(suite: Suite, env: Mapping[str, str], scratch: Path) -> list[str]:
    """The suite's command, with the flags of V8 that CodSpeed's plugin for node needs.
    It is asked for them: started with this variable, it writes them into a file and
    ends."""
    command = list(suite.command)
    is_node = os.path.basename(command[0]) in ("node", "nodejs")
    if not FRAMEWORKS[suite.framework].asks_for_flags or not is_node:
        return command
    answer = scratch / "flags"
    with contextlib.suppress(OSError, subprocess.SubprocessError, ValueError):
        subprocess.run(
            command, cwd=suite.folder, env={**env, INTROSPECTION: str(answer)},
            stdin=subprocess.DEVNULL, capture_output=True, timeout=suite.timeout,
            start_new_session=True, check=False,
        )  # fmt: skip
        flags = json.loads(answer.read_text("utf-8"))["flags"]
        command[1:1] = [flag for flag in flags if flag not in command]
    return command
