# SPDX-License-Identifier: GPL-2.0-or-later
#
# vg_regtest --warm: each test runs without, with new and with old stored translations.

"""Tests that run with and without stored translations."""

from __future__ import annotations

from tests.regtest.sandbox import RegtestCase

# Writes a profile; $kind is "no", or "new" or "old" with a folder of translations.
LAUNCHER = """\
#!/bin/sh
kind=no
for word; do
   case $word in
      --translation-cache=no) ;;
      --translation-cache=*)
         folder=${word#*=}
         kind=new
         [ ! -e "$folder/file" ] || kind=old
         touch "$folder/file" ;;
   esac
done
echo "$kind $EXTRA_REGTEST_OPTS" >> "$VG_TOP_BUILDDIR/kinds"
cost=1
@CASES@
printf '# callgrind format\\nsummary: %s\\n' $cost > callgrind.out
echo $cost
"""


class Warm(RegtestCase):
    def launch(self, cases: str = "") -> None:
        self.launcher = self.script(
            self.top / "launcher", LAUNCHER.replace("@CASES@", cases)
        )
        self.program("true")
        self.describe("prog: prog\n", stdout="1\n", stderr="")

    def kinds(self) -> list[str]:
        return [line.split()[0] for line in (self.notes / "kinds").read_text().split("\n")
                if line]

    def test_each_test_runs_in_all_three_ways(self) -> None:
        self.launch()
        self.assert_pass(self.regtest("--warm"))
        self.assertEqual(self.kinds(), ["no", "new", "old"])

    def test_runs_of_a_post_have_the_option_as_well(self) -> None:
        self.launch()
        self.regtest("--warm", EXTRA_REGTEST_OPTS="--more")
        lines = (self.notes / "kinds").read_text().splitlines()
        self.assertIn("--translation-cache=no", lines[0])
        self.assertEqual(len({len(line.split(None, 1)[1]) for line in lines}), 1, lines)
        for line in lines:
            self.assertRegex(line, r"^\w+ --translation-cache=\S+ +--more$")

    def test_the_environment_says_so_too(self) -> None:
        self.launch()
        self.assert_pass(self.regtest(CT_WARM="1"))
        self.assertEqual(self.kinds(), ["no", "new", "old"])

    def test_without_the_option_it_runs_once(self) -> None:
        self.launch()
        self.assert_pass(self.regtest())
        self.assertEqual(self.kinds(), ["no"])

    def test_a_test_that_fails_with_old_translations_alone_fails(self) -> None:
        self.launch("[ $kind != old ] || cost=2")
        self.assert_fail("stdout, with --translation-cache=/.*", self.regtest("--warm"))

    def test_so_does_one_whose_profile_is_another_only_then(self) -> None:
        self.launch("[ $kind != old ] || "
                    "{ printf '# callgrind format\\nsummary: 3\\n' > other.out; }")
        self.assert_fail("translations used: other profiles than without: other.out:1.*",
                         self.regtest("--warm"))

    def test_but_not_one_whose_profile_is_never_the_same(self) -> None:
        self.launch("printf '# callgrind format\\nsummary: %s\\n' $$ > other.out")
        self.assert_pass(self.regtest("--warm"))

    def test_a_skipped_test_is_asked_once(self) -> None:
        self.launch()
        self.describe("prog: prog\nprereq: echo no; false\n", stdout="1\n")
        self.assert_skipped("no", self.regtest("--warm"))
