# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the commands end.  0, 1 and 3 are verdicts; whatever goes wrong, in a file, around
# the process or in the command itself, is 2 with one line; ^C is its signal.

"""The exit status of callgrind_report, callgrind_export and callgrind_gate."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Optional, Sequence

from callgrind.report.tests.report_case import run

REPORT = Path(__file__).resolve().parent.parent
MAKER = REPORT.parent.parent / "coregrind" / "make_report_command.sh"
COMMANDS = ("callgrind_report", "callgrind_export", "callgrind_gate")

PROFILE = "version: 1\nevents: Ir\nfl=a\nfn=b\n1 5\n"
TREE = """callgrind-tree 1
creator x
costs counted
event Ir count Ir
object 1 - object
source 1 source
function 1 1 1 1 name
process 1 1 0 command
thread 1 1 1 thread
part 1
tree 1
0 1 0 7
total 1 0 7
end 1 1 7
"""


# An installation, with compiled files, so that a start takes little.
scratch = tempfile.TemporaryDirectory()
HOME = Path(scratch.name)


def setUpModule() -> None:
    ignored = shutil.ignore_patterns("tests", "page", "__pycache__")
    shutil.copytree(REPORT, HOME / "report", ignore=ignored)
    for name in COMMANDS:
        made = subprocess.run(["sh", str(MAKER), name, "report", "/nowhere",
                               "read_profile", "/nowhere/read_profile"],
                              capture_output=True, check=True).stdout  # fmt: skip
        (HOME / name).write_bytes(made)
        (HOME / name).chmod(0o755)


def tearDownModule() -> None:
    scratch.cleanup()


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))


class Ending(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "p").write_text(PROFILE)
        (self.folder / "more").write_text(PROFILE.replace("1 5", "1 50"))
        (self.folder / "t").write_text(TREE)

    def shell(self, script: str, variables: Optional[dict[str, str]] = None,
              limited: bool = False) -> "subprocess.CompletedProcess[str]":
        env = {**os.environ, "PATH": f"{HOME}:{os.environ['PATH']}", **(variables or {})}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        return subprocess.run(
            ["sh", "-c", script], cwd=self.folder, text=True, errors="replace",
            capture_output=True, stdin=subprocess.DEVNULL, check=False, env=env,
            preexec_fn=limit_memory if limited else None,
        )

    def assert_ends(self, status: int, script: str, says: Optional[bool] = None,
                    variables: Optional[dict[str, str]] = None) -> None:
        """With this status; `says`: whether with a line on stderr, if that is told."""
        with self.subTest(script, variables=variables):
            ended = self.shell(script, variables)
            self.assertEqual(ended.returncode, status, ended.stderr)
            self.assertNotIn("Traceback", ended.stderr)
            self.assertLessEqual(ended.stderr.count("\n"), 1, ended.stderr)
            if says is not None:
                self.assertEqual(bool(ended.stderr), says, ended.stderr)


# Verdicts: nothing is exceeded, a limit is exceeded; and refusals.
OF_EACH_VERDICT = (
    (0, "callgrind_report p"),
    (0, "callgrind_report --diff p p --fail-above=1%"),
    (1, "callgrind_report --diff p more --fail-above=1%"),
    (0, "callgrind_export --to folded t"),
    (0, "callgrind_report --help"),
    (0, "callgrind_gate --help"),
    (2, "callgrind_report nothing"),
    (2, "callgrind_export --to folded nothing"),
    (2, "callgrind_export --to folded"),
    (2, "callgrind_gate log nothing"),
    (2, "callgrind_gate"),
)

# Runs each command as a process of its own that has loaded what it needs already: its
# streams are made as Python makes them at the start, and end_process() does the rest.
RUN_EACH = """
import importlib, json, os, sys
from console.process import end_process

def as_python_starts(number, mode):
    try:
        return open(number, mode, closefd=False)
    except OSError:
        return None

def redirect(number, how):
    if how == "closed":
        os.close(number)
    elif how == "without a reader":
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, number)
    else:
        flags = os.O_RDONLY if how == "not for writing" else os.O_WRONLY
        os.dup2(os.open("/dev/full" if how == "full" else "/dev/null", flags), number)

def ended(name, words, redirections):
    work = importlib.import_module(name).main
    child = os.fork()
    if child == 0:
        os.dup2(os.open("said", os.O_RDWR | os.O_CREAT | os.O_TRUNC), 2)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        for number, how in redirections:
            redirect(number, how)
        for number, (stream, mode) in enumerate(
            (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
            setattr(sys, stream, as_python_starts(number, mode))
        end_process(name, lambda: work(words))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), open("said").read()

print(json.dumps([ended(*case) for case in json.load(sys.stdin)]))
"""

Case = tuple[int, str, dict[int, str]]


def run_each_in(folder: Path, asked: object, script: str = RUN_EACH,
                variables: Optional[dict[str, str]] = None) -> list[list[object]]:
    """Of each command its status and what it says.  What they load is compiled once, into
    the build folder, and not by each of them."""
    env = {**os.environ, "PYTHONPATH": str(REPORT), **(variables or {})}
    kept = sys.pycache_prefix
    if kept is not None:
        env.pop("PYTHONDONTWRITEBYTECODE", None)
    python = [sys.executable, *(["-X", f"pycache_prefix={kept}"] if kept else ["-B"])]
    done = subprocess.run(
        [*python, "-c", script], cwd=folder, env=env, text=True,
        errors="surrogateescape", input=json.dumps(asked), stdout=subprocess.PIPE,
        check=True, start_new_session=True,
    )
    found: list[list[object]] = json.loads(done.stdout)
    return found


class Streams(Ending):
    def assert_all_end(self, cases: Sequence[Case], quietly: bool = False) -> None:
        words = [command.split() for _, command, _ in cases]
        asked = [(name, rest, list(case[2].items()))
                 for (name, *rest), case in zip(words, cases)]  # fmt: skip
        for (status, *case), answer in zip(cases, run_each_in(self.folder, asked)):
            ended, said = answer[0], str(answer[1])
            with self.subTest(case):
                self.assertEqual(ended, status, said)
                self.assertLessEqual(said.count("\n"), 0 if quietly else 1, said)
                self.assertNotIn("Traceback", said)

    def test_closed_streams_change_no_verdict(self) -> None:
        self.assert_all_end([
            (status, command, {number: "closed" for number in closed})
            for status, command in OF_EACH_VERDICT
            for closed in ((0,), (1,), (2,), (1, 2), (0, 1, 2))
        ])  # fmt: skip

    def test_closed_by_the_shell(self) -> None:
        self.assert_ends(0, "callgrind_report p >&-", says=False)
        self.assert_ends(1, "callgrind_report --diff p more --fail-above=0 <&- >&- 2>&-")
        self.assert_ends(2, "callgrind_export --to folded nothing 2>&-", says=False)

    def test_what_is_printed_does_not_go_into_a_file_with_the_number(self) -> None:
        self.assert_ends(0, "callgrind_export --to folded t -o out >&- 2>&-")
        self.assertEqual((self.folder / "out").read_text(), "name 7\n")

    def test_a_message_that_cannot_be_written_changes_no_verdict(self) -> None:
        self.assert_all_end([
            (status, command, {2: lost})
            for status, command in OF_EACH_VERDICT
            for lost in ("full", "not for writing", "without a reader")
        ], quietly=True)  # fmt: skip

    def test_a_report_that_cannot_be_written_is_no_verdict(self) -> None:
        """It may have said on stderr that a limit is exceeded, too."""
        self.assert_all_end([
            (2, command, {1: lost})
            for status, command in OF_EACH_VERDICT if status != 1
            for lost in ("full", "not for writing")
        ])  # fmt: skip
        self.assert_ends(2, "callgrind_report --help >/dev/full", says=True)

    def test_a_reader_that_has_gone_changes_no_verdict(self) -> None:
        self.assert_all_end([
            (status, command, {1: "without a reader"})
            for status, command in OF_EACH_VERDICT
        ])  # fmt: skip


class Surroundings(Ending):
    def test_variables_meant_for_other_programs(self) -> None:
        broken = self.folder / "packages"
        broken.mkdir()
        (broken / "argparse.py").write_text("1 / 0\n")
        for variables in ({"PYTHONHOME": "/nowhere"}, {"PYTHONIOENCODING": "nonsense"},
                          {"PYTHONPATH": str(broken)}, {"PYTHONUTF8": "x"}):  # fmt: skip
            self.assert_ends(0, "callgrind_report p", variables=variables)

    def test_standard_input_is_a_folder(self) -> None:
        self.assert_ends(0, "callgrind_report p < /")

    def broken_installation(self, start: str) -> None:
        """One of start.py alone, found before the whole one."""
        (self.folder / "report").mkdir()
        (self.folder / "report" / "start.py").write_text(start)
        for name in COMMANDS:
            shutil.copy(HOME / name, self.folder / name)

    def test_an_installation_that_lacks_a_file(self) -> None:
        self.broken_installation((REPORT / "start.py").read_text())
        for name in COMMANDS:
            self.assert_ends(2, f"./{name} --help", says=True)

    def test_a_python_that_is_too_old(self) -> None:
        start = (REPORT / "start.py").read_text()
        self.broken_installation(start.replace("(3, 9)", "(3, 99)"))
        ended = self.shell("./callgrind_report p")
        self.assertEqual(ended.returncode, 2)
        self.assertRegex(
            ended.stderr,
            r"^callgrind_report: needs Python 3\.99 or newer; python3 is 3\.\d+\n$",
        )

    def test_memory_ends(self) -> None:
        with open(self.folder / "p", "ab") as profile:
            profile.truncate(60 << 20)  # a line of 60 MB
        ended = self.shell("ulimit -v 100000; exec callgrind_report p")
        self.assertEqual((ended.returncode, ended.stderr),
                         (2, "callgrind_report: out of memory\n"))  # fmt: skip

    def test_files_whose_first_line_has_no_end(self) -> None:
        for file in ("/dev/zero", "/dev/full", "pipe"):
            for command in ("callgrind_report {}", "callgrind_report --diff p {}",
                            "callgrind_report --annotate {}",
                            "callgrind_export --to folded {}",
                            "callgrind_export --to callgrind {}",
                            "callgrind_export --to html --timeline {} t",
                            "callgrind_export --to html --lines {} t",
                            "callgrind_gate run --config {}"):
                script = f"exec {command.format(file)}"
                if file == "pipe":
                    script = (f"rm -f pipe; mkfifo pipe; {command.format(file)} & "
                              "head -c 300000000 /dev/zero >pipe 2>&-; wait $!")
                with self.subTest(script):
                    ended = self.shell(script, limited=True)
                    self.assertEqual(ended.returncode, 2, ended.stderr)
                    self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
                    self.assertNotIn("memory", ended.stderr)


FAULTS = """
import signal, sys
from console.process import end_process
def work():
    print("so far")
    FAULT
    return 0
end_process("it", work)
"""


class Faults(Ending):
    def ended(self, fault: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, "-c", FAULTS.replace("FAULT", fault)],
                              cwd=REPORT, capture_output=True, text=True, check=False)

    def test_whatever_happens_is_two_with_one_line(self) -> None:
        for fault in (
            "1 / 0", "raise RecursionError('deep')", "raise MemoryError",
            "float(10 ** 400)", "raise KeyError('a\\nb')", "assert False",
            "raise BrokenPipeError", "raise OSError", "raise OSError(28, 'full', 'f')",
            "raise UnicodeError('\\udcff')", "raise StopIteration", "raise GeneratorExit",
            "sys.exit('a reason')", "sys.exit(7)", "return 4", "return True + 1",
            "return 'no number'", "sys.exit(1 << 40)",
        ):  # fmt: skip
            with self.subTest(fault):
                ended = self.ended(fault)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertNotIn("Traceback", ended.stderr)
                self.assertLessEqual(ended.stderr.count("\n"), 1)

    def test_of_an_absurd_value_the_line_has_the_ends(self) -> None:
        for fault in (
            "sys.exit('begin' + '9' * 100000 + 'end')",
            "raise OSError(36, 'too long', '/tmp/' + 'x' * 100000)",
        ):
            ended = self.ended(fault)
            self.assertEqual(ended.returncode, 2)
            self.assertRegex(ended.stderr, r"^it: .* \[[\d,]+ characters more\] .*\n$")
            self.assertLess(len(ended.stderr), 1200)

    def test_the_line_says_what_and_where(self) -> None:
        self.assertEqual(
            self.ended("1 / 0").stderr,
            "it: a fault of this command, please report it: ZeroDivisionError: division "
            "by zero (<string>:6)\n",
        )

    def test_an_interrupt_is_its_signal(self) -> None:
        for fault in ("raise KeyboardInterrupt", "signal.raise_signal(signal.SIGINT)"):
            ended = self.ended(fault)
            self.assertEqual((ended.returncode, ended.stderr), (-signal.SIGINT, ""))

    def test_verdicts(self) -> None:
        for status in (0, 1, 3):
            ended = self.ended(f"return {status}")
            self.assertEqual((ended.returncode, ended.stdout), (status, "so far\n"))


class AbsurdNumbers(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.plain, self.odd = Path(folder.name, "p"), Path(folder.name, "odd")
        self.plain.write_text(PROFILE)

    def assert_judged_or_refused(self, *arguments: str) -> None:
        status, _, errors = run(*arguments)
        self.assertIn(status, (0, 1, 2))
        self.assertNotIn("a fault of this command", errors)
        self.assertEqual(errors.count("\n"), 1 if status else 0, errors)

    def test_numbers_that_no_processor_counts(self) -> None:
        odd, plain = str(self.odd), str(self.plain)
        for digits in (40, 400, 4000, 5000):
            many = "9" * digits
            for old, new in (("1 5", f"1 {many}"), ("1 5", f"{many} 5"),
                             ("1 5", f"+{many} 5"), ("1 5", f"1 0x{many}"),
                             ("version: 1", f"version: 1\npid: {many}"),
                             ("1 5", f"1 5\ncfn=c\ncalls={many} 1\n1 5"),
                             ("1 5", f"1 5\ntotals: {many}"),
                             ("1 5", f"1 5\ncfn=c\ncalls=1 1\n1 {many}"),
                             ("Ir", "Ir Dr"), ("1 5", f"1 5 {many}")):  # fmt: skip
                self.odd.write_text(PROFILE.replace(old, new))
                for arguments in ((odd,), ("--json", odd), ("--csv", odd), ("-f*", odd),
                                  ("--annotate", odd), ("--diff", plain, odd),
                                  ("--diff", odd, plain)):  # fmt: skip
                    with self.subTest(arguments, digits=digits, new=new[:30]):
                        self.assert_judged_or_refused(*arguments)

    def test_options(self) -> None:
        diff = ["--diff", str(self.plain), str(self.plain)]
        for many in ("9" * 400, "9" * 5000, "1e400", "1e-400", "nan", "inf", "-1"):
            for option in ("-n", "--threshold", "--fail-above", "--fail-function-above"):
                with self.subTest(option, many=many[:9]):
                    self.assert_judged_or_refused(*diff, f"{option}={many}")
            self.assert_judged_or_refused("--annotate", f"--context={many}",
                                          str(self.plain))


if __name__ == "__main__":
    unittest.main()
