# SPDX-License-Identifier: GPL-2.0-or-later
"""Which columns there are, and the command lines that they stand for."""

from __future__ import annotations

import unittest
from pathlib import Path

from tests.bench.columns import BASE, SETS, columns_of


class Columns(unittest.TestCase):
    def test_the_base_comes_first(self) -> None:
        keys = [column.key for column in columns_of(["ir"], with_ours=True)]
        self.assertEqual(keys, ["none", "stock-ir", "ours-ir", "ours-off"])

    def test_without_our_launcher_only_the_others_remain(self) -> None:
        keys = [column.key for column in columns_of(["ir", "cache"], with_ours=False)]
        self.assertEqual(keys, ["none", "stock-ir", "stock-cache"])

    def test_a_set_named_twice_is_measured_once(self) -> None:
        once = columns_of(["cache"], with_ours=True)
        self.assertEqual(columns_of(["cache", "cache"], with_ours=True), once)

    def test_keys_are_unique(self) -> None:
        keys = [column.key for column in columns_of(list(SETS), with_ours=True)]
        self.assertEqual(len(keys), len(set(keys)))

    def test_stock_and_ours_get_the_same_options(self) -> None:
        for name in SETS:
            by_key = {column.key: column for column in SETS[name]}
            if name in ("tree", "cycles", "warm"):  # which stock cannot do
                self.assertFalse([key for key in by_key if key.startswith("stock")])
                continue
            stock_keys = [key for key in by_key if key.startswith("stock")]
            self.assertTrue(stock_keys)
            for key in stock_keys:
                stock, ours = by_key[key], by_key[key.replace("stock", "ours")]
                self.assertEqual(stock.options, ours.options)
                self.assertNotEqual(stock.ours, ours.ours)


class Runner(unittest.TestCase):
    """The columns that leave instrumentation to the program."""

    def test_are_for_workloads_that_ask_and_for_no_others(self) -> None:
        for name in SETS:
            for column in SETS[name]:
                runs = {asks: column.suits(asks) for asks in (True, False, None)}
                self.assertEqual(runs, {
                    True: name == "runner",
                    False: name in ("runner", "warm"),
                    None: name not in ("runner", "warm", "real", "pairs"),
                }, column.key)
        self.assertTrue(BASE.suits(True) and BASE.suits(None))

    def test_expect_that_to_be_counted_which_is_asked_for(self) -> None:
        column = SETS["runner"][1]
        self.assertIn("--instr-atstart=no", column.options)
        for asks in (True, False):
            self.assertEqual(column.of(asks).counts, asks)
        self.assertIn("profile.%p", " ".join(column.of(True).command(Path("v"), Path())))
        self.assertIs(BASE.of(True), BASE)


class Alone(unittest.TestCase):
    """Sets that have workloads of their own."""

    def test_columns_are_for_these_and_for_no_others(self) -> None:
        for alone in ("real", "pairs"):
            for name in SETS:
                for column in SETS[name]:
                    self.assertEqual(column.suits(None, alone), name == alone, column.key)
            self.assertTrue(BASE.suits(None, alone))

    def test_a_pair_begins_and_ends_with_instrumentation_off(self) -> None:
        for column in SETS["pairs"]:
            self.assertIn("--instr-atstart=no", column.options)


class CommandLine(unittest.TestCase):
    def test_of_the_base_asks_for_no_profile(self) -> None:
        command = BASE.command(Path("/usr/bin/valgrind"), Path("/tmp/x"))
        self.assertEqual(command, ["/usr/bin/valgrind", "-q", "--tool=none"])

    def test_of_a_profiler_writes_into_the_folder_of_the_run(self) -> None:
        column = {column.key: column for column in SETS["ir"]}["ours-off"]
        command = column.command(Path("vg-in-place"), Path("/tmp/x"))
        self.assertEqual(command, [
            "vg-in-place", "-q", "--tool=callgrind",
            "--callgrind-out-file=/tmp/x/profile.%p", "--instr-atstart=no",
        ])

    def test_leaves_no_placeholder(self) -> None:
        for column in columns_of(list(SETS), with_ours=True):
            words = column.command(Path("v"), Path("/tmp/x"))
            self.assertNotIn("{", "".join(words))
