# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds a generated program in a folder of its own.
#
# Owns: functions.h (the numbers of the functions), and the compiler's command lines.
# Every source may include truth.h; truth.c goes into every executable.

"""Build a case's libraries and executable."""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from case import Case, CaseError, CaseUnavailable, Library, identifier
from variants import DEBUG_FLAG, is_installed

HERE = Path(__file__).resolve().parent
INCLUDE_FOLDERS = [HERE, HERE.parents[1] / "include"]
SOURCE_ENDINGS = (".c", ".cpp", ".S")
C_COMPILERS = {"g++": "gcc", "clang++": "clang"}
COMPILE_TIMEOUT = 120
RUN_PATH = "-Wl,-rpath,$ORIGIN"  # libraries lie beside the executable
NEEDED = "-Wl,--no-as-needed"  # by each other, if not by the executable


@dataclass
class Program:
    """An executable, ready to run in its folder."""

    case: Case
    folder: Path
    executable: Path


def functions_header(case: Case) -> str:
    """fn_ and out_ numbers, and all names in the order of their numbers."""
    names = [*case.functions, *case.outside]
    words = [f"fn_{identifier(name)}" for name in case.functions]
    words += [f"out_{identifier(name)}" for name in case.outside]
    if len(set(words)) != len(words):
        raise CaseError(f"{case.label}: two functions have one identifier in C")
    # Macros, which assembler sources know as well.
    numbers = "".join(f"#define {word} {at}\n" for at, word in enumerate(words))
    quoted = ", \\\n   ".join(f'"{name}"' for name in names)
    if case.rules.uncounted_paths:
        numbers += "#define TRUTH_WITHOUT_PATHS\n"
    return (
        f"{numbers}"
        f"#define TRUTH_FUNCTIONS {len(case.functions)}\n"
        f"#define TRUTH_CALLEES {len(names)}\n"
        f"#define TRUTH_NAMES \\\n   {quoted}\n"
    )


def write_sources(folder: Path, case: Case) -> None:
    texts = {"functions.h": functions_header(case), **case.sources}
    for library in case.libraries:
        texts.update(library.sources)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def _run(words: list[str], folder: Path) -> None:
    try:
        result = subprocess.run(
            words,
            cwd=folder,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=COMPILE_TIMEOUT,
        )
    except OSError as error:
        raise CaseError(f"{words[0]}: {error.strerror}") from error
    except subprocess.TimeoutExpired:
        raise CaseError(f"does not compile within {COMPILE_TIMEOUT} s") from None
    if result.returncode != 0:
        output = result.stdout.decode("utf-8", "replace")
        raise CaseError(f"does not compile: {shlex.join(words)}\n{output}")


@lru_cache(maxsize=None)
def _core_include_folder() -> str:
    """Where valgrind.h lies, which our callgrind.h includes."""
    try:
        return subprocess.run(
            ["pkg-config", "--variable=includedir", "valgrind"],
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise CaseError("pkg-config does not know valgrind: install it") from None


def _includes() -> list[str]:
    folders = (".", *INCLUDE_FOLDERS, _core_include_folder())
    return [f"-I{folder}" for folder in folders]


def _sources(texts: dict[str, str]) -> list[str]:
    return [name for name in texts if name.endswith(SOURCE_ENDINGS)]


def _linked_with(names: list[str]) -> list[str]:
    return [f"-l{name}" for name in names]


def build_library(folder: Path, case: Case, library: Library) -> None:
    flags = [flag for flag in case.flags if flag not in ("-fPIE", "-fno-pie")]
    words = [
        case.compiler,
        *flags,
        *library.flags,
        *_includes(),
        "-shared",
        "-fPIC",
        "-o",
        f"lib{library.name}.so",
        *_sources(library.sources),
        "-L.",
        RUN_PATH,
        *_linked_with(library.links),
        *library.link_flags,
    ]
    _run(words, folder)


def build_executable(folder: Path, case: Case) -> Path:
    executable = folder / "program"
    # The counters are plain data and their writer is not measured: built apart, as C.
    compiler = C_COMPILERS.get(case.compiler, case.compiler)
    truth = [compiler, DEBUG_FLAG, "-O1", "-fPIC", *_includes()]
    _run([*truth, "-c", "-o", "truth.o", str(HERE / "truth.c")], folder)
    linked = [library.name for library in case.libraries if library.linked]
    words = [case.compiler, *case.flags, *_includes(), "-o", executable.name]
    words += [*_sources(case.sources), "truth.o"]
    if case.libraries:
        # The libraries find the counters in the executable.
        words += ["-rdynamic", "-L.", RUN_PATH, NEEDED, *_linked_with(linked)]
    _run([*words, *case.link_flags], folder)
    return executable


def build(case: Case, folder: Path) -> Program:
    """Write the sources into the folder and make an executable of them."""
    if not is_installed(case.compiler):
        raise CaseUnavailable(f"{case.compiler} is not installed")
    write_sources(folder, case)
    for library in case.libraries:
        build_library(folder, case, library)
    return Program(case, folder, build_executable(folder, case))
