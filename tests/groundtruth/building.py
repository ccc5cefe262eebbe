# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds a generated program in a folder of its own.
#
# Owns: functions.h (the numbers of the functions), tables.s (their counters), and the
# compiler's command lines.  Every source may include truth.h; truth.c, compiled once,
# goes into every executable.  What has been built is used again as long as nothing that
# it was made of has changed.

"""Build a case's libraries and executable."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tests.bare_libc import link_words
from tests.differential.reuse import is_fresh, packages_stamp
from tests.groundtruth.case import Case, CaseError, CaseUnavailable, Library, identifier
from tests.groundtruth.variants import DEBUG_FLAG, is_installed

HERE = Path(__file__).resolve().parent
REQUESTS = HERE.parents[1] / "include"
INCLUDE_FOLDERS = [HERE, REQUESTS]
SOURCE_ENDINGS = (".c", ".cpp", ".S")
C_COMPILERS = {"g++": "gcc", "clang++": "clang"}
TABLES = "tables.s"
EXECUTABLE = "program"
MADE_OF = "made-of"  # a file that says of what the executable beside it was made
WORD = 8  # bytes of a counter
COMPILE_TIMEOUT = 1200  # a compiler that hangs; one of many may wait long
# So many programs of each kind have the C library as it is; others a copy of it, which
# Valgrind reads quickly.
WITH_DEBUG_INFORMATION = 2
RUN_PATH = "-Wl,-rpath,$ORIGIN"  # libraries lie beside the executable
NEEDED = "-Wl,--no-as-needed"  # by each other, if not by the executable


@dataclass
class Program:
    """An executable, ready to run in its folder."""

    case: Case
    folder: Path
    executable: Path


def functions_header(case: Case) -> str:
    """fn_ and out_ numbers."""
    words = [f"fn_{identifier(name)}" for name in case.functions]
    words += [f"out_{identifier(name)}" for name in case.outside]
    if len(set(words)) != len(words):
        raise CaseError(f"{case.label}: two functions have one identifier in C")
    # Macros, which assembler sources know as well.
    numbers = "".join(f"#define {word} {at}\n" for at, word in enumerate(words))
    if case.rules.uncounted_paths and not case.rules.counts_flat_paths:
        numbers += "#define TRUTH_WITHOUT_PATHS\n"
    elif case.rules.uncounted_paths:
        numbers += "#define TRUTH_WITHOUT_NESTED_PATHS\n"
    elif case.rules.uncounted_flat_paths:
        numbers += "#define TRUTH_WITHOUT_FLAT_PATHS\n"
    return (
        f"{numbers}"
        f"#define TRUTH_FUNCTIONS {len(case.functions)}\n"
        f"#define TRUTH_CALLEES {len(words)}\n"
    )


def tables(case: Case) -> str:
    """The counters, and all names in the order of their numbers: in assembler, which
    takes a tenth of the time that a compiler takes."""
    names = [*case.functions, *case.outside]
    functions, callees = len(case.functions), len(names)
    lines = ["   .data"]
    for name, size in (
        ("truth_arcs", functions * callees * WORD),
        ("truth_entered", functions * WORD),
        ("truth_roots", functions * WORD),
        ("truth_live", functions),
    ):
        lines += [f"   .type {name}, %object", f"   .comm {name}, {size}, 32"]
    lines.append("   .section .rodata")
    for name, value in (("truth_functions", functions), ("truth_callees", callees)):
        lines += [f"   .globl {name}", "   .balign 4", f"   .type {name}, %object"]
        lines += [f"   .size {name}, 4", f"{name}:", f"   .long {value}"]
    lines += ["   .globl truth_names", "   .type truth_names, %object"]
    length = sum(len(name.encode()) + 1 for name in names)
    lines += [f"   .size truth_names, {length}", "truth_names:"]
    lines += [f'   .asciz "{name}"' for name in names]
    lines.append('   .section .note.GNU-stack,"",%progbits')
    return "\n".join(lines) + "\n"


def all_texts(case: Case) -> dict[str, str]:
    """Every file that a program is made of, but for truth.c and truth.h."""
    texts = {"functions.h": functions_header(case), TABLES: tables(case), **case.sources}
    for library in case.libraries:
        texts.update(library.sources)
    return texts


def write_sources(folder: Path, case: Case) -> None:
    for name, text in all_texts(case).items():
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


def library_words(case: Case, library: Library) -> list[str]:
    flags = [flag for flag in case.flags if flag not in ("-fPIE", "-fno-pie")]
    return [
        case.compiler,
        *flags,
        *library.flags,
        *_quick(case.compiler),
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


def _quick(compiler: str) -> list[str]:
    """What has gcc be done sooner: no plugin of the linker for link-time optimisation,
    and nothing said of where variables are, which no profile is made of."""
    if compiler.startswith("clang"):
        return []
    return ["-fno-use-linker-plugin", "-fno-var-tracking"]


def truth_object(compiler: str, folder: Path) -> Path:
    """truth.c, compiled into `folder` if it is not there yet.  It is not measured: so it
    is C, and the same for all programs."""
    compiler = C_COMPILERS.get(compiler, compiler)
    source = str(HERE / "truth.c")
    words = [compiler, DEBUG_FLAG, "-O1", "-fPIC", f"-I{HERE}", "-c", source]
    path = folder / f"truth-{digest_of(words, {})}.o"
    if not path.exists():
        new = path.with_suffix(f".{os.getpid()}.new")
        _run([*words, "-o", str(new)], folder)
        new.replace(path)
    return path


def executable_words(case: Case, truth: Path, shared: Path) -> list[str]:
    linked = [library.name for library in case.libraries if library.linked]
    words = [case.compiler, *case.flags, *_quick(case.compiler), *_includes()]
    words += ["-o", EXECUTABLE, *_sources(case.sources), TABLES, str(truth)]
    if case.libraries:
        # The libraries find the counters in the executable.
        words += ["-rdynamic", "-L.", RUN_PATH, NEEDED, *_linked_with(linked)]
    if "-static" not in case.link_flags and case.seed >= WITH_DEBUG_INFORMATION:
        words += link_words(shared)
    return [*words, *case.link_flags]


@lru_cache(maxsize=None)
def _compiler_version(compiler: str) -> str:
    return subprocess.run(
        [compiler, "--version"], check=False, stdout=subprocess.PIPE, encoding="utf-8"
    ).stdout


def digest_of(words: list[str], texts: dict[str, str]) -> str:
    """A digest of all that a program is made of: command line, compiler, its own texts
    and those that it includes, and the state of the distribution's packages, which have
    the rest (headers, C library, assembler, linker)."""
    included = [HERE / "truth.h", HERE / "truth.c", HERE / "system_call.h"]
    included.append(REQUESTS / "callgrind.h")
    parts: list[object] = [
        words,
        _compiler_version(words[0]),
        sorted(texts.items()),
        [path.read_text(encoding="utf-8") for path in included],
        packages_stamp(),
    ]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def build(case: Case, folder: Path, shared: Path) -> Program:
    """Write the sources into the folder and make an executable of them.

    What an earlier run has made there of the same is left as it is.  `shared` is a folder
    for what is the same for all programs."""
    if not is_installed(case.compiler):
        raise CaseUnavailable(f"{case.compiler} is not installed")
    truth = truth_object(case.compiler, shared)
    libraries = [(library, library_words(case, library)) for library in case.libraries]
    words = executable_words(case, truth, shared)
    commands = [word for _, line in libraries for word in line] + words
    digest = digest_of([case.compiler, *commands], all_texts(case))
    made_of = folder / MADE_OF
    program = Program(case, folder, folder / EXECUTABLE)
    if not is_fresh() and made_of.is_file() and made_of.read_text() == digest:
        return program
    made_of.unlink(missing_ok=True)
    write_sources(folder, case)
    for _, line in libraries:
        _run(line, folder)
    _run(words, folder)
    if packages_stamp():
        made_of.write_text(digest, encoding="ascii")
    return program
