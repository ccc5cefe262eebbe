# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of what generates and builds programs, without running any: every kind's programs
# are the same each time they are generated, and differ from seed to seed.

"""Tests of the generated programs' generation."""

from __future__ import annotations

import os
import random
import re
import subprocess
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from tests import bare_libc
from tests.groundtruth import building, kinds
from tests.groundtruth import variants
from tests.groundtruth.architecture import AMD64, target
from tests.groundtruth.building import (
    all_texts,
    build,
    digest_of,
    executable_words,
    functions_header,
    tables,
)
from tests.groundtruth.case import Case, CaseError, identifier
from tests.groundtruth.options import Options
from tests.runner.series import TURN_VARIABLE, TURNS
from tests.source_files import files_below

HERE = Path(__file__).resolve().parent

SEEDS = range(12)


def drawn(kind: str, seed: int) -> set[str]:
    """What was drawn for a program, in words; of numbers, that there is one."""
    case = kinds.generate(kind, seed)
    flags, _, shape = case.description.partition(";")
    words = [*re.split(r"[;,]", shape), *case.options]
    words = [re.sub(r"\d+", "N", word.strip()) for word in words]
    sets = f"run with {Options().option_sets(case)}"
    libraries = "libraries" if case.libraries else "no libraries"
    return {*flags.split(), *filter(None, words), sets, libraries}


class KindTests(unittest.TestCase):
    def test_every_module_is_in_the_table_or_helps_one_that_is(self) -> None:
        for kind in kinds.KINDS:
            self.assertTrue((HERE / "kinds" / f"{kind}.py").is_file(), kind)
            self.assertTrue(kinds.describe(kind), kind)
        for path in files_below(HERE / "kinds"):
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
        names = ["main", "f(int)", "qsort"]
        places = [tables(case).index(f'   .asciz "{name}"') for name in names]
        self.assertEqual(places, sorted(places))
        self.assertIn(f".comm truth_arcs, {2 * 3 * 8}, 32", tables(case))

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
    def test_the_default_is_at_least_150_programs_of_all_kinds(self) -> None:
        chosen = Options().programs()
        self.assertGreaterEqual(len(chosen), 150)
        self.assertEqual({kind for kind, _ in chosen}, set(kinds.KINDS))
        self.assertEqual(len(set(chosen)), len(chosen))

    @unittest.skipIf(target() != AMD64, "other programs are drawn here")
    @mock.patch.object(variants, "is_installed", lambda program: True)
    def test_a_short_run_has_all_that_is_drawn_for_a_long_one(self) -> None:
        for kind in kinds.KINDS:
            with self.subTest(kind=kind):
                words = {seed: drawn(kind, seed) for seed in kinds.seeds(kind, True)}
                short = [words.pop(seed) for seed in kinds.seeds(kind, False)]
                missing = set().union(*words.values()) - set().union(*short)
                self.assertEqual(missing, set())

    def test_a_long_run_has_more(self) -> None:
        short, long = Options().programs(), self.long_run("")
        self.assertLess(set(short), set(long))
        self.assertGreaterEqual(len(long), 250)
        self.assertLess(len(short), 200)

    def test_each_program_has_its_turn(self) -> None:
        turns = [set(self.long_run(str(turn))) for turn in range(TURNS)]
        self.assertEqual(set.union(*turns), set(self.long_run("")))
        self.assertEqual(set.intersection(*turns), set(Options().programs()))

    def long_run(self, turn: str) -> list[tuple[str, int]]:
        with mock.patch.dict(os.environ, {TURN_VARIABLE: turn}):
            return Options(long=True).programs()

    def test_seeds_are_spread_over_all_kinds(self) -> None:
        count = 3 * len(kinds.KINDS) + 1
        chosen = Options(seeds=count, first=100).programs()
        self.assertEqual(len(chosen), count)
        self.assertEqual(min(seed for _, seed in chosen), 100)
        self.assertEqual(max(seed for _, seed in chosen), 103)

    def test_one_program(self) -> None:
        self.assertEqual(Options(kinds=["plain"], seed=[7]).programs(), [("plain", 7)])

    def test_each_is_run_with_its_call_tree_and_one_in_four_checked(self) -> None:
        for seed in range(8):
            case = kinds.generate("plain", seed)
            sets = Options().option_sets(case)
            for options in sets:
                self.assertEqual("--call-tree=yes" in options, True)
                self.assertEqual("--ct-check=all" in options, seed % 4 == 0)
            both = Options(check=True).option_sets(case)
            checked = ["--ct-check=all" in each for each in both]
            self.assertEqual(checked, [False, False, True, True])
            self.assertEqual(Options(tool="stock").option_sets(case), [[]])

    def test_one_in_three_has_flat_tail_calls_too_and_what_has_tail_calls_always(
        self,
    ) -> None:
        for kind, share in (("plain", 3), ("tail_calls", 1)):
            for seed in range(6):
                sets = Options().option_sets(kinds.generate(kind, seed))
                flat = ["--tail-calls=flat" in each for each in sets]
                self.assertEqual(flat, [False, True] if seed % share == 0 else [False])


class BuildingTests(unittest.TestCase):
    """Programs are built anew as soon as something that they are made of has changed."""

    def setUp(self) -> None:
        shared = tempfile.TemporaryDirectory()
        self.addCleanup(shared.cleanup)
        self.shared = Path(shared.name)

    def digest(self, case: Case) -> str:
        words = executable_words(case, Path("truth.o"), self.shared)
        return digest_of(words, all_texts(case))

    def test_all_but_the_first_of_a_kind_have_a_libc_without_lines(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            linked = bare_libc.link_words(Path(name))
            if not linked:
                self.skipTest("the C library's debug information is not installed")
            for seed in range(4):
                case = replace(kinds.generate("plain", 1), seed=seed, link_flags=[])
                words = executable_words(case, Path("truth.o"), Path(name))
                self.assertEqual([word in words for word in linked], [seed > 1] * 2)
            for copy in Path(name).glob("libc-*/*.so.?"):
                said = subprocess.run(["readelf", "-SW", copy, f"{copy}.symbols"],
                                      capture_output=True, text=True, check=True).stdout
                self.assertIn(".symtab", said)
                self.assertNotIn("build-id", said.split("File:")[1])
                self.assertNotIn(".debug_line", said)

    def test_the_digest_is_of_texts_flags_and_compiler(self) -> None:
        case = kinds.generate("plain", 1)
        digests = [
            self.digest(each)
            for each in (
                case,
                kinds.generate("plain", 2),
                replace(case, flags=[*case.flags, "-O3"]),
                replace(case, compiler="cc"),
                replace(case, functions=[*case.functions, "more"]),
                replace(case, sources={**case.sources, "main.c": ""}),
            )
        ]
        self.assertEqual(len(set(digests)), len(digests))
        self.assertEqual(self.digest(case), digests[0])

    def test_the_digest_is_of_the_packages(self) -> None:
        case = kinds.generate("plain", 1)
        before = self.digest(case)
        with mock.patch.object(building, "packages_stamp", lambda: [1, 2, 3]):
            self.assertNotEqual(self.digest(case), before)

    def test_what_is_built_is_used_again(self) -> None:
        case = Case("test", 1, {"main.c": "int main(void) { return 0; }"}, ["main"])
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)

            def built() -> int:
                return build(case, folder, folder).executable.stat().st_mtime_ns

            first = built()
            self.assertEqual(built(), first)
            with mock.patch.dict("os.environ", CT_FRESH="1"):
                again = built()
            self.assertNotEqual(again, first)
            (folder / "made-of").write_text("something else")
            self.assertNotEqual(built(), again)
