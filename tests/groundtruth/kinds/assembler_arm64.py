# SPDX-License-Identifier: GPL-2.0-or-later
#
# The texts of assembler.py for arm64.  The number is in x0; what a function knows of its
# path stays in x1.  All else that is used need not be preserved.

"""Functions in arm64's assembler."""

from __future__ import annotations

HEAD = """\
#include "functions.h"

#define ENTERED(F) truth_entered + 8 * F
#define ARC(F, G) truth_arcs + 8 * (F * TRUTH_CALLEES + G)

#define ADDRESS(REGISTER, PLACE) \\
   adrp REGISTER, PLACE; \\
   add REGISTER, REGISTER, :lo12:PLACE
#define COUNT_BY(PLACE, HOW) \\
   ADDRESS(x9, PLACE); \\
   ldr x10, [x9]; \\
   HOW x10, x10, 1; \\
   str x10, [x9]
#define COUNT(PLACE) COUNT_BY(PLACE, add)
#define THREAD_ADDRESS(REGISTER, PLACE) \\
   adrp REGISTER, :gottprel:PLACE; \\
   ldr REGISTER, [REGISTER, :gottprel_lo12:PLACE]; \\
   add REGISTER, REGISTER, x12

   /* As truth_enter() of truth.h, for flat paths alone and a single thread: what it
      returns is in x1.  */
   .macro enter_function number
   COUNT(ENTERED(\\number))
   mrs x12, tpidr_el0
   THREAD_ADDRESS(x13, truth_calling)
   THREAD_ADDRESS(x14, truth_calling_frame)
   ldr x2, [x13]
   lsr x2, x2, 17
   ldr x3, [x14]
   mov x4, sp
   cmp x3, x4
   b.ne 2f
   lsr x2, x2, 17
2: and x2, x2, 0x1ffff
   str xzr, [x13]
   str xzr, [x14]
   lsl x5, x2, 16
   mov x6, \\number + 1
   add x5, x5, x6
   movz x7, 0x7c15
   movk x7, 0x7f4a, lsl 16
   movk x7, 0x79b9, lsl 32
   movk x7, 0x9e37, lsl 48
   mul x7, x7, x5
   lsr x7, x7, 48
   ADDRESS(x8, truth_flat_paths)
   mov x15, 64
3: subs x15, x15, 1
   b.mi 6f
   add x16, x8, x7, lsl 4
   ldr x17, [x16]
   cbnz x17, 4f
   str x5, [x16]
   mov x17, x5
4: cmp x17, x5
   b.eq 5f
   add x7, x7, 1
   and x7, x7, 0xffff
   b 3b
6: ADDRESS(x16, truth_flat_paths_lost)
   mov w17, 1
   strb w17, [x16]
   mov x1, 0
   b 7f
5: ldr x17, [x16, 8]
   add x17, x17, 1
   str x17, [x16, 8]
   add x1, x7, 1
   lsl x1, x1, 17
   orr x1, x1, x2, lsl 34
7:
   .endm

   /* As TRUTH_LEAVE_PATH(), with the stack pointer so far below the function's frame.  */
   .macro leave_path below=0
   mrs x12, tpidr_el0
   THREAD_ADDRESS(x13, truth_calling)
   THREAD_ADDRESS(x14, truth_calling_frame)
   add x11, sp, \\below
   str x1, [x13]
   str x11, [x14]
   .endm

   .section .note.GNU-stack, "", %progbits
   .text
"""

BEGIN = """\
   .globl {name}
   .type {name}, %function
   .p2align 2
{name}:
   .cfi_startproc
   enter_function fn_{name}
"""

END = """\
   .cfi_endproc
   .size {name}, . - {name}
"""

RETURN_WHEN_DONE = """\
   subs x0, x0, {step}
   b.gt 1f
   ret
1:
"""

# A call in between.
CALL = """\
   stp x29, x30, [sp, -32]!
   .cfi_adjust_cfa_offset 32
   .cfi_rel_offset 29, 0
   .cfi_rel_offset 30, 8
   stp x0, x1, [sp, 16]
   lsr x0, x0, {shift}
   leave_path 32
   COUNT(ARC(fn_{name}, fn_{callee}))
   bl {callee}
   ldp x0, x1, [sp, 16]
   ldp x29, x30, [sp], 32
   .cfi_adjust_cfa_offset -32
   .cfi_restore 29
   .cfi_restore 30
"""

RUN_ON = """\
   leave_path
   COUNT(ARC(fn_{name}, fn_{callee}))
"""

JUMP = RUN_ON + "   b {callee}\n"

# Counted before it is known whether the jump is taken.
CONDITIONAL = """\
   leave_path
   COUNT(ARC(fn_{name}, fn_{callee}))
   tst x0, {bit}
   b.{sense} {callee}
   COUNT_BY(ARC(fn_{name}, fn_{callee}), sub)
"""

SENSES = ("eq", "ne")

# A table of pairs: where to, and what to count.
BY_TABLE = """\
   leave_path
   ADDRESS(x3, table_{name})
   and x4, x0, {mask}
   add x3, x3, x4, lsl 4
   ldr x5, [x3, 8]
   ldr x6, [x5]
   add x6, x6, 1
   str x6, [x5]
   {jump}
"""

# A return that is used as a jump: there is nothing to push for it.
BY_PUSH = """\
   leave_path
   COUNT(ARC(fn_{name}, fn_{callee}))
   ADDRESS(x3, {callee})
   ret x3
"""

TABLE_JUMPS = (
    "ldr x16, [x3]; br x16",
    "ldr x9, [x3]; br x9",
    "ldp x17, x5, [x3]; br x17",
    "ldr x3, [x3]; ret x3",
)
