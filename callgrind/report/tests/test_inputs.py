# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is named as an input and is none, or has an odd name: each kind of it in each place
# where a command of this folder reads a file.  callgrind_annotate and callgrind_control
# are not among them: they are the distribution's own, and what they say of a bad input is
# not ours.  Relies on test_ending.py for the commands as processes that are forked from
# one that has loaded them.

"""Devices, pipes, sockets and other bad inputs, for every command that reads a file."""

from __future__ import annotations

import gzip
import itertools
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Callable, Sequence

from callgrind.report.tests.gate_case import FAKE_VALGRIND
from callgrind.report.tests.test_ending import PROFILE, RUN_EACH, TREE, run_each_in
from callgrind.report.tests.timeline_examples import TIMELINE
from export.options import FORMATS
from tests.runner.series import is_long

GATE = '[benchmarks.a]\ncommand = ["costs", "f=1"]\n'

# Where a file is read: {} stands for it.  `p`, `t` and `l` are a good profile, tree and
# timeline.
PROFILES = (
    "callgrind_report {}",
    "callgrind_report p {}",
    "callgrind_report --json {}",
    "callgrind_report --csv {}",
    "callgrind_report --annotate {}",
    "callgrind_report -f * {}",
    "callgrind_report --diff {} p",
    "callgrind_report --diff p {} --fail-above=1%",
    "callgrind_export --to callgrind {}",
    "callgrind_export --to html --lines {} t",
    "callgrind_export --to html --source --lines {} t",
)
TREES = (
    *(f"callgrind_export --to {name} {{}}" for name in FORMATS
      if name not in ("callgrind", "perfetto")),
    "callgrind_export --to folded t {}",
    "callgrind_export --to html --diff {} t",
    "callgrind_export --to html --diff t {}",
)
TIMELINES = (
    "callgrind_export --to perfetto {}",
    "callgrind_export --to firefox l {}",
    "callgrind_export --to html --timeline {} t",
)
CONFIGURATIONS = ("callgrind_gate run -o new --config {}",)
RUNS = (
    "callgrind_gate compare {} run",
    "callgrind_gate compare base {}",
    "callgrind_gate accept base {}",
    "callgrind_gate accept {} run",
    "callgrind_gate merge new {}",
    "callgrind_gate merge new run {}",
    "callgrind_gate log {}",
)
FILES = (*PROFILES, *TREES, *TIMELINES, *CONFIGURATIONS)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(path))


LONG_PATH = "x/" * 3000


def make_hole(path: Path) -> None:
    with open(path, "wb") as stream:
        stream.truncate(1 << 42)


# In other than long runs, one of so many of all pairs of a command and what it is given,
# so that each meets many of the others.
ONE_OF = 1 if is_long() else 3

# What to name; what has no function is there.
BAD: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: None,
    "nothing/below": lambda path: None,
    "p/below": lambda path: None,
    "a_folder": os.mkdir,
    "linked_folder": lambda path: path.symlink_to("a_folder"),
    "dangling": lambda path: path.symlink_to("nothing"),
    "in_a_circle": lambda path: path.symlink_to("in_a_circle"),
    "empty": lambda path: path.touch(),
    "a_socket": make_socket,
    "noise": lambda path: path.write_bytes(bytes(range(1, 256)) * 999),
    "zeros": lambda path: path.write_bytes(bytes(5000)),
    "hole": make_hole,
    "one_line": lambda path: path.write_bytes(b"a" * (80 << 20)),
    "utf16": lambda path: path.write_text(PROFILE, encoding="utf-16"),
    "cut.gz": lambda path: path.write_bytes(gzip.compress(bytes(9999))[:-9]),
    "bomb.gz": lambda path: path.write_bytes(gzip.compress(b"a" * (80 << 20))),
    "noise.gz": lambda path: path.write_bytes(b"\x1f\x8b" + bytes(range(256)) * 9),
    "x" * 256: lambda path: None,
    LONG_PATH: lambda path: None,
    "/dev/null": lambda path: None,
    "/dev/zero": lambda path: None,
    "/dev/full": lambda path: None,
    "/dev/tty": lambda path: None,
    "/dev/random": lambda path: None,
    "/proc/self/mem": lambda path: None,
    "/proc/self/fd": lambda path: None,
    "/proc": lambda path: None,
    sys.executable: lambda path: None,
    "escape\x1b[31m": lambda path: path.write_text("no such thing\x1b[31m"),
    "line\nbreak": lambda path: path.write_text("no such thing"),
    "byte\udcff": lambda path: path.write_text("no such thing"),
}
TO_BE_MADE = ("nothing", "nothing/below", "a_folder", "linked_folder")

ODD_NAMES = (
    "a b", "a\tb", "a\nb", "escape\x1b[31m", "byte\udcff", "é☃", "[1]", "(1)", "*", "%s",
    "{}", "$(exit 9)", "'\"", "\\", "~", "#1", "a:1", "a=b", "x" * 255, "./-o", "./-",
    "./--help",
)  # fmt: skip


# What a pipe gives: no end, no lines, nothing, and a good beginning.
WRITERS = ("exec cat /dev/zero", "exec tr '\\0' a </dev/zero", "exec true",
           "cat {good}; exec tr '\\0' a </dev/zero")  # fmt: skip


class Inputs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "p").write_text(PROFILE)
        (self.folder / "t").write_text(TREE)
        (self.folder / "l").write_text(TIMELINE)
        (self.folder / "g.toml").write_text(GATE)
        valgrind = self.folder / "valgrind"
        valgrind.write_text(FAKE_VALGRIND)
        valgrind.chmod(0o755)
        gate = "callgrind_gate run -c g.toml --valgrind ./valgrind --commit c -o run"
        self.assertEqual(self.ended([gate.split()]), [[0, ""]])
        accept = "callgrind_gate accept base run"
        self.assertEqual(self.ended([accept.split()]), [[0, ""]])

    def ended(self, commands: Sequence[Sequence[str]]) -> list[list[object]]:
        """Of each its status and what it says."""
        asked = [(words[0], words[1:], ()) for words in commands]
        return run_each_in(self.folder, asked, LIMITED + RUN_EACH,
                           {"GIT_CEILING_DIRECTORIES": str(self.folder.parent)})

    def assert_refused(self, commands: Sequence[Sequence[str]]) -> None:
        self.assertGreater(len(commands), 0)
        for words, (status, said) in zip(commands, self.ended(commands)):
            with self.subTest([word[-40:] for word in words]):
                self.assertEqual(status, 2, said)
                self.assertRegex(str(said), rf"\A{words[0]}: [^\x00-\x1f\x7f]+\n\Z")
                self.assertNotRegex(str(said), "a fault of this command|Traceback|memory")

    def make(self, kinds: Sequence[str]) -> None:
        for name in kinds:
            BAD[name](self.folder / name)

    def test_what_is_no_profile_tree_timeline_or_configuration(self) -> None:
        self.make(list(BAD))
        pairs = [filled(command, name) for command in FILES for name in BAD]
        self.assertNotEqual(len(BAD) % 3, 0)  # each command has others
        self.assert_refused(pairs[::ONE_OF])

    def test_what_is_no_folder_of_runs(self) -> None:
        """Whose path may be as long as one likes: it is gone step by step."""
        self.make(list(BAD))
        commands = [filled(command, name) for command in RUNS for name in BAD
                    if name != LONG_PATH]
        self.assert_refused(
            [words for words in commands if not has_no_run_yet(words)]
        )

    def test_odd_names_of_good_files(self) -> None:
        """They are taken as they are, and reach no terminal."""
        for commands, good in ((PROFILES, "p"), (TREES, "t"), (TIMELINES, "l"),
                               (CONFIGURATIONS, "g.toml")):
            text = (self.folder / good).read_text()
            for name in ODD_NAMES:
                (self.folder / name).write_text(text)
            words = [filled(*pair) for pair in itertools.product(commands, ODD_NAMES)]
            words = words[::ONE_OF]
            for command in words:
                if command[1] == "run":
                    command += ["--valgrind", "./valgrind", "--commit", "c"]
            for command, (status, said) in zip(words, self.ended(words)):
                with self.subTest(command):
                    self.assertEqual((status, said), (0, ""))

    def test_the_newest_profile_is_a_regular_file(self) -> None:
        """Where none is named: what lies there under the name of one is passed over."""
        place = self.folder / "callgrind.out.1"
        ways: tuple[Callable[[Path], object], ...] = (
            os.mkfifo, os.mkdir, make_socket, Path.touch,
            lambda path: path.symlink_to("/dev/zero"),
        )  # fmt: skip
        for make in ways:
            make(place)
            self.assert_refused([["callgrind_report"], ["callgrind_report", "."]])
            (os.rmdir if place.is_dir() else os.unlink)(place)

    def test_pipes(self) -> None:
        """They are read like files, and refused like files: nothing is waited for but
        who writes."""
        for number, writer in enumerate(WRITERS):
            commands: list[list[str]] = []
            for command in FILES[number % ONE_OF::ONE_OF]:
                pipe = f"pipe{number}.{len(commands)}"
                os.mkfifo(self.folder / pipe)
                good = "p" if command in PROFILES else "t"
                self.start(writer.format(good=good), pipe)
                commands.append(filled(command, pipe))
            self.assert_refused(commands)

    def start(self, writer: str, pipe: str) -> None:
        """It ends when its reader is gone, or never has one until the test ends."""
        process = subprocess.Popen(
            ["sh", "-c", f"exec >{pipe}; {writer}"],
            cwd=self.folder,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)


# Nothing here needs more memory, whatever is read.
LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))
"""


def filled(command: str, name: str) -> list[str]:
    return [word.replace("{}", name) for word in command.split()]


def has_no_run_yet(words: Sequence[str]) -> bool:
    """A baseline may be absent, or an empty folder: `accept` makes it, and `compare` says
    so with a status of its own."""
    return words[1] in ("accept", "compare", "log") and words[2] in TO_BE_MADE


if __name__ == "__main__":
    unittest.main()
