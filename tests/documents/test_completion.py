# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests that docs/completion/ has the options that the commands have, and what bash and
# zsh make of it: bash's function by itself, and both where somebody types on a terminal.

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.documents import completion
from tests.documents.shell_session import ShellSession

ASK = """
. "$1"; shift
compopt() { :; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
"_$FUNCTION"
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Files(unittest.TestCase):
    def test_they_are_made_of_the_options(self) -> None:
        behind = [str(path) for path, text in completion.files().items()
                  if path.read_text("utf-8") != text]  # fmt: skip
        self.assertEqual(behind, [], "run tests/documents/completion.py --write")
        there = {path for path in completion.FOLDER.rglob("*") if path.is_file()}
        self.assertEqual(there, set(completion.files()))

    def test_what_is_made_of_documents_has_what_those_have(self) -> None:
        """A change of their form must not leave options out."""
        page = completion.SAMPLE_PAGE.read_text("utf-8").replace("\\-", "-")
        in_page = set(re.findall(r"^\.BR? (?:-\w.*)?(--[a-z-]+)", page, re.M))
        *_, sample, profile = completion.commands()
        names = {name for option in sample.options for name in option.names}
        self.assertGreater(len(in_page), 10)
        self.assertLessEqual(in_page, names)
        self.assertGreater(len(profile.options), 40)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_takes_it(self) -> None:
        for path in sorted((completion.FOLDER / "zsh").iterdir()):
            done = subprocess.run(["zsh", "-n", str(path)], capture_output=True,
                                  text=True, check=False)  # fmt: skip
            self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)


@unittest.skipUnless(shutil.which("bash"), "bash is not installed")
class Bash(unittest.TestCase):
    def offered(self, *words: str) -> list[str]:
        name = words[0]
        done = subprocess.run(
            ["bash", "-uc", ASK, "ask", str(completion.FOLDER / "bash" / name), *words],
            env={"FUNCTION": name}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_options_by_their_beginning(self) -> None:
        self.assertEqual(self.offered("callgrind_report", "--fu"),
                         ["--function=", "--full-names"])  # fmt: skip
        self.assertEqual(self.offered("callgrind_sample", "--kern"), ["--kernel="])
        self.assertIn("--dump-instr=", self.offered("profile", "--dump-"))
        for command in completion.commands():
            if not command.inner:
                self.assertIn("--help", self.offered(command.name, "-"))

    def test_values(self) -> None:
        three = ["auto", "always", "never"]
        for words in (["--color"], ["--color", "="]):
            for begun, wanted in (("", three), ("ne", ["never"]), ("x", [])):
                given = ["callgrind_report", *words, begun]
                self.assertEqual(self.offered(*given), wanted)
        self.assertEqual(self.offered("callgrind_report", "--color", "="), three)
        self.assertEqual(self.offered("profile", "--steady", "=", "y"), ["yes"])

    def test_files_are_left_to_bash(self) -> None:
        for words in (["callgrind_report", ""], ["callgrind_export", "-o", ""],
                      ["callgrind_export", "--lines", "=", "call"],
                      ["callgrind_gate", "log", ""]):  # fmt: skip
            self.assertEqual(self.offered(*words), [])

    def test_commands_within_a_command(self) -> None:
        self.assertIn("compare", self.offered("callgrind_gate", ""))
        self.assertEqual(self.offered("callgrind_gate", "me"), ["merge"])
        self.assertIn("--keep=", self.offered("callgrind_gate", "accept", "--k"))
        self.assertNotIn("--keep=", self.offered("callgrind_gate", "run", "--k"))


class Typed(unittest.TestCase):
    """What stands behind the command when somebody has typed a word and asked for all
    that completes it.  Of a value zsh has the whole words, bash what is behind the =."""

    PROFILE = "callgrind.out.1"

    def start(self, shell: str) -> None:
        if shutil.which(shell) is None:
            self.skipTest(f"{shell} is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        Path(folder.name, self.PROFILE).touch()
        program = Path(folder.name, "program")
        program.touch(0o755)
        functions = completion.FOLDER / shell
        self.session = ShellSession(shell, functions, Path(folder.name))
        self.addCleanup(self.session.close)

    def completed(self, line: str) -> list[str]:
        """The words in place of the last one."""
        kept = len(line.split(" ")) - 1
        words = self.session.line_after_tab(line).split()
        self.assertEqual(words[:kept], line.split(" ")[:kept])
        return sorted(word.rstrip("=") for word in words[kept:])

    def check(self) -> None:
        for line, words in (
            ("callgrind_report --fu", ["--full-names", "--function"]),
            ("callgrind_report --color ne", ["never"]),
            ("callgrind_report --color=ne", ["--color=never"]),
            ("callgrind_report callgr", [self.PROFILE]),
            ("callgrind_export --lines=callgr", [f"--lines={self.PROFILE}"]),
            ("callgrind_gate me", ["merge"]),
            ("callgrind_gate accept --k", ["--keep"]),
            ("callgrind_gate run --k", ["--k"]),
            ("callgrind_sample -o callgr", [self.PROFILE]),
            # They are found by the last part of the command's path, too.
            ("./profile --dump-i", ["--dump-inlined", "--dump-instr"]),
            ("build/callgrind_report --fu", ["--full-names", "--function"]),
            # Beside a path there are words.
            ("./profile --translation-cache=ye", ["--translation-cache=yes"]),
            ("./profile --translation-cache=./callgr",
             [f"--translation-cache=./{self.PROFILE}"]),
            # What is a number, or the name of a function, is no file.
            ("callgrind_report --limit=callgr", ["--limit=callgr"]),
            ("./profile --toggle-collect=callgr", ["--toggle-collect=callgr"]),
            # The program, and its own words.
            ("callgrind_sample ./prog", ["./program"]),
            ("./profile --dump-instr=yes ./prog", ["./program"]),
            ("./profile ls --dump-i", ["--dump-i"]),
            ("callgrind_sample --frequency 100 ls --freq", ["--freq"]),
            ("callgrind_sample --frequency=100 --freq", ["--frequency"]),
        ):
            with self.subTest(line):
                self.assertEqual(self.completed(line), words)
        for line in ("./profile pwd", "callgrind_sample --frequency 100 pwd"):
            with self.subTest(line):
                self.assertIn("pwd", self.completed(line))

    def test_bash(self) -> None:
        self.start("bash")
        self.check()
        self.assertEqual(self.completed("./profile --steady="),
                         ["--steady=no", "yes"])  # fmt: skip

    def test_zsh(self) -> None:
        self.start("zsh")
        self.check()
        self.assertEqual(self.completed("./profile --steady="),
                         ["--steady=no", "--steady=yes"])  # fmt: skip
        self.assertEqual(self.completed("callgrind_gate "),
                         ["accept", "compare", "init", "log", "merge", "run"])


if __name__ == "__main__":
    unittest.main()
