# SPDX-License-Identifier: GPL-2.0-or-later
"""Which columns there are, and the command lines that they stand for."""

from __future__ import annotations

import unittest
from pathlib import Path

from tests.bench.columns import (
    ASKS,
    BASE,
    NEVER,
    OFF,
    PAIRS,
    PLAIN,
    REAL,
    SETS,
    SUITES,
    columns_of,
    sets_for,
)

OF_OURS_ALONE = ("tree", "cycles", "suites", "warm")  # which stock cannot do


class Columns(unittest.TestCase):
    def test_the_base_comes_first_and_each_once(self) -> None:
        keys = [column.key for column in columns_of(["ir", "off"], with_ours=True)]
        self.assertEqual(keys, ["none", "stock-ir", "ours-ir", "ours-off", "stock-off"])
        every = [column.key for column in columns_of(list(SETS), with_ours=True)]
        self.assertEqual(len(every), len(set(every)))

    def test_without_our_launcher_only_the_others_remain(self) -> None:
        keys = [column.key for column in columns_of(["ir", "cache"], with_ours=False)]
        self.assertEqual(keys, ["none", "stock-ir", "stock-cache"])

    def test_stock_and_ours_get_the_same_options(self) -> None:
        for name, columns in SETS.items():
            by_key = {column.key: column for column in columns}
            stock_keys = [key for key in by_key if key.startswith("stock")]
            self.assertEqual(bool(stock_keys), name not in OF_OURS_ALONE)
            for key in stock_keys:
                stock, ours = by_key[key], by_key[key.replace("stock", "ours")]
                self.assertEqual(stock.options, ours.options)
                self.assertNotEqual(stock.ours, ours.ours)

    def test_kinds_of_workloads_have_their_sets(self) -> None:
        self.assertEqual(sets_for(ASKS), ["runner"])
        self.assertEqual(sets_for(NEVER), ["native", "runner", "warm"])
        self.assertEqual(sets_for(REAL), ["real"])
        self.assertEqual(sets_for(PAIRS), ["pairs"])
        self.assertEqual(sets_for(SUITES), ["suites"])
        own = ("runner", "native", "warm", "real", "pairs", "suites")
        self.assertEqual(sets_for(PLAIN), [name for name in SETS if name not in own])
        for name, columns in SETS.items():
            for column in columns:
                for kind in (PLAIN, ASKS, NEVER, REAL, PAIRS, SUITES):
                    self.assertTrue(BASE.suits(kind))
                    self.assertEqual(column.suits(kind), name in sets_for(kind))

    def test_what_asks_itself_is_to_be_counted_and_what_never_asks_is_not(self) -> None:
        for name in ("runner", "pairs"):
            for column in SETS[name]:
                self.assertIn(OFF, column.options)
        column = SETS["runner"][1]
        for kind in (ASKS, NEVER):
            self.assertEqual(column.of(kind).counts, kind == ASKS)
        self.assertIs(BASE.of(ASKS), BASE)
        self.assertTrue(SETS["warm"][0].of(NEVER).counts)


class CommandLine(unittest.TestCase):
    def test_of_the_base_asks_for_no_profile(self) -> None:
        command = BASE.command(Path("/usr/bin/valgrind"), Path("/tmp/x"))
        self.assertEqual(command, ["/usr/bin/valgrind", "-q", "--tool=none"])

    def test_of_a_profiler_writes_into_the_folder_of_the_run(self) -> None:
        command = SETS["ir"][2].command(Path("vg-in-place"), Path("/tmp/x"))
        self.assertEqual(command, [
            "vg-in-place", "-q", "--tool=callgrind",
            "--callgrind-out-file=/tmp/x/profile.%p", "--instr-atstart=no",
        ])

    def test_without_valgrind_has_no_words(self) -> None:
        command = SETS["native"][0].command(Path("/usr/bin/valgrind"), Path("/tmp/x"))
        self.assertEqual(command, [])

    def test_of_a_suite_starts_the_gate_beside_the_launcher(self) -> None:
        command = SETS["suites"][0].command(Path("/b/vg-in-place"), Path("/tmp/x"))
        self.assertEqual(command, [
            "/b/callgrind_gate", "run", "--suite=suite",
            "--output=/tmp/x/ours-suite-cold.run", "--json=/tmp/x/gate.json",
            "--option=--translation-cache=/tmp/x/ours-suite-cold.translations", "--",
        ])

    def test_leaves_no_placeholder(self) -> None:
        for column in columns_of(list(SETS), with_ours=True):
            words = column.command(Path("v"), Path("/tmp/x"))
            self.assertNotIn("{", "".join(words))
