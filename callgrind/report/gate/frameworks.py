# SPDX-License-Identifier: GPL-2.0-or-later
#
# Frameworks of benchmarks: how each is told to measure under callgrind.
#
# Owns: the variables that a framework's plugin asks for, the interpreter whose own code
# is folded away, how names of code that is made at run time are written, the filter, and
# from which command a framework is known.  docs/frameworks.md is the page for users.

"""What frameworks of benchmarks need."""

from __future__ import annotations

import os
import platform
import re
import shutil
from dataclasses import dataclass, field
from typing import Mapping, Sequence

from gate.filters import BEHIND_FILE, CASE, ELEMENT, LAST, WHOLE
from gate.suites import Suite

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
# Programs that build or fetch, and are never measured.
NOT_FOLLOWED = "--trace-children-skip=*esbuild,*.rustup-wrapped"
FOLLOWED = ("--trace-children=yes", NOT_FOLLOWED)
REQUEST = "request"


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


COMMAND = Framework("command", "", {}, ())
_ALL = (
    COMMAND,
    Framework(
        "pytest-codspeed", "py", {**CODSPEED, **PYTHON, "PYTHON_PERF_JIT_SUPPORT": "0"},
        PYTHON_KEPT, ("-k", "{}"), " or ",
    ),
    Framework("pytest-benchmark", "py", PYTHON, PYTHON_KEPT, ("-k", "{}"), " or "),
    Framework("codspeed-rust", "rust", CODSPEED, RUST_KEPT, ("{}",), sees=LAST),
    Framework("go", "go", {}, GO_KEPT, ("-bench={}",), "|", ELEMENT),
    Framework(
        "vitest", "js", {**CODSPEED, **NODE}, NODE_KEPT, ("-t", "{}"), "|", is_node=True
    ),
    Framework("tinybench", "js", {**CODSPEED, **NODE}, NODE_KEPT, is_node=True),
    Framework(
        "google-benchmark", "cpp", {}, (), ("--benchmark_filter={}",), "|", WHOLE
    ),
    Framework("catch2", "cpp", {}, (), ("*{}*",), sees=CASE),
)  # fmt: skip
FRAMEWORKS = {framework.name: framework for framework in _ALL}

# What only starts another command, with as many words as it has before that.
WRAPPERS = re.compile(
    r"env|nice|setarch|npx|pnpx|bunx|(uv|poetry|pipenv|hatch|pdm|rye|pnpm|yarn|npm)"
)
WRAPPED = ("run", "exec", "--", "-y")
PYTHON_PROGRAM = re.compile(r"(python|pypy)[0-9.]*")


def framework_of(command: Sequence[str]) -> Framework:
    """The framework that a command plainly is of; COMMAND if it is not plain."""
    words = _own_words(list(command))
    program = os.path.basename(words[0]) if words else ""
    if PYTHON_PROGRAM.fullmatch(program) and "-m" in words:
        words = words[words.index("-m") + 1:]
        program = words[0] if words else ""
    if program in ("pytest", "py.test") and "--codspeed" in words:
        return FRAMEWORKS["pytest-codspeed"]
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
    suite.start = REQUEST
    suite.env.update(framework.env)
    suite.keep_env += framework.keep_env
    suite.select = list(framework.select)
    suite.any_of = framework.any_of
    suite.sees = framework.sees
    suite.options += FOLLOWED
    return suite


def options_in(suite: Suite, env: Mapping[str, str]) -> list[str]:
    """Options of Valgrind that follow from what is installed where the suite runs."""
    if not FRAMEWORKS[suite.framework].is_node:
        return []
    node = shutil.which("node", path=env.get("PATH"))
    return [f"--obj-skip={os.path.realpath(node)}"] if node else []
