# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes functions in x86-64 assembler that count their calls, where no compiler can be
# made to use a certain jump.
#
# Owns: the counting in assembler, and the ways to leave a function for another one.  The
# functions take a number in %rdi, count it down, and return when it is used up; so they
# may go to each other in any order.  Each returns the number that is left.  What they
# know of their path stays in %rsi.

"""Assembler functions that call and jump to each other."""

from __future__ import annotations

import random
from typing import Sequence

HEAD = """\
#include "functions.h"

#define ENTERED(F) truth_entered + 8 * F
#define ARC(F, G) truth_arcs + 8 * (F * TRUTH_CALLEES + G)

   /* As truth_enter() of truth.h, for flat paths alone and a single thread: what it
      returns is in %rsi.  */
   .macro enter_function number
   lock incq truth_entered + 8 * \\number(%rip)
   mov truth_calling@gottpoff(%rip), %r8
   mov truth_calling_frame@gottpoff(%rip), %r9
   mov %fs:(%r8), %rdx
   shr $17, %rdx
   lea 8(%rsp), %rcx
   cmp %fs:(%r9), %rcx
   jne 2f
   shr $17, %rdx
2: and $0x1ffff, %edx
   movq $0, %fs:(%r8)
   movq $0, %fs:(%r9)
   mov %rdx, %r10
   shl $16, %r10
   add $\\number + 1, %r10
   movabs $0x9e3779b97f4a7c15, %rax
   imul %r10, %rax
   shr $48, %rax
   lea truth_flat_paths(%rip), %r11
   mov $64, %r9d
3: dec %r9d
   js 6f
   mov %eax, %ecx
   shl $4, %ecx
   cmpq $0, (%r11, %rcx)
   jne 4f
   mov %r10, (%r11, %rcx)
4: cmp %r10, (%r11, %rcx)
   je 5f
   inc %ax
   jmp 3b
6: movb $1, truth_flat_paths_lost(%rip)
   xor %esi, %esi
   jmp 7f
5: incq 8(%r11, %rcx)
   lea 1(%rax), %rsi
   shl $17, %rsi
   shl $34, %rdx
   or %rdx, %rsi
7:
   .endm

   /* As TRUTH_LEAVE_PATH().  */
   .macro leave_path
   mov truth_calling@gottpoff(%rip), %r8
   mov truth_calling_frame@gottpoff(%rip), %r9
   lea 8(%rsp), %r11
   mov %rsi, %fs:(%r8)
   mov %r11, %fs:(%r9)
   .endm

   .section .note.GNU-stack, "", @progbits
   .text
"""

BEGIN = """\
   .globl {name}
   .type {name}, @function
{name}:
   .cfi_startproc
   enter_function fn_{name}
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
   push %rsi
   push %rdi
   push %rdi
   .cfi_adjust_cfa_offset 24
   {shift}
   leave_path
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   call {callee}
   pop %rdi
   pop %rdi
   pop %rsi
   .cfi_adjust_cfa_offset -24
"""

JUMP = """\
   leave_path
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   jmp {callee}
"""

# Counted before it is known whether the jump is taken: what is counted sets the flags.
CONDITIONAL = """\
   leave_path
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   test ${bit}, %dil
   j{sense} {callee}
   lock decq ARC(fn_{name}, fn_{callee})(%rip)
"""

# A table of pairs: where to, and what to count.
BY_TABLE = """\
   leave_path
   lea table_{name}(%rip), %rax
   mov %rdi, %rcx
   and ${mask}, %ecx
   shl $4, %rcx
   mov 8(%rax, %rcx), %rdx
   lock incq (%rdx)
   {jump}
"""

BY_PUSH = """\
   leave_path
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
    end = ""
    if following:
        end = f"   leave_path\n   lock incq ARC(fn_{name}, fn_{following})(%rip)\n"
    return BEGIN.format(name=name) + body + end + END.format(name=name)
