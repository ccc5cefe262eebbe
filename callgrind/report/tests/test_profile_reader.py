# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the reader makes of every construct of the format, and what it refuses.

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from profile_file.model import (
    FunctionKey,
    FunctionProfile,
    Part,
    Profile,
    SourceKey,
)
from profile_file.reader import Detail, ProfileError, read_profile

DATA = Path(__file__).resolve().parent / "data"
TINY = "/src/tiny"
HEADER = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\nevents: Ir\n"


def read_text(text: str, detail: Detail = Detail.INSTRUCTIONS) -> Profile:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.out"
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return read_profile(path, detail)


def refusal(text: str) -> str:
    try:
        read_text(text)
    except ProfileError as error:
        return f"{error.line}: {error.what}"
    return "accepted"


def named(part: Part, name: str) -> FunctionProfile:
    found = [function for key, function in part.functions.items() if key.name == name]
    assert len(found) == 1, f"{len(found)} functions are called {name}"
    return found[0]


def arcs_of(part: Part) -> dict[tuple[str, str, int], tuple[int, list[int]]]:
    return {
        (arc.caller.name, arc.callee.name, arc.site.line): (arc.count, arc.inclusive)
        for arc in part.arcs()
    }


class ExampleOfTheDescription(unittest.TestCase):
    """The extended example of cl-format, in both of its spellings."""

    def check(self, name: str) -> None:
        part = read_profile(DATA / name).parts[0]
        self.assertEqual(part.header.events, ["Instructions"])
        self.assertEqual(
            set(part.functions),
            {
                FunctionKey("???", "file1.c", "main"),
                FunctionKey("???", "file1.c", "func1"),
                FunctionKey("???", "file2.c", "func2"),
            },
        )
        self.assertEqual(part.sum_of_self_costs(), [820])
        self.assertEqual(
            arcs_of(part),
            {
                ("main", "func1", 16): (1, [400]),
                ("main", "func2", 16): (3, [400]),
                ("func1", "func2", 51): (2, [300]),
            },
        )
        self.assertEqual(
            {arc.callee.name: arc.target.line for arc in part.arcs()},
            {"func1": 50, "func2": 20},
        )

    def test_plain(self) -> None:
        self.check("extended_example.out")

    def test_with_names_and_positions_compressed(self) -> None:
        self.check("extended_example_compressed.out")


class RealFiles(unittest.TestCase):
    """Files that the distribution's callgrind wrote for tiny.c."""

    def test_header(self) -> None:
        header = read_profile(DATA / "tiny_default.out").parts[0].header
        self.assertEqual((header.version, header.creator), ("1", "callgrind-3.19.0"))
        self.assertEqual((header.pid, header.part, header.thread), (4711, 1, None))
        self.assertEqual(header.command, "./tiny")
        self.assertEqual(header.description("Trigger"), "Program termination")
        self.assertEqual(header.description("I1 cache"), "")
        self.assertIsNone(header.description("Weather"))
        self.assertEqual(header.positions, ["line"])
        self.assertEqual((header.summary, header.totals), ([279], [279]))

    def test_costs_by_line_add_up_over_repeated_lines(self) -> None:
        part = read_profile(DATA / "tiny_default.out").parts[0]
        main = part.functions[FunctionKey(TINY, "/src/tiny.c", "main_part")]
        self.assertEqual(main.self_cost, [56])
        self.assertEqual(
            {line: cost for (_, line), cost in main.by_line().items()},
            {11: [4], 12: [1], 13: [17], 14: [30], 15: [1], 16: [3]},
        )

    def test_recursion_levels_are_functions(self) -> None:
        part = read_profile(DATA / "tiny_default.out").parts[0]
        arcs = arcs_of(part)
        self.assertEqual(arcs["factorial", "factorial'2", 3], (3, [111]))
        self.assertEqual(arcs["factorial'2", "factorial'2", 3], (6, [110]))

    def test_relative_and_absolute_positions_say_the_same(self) -> None:
        compressed = read_profile(DATA / "tiny_instr.out", Detail.INSTRUCTIONS)
        plain = read_profile(DATA / "tiny_uncompressed.out", Detail.INSTRUCTIONS)
        self.assertEqual(compressed.parts[0].functions, plain.parts[0].functions)

    def test_instructions_add_up_to_lines(self) -> None:
        fine = read_profile(DATA / "tiny_instr.out", Detail.INSTRUCTIONS).parts[0]
        coarse = read_profile(DATA / "tiny_default.out").parts[0]
        for key, function in coarse.functions.items():
            self.assertEqual(fine.functions[key].by_line(), function.by_line())
        addresses = named(fine, "even'2").by_instruction()
        self.assertEqual(len(addresses), 9)
        self.assertEqual(sum(cost[0] for cost in addresses.values()), 9)

    def test_jumps(self) -> None:
        part = read_profile(DATA / "tiny_instr.out", Detail.INSTRUCTIONS).parts[0]
        jumps = list(named(part, "factorial'2").jumps.values())
        self.assertEqual(
            [(jump.conditional, jump.executed, jump.followed) for jump in jumps],
            [(True, 9, 3), (False, 6, 6)],
        )
        first = jumps[0]
        self.assertEqual(first.target.address - first.site.address, 21)
        self.assertEqual(first.target_function, first.function)

    def test_left_out_costs_are_zero(self) -> None:
        part = read_profile(DATA / "tiny_cache.out").parts[0]
        self.assertEqual(len(part.header.events), 9)
        self.assertEqual(part.sum_of_self_costs(), [279, 93, 66, 4, 1, 4, 4, 1, 4])
        self.assertEqual(named(part, "even'2").self_cost, [9, 3, 2, 0, 0, 0, 0, 0, 0])


class Detailing(unittest.TestCase):
    """How finely costs are kept changes no sum."""

    def test_functions_only(self) -> None:
        fine = read_profile(DATA / "tiny_instr.out", Detail.INSTRUCTIONS).parts[0]
        coarse = read_profile(DATA / "tiny_instr.out", Detail.FUNCTIONS).parts[0]
        self.assertEqual(
            {key: function.self_cost for key, function in fine.functions.items()},
            {key: function.self_cost for key, function in coarse.functions.items()},
        )
        self.assertEqual(named(coarse, "main_part").sources, {})
        self.assertEqual(
            sum(arc.inclusive[0] for arc in fine.arcs()),
            sum(arc.inclusive[0] for arc in coarse.arcs()),
        )

    def test_lines_drop_addresses(self) -> None:
        part = read_profile(DATA / "tiny_instr.out", Detail.LINES).parts[0]
        self.assertEqual(named(part, "main_part").by_instruction(), {})


class SeveralParts(unittest.TestCase):
    def setUp(self) -> None:
        self.profile = read_profile(DATA / "combined.out")

    def test_each_part_has_its_header(self) -> None:
        headers = [part.header for part in self.profile.parts]
        self.assertEqual(
            [(header.part, header.thread) for header in headers], [(1, 1), (2, 2)]
        )
        self.assertEqual(
            [header.description("Trigger") for header in headers],
            ["Client Request: warm up", "Program termination"],
        )
        self.assertEqual(headers[0].description("Spawned pid"), "4712")
        self.assertIsNone(headers[1].description("Spawned pid"))

    def test_process_wide_header_lines_hold_on(self) -> None:
        second = self.profile.parts[1].header
        self.assertEqual((second.pid, second.command), (4711, "./worker --fast"))

    def test_names_live_to_the_end_of_the_file(self) -> None:
        key = FunctionKey("/usr/lib/libjob.so", "job.c", "run'2")
        self.assertEqual(self.profile.parts[0].functions[key].self_cost, [105, 10, 0])
        self.assertEqual(self.profile.parts[1].functions[key].self_cost, [7, 0, 0])

    def test_code_of_another_file_belongs_to_the_function(self) -> None:
        lines = named(self.profile.parts[0], "run'2").by_line()
        self.assertEqual(
            lines,
            {
                ("job.c", 20): [16, 10, 0],
                ("job.h", 3): [80, 0, 0],
                ("job.c", 1): [9, 0, 0],
            },
        )

    def test_target_does_not_move_the_base_of_positions(self) -> None:
        arc = next(self.profile.parts[0].arcs())
        self.assertEqual((arc.site.line, arc.target.line), (12, 20))


class Constructs(unittest.TestCase):
    def test_inlined_functions(self) -> None:
        part = read_profile(DATA / "inlined.out").parts[0]
        main = named(part, "main")
        self.assertEqual(main.by_inlined(), {"": [3], "min<int>": [10]})
        self.assertIn(SourceKey("min.h", "min<int>"), main.sources)
        self.assertEqual(named(part, "helper").by_inlined(), {"": [8]})

    def test_callee_without_file_is_in_the_current_one_fi_included(self) -> None:
        part = read_text(
            HEADER + "fl=a.c\nfn=f\n1 1\nfi=b.h\ncfn=g\ncalls=1 5\n2 3\n"
            "fe=a.c\ncfn=h\ncalls=1 5\n2 3\ntotals: 1\n"
        ).parts[0]
        self.assertEqual([arc.callee.source_file for arc in part.arcs()], ["b.h", "a.c"])

    def test_functions_are_where_they_are_defined(self) -> None:
        """callgrind-exact says so behind fn=, where that is not where the code begins."""
        text = (
            HEADER + "ob=p\nfl=a.c\nfn=main\n1 1\ncfi=b.h\ncfn=f\ncalls=2 5\n1 12\n"
            "\nfl=b.h\nfn=f\n# defined in: /src/a file.c\n5 4\njump=1 6\n5\n"
            "fi=/src/a file.c\n+1 2\ncfi=b.h\ncfn=f\ncalls=1 5\n+1 6\n"
            "\n# a remark\nfn=g\n9 1\ntotals: 8\n"
        )
        f = FunctionKey("p", "/src/a file.c", "f")
        for detail in Detail:
            part = read_text(text, detail).parts[0]
            main, g = FunctionKey("p", "a.c", "main"), FunctionKey("p", "b.h", "g")
            self.assertEqual(list(part.functions), [main, f, g])
            self.assertEqual([function.key for function in part.functions.values()],
                             [main, f, g])
            self.assertEqual({(arc.caller, arc.callee) for arc in part.arcs()},
                             {(main, f), (f, f)})
            self.assertEqual(
                [key.callee for function in part.functions.values()
                 for key in function.arcs], [f, f])
        self.assertEqual(part.functions[f].by_line(),
                         {("b.h", 5): [4], ("/src/a file.c", 6): [2]})
        (key, jump), = part.functions[f].jumps.items()
        self.assertEqual((jump.function, jump.target_function, key[2]), (f, f, f))

    def test_of_two_in_one_place_the_second_stays(self) -> None:
        body = "fn=f\n# defined in: a.c\n1 1\n"
        part = read_text(HEADER + f"fl=a.h\n{body}fl=b.h\n{body}totals: 2\n").parts[0]
        self.assertEqual([key.source_file for key in part.functions], ["a.c", "b.h"])
        part = read_text(
            HEADER + f"fl=a.c\nfn=f\n1 1\nfl=b.h\n{body}totals: 2\n"
        ).parts[0]
        self.assertEqual([key.source_file for key in part.functions], ["a.c", "b.h"])

    def test_definitions_hold_for_their_part(self) -> None:
        part = "fl=a.h\nfn=f\n{}1 1\ntotals: 1\n"
        parts = read_text(
            HEADER + part.format("# defined in: a.c\n")
            + "part: 2\nevents: Ir\n" + part.format("")
        ).parts
        self.assertEqual([key.source_file for part in parts for key in part.functions],
                         ["a.c", "a.h"])

    def test_called_names_hold_for_one_call_only(self) -> None:
        text = (
            "fl=a.c\nfn=f\n1 1\ncob=lib.so\ncfi=b.c\ncfn=g\ncalls=1 1\n1 1\n"
            "cfn=g\ncalls=1 1\n1 1\ntotals: 1\n"
        )
        part = read_text(HEADER + text).parts[0]
        self.assertEqual(
            [arc.callee for arc in part.arcs()],
            [FunctionKey("lib.so", "b.c", "g"), FunctionKey("???", "a.c", "g")],
        )

    def test_function_in_several_blocks_and_call_sites_add_up(self) -> None:
        block = "fl=a.c\nfn=f\n1 2\ncfn=g\ncalls=3 9\n1 40\n"
        part = read_text(HEADER + block + "\n" + block + "totals: 4\n").parts[0]
        self.assertEqual(part.sum_of_self_costs(), [4])
        self.assertEqual(arcs_of(part), {("f", "g", 1): (6, [80])})

    def test_hexadecimal_numbers_anywhere(self) -> None:
        part = read_text(HEADER + "fl=a\nfn=f\n0x10 0xff\n+0x2 1\ntotals: 256\n").parts[0]
        self.assertEqual(named(part, "f").by_line(), {("a", 16): [255], ("a", 18): [1]})

    def test_conditional_jump_as_described_and_as_written(self) -> None:
        for spelling in ("3/9", "9 3"):
            part = read_text(
                HEADER + f"fl=a\nfn=f\n1 2\njcnd={spelling} +4\n+1\n* 1\n" "totals: 3\n"
            ).parts[0]
            (jump,) = named(part, "f").jumps.values()
            self.assertEqual((jump.executed, jump.followed), (9, 3))
            self.assertEqual((jump.site.line, jump.target.line), (2, 5))
            self.assertEqual(named(part, "f").by_line()["a", 2], [1])

    def test_jump_without_a_source_line_stands_at_the_last_cost_line(self) -> None:
        part = read_text(HEADER + "fl=a\nfn=f\n1 2\njump=5 7\n2 1\ntotals: 3\n").parts[0]
        (jump,) = named(part, "f").jumps.values()
        self.assertEqual((jump.site.line, jump.target.line), (1, 7))

    def test_jump_into_another_file(self) -> None:
        part = read_text(
            HEADER + "fl=a\nfn=f\n1 2\njfi=b\njump=5 7\n* \ntotals: 2\n"
        ).parts[0]
        (jump,) = named(part, "f").jumps.values()
        self.assertEqual(jump.target_file, "b")

    def test_line_break_in_a_description(self) -> None:
        """The distribution's callgrind prints the text of DUMP_STATS_AT as it is."""
        part = read_text(
            "desc: Trigger: Client Request: b\nc\n"
            + HEADER.split("\n", 1)[1]
            + "fl=a\nfn=f\n1 1\ntotals: 1\n"
        ).parts[0]
        self.assertEqual(part.header.description("Trigger"), "Client Request: b\nc")

    def test_long_names_of_events(self) -> None:
        part = read_text(
            "event: sysTime : sysTime (elapsed ms)\n"
            + HEADER
            + "fl=a\nfn=f\n1 1\ntotals: 1\n"
        ).parts[0]
        self.assertEqual(part.header.event_names, {"sysTime": "sysTime (elapsed ms)"})

    def test_names_that_are_not_ascii(self) -> None:
        part = read_text(
            HEADER + "fl=\u00e4.c\nfn=(1) gr\u00f6\u00dfe\n1 1\nfn=(1)\n2 1\n"
            "totals: 2\n"
        ).parts[0]
        self.assertEqual(named(part, "gr\u00f6\u00dfe").self_cost, [2])

    def test_names_that_look_compressed_but_are_not(self) -> None:
        part = read_text(HEADER + "fl=a\nfn=(below main)\n1 1\ntotals: 1\n").parts[0]
        self.assertEqual(named(part, "(below main)").self_cost, [1])

    def test_costs_larger_than_64_bits_hold_on(self) -> None:
        part = read_text(
            HEADER + f"fl=a\nfn=f\n1 {2**64 - 1}\n1 1\n" f"totals: {2**64}\n"
        ).parts[0]
        self.assertEqual(named(part, "f").self_cost, [2**64])

    def test_files_of_other_writers_need_no_totals(self) -> None:
        part = read_text("events: Time\nfl=a\nfn=f\n1 5\n").parts[0]
        self.assertIsNone(part.header.totals)

    def test_calls_with_several_costs_add_up(self) -> None:
        part = read_text(
            "events: Ir Dr\nfl=a\nfn=f\n1 1 1\n"
            "cfn=g\ncalls=2 9\n1 5 6\ncfn=g\ncalls=3 +1\n* 7\n"
        ).parts[0]
        self.assertEqual(arcs_of(part), {("f", "g", 1): (5, [12, 6])})
        (arc,) = part.arcs()
        self.assertEqual(arc.target.line, 9)

    def test_hexadecimal_count_of_calls(self) -> None:
        part = read_text(
            "events: Ir\nfl=a\nfn=f\n1 1\ncfn=g\ncalls=0x10 0x9\n0x2 0x20\n"
        ).parts[0]
        self.assertEqual(arcs_of(part), {("f", "g", 2): (16, [32])})

    def test_far_steps_and_steps_by_instruction(self) -> None:
        part = read_text(
            "positions: instr line\nevents: Ir\nfl=a\nfn=f\n"
            "0x1000 1000 1\n+0x10 -500 2\n-0x8 +129 4\n+3 -128 8\n* * 16\n"
        ).parts[0]
        self.assertEqual(
            named(part, "f").by_instruction(),
            {("a", 4096): [1], ("a", 4112): [2], ("a", 4104): [4], ("a", 4107): [24]},
        )
        self.assertEqual(
            named(part, "f").by_line(),
            {("a", 1000): [1], ("a", 500): [2], ("a", 629): [4], ("a", 501): [24]},
        )

    def test_spaces_around_a_name_and_line_ends_of_windows(self) -> None:
        part = read_text(
            "events: Ir\nfl=a\nfn=(1) f\n1 1\ncfn=(1) \ncalls=1 1\n1 5\n"
        ).parts[0]
        self.assertEqual(arcs_of(part), {("f", "f", 1): (1, [5])})
        part = read_text(
            "events: Ir\r\nfl=a\r\nfn=(1) f\r\n1 1\r\n"
            "cfn=(1)\r\ncalls=1 1\r\n1 5\r\n"
        ).parts[0]
        self.assertEqual(arcs_of(part), {("f", "f", 1): (1, [5])})

    def test_progress_is_reported(self) -> None:
        calls: list[int] = []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "long.out"
            path.write_text("events: Ir\nfl=a\nfn=f\n" + "+1 1\n" * 140_000, "utf-8")
            size = path.stat().st_size
            read_profile(path, Detail.LINES, calls.append)
        self.assertGreaterEqual(len(calls), 3)
        self.assertEqual(calls, sorted(calls))
        self.assertEqual(calls[-1], size)


class Refusals(unittest.TestCase):
    """File, line and what is wrong; never a half profile."""

    def test_empty(self) -> None:
        self.assertIn("empty file", refusal(""))
        self.assertIn("-01", refusal(""))

    def test_missing_file(self) -> None:
        with self.assertRaisesRegex(ProfileError, "nowhere.out: No such file"):
            read_profile("nowhere.out")

    def test_folder(self) -> None:
        with self.assertRaisesRegex(ProfileError, "Is a directory"):
            read_profile(DATA)

    def test_foreign(self) -> None:
        self.assertEqual(
            refusal("root:x:0:0:root\n"), "1: not a callgrind profile: 'root:x:0:0:root'"
        )
        self.assertIn("not a callgrind profile", refusal("\x7fELF\x02\x01\n"))
        self.assertIn("not a callgrind profile", refusal("fn=main\n1 2\n"))
        self.assertIn("not a callgrind profile", refusal("# just a comment\n"))

    def test_cut_anywhere(self) -> None:
        """No prefix of a real file passes for a file."""
        whole = (DATA / "tiny_instr.out").read_text("utf-8")
        end = whole.index("totals: ") + len("totals: 279")
        for length in range(end):
            self.assertNotEqual(refusal(whole[:length]), "accepted", f"cut at {length}")

    def test_cut_part_in_the_middle_of_a_file(self) -> None:
        text = (
            HEADER
            + "fl=a\nfn=f\n1 1\n\npart: 2\nevents: Ir\nfl=a\nfn=f\n1 1\ntotals: 1\n"
        )
        self.assertIn("without a 'totals:' line", refusal(text))

    def test_totals_that_do_not_add_up(self) -> None:
        self.assertIn(
            "totals: says [4], but the cost lines add up to [3]",
            refusal(HEADER + "fl=a\nfn=f\n1 3\ntotals: 4\n"),
        )

    def test_calls_without_cost_line(self) -> None:
        self.assertEqual(
            refusal(HEADER + "fl=a\nfn=f\ncfn=g\ncalls=1 2\nfn=h\n"),
            "9: calls= without a cost line after it",
        )

    def test_calls_without_callee(self) -> None:
        self.assertIn(
            "calls= without a cfn=", refusal(HEADER + "fl=a\nfn=f\ncalls=1 2\n1 1\n")
        )

    def test_undefined_name(self) -> None:
        self.assertEqual(
            refusal(HEADER + "fl=a\nfn=(7)\n1 1\n"),
            "6: function name (7) is used before it is defined",
        )

    def test_tables_of_names_are_separate(self) -> None:
        self.assertIn("file name (1)", refusal(HEADER + "fn=(1) f\nfl=(1)\n1 1\n"))

    def test_unknown_line(self) -> None:
        self.assertEqual(
            refusal(HEADER + "fl=a\nfn=f\nweather=fine\n1 1\n"),
            "7: unknown line 'weather=fine'",
        )

    def test_not_a_number(self) -> None:
        self.assertEqual(
            refusal(HEADER + "fl=a\nfn=f\n1 x\n"), "7: expected other numbers in '1 x'"
        )

    def test_too_many_costs(self) -> None:
        self.assertIn(
            "2 costs, but only 1 events", refusal(HEADER + "fl=a\nfn=f\n1 2 3\n")
        )

    def test_too_few_positions(self) -> None:
        text = HEADER + "positions: instr line\nfl=a\nfn=f\n0x10\n"
        self.assertNotEqual(refusal(text), "accepted")

    def test_later_version(self) -> None:
        self.assertIn("version 2", refusal("version: 2\nevents: Ir\n"))

    def test_positions_out_of_order(self) -> None:
        self.assertIn("positions:", refusal("positions: line instr\nevents: Ir\n"))


class LettersThatLookLikeWhiteSpace(unittest.TestCase):
    """The last byte of "\xe0" in UTF-8 is a space in Latin-1, others end lines."""

    def test_they_are_part_of_names(self) -> None:
        for letter in ("\xe0", "\u2505", "\u011c"):
            text = (
                f"# callgrind format\ncreator: callgrind-3.19.0\ncmd: ./{letter}\n"
                f"desc: Note: {letter}\nevents: Ir\nob=o{letter}\nfl=(1) {letter}\n"
                f"fn=(1) {letter}{letter}\n# defined in: d{letter}\n1 2\n"
                f"cfni={letter}\n2 3\ntotals: 5\n"
            )
            part = read_text(text).parts[0]
            self.assertEqual(part.header.command, f"./{letter}")
            self.assertEqual(part.header.descriptions, [("Note", letter)])
            key = FunctionKey(f"o{letter}", f"d{letter}", letter * 2)
            self.assertEqual(list(part.functions), [key])
            self.assertEqual(
                list(part.functions[key].sources),
                [SourceKey(letter, ""), SourceKey(letter, letter)],
            )


class Definitions(unittest.TestCase):
    def test_calls_that_have_one_callee_then_are_added(self) -> None:
        """It was called by its definition, and by where its code begins."""
        part = read_text(
            HEADER + "fl=a.c\nfn=main\n1 1\ncfi=d.c\ncfn=f\ncalls=2 1\n1 10\n"
            "cfi=h.h\ncfn=f\ncalls=3 1\n1 20\nfl=h.h\nfn=f\n# defined in: d.c\n1 4\n"
            "totals: 5\n", Detail.FUNCTIONS
        ).parts[0]  # fmt: skip
        (arc,) = named(part, "main").arcs.values()
        self.assertEqual((arc.callee.source_file, arc.count, arc.inclusive),
                         ("d.c", 5, [30]))  # fmt: skip
