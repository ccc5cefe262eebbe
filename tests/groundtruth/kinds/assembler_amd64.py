# SPDX-License-Identifier: GPL-2.0-or-later
#
# The texts of assembler.py for amd64.  The number is in %rdi; what a function knows of
# its path stays in %rsi.

"""Functions in amd64's assembler."""

from __future__ import annotations

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
   shr ${shift}, %rdi
   leave_path
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   call {callee}
   pop %rdi
   pop %rdi
   pop %rsi
   .cfi_adjust_cfa_offset -24
"""

RUN_ON = """\
   leave_path
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
"""

JUMP = RUN_ON + "   jmp {callee}\n"

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

SENSES = ("z", "nz")
