# SPDX-License-Identifier: GPL-2.0-or-later
#
# The man page of callgrind_sample and docs/sample.md against the command.

"""What is written about the options."""

from __future__ import annotations

import re

from tests.sampler.sampling import SOURCE, SamplerTest

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


class DocumentsTest(SamplerTest):
    needs_sampling = False

    def options(self) -> set[str]:
        return set(OPTION.findall(self.sample("--help").out))

    def test_the_man_page_has_every_option_and_no_other(self) -> None:
        text = (SOURCE / "docs" / "man" / "callgrind_sample.1").read_text("utf-8")
        before_examples = text.split(".SH EXAMPLES")[0].replace("\\-", "-")
        self.assertEqual(set(OPTION.findall(before_examples)), self.options())

    def test_the_page_has_every_option(self) -> None:
        text = (SOURCE / "docs" / "sample.md").read_text("utf-8")
        self.assertEqual(self.options() - set(OPTION.findall(text)),
                         {"--help", "--version"})
