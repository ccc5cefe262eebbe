# SPDX-License-Identifier: GPL-2.0-or-later
#
# What counts as passed, failed and skipped, and what the report says of it.

"""One outcome per test, and the closing line."""

from __future__ import annotations

from tests.runner.sandbox import RunnerTest


class Outcomes(RunnerTest):
    def test_every_kind_of_outcome(self) -> None:
        self.write("readers/test_a.py", """
    def test_passes(self): pass
    def test_fails(self): self.fail("here")
    def test_raises(self): raise OSError
    @unittest.skip("not now")
    def test_is_skipped(self): pass
    @unittest.expectedFailure
    def test_is_known_to_fail(self): self.fail()
    @unittest.expectedFailure
    def test_is_wrongly_known_to_fail(self): pass
""")
        said = self.check("2 passed, 3 failed, 1 skipped", 1)
        self.assertIn("FAIL: tests/readers/test_a.py::T::test_fails\n", said)
        self.assertIn("AssertionError: here\n", said)
        self.assertIn("   not now: tests/readers/test_a.py::T::test_is_skipped\n", said)
        self.assertIn(
            "\nThese failed:\n"
            "   tests/readers/test_a.py::T::test_fails\n"
            "   tests/readers/test_a.py::T::test_is_wrongly_known_to_fail\n"
            "   tests/readers/test_a.py::T::test_raises\n"
            "2 passed, 3 failed, 1 skipped\n", said)

    def test_clean_up_that_fails_fails_its_test_once(self) -> None:
        self.write("readers/test_a.py", """
    def tearDown(self): raise OSError("left behind")
    def test_passes(self): pass
    def test_fails(self): self.fail("here")
""")
        self.assertIn("left behind", self.check("0 passed, 2 failed, 0 skipped", 1))

    def test_sub_tests_count_for_their_test(self) -> None:
        self.write("readers/test_a.py", """
    def test_one_of_three_fails(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 1)
    def test_two_of_three_fail_and_so_does_the_rest(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertEqual(number, 1, f"told of {number}")
        self.fail("told of the rest")
    def test_all_pass(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertLess(number, 3)
    def test_one_of_two_is_skipped(self):
        for number in range(2):
            with self.subTest(number=number):
                if number: self.skipTest("odd")
    def test_one_is_skipped_before_another_fails(self):
        for number in range(2):
            with self.subTest(number=number):
                if number == 0: self.skipTest("even")
                self.fail("odd")
    @unittest.expectedFailure
    def test_known_to_fail(self):
        with self.subTest("first"):
            self.fail()
""")
        said = self.check("2 passed, 3 failed, 1 skipped", 1)
        for told in ("told of 0", "told of 2", "(number=0)", "(number=2)", "odd"):
            self.assertIn(told, said)

    def test_files_of_one_name_in_several_folders(self) -> None:
        self.write("readers/a/test_x.py", "    def test_it(self): pass\n")
        self.write("readers/b/test_x.py", "    def test_it(self): self.fail()\n")
        self.write("readers/b/other.py", "    def test_it(self): self.fail()\n")
        self.check("1 passed, 1 failed, 0 skipped", 1)

    def test_file_that_cannot_be_imported(self) -> None:
        self.write("readers/test_a.py", "    def test_it(self): pass\n"
                   "import no_such_module\n")
        self.write("readers/test_b.py", "    def test_it(self): pass\n"
                   "raise SystemExit(0)\n")
        self.write("readers/test_c.py", "    pass\n"
                   "raise unittest.SkipTest('all of it')\n")
        self.write("readers/test_d.py", "    def test_it(self): pass\n")
        said = self.check("1 passed, 2 failed, 1 skipped", 1)
        self.assertIn("no_such_module", said)
        self.assertIn("all of it: tests/readers/test_c.py\n", said)

    def test_set_up_of_a_class_that_fails(self) -> None:
        self.write("readers/test_a.py", """
    @classmethod
    def setUpClass(cls): raise OSError
    def test_never_reached(self): pass
    def test_nor_this(self): pass
""")
        self.check("0 passed, 2 failed, 0 skipped", 1)

    def test_set_up_of_a_class_runs_once(self) -> None:
        self.write("readers/test_a.py", f"""
    @classmethod
    def setUpClass(cls):
        with open({str(self.tree / "mark")!r}, "a") as file:
            print("x", file=file)
    def test_1(self): pass
    def test_2(self): pass
    def test_3(self): pass
""")
        self.run_suites("readers", "--jobs", "2")
        self.assertEqual((self.tree / "mark").read_text(), "x\n")

    def test_no_test_at_all_is_a_failure(self) -> None:
        said = self.check("0 passed, 1 failed, 0 skipped", 1)
        self.assertIn("suite readers has no test\n", said)

    def test_a_suite_that_has_lost_its_tests_is_a_failure(self) -> None:
        self.write("readers/test_a.py", "    def test_it(self): pass\n")
        said = self.check("1 passed, 1 failed, 0 skipped", 1, "documents")
        self.assertIn("suite documents has no test\n", said)

    def test_choosing_tests_by_name(self) -> None:
        self.write("readers/test_a.py", "    def test_it(self): pass\n"
                   "    def test_that(self): self.fail()\n")
        done = self.run_suites("readers", "--", "-n", "0", "-k", "test_it")
        self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 0 failed, 0 skipped")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_line_for_each_suite(self) -> None:
        self.write("readers/test_a.py", "    def test_it(self): self.fail()\n"
                   "    def test_that(self): pass\n")
        self.write("documents/test_a.py", "    def test_it(self): self.skipTest('no')\n")
        said = self.check("1 passed, 1 failed, 1 skipped", 1, "documents")
        self.assertRegex(said, r"(?m)^readers +1 passed +1 failed +0 skipped +\d+\.\d s$")
        self.assertRegex(said, r"(?m)^documents +0 passed +0 failed +1 skipped ")

    def test_the_slowest_are_named(self) -> None:
        self.write("readers/test_a.py", """
    def test_long(self):
        import time
        time.sleep(0.3)
""" + "".join(f"    def test_{number}(self): pass\n" for number in range(12)))
        said = self.check("13 passed, 0 failed, 0 skipped", 0)
        _, _, slowest = said.partition("The slowest:\n")
        lines = slowest.splitlines()
        self.assertIn("tests/readers/test_a.py::T::test_long", lines[0])
        self.assertEqual(len(lines), 11, said)


class Vgtests(RunnerTest):
    """Regression tests are tests like others."""

    def test_every_kind_of_outcome(self) -> None:
        folder = self.tree / "callgrind" / "tests"
        folder.mkdir(parents=True)
        for name, expected, prereq in (
            ("good", "said", "true"), ("bad", "other", "true"),
            ("absent", "said", "echo not here; false"),
        ):
            (folder / f"{name}.vgtest").write_text(
                f"prog-asis: echo\nargs: said\nvgopts: --tool=none\nprereq: {prereq}\n"
                f"stdout:\n   | {expected}\n"
            )
        said = self.check("1 passed, 1 failed, 1 skipped", 1, suite="regression")
        self.assertIn("FAIL: callgrind/tests/bad.vgtest\n", said)
        self.assertIn("\n-other\n+said\n", said)
        self.assertIn("   not here: callgrind/tests/absent.vgtest\n", said)
