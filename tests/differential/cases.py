# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the differential tests run: programs, and the option sets that each runs with.
#
# Owns: the table of cases, and how each case's program and input come to be.  Knows
# nothing of profilers.

"""The programs and option sets of the differential tests."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional, Sequence

PROGRAMS = Path(__file__).resolve().parent / "programs"
INPUT_BYTES = 100_000

DRIVERS_CACHES = (
    "--cache-sim=yes",
    "--I1=32768,8,64",
    "--D1=32768,8,64",
    "--LL=8388608,16,64",
)
TINY_CACHES = ("--I1=1024,2,32", "--D1=512,1,64", "--LL=4096,4,64")

OPTION_SETS: dict[str, list[str]] = {
    "default": [],
    "instr": ["--dump-instr=yes"],
    "instr-only": ["--dump-instr=yes", "--dump-line=no"],
    "uncompressed": ["--compress-strings=no", "--compress-pos=no"],
    "instr-uncompressed": [
        "--dump-instr=yes",
        "--compress-strings=no",
        "--compress-pos=no",
    ],
    "jumps": ["--collect-jumps=yes"],
    "jumps-instr": ["--collect-jumps=yes", "--dump-instr=yes"],
    "skip-plt=no": ["--skip-plt=no"],
    "recs=1": ["--separate-recs=1"],
    "recs=4": ["--separate-recs=4"],
    "direct-rec=yes": ["--skip-direct-rec=yes"],
    "direct-rec=no": ["--skip-direct-rec=no"],
    "bus": ["--collect-bus=yes"],
    "systime": ["--collect-systime=yes"],
    "systime-usec": ["--collect-systime=usec", "--dump-instr=yes"],
    "systime-nsec": ["--collect-systime=nsec", "--collect-bus=yes"],
    "callers=1": ["--separate-callers=1"],
    "callers=3": ["--separate-callers=3", "--collect-jumps=yes"],
    "callers-recs": ["--separate-callers=2", "--separate-recs=3"],
    "callers-of": [
        "--separate-callers=1",
        "--separate-callers3=square",
        "--separate-callers2=circle_?",
    ],
    # Not more than --separate-recs=: the distribution's then prints wrong names.
    "recs-of": [
        "--separate-recs=4",
        "--separate-recs1=fibonacci",
        "--separate-recs3=circle_*",
    ],
    "dump-before": ["--dump-before=apply_all*", "--dump-before=tail_first"],
    "dump-after": ["--dump-after=apply_all*", "--dump-after=words"],
    # Without looking through stubs: what they cost their callers is not zeroed there, and
    # hides here how often a call was collected.
    "zero-before": ["--zero-before=circle_c", "--skip-plt=no"],
    "dump-zero": [
        "--dump-before=circle_a",
        "--zero-before=leap",
        "--dump-after=words",
        "--skip-plt=no",
    ],
    "toggle": ["--toggle-collect=circle_a", "--skip-plt=no"],
    "toggle-several": [
        "--toggle-collect=tail_*",
        "--toggle-collect=words",
        "--skip-plt=no",
    ],
    "every-bb": ["--dump-every-bb=3000"],
    # Two that have little to do with one another: for large programs, whose runs are
    # long.  Small ones have each of them alone.
    "recs-plt": ["--separate-recs=4", "--skip-plt=no"],
    "recs-bus": ["--separate-recs=1", "--collect-bus=yes"],
    "threads": ["--separate-threads=yes"],
    "threads-combined": ["--separate-threads=yes", "--combine-dumps=yes"],
    # The caches that drivers ask for.
    "caches": [*DRIVERS_CACHES],
    "caches-instr": [*DRIVERS_CACHES, "--dump-instr=yes"],
    "caches-threads": [*DRIVERS_CACHES, "--separate-threads=yes"],
    # So small that nearly all is missed, each with lines of another size.
    "caches-tiny": [*TINY_CACHES],
    "caches-long-lines": ["--I1=2048,2,128", "--D1=4096,4,256", "--LL=16384,2,32"],
    # One set each.
    "caches-associative": ["--I1=2048,32,64", "--D1=1024,32,32", "--LL=16384,256,64"],
    "caches-toggle": [*DRIVERS_CACHES, "--toggle-collect=circle_a", "--skip-plt=no"],
    # With levels, the distribution's forgets at a stop that a function has been left.
    "caches-switched": [
        *DRIVERS_CACHES,
        "--instr-atstart=no",
        "--separate-recs=1",
    ],
    "caches-branches": [*DRIVERS_CACHES, "--branch-sim=yes"],
    "branches": ["--branch-sim=yes"],
    "caches-write-back": [*TINY_CACHES, "--simulate-wb=yes"],
    "caches-prefetch": [*TINY_CACHES, "--simulate-hwpref=yes"],
    "caches-use": [*TINY_CACHES, "--cacheuse=yes"],
    # Uses of lines and branches do not bear on one another: one run for both.
    "caches-use-branches": [*TINY_CACHES, "--cacheuse=yes", "--branch-sim=yes"],
}
# Ours translates anew what has run often.  For half of the sets that is soon, for the
# others as it is by default.
SOON_WARM = ["--ct-cold-runs=5"]
OURS_ONLY = {
    "caches-branches": SOON_WARM,
    "caches-instr": SOON_WARM,
    "caches-tiny": SOON_WARM,
    "caches-associative": SOON_WARM,
    "caches-toggle": SOON_WARM,
    "caches-switched": SOON_WARM,
    "caches-write-back": SOON_WARM,
    "caches-use-branches": SOON_WARM,
}
# These change how a profile is written, not what it says.  (Jumps are always counted
# where two sides are compared.)
FORMAT_OPTIONS = ("--dump-instr", "--dump-line", "--compress-", "--collect-jumps")
# These write parts when so many superblocks have run: ours at once, the distribution's
# when the core lets a thread run on.
PARTS_BY_SUPERBLOCKS = ("--dump-every-bb",)
CACHES = [
    "branches",
    "caches-branches",
    "caches",
    "caches-instr",
    "caches-threads",
    "caches-tiny",
    "caches-long-lines",
    "caches-associative",
    "caches-write-back",
    "caches-prefetch",
    "caches-use",
]
FEW_CACHES = ["caches-branches", "caches-tiny"]
# Each model once.
CACHE_MODELS = ["caches-branches", "caches-write-back", "caches-prefetch", "caches-use"]
# And each shape.
SHAPES_AND_MODELS = [
    "caches-tiny",
    "caches-long-lines",
    "caches-associative",
    *CACHE_MODELS,
]
FEW = ["default", "instr", "jumps-instr"]
SINGLE_THREAD = [
    name
    for name in OPTION_SETS
    if not name.startswith(("threads", "caches", "branches", "recs-plt", "recs-bus"))
]
# What the compiler makes of the program matters to the others only.
OPTIMISED = [
    name
    for name in SINGLE_THREAD
    if name
    not in (
        "instr-only",
        "uncompressed",
        "instr-uncompressed",
        "bus",
        "systime",
        "systime-usec",
        "systime-nsec",
        "callers=1",
        "callers-of",
        "recs-of",
        "dump-after",
        "zero-before",
        "toggle",
    )
]


class CaseUnavailable(Exception):
    """The machine lacks what the case needs; the case is skipped."""


@dataclass(frozen=True)
class Case:
    """One program.  `prepare` is given the work folder and returns the command line.
    `flags` are given to both sides, with each option set."""

    name: str
    prepare: Callable[[Path], list[str]]
    option_sets: list[str]
    flags: Sequence[str] = ()
    # The folders of files that the program reads, beside those that it is told.
    reads: Callable[[], list[Path]] = list
    # The sets that ours runs with once more, in the format asked for; None: all.
    asked: Optional[Sequence[str]] = None
    # The sets that only --long compares: each costs several seconds, and smaller programs
    # have it, too.
    long_only: Sequence[str] = ()
    # Its threads take turns as the machine has it: other profiles each time.
    has_threads: bool = False

    def is_asked(self, option_set: str) -> bool:
        return self.asked is None or option_set in self.asked


def _read(path: Path) -> Optional[bytes]:
    return path.read_bytes() if path.is_file() else None


def _output_of(words: list[str], what: str) -> str:
    """What a compiler prints, run beside the programs."""
    result = subprocess.run(
        words, cwd=PROGRAMS, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        said = result.stderr.strip()
        raise CaseUnavailable(f"{what} does not compile: {said}")
    return result.stdout


def _write(path: Path, text: bytes) -> None:
    """Leaves a file alone that is right already: a program may be reading it."""
    if _read(path) != text:
        path.write_bytes(text)


def compiled(source: str, *flags: str) -> Callable[[Path], list[str]]:
    """A C program of programs/, compiled into the work folder."""

    def prepare(folder: Path) -> list[str]:
        compiler = need_program("gcc")
        binary = folder / (Path(source).stem + "".join(flags).replace("/", "_"))
        # A relative source name keeps the place of the repository out of the profile.
        words = [compiler, "-std=gnu11", "-g", *flags, source]
        made_of = binary.with_name(f"{binary.name}.made-of")
        # What the compiler reads is in its preprocessed text; what it is, in its version.
        text = _output_of([*words[:-1], "-E", source], source)
        version = _output_of([compiler, "--version"], source)
        digest = hashlib.sha256(repr((words, text, version)).encode()).hexdigest()
        if not binary.exists() or _read(made_of) != digest.encode():
            new = binary.with_name(f"{binary.name}.new")
            _output_of([*words, "-o", str(new)], source)
            new.replace(binary)
            made_of.write_text(digest, encoding="ascii")
        return [str(binary)]

    return prepare


def interpreted(interpreter: str, *words: str) -> Callable[[Path], list[str]]:
    """A script of programs/; its path is the same for both sides."""

    def prepare(folder: Path) -> list[str]:
        script = folder / words[-1]
        _write(script, (PROGRAMS / words[-1]).read_bytes())
        return [need_program(interpreter), *words[:-1], script.name]

    return prepare


def bzip2(folder: Path) -> list[str]:
    """Compress a file with as much order as text has, the same on every machine."""
    source = folder / "bzip2-input"
    text, state = bytearray(), 12345
    while len(text) < INPUT_BYTES:
        state = (state * 1103515245 + 12345) % (1 << 31)
        letters = "abcdefgh"[state % 8] * (state % 5)
        text += f"{state % 997:03d} {letters}\n".encode("ascii")
    _write(source, text)
    return [need_program("/usr/bin/bzip2"), "-c", "-9", source.name]


def cc1(folder: Path) -> list[str]:
    """Let the compiler proper compile a preprocessed file."""
    compiler = need_program("gcc")

    source = folder / "cc1-input.i"
    text = _output_of([compiler, "-E", "-P", "nodes.c"], "nodes.c")
    _write(source, text.encode())
    program = _output_of([compiler, "-print-prog-name=cc1"], "cc1").strip()
    return [need_program(program), "-quiet", "-O1", source.name, "-o", "/dev/null"]


def module_folders(*words: str) -> Callable[[], list[Path]]:
    """Where an interpreter looks for modules: the command prints the folders."""

    def folders() -> list[Path]:
        result = subprocess.run(words, capture_output=True, text=True, check=False)
        found = {Path(line) for line in result.stdout.splitlines() if line[:1] == "/"}
        return sorted(found)

    return folders


def need_program(name: str) -> str:
    path: Optional[str] = shutil.which(name)
    if path is None:
        raise CaseUnavailable(f"{name} is not installed")
    return path


# The longest first: what runs last is short, and no processor waits long for another.
#
# Large programs are there for the breadth of their code.  Between them they have each
# model of caches and each way to tell recursion levels; small ones have every set.
CASES = [
    # Mangled, as the object file has the names.
    Case(
        "cc1",
        cc1,
        ["caches-use-branches"],
        ["--demangle=no"],
        long_only=["caches-use-branches"],
    ),
    # -S: no site packages; PYTHONHASHSEED must be obeyed, so not -E or -I.
    Case(
        "python3",
        interpreted("/usr/bin/python3", "-S", "work.py"),
        ["default", "jumps-instr", "recs-plt", "caches-write-back"],
        reads=module_folders(
            "/usr/bin/python3", "-S", "-c", "import sys; print(*sys.path, sep='\\n')"
        ),
        asked=["default", "jumps-instr"],
        long_only=["recs-plt", "caches-write-back"],
    ),
    Case(
        "perl",
        interpreted("/usr/bin/perl", "work.pl"),
        [*FEW, "recs-bus", "direct-rec=yes", "caches-prefetch", "caches-use"],
        reads=module_folders("/usr/bin/perl", "-e", 'print "$_\\n" for @INC'),
        asked=FEW,
        long_only=["recs-bus", "direct-rec=yes", "caches-prefetch", "caches-use"],
    ),
    Case("bzip2", bzip2, [*FEW, "jumps", "skip-plt=no", "caches-tiny", *CACHE_MODELS]),
    Case(
        "calls-O0",
        compiled("calls.c", "-O0"),
        [
            *SINGLE_THREAD,
            *SHAPES_AND_MODELS,
            "caches-toggle",
            *("caches-use-branches", "recs-plt", "recs-bus"),
        ],
    ),
    Case("calls-O2", compiled("calls.c", "-O2"), [*OPTIMISED, *FEW_CACHES]),
    Case(
        "jumps-O1",
        compiled(
            "../../../callgrind/tests/profiles/jumps.c",
            *("-O1", "-I../../../callgrind/tests/helpers", "-I../../../include"),
            "-I/usr/include/valgrind",
        ),
        ["jumps", "jumps-instr"],
    ),
    Case(
        "threads-O0",
        # Not with caches: threads share them, and what one leaves of the other's lines
        # differs between two runs of the distribution's callgrind, too.
        compiled("threads.c", "-O0", "-pthread"),
        [*FEW, "jumps", "bus", "threads", "threads-combined"],
        has_threads=True,
    ),
    Case("strides", compiled("strides.c", "-O1"), CACHES),
    Case("accesses", compiled("accesses.c", "-O1"), SHAPES_AND_MODELS),
    Case(
        "conditional-accesses",
        compiled("conditional_accesses.c", "-O1"),
        # With the use of lines, the distribution's books them nowhere.
        [name for name in SHAPES_AND_MODELS if name != "caches-use"],
    ),
    Case(
        "switched",
        compiled("switched.c", "-O1", "-I../../../include", "-I/usr/include/valgrind"),
        ["caches-switched"],
    ),
]
