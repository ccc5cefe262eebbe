# SPDX-License-Identifier: GPL-2.0-or-later
#
# A source tree, a build tree and a launcher of the runner's own tests, all made up in a
# temporary folder, so that these tests need neither a build nor Valgrind.  Owns: the fake
# launcher, and how vg_regtest is called on that tree.

"""A temporary tree of `.vgtest` files to try `vg_regtest` on."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import traceback
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn, Optional, Sequence, Union

from tests.regtest import cli

RUNNER = Path(__file__).resolve().parent.parent / "vg_regtest"

# Speaks like Valgrind, keeps the options it was given in a file, and runs the program.
FAKE_LAUNCHER = """\
#!/bin/sh
: > "$VG_TOP_BUILDDIR/launcher.options"
while [ $# -gt 0 ]; do
   case $1 in
      -*) printf '%s\\n' "$1" >> "$VG_TOP_BUILDDIR/launcher.options"; shift ;;
      *) break ;;
   esac
done
echo "==$$== Fakegrind, a launcher for tests" >&2
echo "==$$== Copyright (C) 2002-2022, and GNU GPL'd, by nobody at all" >&2
echo "==$$== Command: $*" >&2
echo "==$$== " >&2
exec "$@"
"""


@dataclass(frozen=True)
class Report:
    """What vg_regtest printed, taken apart."""

    status: int
    stdout: str
    stderr: str

    @property
    def last_line(self) -> str:
        return self.stdout.splitlines()[-1]

    @property
    def counts(self) -> tuple[int, ...]:
        match = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", self.last_line)
        if match is None:
            raise AssertionError(f"not a closing line: {self.last_line!r}\n{self.stderr}")
        return tuple(int(number) for number in match.groups())


def _become_vg_regtest(
    arguments: Sequence[str],
    folder: Path,
    environment: dict[str, str],
    stdout: IO[bytes],
    stderr: IO[bytes],
) -> NoReturn:
    """What is left of a process that was forked for it."""
    status = 1
    try:
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        with open(os.devnull, "rb") as nothing:
            for number, file in enumerate((nothing, stdout, stderr)):
                os.dup2(file.fileno(), number)
        sys.stdin = open(0, "r", encoding="utf-8", closefd=False)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)
        status = cli.main(arguments)
    except SystemExit as end:  # of argparse
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        # Nothing of the process that was forked is to end here, such as its own tests.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


class RegtestCase(unittest.TestCase):
    """A test of vg_regtest, with a tree of its own; tests lie in its folder `group/`."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="vg_regtest.")
        self.addCleanup(temporary.cleanup)
        self.top = Path(temporary.name).resolve()
        self.source = self.top / "src" / "group"
        self.build = self.top / "build" / "group"
        self.run_folder = self.build / "a.run"
        # What must be there when the test is over, and its folder gone, is written here.
        self.notes = self.top / "build"
        self.source.mkdir(parents=True)
        self.launcher = self.script(self.top / "launcher", FAKE_LAUNCHER)

    def script(self, path: Path, text: str) -> Path:
        """An executable file; shell text without a first line of its own becomes sh."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def program(self, text: str, name: str = "prog") -> Path:
        """A program of the tests, beside them in the source folder."""
        return self.script(self.source / name, text)

    def describe(self, text: str, name: str = "a", **expected: str) -> Path:
        """A .vgtest file.  Expected outputs are put below the key that they belong to;
        `stdout_or` is an alternative."""
        path = (self.source / name).with_name(f"{Path(name).name}.vgtest")
        path.parent.mkdir(parents=True, exist_ok=True)
        for key, content in expected.items():
            lines = "".join(f"   | {line}\n" for line in content.split("\n")[:-1])
            if key.endswith("_or"):
                text = f"{text}or:\n{lines}"
            elif key == "post":
                text = re.sub("(?m)^(post: .*\n)", lambda m: m[0] + lines, text)
            else:
                text = f"{text}{key}:\n{lines}"
        path.write_text(text)
        return path

    def command(self, *arguments: Union[str, Path]) -> list[str]:
        return [
            sys.executable,
            str(RUNNER),
            f"--srcdir={self.top / 'src'}",
            f"--build={self.top / 'build'}",
            f"--launcher={self.launcher}",
            *(str(argument) for argument in arguments),
        ]

    def environment(self, **changes: str) -> dict[str, str]:
        """What vg_regtest finds: our environment, without the variables meant for it."""
        own = ("EXTRA_REGTEST_OPTS", "VG_BUILD", "CT_WARM")
        return {**{k: v for k, v in os.environ.items() if k not in own}, **changes}

    def run_command(self, command: list[str], **changes: str) -> Report:
        """Run vg_regtest, in a process that need not load it first: that takes longer
        than most of these tests."""
        self.assertEqual(command[:2], [sys.executable, str(RUNNER)])
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            child = os.fork()
            if child == 0:
                _become_vg_regtest(
                    command[2:], self.top, self.environment(**changes), stdout, stderr
                )
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said = []
            for stream in (stdout, stderr):
                stream.seek(0)
                said.append(stream.read().decode())
        self.assertNotIn("Traceback", said[1])
        return Report(status, *said)

    def regtest(self, *arguments: Union[str, Path], **changes: str) -> Report:
        """Run vg_regtest, on all tests of `group/` unless told otherwise."""
        chosen = arguments
        if not any(not str(argument).startswith("--") for argument in arguments):
            chosen = (*arguments, self.source)
        return self.run_command(self.command(*chosen), **changes)

    # What the test called `a` came to

    def assert_pass(self, report: Optional[Report] = None) -> Report:
        report = self.regtest() if report is None else report
        self.assertEqual(report.stdout, "group/a: pass\n1 passed, 0 failed, 0 skipped\n")
        self.assertEqual(report.status, 0)
        return report

    def assert_fail(self, reason: str, report: Optional[Report] = None) -> Report:
        """It failed, and the first line gives the reason, a regular expression."""
        report = self.regtest() if report is None else report
        self.assertRegex(report.stdout, rf"\Agroup/a: FAIL \({reason}\)\n")
        self.assertEqual(report.counts, (0, 1, 0))
        self.assertEqual(report.status, 1)
        return report

    def assert_skipped(self, reason: str, report: Optional[Report] = None) -> Report:
        report = self.regtest() if report is None else report
        self.assertRegex(report.stdout, rf"\Agroup/a: skipped \({reason}\)\n")
        self.assertEqual(report.counts, (0, 0, 1))
        self.assertEqual(report.status, 0)
        return report

    def launcher_options(self) -> list[str]:
        """The Valgrind options that the last test was run with."""
        return (self.notes / "launcher.options").read_text().splitlines()

    def left_over(self) -> list[str]:
        """The output files that are left in the run folder of the test called `a`."""
        return sorted(path.name for path in self.run_folder.glob("*.out"))
