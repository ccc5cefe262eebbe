# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/instrument/host/patch_points.c: of patch points become the additions
# that the assembler makes, with each register and each kind of displacement; of guarded
# calls, guards, and checks with their arguments, with the call at the end; whatever else
# looks like a patch point is refused, and the arguments of other calls stay where they
# are.

"""Additions to memory, guards and checks, against the assembler."""

from __future__ import annotations

import platform
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.native.building import HERE, SOURCE, build_of

SOURCES = (
    *(HERE / f"{name}.c" for name in ("resolve_patch_points", "fake_core", "fake_tables",
                                      "faults")),
    SOURCE / "callgrind/instrument/host/patch_points.c",
)
REGISTERS = ("rax rcx rdx rbx rsp rbp rsi rdi "
             "r8 r9 r10 r11 r12 r13 r14 r15").split()
DISPLACEMENTS = (0, 1, -1, 8, 127, -128, 128, -129, 0x350, -0x208588, 0x7fffffff)
FIRST, SECOND = 0x5C00006D, 0x5C00016D  # patch points
PIECE = 224  # bytes of code, at most
AMOUNT = 0x12345  # the assembler takes 32 bits for it


def assembled(lines: list[str]) -> list[str]:
    """The code of each line, in hexadecimal digits."""
    with tempfile.TemporaryDirectory() as name:
        source, binary = Path(name, "code.s"), Path(name, "code")
        # Each line is filled up to so many bytes; one in front says how long it is.
        source.write_text("".join(
            f".byte 92f - 91f\n91: {line}\n92: .fill {PIECE - 1} - (92b - 91b)\n"
            for line in lines
        ), encoding="ascii")
        subprocess.run(["gcc", "-c", "-o", f"{binary}.o", source], check=True)
        subprocess.run(["objcopy", "-O", "binary", "-j", ".text", f"{binary}.o", binary],
                       check=True)
        code = binary.read_bytes()
    pieces = [code[at : at + PIECE] for at in range(0, PIECE * len(lines), PIECE)]
    return [piece[1 : 1 + piece[0]].hex() for piece in pieces]


def resolved_within(room: int, cases: list[str]) -> list[str]:
    """What becomes of each case's code, which may take so many bytes more."""
    done = subprocess.run(
        [build_of("resolve_patch_points", *SOURCES)],
        input="".join(f"{room} {case}\n" for case in cases),
        capture_output=True, text=True, check=True,
    )
    return done.stdout.split("\n")[:-1]


@unittest.skipUnless(platform.machine() == "x86_64", "other hosts have no such addition")
class Additions(unittest.TestCase):
    def resolved(self, cases: list[str]) -> list[str]:
        return resolved_within(0, cases)

    def test_they_are_what_the_assembler_makes(self) -> None:
        places = [(at, register) for at in DISPLACEMENTS for register in REGISTERS]
        stores = assembled([f"movq ${FIRST}, {at}(%{name})" for at, name in places])
        wanted = assembled([f"addq ${AMOUNT}, {at}(%{name})" for at, name in places])
        # With what is not a store before and behind.
        cases = [f"90{code}{'cc' * 20} add {place[0]} {AMOUNT}"
                 for code, place in zip(stores, places)]
        self.assertEqual(self.resolved(cases),
                         [f"90{code}{'cc' * 20}" for code in wanted])
        # At the very end of the code.
        cases = [f"{code} add {place[0]} {AMOUNT}" for code, place in zip(stores, places)]
        self.assertEqual(self.resolved(cases), wanted)

    def test_several(self) -> None:
        stores = assembled([f"movq ${FIRST}, 8(%rbx)", f"movq ${SECOND}, (%r13)"])
        wanted = assembled([f"addq ${AMOUNT}, 8(%rbx)", f"addq ${AMOUNT + 1}, (%r13)"])
        additions = f"add 8 {AMOUNT} add 0 {AMOUNT + 1}"
        self.assertEqual(
            self.resolved([f"{''.join(stores)} {additions}",
                           f"{stores[0]} {additions}",
                           f"{stores[1]} {additions}"]),
            ["".join(wanted), "no", "no"],
        )

    def test_what_looks_like_one_is_refused(self) -> None:
        lines = [
            f"movq ${FIRST}, 8(%rbx)",  # twice
            f"movl ${FIRST}, 8(%rbx)",
            f"movl ${FIRST}, %ecx",
            f"addq ${FIRST}, 8(%rbx)",
            f"movq ${FIRST}, 16(%rbx)",
            f"movq ${FIRST}, 8(%rbx,%rcx)",
            f"movq ${FIRST}, 8(%rip)",
            f"movabs ${FIRST << 32}, %rcx",
        ]
        store, *_ = codes = assembled(lines)
        found = self.resolved([f"{store}{code} add 8 {AMOUNT}" for code in codes])
        self.assertEqual(found, ["no"] * len(lines))
        found = self.resolved([f"{code} add 8 {AMOUNT}" for code in codes[1:]])
        self.assertEqual(found, ["no"] * (len(lines) - 1))

    def test_patch_points_that_were_not_given(self) -> None:
        """A number that no patch point of this superblock has is the program's own."""
        store, other = assembled([f"movq ${FIRST}, 8(%rbx)", f"movq ${SECOND}, 8(%rbx)"])
        addition, = assembled([f"addq ${AMOUNT}, 8(%rbx)"])
        self.assertEqual(self.resolved([f"{store}{other} add 8 {AMOUNT}"]),
                         [f"{addition}{other}"])

    def test_what_cannot_be_a_patch_point(self) -> None:
        self.assertEqual(
            self.resolved([f"90 add 8 {0xffffffff}", f"90 add {1 << 31} 1",
                           f"90 add {-(1 << 32)} 1"]),
            ["refused 90"] * 3,
        )


def asking(address: str, loaded: str, value: int, helper: str = "movabs",
           point: int = FIRST) -> list[str]:
    """What VEX makes of a guard: is what is at the patch point `value`?"""
    load = {
        "movabs": "movabsq $0x1234567890, %r11", "movq": "movq $0x58001234, %r11",
        "movl": "movl $0x58001234, %r11d",
    }[helper]
    return [f"movq ${point}, %{address}", f"movq (%{address}), %{loaded}",
            f"cmpq ${value}, %{loaded}", "jz 1f", load, "callq *%r11", "1:"]


def asked(value: int, between: str, helper: str = "movabs") -> list[str]:
    """The guard, with what is behind it."""
    *_, load, call, _ = asking("rax", "rax", 0, helper)
    # The assembler takes a constant of one byte for a small value, and VEX has chosen
    # already.
    compare = f".byte 0x48, 0x81, 0x3c, 0x25; .long {OBJECT}, {value}"
    return [compare, ".byte 0x0f, 0x85; .long 3f - 2f", "2:", between, "3:", load, call,
            ".byte 0xe9; .long 2b - 4f", "4:"]


OBJECT = 0x58123450
BEHIND = "addq $1, (%rbx); movabs $0x123456789a, %rcx; ret"


@unittest.skipUnless(platform.machine() == "x86_64", "other hosts have no such guard")
class Guards(unittest.TestCase):
    def check(self, cases: list[list[str]], wanted: list[list[str]]) -> None:
        codes = assembled(["; ".join([*case, BEHIND]) for case in cases])
        self.assertEqual(
            resolved_within(64, [f"{code} ask {OBJECT} 0" for code in codes]),
            assembled(["; ".join(case) for case in wanted]),
        )

    def test_the_call_goes_to_the_end(self) -> None:
        pairs = [(a, b) for a in REGISTERS for b in REGISTERS if b not in ("rax", "rsp")]
        self.check([asking(a, b, 0x12345) for a, b in pairs],
                   [asked(0x12345, BEHIND)] * len(pairs))

    def test_values_and_helpers(self) -> None:
        cases = [(value, helper) for value in (1, 127, 128, -1, 0x7fffffff)
                 for helper in ("movabs", "movq", "movl")]
        self.check([asking("r9", "r10", *case) for case in cases],
                   [asked(value, BEHIND, helper) for value, helper in cases])

    def test_additions_behind_it_are_found(self) -> None:
        codes = assembled(["; ".join([*asking("rdi", "rsi", 0x12345),
                                      f"movq ${SECOND}, 8(%rbx)"])])
        wanted = assembled(["; ".join(asked(0x12345, f"addq ${AMOUNT}, 8(%rbx)"))])
        self.assertEqual(
            resolved_within(64, [f"{codes[0]} ask {OBJECT} 0 add 8 {AMOUNT}"]), wanted)

    def test_without_room_it_is_refused(self) -> None:
        code, = assembled(["; ".join([*asking("rdi", "rsi", 0x12345), BEHIND])])
        wanted, = assembled(["; ".join(asked(0x12345, BEHIND))])
        growth = (len(wanted) - len(code)) // 2
        case = f"{code} ask {OBJECT} 0"
        self.assertEqual(resolved_within(growth, [case]), [wanted])
        self.assertEqual(resolved_within(growth - 1, [case]), ["no"])

    def test_other_code_is_refused(self) -> None:
        address, load, compare, jump, helper, call, end = asking("rdi", "rsi", 0x12345)
        cases = [
            [f"movl ${FIRST}, %edi", load, compare, jump, helper, call, end],
            [address, "movq 8(%rdi), %rsi", compare, jump, helper, call, end],
            [address, "movl (%rdi), %esi", compare, jump, helper, call, end],
            [address, "movq (%rdx), %rsi", compare, jump, helper, call, end],
            [address, load, "cmpq $0x12345, %rdi", jump, helper, call, end],
            [address, load, "cmpl $0x12345, %esi", jump, helper, call, end],
            [address, load, "subq $0x12345, %rsi", jump, helper, call, end],
            [address, load, compare, "jnz 1f", helper, call, end],
            [address, load, compare, jump, helper, call, "nop", end],
            [address, load, compare, jump, "movl $5, %r10d", call, end],
            [address, load, compare, jump, helper, "call *%r10", end],
            [address, load, compare, jump, "movl $5, %edi", helper, call, end],
        ]
        codes = assembled(["; ".join([*case, BEHIND]) for case in cases])
        self.assertEqual(
            resolved_within(64, [f"{code} ask {OBJECT} 0" for code in codes]),
            ["no"] * len(codes))

    def test_cut_off_it_is_refused(self) -> None:
        code, = assembled(["; ".join(asking("rdi", "rsi", 0x12345))])
        cases = [code[:end] for end in range(14, len(code), 2)]
        self.assertEqual(
            resolved_within(64, [f"{case} ask {OBJECT} 0" for case in cases]),
            ["no"] * len(cases))

    def test_what_cannot_be_asked_about(self) -> None:
        self.assertEqual(
            resolved_within(64, [f"90 ask {1 << 31} 0", f"90 ask {1 << 40} 0",
                                 f"90 ask {OBJECT} {1 << 31}"]),
            ["refused 90"] * 3)

    def test_behind_the_call_counters_are_fetched(self) -> None:
        code, = assembled(["; ".join([*asking("rdi", "rsi", 0x12345), BEHIND])])
        compare, jump, *between, helper, call, back, end = asked(0x12345, BEHIND)
        wanted, = assembled(["; ".join(
            [compare, jump, *between, helper, call, f"movq {WORD}, %r13", back, end])])
        self.assertEqual(resolved_within(64, [f"{code} ask {OBJECT} {WORD}"]), [wanted])


WORD = 0x58123458


@unittest.skipUnless(platform.machine() == "x86_64", "other hosts reserve no registers")
class Reserved(unittest.TestCase):
    # The uses, as host_reserved.h numbers them, each with its place and amount.
    USES = (
        *((0, place, amount, f"addq ${amount}, {place}(%r13)")
          for place in (0, 8, 127, 128, 0x12340) for amount in (1, 127, 128, 0x7fffffff)),
        *((1, place, amount, f"addq ${amount}, {place}(%r14)")
          for place in (0, 8, 64) for amount in (1, 127, 128, 0x7fffffff)),
        (2, WORD, 0, f"movq {WORD}, %r13"),
        (3, WORD, 0, f"cmpq %r13, {WORD}; je 9f; ud2; 9:"),
        (4, WORD, 0, f"cmpq ${WORD}, %r14; je 9f; ud2; 9:"),
    )

    def stores(self, move: str, behind: str = BEHIND) -> list[str]:
        """What VEX makes of the store, by each register."""
        return assembled([f"{move} ${FIRST}, %{name}; movq $1, (%{name}); {behind}"
                          for name in REGISTERS])

    def test_each_use_is_what_the_assembler_makes(self) -> None:
        for move in "movq", "movabsq":
            codes = self.stores(move)
            for use, place, amount, wanted in self.USES:
                self.assertEqual(
                    resolved_within(0, [f"90{code} use {use} {place} {amount}"
                                        for code in codes]),
                    [f"90{code}" for code in assembled([f"{wanted}; {BEHIND}"])]
                    * len(codes),
                    (move, wanted))

    def test_several_one_after_the_other(self) -> None:
        code, = assembled([f"movabsq ${FIRST}, %r10; movq $1, (%r10); "
                           f"movq ${SECOND}, %r8; movq $1, (%r8)"])
        self.assertEqual(resolved_within(0, [f"{code} use 0 8 1 use 1 0 5"]),
                         assembled(["addq $1, 8(%r13); addq $5, (%r14)"]))

    def test_other_code_is_refused(self) -> None:
        codes = assembled([
            f"movq ${FIRST}, %rdi; movq $1, 8(%rdi)",
            f"movq ${FIRST}, %rdi; movq $2, (%rdi)",
            f"movq ${FIRST}, %rdi; movl $1, (%rdi)",
            f"movq ${FIRST}, %rdi; movq $1, (%rsi)",
            f"movq ${FIRST}, %rdi; movq $1, (%r15)",
            f"movq ${FIRST}, %rdi; movq %rax, (%rdi)",
            f"movq ${FIRST}, %rdi; nop; movq $1, (%rdi)",
            f"movabsq ${FIRST | 1 << 32}, %rdi; movq $1, (%rdi)",
            f"movl ${FIRST}, %edi; movq $1, (%rdi)",
        ])
        self.assertEqual(resolved_within(0, [f"{code} use 0 8 1" for code in codes]),
                         ["no"] * len(codes))

    def test_cut_off_it_is_refused(self) -> None:
        code, = assembled([f"movabsq ${FIRST}, %r12; movq $1, (%r12)"])
        cases = [code[:end] for end in range(12, len(code), 2)]
        self.assertEqual(resolved_within(0, [f"{case} use 0 8 1" for case in cases]),
                         ["no"] * len(cases))

    def test_what_cannot_be_a_patch_point(self) -> None:
        self.assertEqual(
            resolved_within(0, [f"90 use 0 {1 << 31} 1", f"90 use 0 8 {1 << 31}"]),
            ["refused 90"] * 2)


VALUE = 0x123456789ABC  # the first argument
MARK = f"movabsq ${0x2D87B44D << 32 | FIRST}, "
JUMP, HELPER, CALL = "jb 1f", "movq $0x58001234, %r11", "callq *%r11"
GUARDED = [JUMP, HELPER, CALL, "1:"]
LIMIT = "cmpq $64, %r9"


def checked(first: list[str], moves: list[str], then: str, condition: int = 0x83) -> str:
    """A check: its comparison and what else is done always, and what before the call."""
    return "; ".join([*first, f".byte 0x0f, {condition}; .long 3f - 2f", "2:", then, "3:",
                      *moves, HELPER, CALL, ".byte 0xe9; .long 2b - 4f", "4:"])


def given(*moves: str) -> list[str]:
    """Moves behind that of the first argument."""
    return [f"movabsq ${VALUE}, %rdi", *moves]


@unittest.skipUnless(platform.machine() == "x86_64", "other hosts have no such check")
class Checks(unittest.TestCase):
    def check(self, cases: list[list[str]], wanted: list[str]) -> None:
        codes = assembled(["; ".join([*case, BEHIND]) for case in cases])
        self.assertEqual(
            resolved_within(64, [f"{code} check {VALUE}" for code in codes]),
            assembled(wanted))

    def check_unchanged(self, cases: list[list[str]]) -> None:
        """But for the argument."""
        point = (0x2D87B44D << 32 | FIRST).to_bytes(8, "little").hex()
        codes = assembled(["; ".join([*case, BEHIND]) for case in cases])
        self.assertEqual(
            resolved_within(64, [f"{code} check {VALUE}" for code in codes]),
            [code.replace(point, VALUE.to_bytes(8, "little").hex()) for code in codes])

    def test_arguments_and_call_go_to_the_end(self) -> None:
        registers = [name for name in REGISTERS
                     if name not in ("rdi", "rsp", "r9", "r15")]
        self.check(
            [[f"{MARK}%{name}", LIMIT, f"movq %{name}, %rdi", "movq %r9, %rsi",
              "movq %r15, %rdx", *GUARDED] for name in registers],
            [checked([LIMIT], given("movq %r9, %rsi", "movq %r15, %rdx"), BEHIND)]
            * len(registers))

    def test_an_argument_that_is_in_its_place(self) -> None:
        self.check([[f"{MARK}%rdi", LIMIT, "movq %r9, %rsi", *GUARDED]],
                   [checked([LIMIT], given("movq %r9, %rsi"), BEHIND)])

    def test_conditions(self) -> None:
        jumps = {"jb": 0x83, "jae": 0x82, "je": 0x85, "jne": 0x84}
        self.check([[f"{MARK}%r8", LIMIT, "movq %r8, %rdi", f"{jump} 1f", *GUARDED[1:]]
                    for jump in jumps],
                   [checked([LIMIT], given(), BEHIND, there) for there in jumps.values()])

    def test_what_is_in_memory_is_compared_there(self) -> None:
        bases = [name for name in REGISTERS if name not in ("rsp", "r12", "r8", "r10")]
        self.check(
            [[f"{MARK}%r10", f"movq -0x89dee0(%{base}), %r8", "cmpq $0, %r8",
              "movq %r10, %rdi", "je 1f", *GUARDED[1:]] for base in bases],
            [checked([f"cmpq $0, -0x89dee0(%{base})"], given(), BEHIND, 0x85)
             for base in bases])

    def test_what_is_needed_later_stays(self) -> None:
        """A register that the call may change is saved, whether it is made or not."""
        before = [f"{MARK}%r10", LIMIT, "movq %r10, %rdi"]
        saved = ["movq %r8, 0xb18(%rbp)", "movq %rdx, %r14", "movq %rcx, 8(%rbp)"]
        self.check(
            [[*before, "movq %r9, %rsi", save, "movq %rbx, %rdx", *GUARDED]
             for save in saved],
            [checked([LIMIT, save], given("movq %r9, %rsi", "movq %rbx, %rdx"), BEHIND)
             for save in saved])

    def test_registers_that_make_room(self) -> None:
        moves = ["movq %rsi, %r10", "movq %r10, %rsi", "movq 0xaf8(%rbp), %rdx"]
        self.check([[f"{MARK}%r8", "cmpq $64, %rsi", "movq %r8, %rdi", *moves, *GUARDED]],
                   [checked(["cmpq $64, %rsi"], given(*moves), BEHIND)])
        # Before the first argument, what was in its register.
        self.check([[f"{MARK}%r8", "cmpq $64, %rsi", "movq %rdi, %r10", "movq %r8, %rdi",
                     "movq %r10, %rdx", *GUARDED]],
                   [checked(["cmpq $64, %rsi"],
                            ["movq %rdi, %r10", *given("movq %r10, %rdx")], BEHIND)])

    def test_an_order_that_matters_is_kept(self) -> None:
        before, first = [f"{MARK}%r10", LIMIT], "movq %r10, %rdi"
        self.check_unchanged([
            [*before, first, "movq %r9, %rsi", "movq %rsi, %r14", *GUARDED],
            [*before, first, "movq %r9, %rsi", "movq %rsi, 8(%rbp)", *GUARDED],
            [*before, first, "movq %r14, %rsi", "movq %rdx, %r14", *GUARDED],
            [*before, first, "movq 8(%rbp), %rsi", "movq %rdx, 8(%rbp)", *GUARDED],
            [*before, first, "movq 8(%rbp), %r14", *GUARDED],
            [*before, first, "movq %rdi, %r14", *GUARDED],
        ])

    def test_other_code_stays_as_it_is(self) -> None:
        before, first = [f"{MARK}%r10", LIMIT], "movq %r10, %rdi"
        self.check_unchanged([
            [*before, *GUARDED],
            [*before, "movq %r10, %rsi", *GUARDED],
            [*before, first, "movq %r10, %rsi", *GUARDED],
            [*before, first, "movq %r10, 8(%rbp)", *GUARDED],
            [*before, first, "movl %r9d, %esi", *GUARDED],
            [*before, first, "movq %rbx, 8(%rax)", *GUARDED],
            [*before, first, "leaq 8(%r9), %rsi", *GUARDED],
            [*before, first, JUMP, HELPER, CALL, "nop", "1:"],
            [*before, first, HELPER, CALL],
            [f"{MARK}%r10", "cmpq $64, %r10", first, *GUARDED],
            [f"{MARK}%r10", "cmpl $64, %r9d", first, *GUARDED],
            [f"{MARK}%r10", "leaq 8(%r9), %rsi", LIMIT, first, *GUARDED],
            [f"{MARK}%r10", "movq 0x1234(%rbx), %r14", "cmpq $0, %r14", first, *GUARDED],
            [f"{MARK}%r10", "movq 0x1234(%rbx), %r8", "cmpq $1, %r8", first, *GUARDED],
            [f"{MARK}%r10", "movq 0x1234(%rbx), %r8", "cmpq $0, %r9", first, *GUARDED],
            [f"{MARK}%r10", "movq 0x1234(%r10), %r8", "cmpq $0, %r8", first, *GUARDED],
            [f"{MARK}%r10", "movq 0x1234(%r12), %r8", "cmpq $0, %r8", first, *GUARDED],
        ])

    def test_several(self) -> None:
        """The calls are put behind each other, and each comes back to its own check."""
        other = FIRST | 1 << 8
        one = [f"{MARK}%r8", "cmpq $1, %rax", "movq %r8, %rdi", *GUARDED]
        two = [f"movabsq ${0x2D87B44D << 32 | other}, %r8", "cmpq $2, %rax",
               "movq %r8, %rdi", *GUARDED]
        code, = assembled(["; ".join(["nop", *one, "inc %rbx", *two, BEHIND])])
        wanted, = assembled(["; ".join([
            "nop; cmpq $1, %rax; .byte 0x0f, 0x83; .long 5f - 1f; 1: inc %rbx",
            "cmpq $2, %rax; .byte 0x0f, 0x83; .long 6f - 2f; 2:", BEHIND,
            "5:", *given(), HELPER, CALL, ".byte 0xe9; .long 1b - 7f; 7:",
            "6:", f"movabsq ${VALUE + 1}, %rdi", HELPER, CALL,
            ".byte 0xe9; .long 2b - 8f; 8:"])])
        self.assertEqual(
            resolved_within(64, [f"{code} check {VALUE} check {VALUE + 1}"]), [wanted])

    def test_without_room_it_stays_as_it_is(self) -> None:
        case = [f"{MARK}%r8", LIMIT, "movq %r8, %rdi", *GUARDED]
        code, = assembled(["; ".join([*case, BEHIND])])
        wanted, = assembled([checked([LIMIT], given(), BEHIND)])
        growth = (len(wanted) - len(code)) // 2
        self.assertEqual(resolved_within(growth, [f"{code} check {VALUE}"]), [wanted])
        without, = resolved_within(growth - 1, [f"{code} check {VALUE}"])
        self.assertEqual(len(without), len(code))

    def test_cut_off(self) -> None:
        """Nothing behind the end is read, or taken for what was there."""
        code, = assembled(["; ".join([f"{MARK}%r8", LIMIT, "movq %r8, %rdi", *GUARDED])])
        cases = [code[:end] for end in range(20, len(code) + 2, 2)]
        found = resolved_within(64, [f"{case} check {VALUE}" for case in cases])
        value = VALUE.to_bytes(8, "little").hex()
        self.assertEqual(found, [case[:4] + value + case[20:] for case in cases])

    def test_a_patch_point_that_is_not_whole_is_refused(self) -> None:
        codes = assembled([f"movabsq ${1 << 32 | FIRST}, %rdi; {BEHIND}",
                           f"movq ${FIRST}, %rdi; {BEHIND}", BEHIND])
        self.assertEqual(resolved_within(64, [f"{code} check {VALUE}" for code in codes]),
                         ["no"] * len(codes))


if __name__ == "__main__":
    unittest.main()
