# SPDX-License-Identifier: GPL-2.0-or-later
#
# The unwinder on stacks that a program records of itself: in leaf functions, at each step
# of a frame, with signed return addresses, without rules, and through signal handlers.
# Those of arm64 are fixtures, too, so that every machine tests that unwinder; there they
# are recorded anew.

"""Unwinding recorded stacks."""

from __future__ import annotations

import gzip
import struct
from collections import Counter
from pathlib import Path

from tests.groundtruth.architecture import AMD64, ARM64, target
from tests.runner.series import is_long
from tests.sampler.driving import drive
from tests.sampler.recording import (
    BUILDS,
    CALLERS,
    SIGNED,
    WITH_FRAME,
    Record,
    compile_program,
    expected_callers,
    read_records,
    run_program,
)
from tests.sampler.sampling import SamplerTest

FIXTURES = Path(__file__).resolve().parent / "fixtures" / "arm64"
STACK_POINTER = {AMD64: 7, ARM64: 31}
PROGRAM_COUNTER = {AMD64: 16, ARM64: 32}
LINK = 30  # of arm64
# The size of the first instruction of what signal handlers return to.
SIGNAL_RETURN = {AMD64: 7, ARM64: 4}
WORDS = struct.Struct("<Q")
# Without a signature; and where the code of the fixtures is.
ADDRESS, CODE = (1 << 48) - 1, range(0x400000, 0x410000)

# General registers in the order of the kernel's numbers, by DWARF's.
KERNEL_ORDER = {
    AMD64: [0, 3, 2, 1, 4, 5, 6, 7, 16, *range(8, 16)],
    ARM64: list(range(33)),
}


class RecordedTest(SamplerTest):
    needs_sampling = False

    def unwind(
        self, machine: str, program: Path, record: Record
    ) -> tuple[list[str], str]:
        """The frames, and why they end."""
        stack = self.folder / "stack"
        stack.write_bytes(record.stack)
        registers = " ".join(f"{number:x}" for number in record.registers)
        *frames, end, _ = drive("unwind", program, registers, stack,
                                machine=machine).splitlines()
        return frames, end

    def check(self, machine: str, build: str, program: Path, text: str) -> list[Record]:
        records = read_records(text)
        self.assertEqual(Counter(record.place for record in records),
                         {**dict.fromkeys(CALLERS, 1), "with frame": WITH_FRAME[machine]})
        for number, record in enumerate(records):
            with self.subTest(machine=machine, build=build, place=record.place,
                              number=number):
                self.assertEqual(self.unwind(machine, program, record),
                                 expected_callers(build, record.place))
        self.check_signal_return(machine, program, records[-1])
        return records

    def check_signal_return(self, machine: str, program: Path, record: Record) -> None:
        """Recorded where a handler begins; what it returns to has nearly that state."""
        self.assertEqual(record.place, "handler")
        registers, stack = list(record.registers), record.stack
        if machine == AMD64:
            at, stack = WORDS.unpack_from(stack)[0], stack[8:]
            registers[STACK_POINTER[machine]] += 8
        else:
            at = registers[LINK]
        for distance in (0, SIGNAL_RETURN[machine]):
            registers[PROGRAM_COUNTER[machine]] = at + distance
            with self.subTest(machine=machine, distance=distance):
                self.assertEqual(
                    self.unwind(machine, program, Record("", registers, stack)),
                    (CALLERS["handler"][1:], "whole"))

    def test_this_machine(self) -> None:
        for build, flags in BUILDS[target()].items():
            program = self.folder / build
            compile_program("gcc", flags, program)
            self.check(target(), build, program, run_program(program))

    def test_arm64_from_elsewhere(self) -> None:
        for build in BUILDS[ARM64]:
            text = gzip.decompress((FIXTURES / f"{build}.records.gz").read_bytes())
            program = FIXTURES / f"{build}.elf"
            records = self.check(ARM64, build, program, text.decode("ascii"))
            # The fixtures hold what they are for.
            leaf = next(record for record in records if record.place == "leaf")
            signed = [word for word, in WORDS.iter_unpack(leaf.stack)
                      if word != word & ADDRESS and word & ADDRESS in CODE]
            self.assertEqual(bool(signed), build in SIGNED, build)

    def test_a_cut_stack(self) -> None:
        """Whatever is missing, what is there comes out, and nothing else."""
        text = gzip.decompress((FIXTURES / "protected.records.gz").read_bytes())
        for record in read_records(text.decode("ascii")):
            whole = CALLERS[record.place]
            for size in range(0, len(record.stack), 8 + len(record.stack) // 128 * 8):
                frames, end = self.unwind(ARM64, FIXTURES / "protected.elf",
                                          record._replace(stack=record.stack[:size]))
                self.assertEqual(frames, whole[:len(frames)])
                self.assertEqual(end == "whole", frames == whole, end)

    def test_the_kernels_order_of_registers(self) -> None:
        # What is built for another machine takes longest: in long runs.
        for machine in {target(), ARM64} if is_long() else {target()}:
            order = KERNEL_ORDER[machine]
            bits = [*range(9), *range(16, 24)] if machine == AMD64 else list(range(33))
            registers = struct.pack(f"<{len(order)}Q", *(1000 + bit for bit in bits))
            sample = (struct.pack("<QIIQQQ", 1, 2, 3, 4, 5, 0) + struct.pack("<Q", 2)
                      + registers + struct.pack("<Q", 0))
            path = self.folder / "sample"
            path.write_bytes(struct.pack("<IHH", 9, 2, 8 + len(sample)) + sample)
            said = drive("registers", path, machine=machine).split()
            self.assertEqual(said[0], f"{sum(1 << bit for bit in bits):x}")
            expected = dict(zip(order, bits))
            self.assertEqual([int(word) for word in said[1:]],
                             [1000 + expected[number] for number in range(len(order))])
