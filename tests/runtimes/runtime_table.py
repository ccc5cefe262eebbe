# SPDX-License-Identifier: GPL-2.0-or-later
#
# The runtimes: what runs, how, and by which names a profile knows its functions.
#
# Owns: the table.  To add a runtime, add its runs here, its program to programs/, its
# packages to packages, and its row to docs/runtimes.md.  Knows nothing of profilers.

"""The runtimes, and the programs that count their own calls in them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Mapping, Sequence

from tests.go_tool import VARIABLES as GO_VARIABLES

PROGRAMS = Path(__file__).resolve().parent / "programs"
HELPERS = PROGRAMS.parents[2] / "callgrind" / "tests" / "helpers"
PYTHON_INTERPRETER = HELPERS / "python_interpreter"
SAID = 300  # characters of a compiler's message that are passed on

# Given a folder to build in, returns the command line.
Maker = Callable[[Path], "list[str]"]


class Unavailable(Exception):
    """The machine lacks what a run needs; it is skipped."""


@dataclass(frozen=True)
class Run:
    """One program in one runtime, run in one way."""

    runtime: str
    name: str
    make: Maker
    # The names of one of the program's functions in a profile, as a regular expression
    # with {} for what the program calls it.
    names: str = r"{}"
    # An arc from the first to the second is no call: the function goes on in other code.
    goes_on: Sequence[tuple[str, str]] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    # The function from which all is called, as a regular expression, and how much of the
    # cost it has at least, in per cent.  It never has more than 100.
    main: str = r"main|\(below main\)"
    least_main: float = 90.0
    # Lines that differ from run to run, as a regular expression; and such lines of which
    # the number is known, with the number.
    noise: str = ""
    events: str = ""
    event_count: int = 0
    # Of the tool.
    options: Sequence[str] = ()

    @property
    def test(self) -> str:
        return f"{self.runtime}/{self.name}"


def needed(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise Unavailable(f"{name} is not installed")
    return path


def answer(words: Sequence[str]) -> str:
    """What a program prints; empty if it does not run."""
    try:
        return subprocess.run(
            words, capture_output=True, text=True, check=False
        ).stdout.strip()
    except OSError:
        return ""


def build(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run a compiler, which has to accept its program."""
    result = subprocess.run(
        words, capture_output=True, text=True, check=False, env=dict(environment)
    )
    if result.returncode != 0:
        said = " ".join(result.stderr.split())[:SAID]
        raise OSError(f"{words[0]} fails: {said}")


# --- node -------------------------------------------------------------------------------

NODE_NAMES = ("--perf-basic-prof", "--interpreted-frames-native-stack")
# JS since node 20.
NODE_KIND = r"(JS|LazyCompile|Function|Eval):"


def node(*words: str) -> Maker:
    def make(folder: Path) -> list[str]:
        # What is in PATH may be a script that only finds it.
        path = answer([needed("node"), "-p", "process.execPath"])
        options = [word for word in words if word.startswith("-")]
        rest = [word for word in words if not word.startswith("-")]
        return [needed(path), *NODE_NAMES, *options, str(PROGRAMS / "counted.js"), *rest]

    return make


def node_run(name: str, *words: str, **more: int | str) -> Run:
    return Run(
        "node",
        name,
        node(*words),
        names=NODE_KIND + r".?{} .*",
        # From the interpreter's copy of its trampoline for a function V8 jumps into
        # better code of the same function; its prologue of baseline code, which has no
        # name where V8's built-ins have no symbols, returns there; and what is
        # interpreted since it was deoptimised returns into such a trampoline.
        goes_on=(
            (NODE_KIND + r"~{} .*", NODE_KIND + r"[+^*]{} .*"),
            (r".*Prologue.*|0x[0-9a-f]{16}", NODE_KIND + r"\^{} .*"),
            (r"Builtins_ReturnHandler", NODE_KIND + r"~{} .*"),
        ),
        # Debian's is a library, which the dynamic linker has much work with.
        least_main=75.0,
        **more,  # type: ignore[arg-type]
    )


# --- Python -----------------------------------------------------------------------------


def python(run: str, module: str = "") -> Maker:
    """Debian's Python, for which its packages are."""

    def make(folder: Path) -> list[str]:
        path = needed("/usr/bin/python3")
        if module and answer([path, "-c", f"import {module}; print(1)"]) != "1":
            raise Unavailable(f"python3-{module} is not installed")
        return [path, str(PROGRAMS / "counted.py"), run]

    return make


def new_python(folder: Path) -> list[str]:
    """A Python that can name its functions; 3.12 was the first."""
    for name in ("python3.13", "python3.12"):
        path = answer([str(PYTHON_INTERPRETER), name])
        if path.startswith("/"):
            return [path, "-X", "perf", str(PROGRAMS / "counted.py"), "named"]
    raise Unavailable("there is no Python of version 3.12 or later")


def python_run(name: str, module: str = "") -> Run:
    # Debian's has no other names than those that libraries need.
    return Run("python3", name, python(name, module), main="Py_BytesMain")


# --- Go ---------------------------------------------------------------------------------


def go(source: str, *words: str) -> Maker:
    def make(folder: Path) -> list[str]:
        program = folder / Path(source).stem
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/go/bin",
            "HOME": str(folder),
            "GO111MODULE": "off",
            **GO_VARIABLES,
        }
        words_of_go = [needed("go"), "build", "-o", str(program)]
        build([*words_of_go, str(PROGRAMS / source)], environment)
        return [str(program), *words]

    return make


def go_runs(name: str, source: str, *words: str, least_main: float) -> list[Run]:
    return [
        Run(
            "go",
            f"{name}-{threads}",
            go(source, *words),
            names=r"(main\.)?{}",
            environment={"GOMAXPROCS": str(threads)},
            main=r"runtime\.main",
            least_main=least_main,
        )
        for threads in (1, 4)
    ]


# --- Java -------------------------------------------------------------------------------


def java(*options: str) -> Maker:
    def make(folder: Path) -> list[str]:
        compiler, machine = needed("javac"), needed("java")
        environment = {"PATH": "/usr/bin:/bin"}
        build([compiler, "-d", str(folder), str(PROGRAMS / "Counted.java")], environment)
        words = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", str(folder)]
        named = ["named"] * ("-Xint" not in options)
        return [machine, *options, *words, "Counted", *named]

    return make


# Names at the end of the run, and each method by itself.
JAVA_NAMES = (
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+DumpPerfMapAtExit",
    "-XX:-Inline",
    "-Xbatch",
    "-Xcomp",
    "-XX:CompileCommand=quiet",
    "-XX:CompileOnly=Counted",
)


def java_run(name: str, *options: str) -> Run:
    return Run(
        "java",
        name,
        java(*options),
        names=r"({}|.* Counted\.{}\(.*)",
        main=r"JavaMain",
        least_main=70.0,
    )


# --- Others -----------------------------------------------------------------------------


# A dot since OCaml 5.
OCAML_NAMES = r"camlCounted(_effects)?(__|\.){}_\d+"


def ocaml(name: str, least_version: int = 4) -> Maker:
    def make(folder: Path) -> list[str]:
        compiler = needed("ocamlopt")
        version = answer([compiler, "-version"])
        if int(version.split(".")[0] or 0) < least_version:
            raise Unavailable(f"it needs OCaml {least_version}; this is {version}")
        source = folder / name  # the compiler leaves files beside it
        shutil.copyfile(PROGRAMS / source.name, source)
        program = folder / source.stem
        words = [compiler, "-g", "-o", str(program), str(source)]
        build(words, {"PATH": "/usr/local/bin:/usr/bin:/bin"})
        return [str(program)]

    return make


def rust(folder: Path) -> list[str]:
    program = folder / "counted"
    words = [needed("rustc"), "--edition", "2021", "-O", "-g", "-o", str(program)]
    home = os.environ.get("HOME", "/")  # rustc may be a script that looks there
    path = os.environ.get("PATH", "/usr/bin:/bin")
    build([*words, str(PROGRAMS / "counted.rs")], {"PATH": path, "HOME": home})
    return [str(program)]


def haskell(*options: str) -> Maker:
    def make(folder: Path) -> list[str]:
        program = folder / "counted"
        words = [needed("ghc"), "-O1", "-outputdir", str(folder), "-o", str(program)]
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder)}
        build([*words, str(PROGRAMS / "Counted.hs"), *options], environment)
        return [str(program)]

    return make


# The emulator's folder, which `erl`, a script, tells it; Debian's.
ERLANG = next(Path("/usr/lib/erlang").glob("erts-*/bin"), Path("/usr/lib/erlang"))


def erlang(folder: Path) -> list[str]:
    words = [needed("erlc"), "-o", str(folder), str(PROGRAMS / "counted.erl")]
    build(words, {"PATH": "/usr/bin:/bin", "HOME": str(folder)})
    options = "-noshell -noinput +S 1:1 +JPperf true -s counted main".split()
    arguments = answer([needed("erl"), "-emu_args_exit", *options]).split()
    return [needed(str(ERLANG / "beam.smp")), *arguments]


def ecl(folder: Path) -> list[str]:
    """A program: what is not compiled is run by an interpreter."""
    program, compiled = folder / "counted", folder / "counted.o"
    steps = folder / "steps.lisp"
    steps.write_text(
        f'(compile-file "{PROGRAMS}/counted.lisp" :system-p t :output-file "{compiled}")'
        f'(c:build-program "{program}" :lisp-files \'("{compiled}")'
        " :epilogue-code '(si:exit)) (si:exit)"
    )
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder)}
    build([needed("ecl"), "--norc", "--load", str(steps)], environment)
    return [str(program)]


def script(interpreter: str, name: str, *options: str) -> Maker:
    return lambda folder: [needed(interpreter), *options, str(PROGRAMS / name)]


CHECK_ALL = ("--ct-check=all",)
CHECK = ("--ct-check=yes",)  # a tenth of the time

TABLE = [
    node_run("default", "--no-turbo-inlining"),
    node_run("predictable", "--predictable", "--no-opt"),
    node_run(
        "deoptimised",
        "--no-turbo-inlining",
        "--allow-natives-syntax",
        "--trace-deopt",
        "deoptimise",
        noise=r"\[(bailout|marking) .*",
        events=r"\[bailout .* <JSFunction countedDeoptimised .*",
        event_count=20,
    ),
    python_run("plain"),
    python_run("asyncio"),
    python_run("greenlet", "greenlet"),
    python_run("gevent", "gevent"),
    Run("python3", "perf", new_python, names=r"(py::{}:.*|{})"),
    *go_runs("goroutines", "counted.go", "goroutines", least_main=10.0),
    *go_runs("growth", "counted.go", "growth", least_main=30.0),
    *go_runs("panics", "counted.go", "panics", least_main=50.0),
    *go_runs("cgo", "counted_cgo.go", least_main=25.0),
    java_run("interpreted", "-Xint"),
    java_run("compiled", *JAVA_NAMES),
    # Short programs: the dynamic linker has a large share of them.
    Run(
        "ocaml",
        "native",
        ocaml("counted.ml"),
        names=OCAML_NAMES,
        least_main=60.0,
        options=CHECK_ALL,
    ),
    Run(
        "ocaml",
        "effects",
        ocaml("counted_effects.ml", 5),
        names=OCAML_NAMES,
        least_main=60.0,
    ),
    Run("luajit", "compiled", script("luajit", "counted.lua"), least_main=75.0),
    Run("luajit", "interpreted", script("luajit", "counted.lua", "-joff")),
    Run("ruby", "fibers", script("ruby", "counted.rb")),
    Run("php", "fibers", script("php", "counted.php"), least_main=60.0),
    Run("rust", "async", rust, least_main=60.0),
    Run(
        "erlang",
        "compiled",
        erlang,
        names=r"counted:{}/\d+",
        environment={"BINDIR": str(ERLANG)},
        least_main=0.0,  # all but the start is in other threads
    ),
    Run("ghc", "plain", haskell(), options=CHECK_ALL),
    Run("ghc", "threaded", haskell("-threaded"), least_main=60.0),
    Run("guile", "continuations", script("guile", "counted.scm", "--no-auto-compile")),
    # Those whose functions return as no compiler of C has them do.
    Run("ecl", "compiled", ecl, options=CHECK),
    Run("chez", "compiled", script("scheme", "counted.ss", "--script"), options=CHECK),
    Run(
        "polyml",
        "compiled",
        script("poly", "counted.sml", "-q", "--script"),
        least_main=0.0,  # all but the start is in another thread
        options=CHECK_ALL,
    ),
]
RUNTIMES = tuple(dict.fromkeys(run.runtime for run in TABLE))


def pattern(text: str, function: str) -> re.Pattern[str]:
    return re.compile(text.replace("{}", re.escape(function)))
