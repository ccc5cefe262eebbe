# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of vg_regtest: what the keys of a .vgtest file mean, and which files are refused.
# Relies on the made-up tree and launcher of `sandbox`.

"""The `.vgtest` format, key by key."""

from __future__ import annotations

import os
from typing import Callable

from tests.regtest.sandbox import RegtestCase


class Lines(RegtestCase):
    """Comments, long lines and expected output."""

    def test_comments_empty_lines_and_spaces(self) -> None:
        self.program('echo "$1"')
        self.describe("# why\n\n   prog :   prog\n  # more\nargs:x#y\n", stdout="x#y\n")
        self.assert_pass()

    def test_a_backslash_continues_a_line(self) -> None:
        self.program('printf "%s," "$@"; echo')
        self.describe("prog: prog\nargs: one \\\n   two \\\n   three\nstdout:\n"
                      "   | one,two,three,\npost: echo x |\\\n   | x\n")
        self.assert_fail("post in line 7.*")  # `| x` is the end of the command
        self.describe("prog: prog\nargs: one \\\n   two \\\n   three\nstdout:\n"
                      "   | one,two,three,\npost: echo x \\\n   | cat\n   | x\n")
        self.assert_pass()

    def test_expected_output_is_taken_as_it_stands(self) -> None:
        self.program("printf ' two\\n\\nend \\n|bar\\n# no comment\\nkey: value\\r\\n'")
        self.describe("prog: prog\nstdout:\n   |  two\n   |\n | end \n   | |bar\n"
                      "   | # no comment\n   | key: value\r\n")
        self.assert_pass()

    def test_comments_within_expected_output(self) -> None:
        self.program("echo one; echo two")
        self.describe("prog: prog\nstdout:\n   | one\n# and then\n\n   | two\n")
        self.assert_pass()


class ProgramKeys(RegtestCase):
    """prog, prog-asis, args, env and stdin."""

    def test_program_beside_the_test_in_the_source_folder(self) -> None:
        self.program("echo hello")
        self.describe("prog: prog\n", stdout="hello\n")
        self.assert_pass()

    def test_program_in_the_build_folder_comes_first(self) -> None:
        self.program("echo from the source")
        self.script(self.build / "prog", 'echo "$0" from the build')
        self.describe("prog: prog\n", stdout="./prog from the build\n")
        self.assert_pass()

    def test_program_that_is_nowhere(self) -> None:
        self.describe("prog: absent\n", stdout="")
        self.assert_fail(
            f"prog `absent` was not found in {self.run_folder} or {self.source}")

    def test_program_without_the_right_to_execute(self) -> None:
        self.program("echo hello").chmod(0o644)
        self.describe("prog: prog\n", stdout="hello\n")
        self.assert_fail(f"prog `prog`: {self.source}/prog is not executable")

    def test_prog_asis_is_looked_up_in_path(self) -> None:
        self.script(self.top / "bin" / "just_here", "echo from PATH")
        self.describe("prog-asis: just_here\n", stdout="from PATH\n")
        path = f"{self.top / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.assert_pass(self.regtest(PATH=path))

    def test_args_are_shell_text(self) -> None:
        self.program('printf "<%s>" "$@"; echo noise')
        self.describe("prog: prog\nargs: 'a b' \"$HERE\" c > file\npost: cat file\n",
                      stdout="", post="<a b><there><c>noise\n")
        self.assert_pass(self.regtest(HERE="there"))

    def test_env_repeated_quoted_and_expanded(self) -> None:
        self.program('echo "$A|$B|$C"')
        self.describe("prog: prog\nenv: A=1 B='two words'\nenv: C=$HERE\n",
                      stdout="1|two words|there\n")
        self.assert_pass(self.regtest(HERE="there"))

    def test_stdin_is_a_file_or_empty(self) -> None:
        self.program("cat; echo end")
        self.describe("prog: prog\nstdin: input\n", stdout="line\nend\n")
        (self.source / "input").write_text("line\n")
        self.describe("prog: prog\n", name="b", stdout="end\n")
        self.assertEqual(self.regtest().counts, (2, 0, 0))
        (self.source / "input").unlink()
        self.assert_fail("stdin `input` was not found in .*", self.regtest("src/group/a"))


class ValgrindOptions(RegtestCase):
    """vgopts, EXTRA_REGTEST_OPTS, and what is always passed."""

    def setUp(self) -> None:
        super().setUp()
        self.program("true")

    def options(self, text: str, **changes: str) -> list[str]:
        self.describe(f"prog: prog\n{text}", stdout="")
        self.assert_pass(self.regtest(**changes))
        return self.launcher_options()

    def test_without_any(self) -> None:
        self.assertEqual(
            self.options(""),
            [
                "--command-line-only=yes",
                "--tool=callgrind",
                "--callgrind-out-file=callgrind.out",
            ],
        )

    def test_lines_add_up_behind_the_extra_ones(self) -> None:
        given = self.options("vgopts: -q --x='a b'\nvgopts: --y=1\n",
                             EXTRA_REGTEST_OPTS="--extra=1 --more='2 3'")
        self.assertEqual(given[3:], ["--extra=1", "--more=2 3", "-q", "--x=a b", "--y=1"])

    def test_own_output_file(self) -> None:
        given = self.options("vgopts: --callgrind-out-file=mine.%p\n")
        self.assertEqual(given[1:], ["--tool=callgrind", "--callgrind-out-file=mine.%p"])

    def test_another_tool_gets_no_option_of_callgrind(self) -> None:
        self.assertEqual(self.options("vgopts: --tool=none\n")[1:], ["--tool=none"])

    def test_extra_options_name_the_tool(self) -> None:
        self.assertEqual(self.options("", EXTRA_REGTEST_OPTS="--tool=lackey")[1:],
                         ["--tool=lackey"])

    def test_profile_of_an_earlier_run_is_removed(self) -> None:
        self.build.mkdir(parents=True)
        for name in ("callgrind.out", "callgrind.out.1", "callgrind.outlook"):
            (self.build / name).touch()
        self.program("ls")
        self.describe("prog: prog\nstdout_filter: grep callgrind\n",
                      stdout="callgrind.outlook\n")
        self.assert_pass()

    def test_defaults_of_the_user_do_not_reach_the_test(self) -> None:
        self.program('echo "${VALGRIND_OPTS-unset} $LC_ALL"')
        self.describe("prog: prog\n", stdout="unset C\n")
        self.assert_pass(self.regtest(VALGRIND_OPTS="--tool=none", LC_ALL="de_DE.UTF-8"))

    def test_what_is_compiled_names_its_own_folder(self) -> None:
        """A compiler cache that is told so gives what was compiled in another one."""
        self.program('echo "${CCACHE_NOHASHDIR-unset} ${CCACHE_BASEDIR-unset}"')
        self.describe("prog: prog\n", stdout="unset unset\n")
        self.assert_pass(self.regtest(CCACHE_NOHASHDIR="1", CCACHE_BASEDIR="/"))

    def test_the_cores_library_has_a_place_in_the_environment(self) -> None:
        """So that it does not come behind all else, where random bytes follow."""
        self.program('echo "${LD_PRELOAD-unset}"')
        self.describe("prog: prog\n", stderr="", stdout="\n")
        self.assert_pass()


class Prerequisite(RegtestCase):
    """prereq: 0 runs the test, 1 skips it, anything else is an error."""

    def setUp(self) -> None:
        super().setUp()
        self.program("touch $VG_TOP_BUILDDIR/has_run")

    def test_zero_runs(self) -> None:
        self.describe("prog: prog\nprereq: true\n", stdout="")
        self.assert_pass()
        self.assertTrue((self.notes / "has_run").exists())

    def test_one_skips_before_the_program_is_looked_for(self) -> None:
        self.describe("prog: absent\nprereq: false\n"
                      "cleanup: touch $VG_TOP_BUILDDIR/cleaned\n", stdout="")
        self.assert_skipped("prereq: false")
        self.assertFalse((self.notes / "cleaned").exists())
        self.assertEqual(self.left_over(), [])

    def test_one_skips_with_what_the_command_said(self) -> None:
        self.describe("prog: prog\nprereq: echo first; echo no luck >&2; exit 1\n",
                      stdout="")
        self.assert_skipped("no luck")
        self.assertFalse((self.notes / "has_run").exists())

    def test_anything_else_is_an_error(self) -> None:
        for status in (2, 127):
            with self.subTest(status=status):
                self.describe(f"prog: prog\nprereq: echo why; exit {status}\n", stdout="")
                self.assert_fail(
                    f"prereq `echo why; exit {status}` ended with status {status},"
                    r" neither 0 \(run\) nor 1 \(skip\): why"
                )
                self.assertFalse((self.notes / "has_run").exists())

    def test_have_answers_a_prerequisite(self) -> None:
        self.describe("prog: prog\nprereq: have no-such-program-anywhere\n", stdout="")
        self.assert_skipped("no-such-program-anywhere is not installed")
        self.describe("prog: prog\nprereq: have sh\n", stdout="")
        self.assert_pass()


class PostAndCleanup(RegtestCase):
    """post, cleanup, and the variables they are given."""

    def setUp(self) -> None:
        super().setUp()
        self.program("echo content > made; exit 3")

    def test_output_of_post_is_compared(self) -> None:
        self.describe("prog: prog\npost: cat made\n", post="content\n")
        self.assert_pass()
        self.describe("prog: prog\npost: cat made; echo more >&2\n")
        report = self.assert_fail("post in line 2")
        self.assertIn("\n--- a.vgtest:2\n+++ a.post.out\n", report.stdout)
        self.assertIn("\n+content\n+more\n", report.stdout)

    def test_post_without_expected_output_must_print_nothing(self) -> None:
        self.describe("prog: prog\npost: true\n")
        self.assert_pass()
        self.describe("prog: prog\npost: echo\n")
        self.assert_fail("post in line 2")

    def test_post_that_fails(self) -> None:
        self.describe("prog: prog\npost: cat made; exit 4\n", post="content\n")
        self.assert_fail("post in line 2 ended with status 4")

    def test_each_post_has_its_own_output(self) -> None:
        self.describe("prog: prog\npost: echo one\n   | one\npost: echo two\n   | two\n")
        self.assert_pass()
        self.describe("prog: prog\npost: echo one\n   | two\npost: echo two\n   | one\n")
        report = self.assert_fail("post in line 2, post in line 4")
        self.assertIn("\n--- a.vgtest:4\n+++ a.post2.out\n", report.stdout)

    def test_a_failed_post_does_not_stop_the_others(self) -> None:
        self.describe("prog: prog\npost: exit 4\npost: touch $VG_TOP_BUILDDIR/second\n"
                      "post: cat made\n   | other\n")
        self.assert_fail("post in line 2 ended with status 4, post in line 4")
        self.assertTrue((self.notes / "second").exists())

    def test_variables(self) -> None:
        self.describe(
            "prog: prog\npost: echo $VG_STATUS $PWD; echo $VG_SRCDIR $VG_BUILDDIR;"
            " echo $VG_TOP_SRCDIR $VG_TOP_BUILDDIR $VG_LAUNCHER\n",
            post=f"3 {self.run_folder}\n{self.source} {self.run_folder}\n"
            f"{self.top}/src {self.top}/build {self.launcher}\n",
        )
        self.assert_pass()

    def test_scripts_beside_the_test_are_in_path(self) -> None:
        self.program("echo from a script beside the test", name="summarise")
        self.describe("prog: prog\npost: summarise\n",
                      post="from a script beside the test\n")
        self.assert_pass()

    def test_status_of_a_signal(self) -> None:
        self.program("kill -TERM $$")
        self.describe("prog: prog\npost: echo $VG_STATUS\n", post="143\n")
        self.assert_pass()

    def test_cleanup_after_a_pass_and_after_a_failure(self) -> None:
        checks: dict[str, Callable[[], object]] = {
            "content\n": self.assert_pass,
            "other\n": lambda: self.assert_fail("post in line 2"),
        }
        for wanted, check in checks.items():
            self.describe(
                "prog: prog\npost: cat made; touch $VG_TOP_BUILDDIR/dirt\n"
                "cleanup: rm $VG_TOP_BUILDDIR/dirt\n", post=wanted)
            check()
            self.assertFalse((self.notes / "dirt").exists())

    def test_cleanup_that_fails(self) -> None:
        self.describe("prog: prog\ncleanup: echo oh; exit 5\n", stdout="")
        report = self.assert_fail("cleanup ended with status 5")
        self.assertIn("\noh\n", report.stdout)


class SecondProgram(RegtestCase):
    """progB and its keys: a program that runs beside the first, without Valgrind."""

    def test_both_run_at_once(self) -> None:
        self.build.mkdir(parents=True)
        os.mkfifo(self.build / "fifo")
        # Either would wait for ever for the other end, were it alone.
        self.program("echo over the fifo > fifo")
        self.program("cat fifo", name="reader")
        self.describe("prog: prog\nprogB: reader\n", stdout="", stdoutB="over the fifo\n")
        self.assert_pass()

    def test_its_own_keys(self) -> None:
        self.program("echo first")
        self.program('echo "$1 $X"; cat; echo error >&2', name="second")
        (self.source / "input").write_text("input\n")
        self.describe(
            "prog: prog\nprogB: second\nargsB: 'a b'\nenvB: X=x\nstdinB: input\n"
            "stdoutB_filter: tr a-z A-Z\n"
            "stderrB_filter: sed\nstderrB_filter_args: s/o/0/\n",
            stdout="first\n", stdoutB="A B X\nINPUT\n", stderrB="err0r\n",
        )
        self.assert_pass()

    def test_it_does_not_run_under_valgrind(self) -> None:
        self.program("true")
        self.describe("prog: prog\nprogB-asis: echo\nargsB: b\nstderr_filter: true\n",
                      stdoutB="b\n", stderrB="")
        self.assert_pass()

    def test_status_is_that_of_the_first(self) -> None:
        self.program("exit 3")
        self.program("exit 5", name="second")
        self.describe("prog: prog\nprogB: second\npost: echo $VG_STATUS\n", post="3\n")
        self.assert_pass()

    def test_difference_in_its_output(self) -> None:
        self.program("true")
        self.describe("prog: prog\nprogB-asis: echo\nargsB: b\n", stdoutB="c\n")
        report = self.assert_fail("stdoutB")
        self.assertIn("\n-c\n+b\n", report.stdout)

    def test_it_is_not_there(self) -> None:
        self.program("true")
        self.describe("prog: prog\nprogB: absent\n", stdoutB="")
        self.assert_fail("progB `absent` was not found in .*")


class BadFiles(RegtestCase):
    """A file that is not a valid test fails with one line that says why."""

    def refused(self, text: str, reason: str) -> None:
        self.program("true")
        with self.subTest(text=text):
            self.describe(text)
            report = self.assert_fail(reason)
            self.assertEqual(len(report.stdout.splitlines()), 2)

    def test_lines(self) -> None:
        self.refused("prog: prog\nprogg: x\n", r"a\.vgtest:2: unknown key `progg`; .*")
        self.refused("prog prog\n", r"a\.vgtest:1: `prog prog` is not of the form .*")
        self.refused("prog: prog\npost:\n", r"a\.vgtest:2: `post` has no value")
        self.refused("prog: prog\nargs: 1\n\nargs: 2\n", r"a\.vgtest:4: `args` is giv.*")
        self.refused("prog: prog\nenv: A=1 b\n", r"a\.vgtest:2: `env`: `b` is not NAME.*")
        self.refused("prog: prog\nenv: A='1\n", r"a\.vgtest:2: `env`: no closing quot.*")
        self.refused("prog: prog\nstdout: x\n", r"a\.vgtest:2: `stdout` has a value; .*")
        self.refused("   | x\nprog: prog\n", r"a\.vgtest:1: `\|` begins expected .*")
        self.refused("prog: prog\n   | x\n", r"a\.vgtest:2: `\|` begins expected .*")
        self.refused("prog: prog\nor:\n", r"a\.vgtest:2: `or` begins another .*")
        self.refused("prog: prog\nargs: x\\", r"a\.vgtest:2: a line is to continue.*")
        self.refused("prog: prog\nstderr:\nstderr:\n", r"a\.vgtest:3: `stderr` is giv.*")

    def test_combinations(self) -> None:
        self.refused("args: x\n", r"a\.vgtest: neither `prog` nor `prog-asis` .*")
        self.refused("prog: prog\nprog-asis: ls\n", r"a\.vgtest: `prog` and `prog-asi.*")
        self.refused("prog: prog\nargsB: x\n", r"a\.vgtest: `argsB` without `progB` .*")
        self.refused("prog: prog\nstdout_filter_args: x\n",
                     r"a\.vgtest: `stdout_filter_args` without `stdout_filter`")
        self.refused("prog: prog\nstdoutB:\n", r"a\.vgtest: `stdoutB` without `progB.*")

    def test_without_any_expected_output(self) -> None:
        self.describe("prog: prog\n")
        self.assert_fail(r"a\.vgtest: no output is expected; say `stdout:` or .*")

    def test_a_bad_file_does_not_stop_the_others(self) -> None:
        self.program("true")
        self.describe("nonsense\n", name="a")
        self.describe("prog: prog\n", name="b", stdout="")
        self.assertEqual(self.regtest().counts, (1, 1, 0))
