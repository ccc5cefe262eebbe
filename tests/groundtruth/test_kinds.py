# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of what generates and builds programs, without running any: every kind's programs
# are the same each time they are generated, and differ from seed to seed.

"""Tests of the generated programs' generation."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import random
import sys
import unittest
from pathlib import Path
from types import ModuleType

from tests.groundtruth import kinds
from tests.groundtruth import variants
from tests.groundtruth.building import functions_header
from tests.groundtruth.case import Case, CaseError, identifier

HERE = Path(__file__).resolve().parent

SEEDS = range(12)


def load_driver() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("groundtruth_run", str(HERE / "run"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


class KindTests(unittest.TestCase):
    def test_every_module_is_in_the_table_or_helps_one_that_is(self) -> None:
        for kind in kinds.KINDS:
            self.assertTrue((HERE / "kinds" / f"{kind}.py").is_file(), kind)
            self.assertTrue(kinds.describe(kind), kind)
        for path in (HERE / "kinds").glob("*.py"):
            text = path.read_text(encoding="utf-8")
            if "\ndef generate(random_" in text:
                self.assertIn(path.stem, kinds.KINDS)

    def test_a_seed_is_one_program(self) -> None:
        for kind in kinds.KINDS:
            for seed in SEEDS:
                with self.subTest(kind=kind, seed=seed):
                    self.assertEqual(
                        kinds.generate(kind, seed), kinds.generate(kind, seed)
                    )

    def test_seeds_differ(self) -> None:
        for kind in kinds.KINDS:
            with self.subTest(kind=kind):
                texts = {str(kinds.generate(kind, seed)) for seed in SEEDS}
                self.assertEqual(len(texts), len(SEEDS))

    def test_programs_name_themselves_and_what_they_call(self) -> None:
        for kind in kinds.KINDS:
            for seed in SEEDS:
                case = kinds.generate(kind, seed)
                with self.subTest(kind=kind, seed=seed):
                    self.assertEqual((case.kind, case.seed), (kind, seed))
                    self.assertTrue(case.functions)
                    self.assertTrue(case.sources)
                    functions_header(case)


class HeaderTests(unittest.TestCase):
    def test_numbers_are_in_the_order_of_the_names(self) -> None:
        case = Case("test", 1, {}, ["main", "f(int)"], outside={"qsort": ["q*"]})
        text = functions_header(case)
        self.assertIn("#define fn_main 0\n#define fn_f_int 1\n#define out_qsort 2", text)
        self.assertIn("#define TRUTH_FUNCTIONS 2\n#define TRUTH_CALLEES 3", text)
        self.assertIn('"main", \\\n   "f(int)", \\\n   "qsort"', text)

    def test_names_that_cannot_be_told_apart_are_refused(self) -> None:
        with self.assertRaises(CaseError):
            functions_header(Case("test", 1, {}, ["f(int)", "f int"]))

    def test_identifiers(self) -> None:
        for name, word in (
            ("f", "f"),
            ("_exit", "_exit"),
            ("yield_", "yield_"),
            ("ns::f(int, char*)", "ns_f_int_char"),
        ):
            self.assertEqual(identifier(name), word)


class VariantTests(unittest.TestCase):
    def test_what_a_kind_forbids_is_not_drawn(self) -> None:
        for seed in range(60):
            variant = variants.draw(
                random.Random(seed), levels=("-O2",), may_be_static=False
            )
            self.assertIn("-O2", variant.flags)
            self.assertFalse(variant.is_static)

    def test_all_is_drawn_at_some_time(self) -> None:
        words = " ".join(
            variants.draw(random.Random(seed)).description for seed in range(200)
        )
        for word in (*variants.LEVELS, "-static", "-pie", "-no-pie", "-z,now", "gcc"):
            self.assertIn(word, words)


class SelectionTests(unittest.TestCase):
    def setUp(self) -> None:
        self.driver = load_driver()

    def chosen(self, *arguments: str) -> list[tuple[str, int]]:
        options = self.driver.parse_arguments(["--launcher", "/bin/true", *arguments])
        chosen: list[tuple[str, int]] = self.driver.choose(options)
        return chosen

    def test_the_default_is_at_least_150_programs_of_all_kinds(self) -> None:
        chosen = self.chosen()
        self.assertGreaterEqual(len(chosen), 150)
        self.assertEqual({kind for kind, _ in chosen}, set(kinds.KINDS))
        self.assertEqual(len(set(chosen)), len(chosen))

    def test_a_number_of_seeds_is_shared_out(self) -> None:
        count = 3 * len(kinds.KINDS) + 1
        chosen = self.chosen("--seeds", str(count), "--first", "100")
        self.assertEqual(len(chosen), count)
        self.assertEqual(min(seed for _, seed in chosen), 100)
        self.assertEqual(max(seed for _, seed in chosen), 103)

    def test_one_program(self) -> None:
        self.assertEqual(self.chosen("--kind", "pla*", "--seed", "7"), [("plain", 7)])
