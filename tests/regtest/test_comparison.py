# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of vg_regtest: filters, alternatives of expected output, diffs, and which files
# are left behind.  Relies on the made-up tree and launcher of `sandbox`.

"""How outputs are filtered and compared."""

from __future__ import annotations

from tests.regtest.sandbox import RegtestCase


class Comparison(RegtestCase):
    """Expected outputs and their alternatives."""

    def test_difference_is_shown_as_a_unified_diff(self) -> None:
        self.program("echo one; echo 2; echo three; exit 7")
        self.describe("prog: prog\n", stdout="one\ntwo\nthree\n")
        report = self.assert_fail("stdout")
        self.assertEqual(
            report.stdout.splitlines()[1:-1],
            [
                "--- a.vgtest:2",
                "+++ a.stdout.out",
                "@@ -1,3 +1,3 @@",
                " one",
                "-two",
                "+2",
                " three",
                "(the program ended with status 7)",
            ],
        )

    def test_every_differing_stream_is_named(self) -> None:
        self.program("echo out; echo error >&2")
        self.describe("prog: prog\npost: echo post\n", stdout="", stderr="")
        self.assert_fail("stdout, stderr, post in line 2")

    def test_without_its_key_an_output_must_be_empty(self) -> None:
        self.program("echo out; echo error >&2")
        self.describe("prog: prog\n", stdout="out\n")
        report = self.assert_fail("stderr")
        self.assertIn("(no `stderr:`, so no output is expected)", report.stdout)
        self.describe("prog: prog\n", stderr="error\n")
        self.assert_fail("stdout")

    def test_any_alternative_will_do(self) -> None:
        self.program("echo third")
        text = "prog: prog\nstdout:\n   | first\nor: on another system\n   | third\n"
        self.describe(text)
        self.assert_pass()
        self.describe(text.replace("third", "second"))
        self.assert_fail("stdout")
        self.describe(text.replace("   | third\n", "or:\n   | third\n"))
        self.assert_pass()
        self.describe("prog: prog\npost: cat $VG_SRCDIR/prog\n   | other\n"
                      "or:\n   | #!/bin/sh\n   | echo third\n", stdout="third\n")
        self.assert_pass()

    def test_an_alternative_may_be_empty(self) -> None:
        self.program("true")
        self.describe("prog: prog\nstdout:\n   | first\nor:\n")
        self.assert_pass()

    def test_alternatives_of_each_stream_are_its_own(self) -> None:
        self.program("echo out; echo error >&2")
        self.describe("prog: prog\n", stdout="error\n", stderr="out\n")
        self.assert_fail("stdout, stderr")

    def test_the_closest_alternative_is_shown(self) -> None:
        self.program("seq 9")
        numbers = "".join(f"{number}\n" for number in range(1, 10))
        self.describe("prog: prog\n", stdout="far away\n", stdout_or=numbers + "10\n")
        report = self.assert_fail("stdout")
        self.assertIn("\n-10\n", report.stdout)
        self.assertNotIn("far away", report.stdout)

    def test_last_newline_counts(self) -> None:
        self.program("printf end")
        self.describe("prog: prog\n", stdout="end\n")
        report = self.assert_fail("stdout")
        self.assertIn("\n+end\n\\ No newline at end of file\n", report.stdout)

    def test_bytes_that_are_no_text(self) -> None:
        self.program("printf '\\377\\014\\n'")
        path = self.describe("prog: prog\n")
        path.write_bytes(b"prog: prog\nstdout:\n   | \xff\x0c\n")
        self.assert_pass()
        path.write_bytes(b"prog: prog\nstdout:\n   | \xfe\x0c\n")
        self.assert_fail("stdout")

    def test_bytes_that_read_like_an_escape(self) -> None:
        self.program("printf '\\377\\n'")
        self.describe("prog: prog\n", stdout="\\xff\n")
        self.assertIn("undecodable bytes", self.assert_fail("stdout").stdout)

    def test_long_diff_is_cut(self) -> None:
        self.program("seq 5000")
        self.describe("prog: prog\n", stdout="")
        report = self.assert_fail("stdout")
        self.assertLess(len(report.stdout.splitlines()), 410)
        self.assertRegex(report.stdout,
                         r"\d+ more lines of diff\n")


class Filters(RegtestCase):
    """Where filters come from, and what they are given."""

    def setUp(self) -> None:
        super().setUp()
        self.program("echo Mixed; echo Error >&2")

    def test_default_filter_of_stderr(self) -> None:
        # The launcher speaks like Valgrind; nothing of that is left.
        self.describe("prog: prog\n", stdout="Mixed\n", stderr="Error\n")
        self.assert_pass()

    def test_filter_none_shows_everything(self) -> None:
        self.describe("prog: prog\nstderr_filter: filter_none\npost: cat a.stderr.out |"
                      " sed -n 's/^==[0-9]*== //p' | head -n 1\n",
                      post="Fakegrind, a launcher for tests\n")
        report = self.assert_fail("stdout, stderr")
        self.assertIn("\n+Error\n", report.stdout)

    def test_filter_beside_the_test_comes_first(self) -> None:
        self.program('cat > /dev/null; echo "$# $1"', name="filter_stderr")
        self.describe("prog: prog\n", stdout="Mixed\n", stderr="1 a\n")
        self.assert_pass()

    def test_filter_by_a_relative_path(self) -> None:
        self.script(self.source.parent / "shared" / "shout", "tr a-z A-Z")
        self.describe("prog: prog\nstdout_filter: ../shared/shout\n",
                      stdout="MIXED\n", stderr="Error\n")
        self.assert_pass()

    def test_arguments(self) -> None:
        self.program('printf "<%s>" "$@"; echo; cat > /dev/null', name="show")
        cases = {
            "stdout_filter: show": "<a>",
            "stdout_filter: show 'b c'": "<b c><a>",
            "stdout_filter: show\nstdout_filter_args: -x \"d e\"": "<-x><d e>",
            "stdout_filter: show f\nstdout_filter_args:": "<f>",
        }
        for text, output in cases.items():
            with self.subTest(text=text):
                self.describe(f"prog: prog\n{text}\n", stdout=f"{output}\n",
                              stderr="Error\n")
                self.assert_pass()

    def test_arguments_of_the_default_filter(self) -> None:
        self.program('cat > /dev/null; echo "$*"', name="filter_stderr")
        self.describe("prog: prog\nstderr_filter_args: x y\n",
                      stdout="Mixed\n", stderr="x y\n")
        self.assert_pass()

    def test_program_of_the_system_gets_no_default_argument(self) -> None:
        self.describe("prog: prog\nstdout_filter: tr a-z A-Z\nstderr_filter: true\n",
                      stdout="MIXED\n")
        self.assert_pass()

    def test_filter_that_finds_nothing(self) -> None:
        self.describe("prog: prog\nstdout_filter: grep absent\n", stderr="Error\n")
        self.assert_pass()

    def test_filter_that_fails(self) -> None:
        self.program("echo cannot >&2; exit 2", name="broken")
        self.describe("prog: prog\nstdout_filter: broken\n", stdout="")
        self.assert_fail("stdout_filter `broken` ended with status 2: cannot")

    def test_filter_that_is_nowhere(self) -> None:
        self.describe("prog: prog\nstdout_filter: absent\n", stdout="")
        self.assert_fail(f"stdout_filter `absent` was not found in {self.source} or .*")
        filter_file = self.source / "absent"
        filter_file.touch()
        self.assert_fail(f"stdout_filter `absent`: {filter_file} is not executable")


class OutputFiles(RegtestCase):
    """Which files are left, and where."""

    def setUp(self) -> None:
        super().setUp()
        self.program('echo "$PWD"')

    def test_a_pass_leaves_none(self) -> None:
        self.describe("prog: prog\n", stdout=f"{self.run_folder}\n")
        self.assert_pass()
        self.assertEqual(self.left_over(), [])

    def test_a_failure_leaves_all(self) -> None:
        self.describe("prog: prog\n", stdout="elsewhere\n")
        self.assert_fail("stdout")
        self.assertIn("a.stdout.out", self.left_over())
        self.assertIn("a.stderr.unfiltered.out", self.left_over())
        self.describe("prog: prog\n", stdout=f"{self.run_folder}\n")
        self.assert_pass()
        self.assertEqual(self.left_over(), [])

    def test_keep_unfiltered(self) -> None:
        self.describe("prog: prog\n", stdout=f"{self.run_folder}\n")
        self.assert_pass(self.regtest("--keep-unfiltered"))
        self.assertEqual(
            self.left_over(), ["a.stderr.unfiltered.out", "a.stdout.unfiltered.out"]
        )
        stderr = (self.run_folder / "a.stderr.unfiltered.out").read_text()
        self.assertRegex(stderr, r"\A==\d+== Fakegrind")

    def test_nothing_is_written_to_the_source_folder(self) -> None:
        self.program("true", name="second")
        self.describe("prog: prog\nprereq: true\npost: echo x\nprogB: second\n"
                      "cleanup: true\n", stdout=f"{self.run_folder}\n", post="x\n")
        before = sorted(self.source.iterdir())
        self.assert_pass(self.regtest("--keep-unfiltered"))
        before = sorted(self.source.iterdir())
        self.describe("prog: prog\npost: echo x\n", stdout="other\n", post="x\n")
        self.assert_fail("stdout")
        self.assertEqual(sorted(self.source.iterdir()), before)

    def test_folder_outside_of_the_source_tree(self) -> None:
        self.source = self.top / "elsewhere"
        self.program('echo "$PWD"')
        build = self.top / "build" / "outside" / self.source.relative_to("/")
        self.describe("prog: prog\n", stdout=f"{build}/a.run\n")
        self.assertEqual(self.regtest().counts, (1, 0, 0))

    def test_run_folder_that_cannot_be_made(self) -> None:
        self.describe("prog: prog\n", stdout="")
        self.build.parent.mkdir(parents=True)
        self.build.write_text("a file in its place")
        self.assert_fail(f"cannot run the test: {self.build}: File exists")
