# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes functions in x86-64 assembler that count their calls, where no compiler can be
# made to use a certain jump.
#
# Owns: the counting in assembler, and the ways to leave a function for another one.  The
# functions take a number in %rdi, count it down, and return when it is used up; so they
# may go to each other in any order.  Each returns the number that is left.

"""Assembler functions that call and jump to each other."""

from __future__ import annotations

import random
from typing import Sequence

HEAD = """\
#include "functions.h"

#define ENTERED(F) truth_entered + 8 * F
#define ARC(F, G) truth_arcs + 8 * (F * TRUTH_CALLEES + G)

   .section .note.GNU-stack, "", @progbits
   .text
"""

BEGIN = """\
   .globl {name}
   .type {name}, @function
{name}:
   .cfi_startproc
   lock incq ENTERED(fn_{name})(%rip)
"""

END = """\
   .cfi_endproc
   .size {name}, . - {name}
"""

RETURN_WHEN_DONE = """\
   sub ${step}, %rdi
   jg 1f
   mov %rdi, %rax
   ret
1:
"""

# A call in between, with the stack as the ABI wants it.
CALL = """\
   push %rdi
   .cfi_adjust_cfa_offset 8
   {shift}
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   call {callee}
   pop %rdi
   .cfi_adjust_cfa_offset -8
"""

JUMP = """\
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   jmp {callee}
"""

# Counted before it is known whether the jump is taken: what is counted sets the flags.
CONDITIONAL = """\
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   test ${bit}, %dil
   j{sense} {callee}
   lock decq ARC(fn_{name}, fn_{callee})(%rip)
"""

# A table of pairs: where to, and what to count.
BY_TABLE = """\
   lea table_{name}(%rip), %rax
   mov %rdi, %rcx
   and ${mask}, %ecx
   shl $4, %rcx
   mov 8(%rax, %rcx), %rdx
   lock incq (%rdx)
   {jump}
"""

BY_PUSH = """\
   lea {callee}(%rip), %rax
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   push %rax
   .cfi_adjust_cfa_offset 8
   ret
   .cfi_adjust_cfa_offset -8
"""

TABLE_JUMPS = (
    "jmp *(%rax, %rcx)",
    "mov (%rax, %rcx), %rax; jmp *%rax",
    "mov (%rax, %rcx), %r11; notrack jmp *%r11",
    "pushq (%rax, %rcx); ret",
)


def table(name: str, callees: Sequence[str]) -> str:
    rows = "".join(
        f"   .quad {callee}, ARC(fn_{name}, fn_{callee})\n" for callee in callees
    )
    return (
        f'   .section .data.rel.ro, "aw"\n   .p2align 4\n'
        f"table_{name}:\n{rows}   .text\n"
    )


def jump(
    random_: random.Random, name: str, others: Sequence[str], ways: Sequence[str]
) -> tuple[str, str]:
    """Leave `name` for one of the others: the code, and a table that it needs."""
    way = random_.choice(list(ways))
    callee = random_.choice(list(others))
    if way == "table":
        count = random_.choice((2, 4))
        callees = [random_.choice(list(others)) for _ in range(count)]
        code = BY_TABLE.format(
            name=name, mask=count - 1, jump=random_.choice(TABLE_JUMPS)
        )
        return code, table(name, callees)
    if way == "push":
        return BY_PUSH.format(name=name, callee=callee), ""
    code = ""
    if way == "conditional":
        code = CONDITIONAL.format(
            name=name,
            callee=callee,
            bit=random_.choice((1, 2, 4, 8)),
            sense=random_.choice(("z", "nz")),
        )
    return code + JUMP.format(name=name, callee=random_.choice(list(others))), ""


def call(random_: random.Random, name: str, callees: Sequence[str]) -> str:
    """A call with half of what is left, or less."""
    return CALL.format(
        name=name,
        callee=random_.choice(list(callees)),
        shift=f"shr ${random_.randint(1, 4)}, %rdi",
    )


def function(name: str, body: str, following: str = "") -> str:
    """A whole function.  With `following`, it runs off its end into that one."""
    end = f"   lock incq ARC(fn_{name}, fn_{following})(%rip)\n" if following else ""
    return BEGIN.format(name=name) + body + end + END.format(name=name)
