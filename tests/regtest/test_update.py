# SPDX-License-Identifier: GPL-2.0-or-later
"""vg_regtest --update: what a test printed becomes what it expects."""

from __future__ import annotations

from tests.regtest.sandbox import RegtestCase


class Update(RegtestCase):
    def setUp(self) -> None:
        super().setUp()
        self.program("echo one; echo; printf ' two \\351\\n'; echo error >&2")

    def assert_updated(self, before: str, after: bytes) -> None:
        path = self.describe(before)
        self.assertEqual(self.regtest("--update").counts, (1, 0, 0))
        self.assertEqual(path.read_bytes(), after)
        self.assert_pass()

    def test_all_outputs_are_written_below_their_keys(self) -> None:
        self.assert_updated(
            "# Why\nprog: prog\nstdout:\nstderr:\n   | old\n   | older\n\n"
            "post: echo x | \\\n   tr x y\npost: true\n   | old\n# end\ncleanup: true\n",
            b"# Why\nprog: prog\nstdout:\n   | one\n   |\n   |  two \xe9\nstderr:\n"
            b"   | error\n\npost: echo x | \\\n   tr x y\n   | y\npost: true\n# end\n"
            b"cleanup: true\n",
        )

    def test_a_test_that_passes_stays_as_it_is(self) -> None:
        text = ("prog: prog\nstdout_filter: true\nstdout:\nstderr:\n | error\n"
                "post:   true\n")
        self.assert_updated(text, text.encode())

    def test_alternatives_stay_as_they_are(self) -> None:
        text = ("prog: prog\nstdout_filter: true\nstderr:\n   | a\nor:\n   | b\n")
        path = self.describe(text)
        self.assert_fail("stderr", self.regtest("--update"))
        self.assertEqual(path.read_text(), text)

    def test_an_output_without_a_key_is_not_written(self) -> None:
        text = "prog: prog\nstderr:\n   | error\n"
        path = self.describe(text)
        self.assert_fail("stdout", self.regtest("--update"))
        self.assertEqual(path.read_text(), text)

    def test_a_failure_that_is_no_output_stays_one(self) -> None:
        self.describe("prog: prog\nstdout_filter: true\nstderr:\npost: echo x; exit 3\n")
        self.assert_fail("post in line 5 ended with status 3", self.regtest("--update"))
