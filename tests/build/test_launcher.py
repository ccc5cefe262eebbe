# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a launcher of ours does, in place and installed: our callgrind, the distribution's
# everything else, and nothing of the program's world changed on the way.

"""The launchers vg-in-place and bin/valgrind."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Iterator, Optional, Sequence

from tests.build.built import (
    BUILD,
    IN_PLACE,
    OUR_CALLGRIND,
    PLATFORM,
    SOURCE,
    STOCK_BIN,
    STOCK_CALLGRIND,
    STOCK_LAUNCHER,
    STOCK_TOOLS,
    BuildTest,
    Word,
    make,
    parts_told,
    run,
)
from tests.small_program import small_program

# A program asks which file its process runs; one that Valgrind runs would be told its own
# name, so a child asks about its parent.  `:` keeps the shell from becoming that child.
WHICH_TOOL = "readlink /proc/$$/exe; :"

ODD_ARGUMENTS = [
    "", " ", "a b", "it's", '"', "$HOME", "`id`", "*", "\\", "a\nb", "-x", "é"
]

# Runs until it is told to end by a signal.  One that comes before `read` has begun is
# heeded when that ends, with the input.
WAIT_FOR_SIGNAL = ("sh", "-c", 'trap "exit 7" TERM; echo ready; read line; exit 8')


DESCRIPTORS = 64
MOST_FREE = 20


@functools.lru_cache(maxsize=None)  # the distribution's is asked for each of ours
def with_few_descriptors(launcher: Path, n_free: int) -> bool:
    """Whether a program runs where so many of its descriptors are not in use."""

    def use_others() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
        for descriptor in range(3, DESCRIPTORS - n_free):
            os.dup2(0, descriptor)

    return subprocess.run(
        [launcher, "-q", "--tool=none", small_program()], preexec_fn=use_others,
        close_fds=False, stdin=subprocess.DEVNULL, capture_output=True, check=False,
    ).returncode == 0


def open_twelve() -> None:
    for descriptor in range(3, 15):
        os.dup2(0, descriptor)


@contextlib.contextmanager
def waiting(
    command: Sequence[Word], folder: Optional[Path] = None
) -> Iterator["subprocess.Popen[str]"]:
    """A process that has said that it is ready."""
    with subprocess.Popen(
        command, cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            if said != "ready\n":
                raise AssertionError(f"{command} says {said!r}")
            yield process
        finally:
            process.terminate()


class InPlace(BuildTest):
    """The launcher at the top of the build folder."""

    launcher: Path = IN_PLACE

    def valgrind(self, *words: Word, **environment: Any) -> str:
        """Stdout of a run that must end well."""
        ended = run(self.launcher, "-q", *words, cwd=self.folder, **environment)
        self.assert_ended(ended, 0)
        return ended.out

    def tool_of(self, *words: Word) -> Path:
        """The tool that the program says it runs in."""
        words = words or ("sh", "-c", WHICH_TOOL)
        return Path(self.valgrind("--tool=callgrind", *words).strip())

    def assert_ours(self, tool: Path) -> None:
        self.assertTrue(self.is_ours(tool), f"{tool} is not our callgrind")

    def is_ours(self, tool: Path) -> bool:
        return tool.name == f"callgrind-{PLATFORM}" and (
            tool.read_bytes() == OUR_CALLGRIND.read_bytes()
        )

    def test_callgrind_is_ours(self) -> None:
        self.assertFalse(self.is_ours(STOCK_CALLGRIND), "cannot tell the two apart")
        self.assert_ours(self.tool_of())

    def test_traced_children_stay_in_ours(self) -> None:
        nested = f"sh -c '{WHICH_TOOL}'; :"
        tool = self.tool_of("--trace-children=yes", "sh", "-c", nested)
        self.assert_ours(tool)

    def test_traced_children_stay_in_ours_from_another_folder(self) -> None:
        relative = Path(os.path.relpath(self.launcher, self.folder))
        ended = run(
            relative, "-q", "--tool=callgrind", "--trace-children=yes",
            "sh", "-c", f"cd / && sh -c '{WHICH_TOOL}'; :",
            cwd=self.folder,
        )
        self.assert_ended(ended, 0)
        self.assert_ours(Path(ended.out.strip()))

    def test_version_tells_what_is_there(self) -> None:
        """With -v, behind the core's own answer, as configure and --stats=yes do; else
        there is that answer alone."""
        stock = run(STOCK_LAUNCHER, "--version", cwd=self.folder)
        for words in (["--version", "-v"], ["-v", "--version"],
                      ["--tool=callgrind", "--verbose", "--version", "true"]):
            told = run(self.launcher, *words, cwd=self.folder)
            self.assert_ended(told, 0)
            self.assertTrue(told.out.startswith(stock.out.strip()), told.out)
            for line in parts_told():
                self.assertEqual(told.out.count(line), 1, line)
        for words in (["--version"], ["-v", "--tool=none", "--version"]):
            told = run(self.launcher, *words, cwd=self.folder)
            self.assert_ended(told, 0)
            self.assertEqual(len(told.out.splitlines()), 1, told.out)
        # What stands behind the program's name is the program's.
        ended = run(self.launcher, "-q", "--tool=none", "echo", "--version", "-v",
                    cwd=self.folder)
        self.assertEqual(ended.out, "--version -v\n")

    def test_other_tools_are_the_distributions(self) -> None:
        for tool in ("none", "lackey"):
            found = self.valgrind(f"--tool={tool}", "sh", "-c", WHICH_TOOL)
            self.assertEqual(found.strip(), f"{STOCK_TOOLS}/{tool}-{PLATFORM}")

    def skip_where_nothing_is_loaded_before(self) -> None:
        """The core names its library in LD_PRELOAD, where a space or a colon ends a name.
        The launcher goes around that by way of $HOME, here a temporary folder."""
        if all(re.search("[ :]", str(path)) for path in (self.library(), self.home)):
            self.skipTest("temporary folders have a space or a colon in their names")

    def test_memcheck_replaces_malloc(self) -> None:
        self.skip_where_nothing_is_loaded_before()
        ended = run(self.launcher, "--tool=memcheck", "sh", "-c", ":")
        self.assert_ended(ended, 0)
        self.assertRegex(ended.err, r"total heap usage: [1-9]")
        self.assertNotIn("LD_PRELOAD", ended.err)

    def test_library_folder_is_the_distributions_but_for_callgrind(self) -> None:
        ours = {path.name: path for path in self.library().iterdir()}
        theirs = {path.name: path for path in STOCK_TOOLS.iterdir()}
        for name, path in theirs.items():
            if not name.startswith("callgrind-"):
                self.assertTrue(ours[name].samefile(path), name)
        callgrinds = {name for name in ours if name.startswith("callgrind-")}
        self.assertEqual(callgrinds, {f"callgrind-{PLATFORM}"})

    def test_the_tool_has_nothing_that_the_core_would_read_at_each_start(self) -> None:
        tool = self.library() / f"callgrind-{PLATFORM}"
        ended = run("readelf", "--section-headers", "--wide", tool)
        self.assert_ended(ended, 0)
        self.assertIn(" .text ", ended.out)
        self.assertNotRegex(ended.out, r" \.(debug_|symtab)")

    def test_a_program_of_another_platform_is_refused(self) -> None:
        """Not measured by the distribution's callgrind in our name."""
        if PLATFORM != "amd64-linux" or not (STOCK_TOOLS / "none-x86-linux").exists():
            self.skipTest("no second platform is installed")
        source, program = self.folder / "program.s", self.folder / "program"
        source.write_text(
            ".globl _start\n_start: mov $1, %eax\nxor %ebx, %ebx\nint $0x80\n"
        )
        built = run("gcc", "-m32", "-nostdlib", "-static", "-o", program, source)
        self.assert_ended(built, 0)
        try:
            self.assert_ended(run(program), 0)
        except OSError as error:
            self.skipTest(f"this kernel runs no programs of it: {error.strerror}")
        self.assert_ended(run(self.launcher, "-q", "--tool=none", program), 0)
        ended = run(self.launcher, "-q", "--tool=callgrind", program, cwd=self.folder)
        self.assert_ended(ended, 1)
        self.assertIn("failed to start tool 'callgrind' for platform 'x86", ended.err)

    def library(self) -> Path:
        return self.launcher.parent / ".in_place"

    def test_exit_status_is_the_programs(self) -> None:
        for status in (0, 3, 255):
            ended = run(
                self.launcher, "-q", "--tool=callgrind", "sh", "-c", f"exit {status}",
                cwd=self.folder,
            )
            self.assert_ended(ended, status)

    def test_a_fatal_signal_is_the_programs(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGABRT):
            ended = run(
                self.launcher, "-q", "--tool=callgrind", "sh", "-c", f"kill -{number} $$",
                cwd=self.folder,
            )
            self.assertEqual(ended.status, -number)

    def test_a_signal_to_the_launcher_reaches_the_program(self) -> None:
        command: list[Word] = [self.launcher, "-q", "--tool=none", *WAIT_FOR_SIGNAL]
        with waiting(command) as program:
            program.terminate()
            program.communicate()
            self.assertEqual(program.returncode, 7)

    def test_arguments_are_untouched(self) -> None:
        script = 'for word; do printf "%s\\0" "$word"; done'
        told = self.valgrind("--tool=callgrind", "sh", "-c", script, "sh", *ODD_ARGUMENTS)
        self.assertEqual(told.split("\0")[:-1], ODD_ARGUMENTS)

    def test_streams_are_untouched(self) -> None:
        self.skip_where_nothing_is_loaded_before()
        ended = run(
            self.launcher, "-q", "--tool=callgrind", "sh", "-c", "cat; echo error >&2",
            stdin="input", cwd=self.folder,
        )
        self.assertEqual((ended.out, ended.err), ("input", "error\n"))

    def test_environment_is_as_under_the_distributions_launcher(self) -> None:
        """But for VALGRIND_LIB, by which the core finds our folder in children too."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "folder": "1",
            "self": "2",
            "SPACED": " a  b ",
        }
        found = []
        for launcher in (STOCK_LAUNCHER, self.launcher):
            ended = run(launcher, "-q", "--tool=none", "env", "-0", env=environment)
            self.assert_ended(ended, 0)
            variables = [entry.partition("=") for entry in ended.out.split("\0")[:-1]]
            found.append({
                name: value for name, _, value in variables if not name.startswith("LD_")
            })
        theirs, ours = found
        self.assertNotIn("VALGRIND_LIB", theirs)
        library = ours.pop("VALGRIND_LIB")
        self.assertTrue(Path(library).samefile(self.library()), library)
        self.assertEqual(ours, theirs)

    def test_unknown_program_is_reported_as_valgrind_does(self) -> None:
        ours = run(self.launcher, "--tool=none", "./absent", cwd=self.folder)
        theirs = run(STOCK_LAUNCHER, "--tool=none", "./absent", cwd=self.folder)
        self.assertEqual(ours, theirs)
        self.assertNotEqual(ours.status, 0)

    def test_runs_through_a_symlink_and_from_path(self) -> None:
        links = self.folder / "a folder of links"
        links.mkdir()
        (links / "first").symlink_to(self.launcher)
        (links / "second").symlink_to("first")
        path = f"{links}:{os.environ['PATH']}"
        commands: tuple[Word, ...] = (links / "second", "second", "./second")
        for command in commands:
            ended = run(
                command, "-q", "--tool=callgrind", "--callgrind-out-file=out",
                "sh", "-c", WHICH_TOOL, cwd=links, PATH=path,
            )
            self.assert_ended(ended, 0)
            self.assert_ours(Path(ended.out.strip()))

    def test_it_needs_no_descriptors(self) -> None:
        """Where the distribution's launcher can start a program, ours can."""
        for n_free in range(MOST_FREE):
            theirs, ours = (
                with_few_descriptors(launcher, n_free)
                for launcher in (STOCK_LAUNCHER, self.launcher)
            )
            self.assertTrue(ours or not theirs, f"{n_free} free descriptors")
        self.assertTrue(theirs, "it always fails")

    def test_the_program_gets_no_descriptor_more(self) -> None:
        """Of the launcher's: with ten or more open, a shell passes that of its script."""
        command = ["-q", "--tool=none", "sh", "-c", "ls /proc/self/fd | sort -n"]
        theirs, ours = (
            subprocess.run(
                [launcher, *command], preexec_fn=open_twelve, close_fds=False,
                capture_output=True, text=True, check=True,
            ).stdout.split()
            for launcher in (STOCK_LAUNCHER, self.launcher)
        )
        self.assertLessEqual(len(ours), len(theirs))

    def test_vgdb_talks_to_a_running_program(self) -> None:
        command: list[Word] = [self.launcher, "-q", "--tool=none", *WAIT_FOR_SIGNAL]
        with waiting(command) as program:
            listed = run(self.command("vgdb"), "-l")
            self.assertIn(f"--pid={program.pid} ", listed.out)
            told = run(
                self.command("vgdb"), f"--pid={program.pid}", "v.info", "scheduler"
            )
            self.assertIn("Thread 1: status", told.out + told.err)

    def command(self, name: str) -> Path:
        """A command that a user of this launcher would run beside it."""
        return STOCK_BIN / name


@functools.lru_cache(maxsize=None)
def installation(name: str) -> Path:
    """The prefix of an installation, in a folder of that name that it was not configured
    for.  Made on first use; no test changes it; gone at exit."""
    folder = Path(tempfile.mkdtemp(prefix="callgrind-exact-")).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    ended = make("install", f"DESTDIR={folder}", "prefix=/opt/exact")
    if ended.status != 0:
        raise AssertionError(f"make install: status {ended.status}\n{ended.err}")
    return Path(shutil.move(folder / "opt" / "exact", folder / name))


class Installed(InPlace):
    """bin/valgrind of an installation, in a folder that it was not configured for."""

    folder_name = "exact"

    def setUp(self) -> None:
        super().setUp()
        self.launcher = installation(self.folder_name) / "bin" / "valgrind"

    def library(self) -> Path:
        return self.launcher.parent.parent / "libexec" / "valgrind"

    def command(self, name: str) -> Path:
        return self.launcher.parent / name


class InstalledWithSpaces(Installed):
    """As Installed, in a folder whose name has a space and a colon."""

    folder_name = "moved: here"


class AnotherCore(BuildTest):
    """The installed Valgrind was replaced by another after the build."""

    def test_it_is_told_in_a_line(self) -> None:
        root = self.folder / "root"
        tool = root / "none"
        root.mkdir()
        tool.write_bytes(bytes(1000))
        paths = run("sh", SOURCE / "coregrind/make_launcher_paths.sh", "/bin/echo", ".",
                    self.folder, tool, "", "3.22.0")
        self.assert_ended(paths, 0)
        (self.folder / "launcher_paths.h").write_text(paths.out)
        launcher = self.folder / "launcher"
        parts = ("launcher.c", "launcher_version.c", "tool_folder.c")
        built = run("gcc", "-I", self.folder, "-I", BUILD, "-o", launcher,
                    *(SOURCE / "coregrind" / name for name in parts))
        self.assert_ended(built, 0)
        same = run(launcher, "a word")
        self.assertEqual((same.status, same.out, same.err), (0, "a word\n", ""))
        tool.write_bytes(bytes(1001))
        another = run(launcher, "a word")
        self.assertEqual((another.status, another.out), (0, "a word\n"))
        self.assertRegex(another.err, r"\A[^\n]*, 3.22.0; build it again\n\Z")

    def test_the_root_of_a_cross_build_is_no_part_of_the_path(self) -> None:
        tool = self.folder / "libexec/none"
        tool.parent.mkdir()
        tool.write_bytes(b"tool")
        script = SOURCE / "coregrind/make_launcher_paths.sh"
        paths = run("sh", script, "v", "b", "o", tool, self.folder, "3.22.0")
        self.assertIn('_CORE_TOOL "/libexec/none"\n', paths.out)
        self.assertIn("_CORE_BYTES 4\n", paths.out)


class InstalledCommands(BuildTest):
    """The distribution's other commands, in the bin/ of an installation."""

    bin: Path

    def setUp(self) -> None:
        super().setUp()
        self.bin = installation("exact") / "bin"

    def test_distribution_commands_are_beside_it(self) -> None:
        for name in ("callgrind_annotate", "callgrind_control", "vgdb", "ms_print"):
            self.assertTrue((self.bin / name).samefile(STOCK_BIN / name), name)

    def test_callgrind_control_lists_a_running_program(self) -> None:
        if re.search(r"\s", str(self.bin)):
            self.skipTest("callgrind_control misses a launcher in a folder with a space")
        command: list[Word] = [
            self.bin / "valgrind", "-q", "--tool=callgrind", *WAIT_FOR_SIGNAL
        ]
        with waiting(command, self.folder) as program:
            told = run(self.bin / "callgrind_control")
            self.assertIn(f"PID {program.pid}:", told.out)
