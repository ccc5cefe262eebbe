# SPDX-License-Identifier: GPL-2.0-or-later
#
# The texts of moved_returns.py.  The number is in %rdi, and what a function knows of its
# path in %rsi; both are kept in its frame, of which the caller has written the first
# word:
#
#     8(%rbp)   the return address, once it is there
#     (%rbp)    the caller's frame pointer
#     -8(%rbp)  the path
#     -16(%rbp) the number

"""Functions of amd64 that put their return address into a frame made by the caller."""

from __future__ import annotations

BEGIN = """\
   .globl {name}
   .type {name}, @function
{name}:
   enter_function fn_{name}
   popq 8(%rbp)
   lea -{size}(%rbp), %rsp
   mov %rsi, -8(%rbp)
   sub ${step}, %rdi
   mov %rdi, -16(%rbp)
   jg 1f
"""

END = """\
   .size {name}, . - {name}
"""

# Of one value, and of several, which are left on the stack.
RETURNS = (
    """\
   mov -16(%rbp), %rax
   mov %rbp, %rsp
   clc
   pop %rbp
   ret
""",
    """\
   mov -16(%rbp), %rax
   lea 8(%rbp), %rsp
   mov (%rbp), %rbp
   ret
""",
    """\
   mov -16(%rbp), %rax
   mov (%rbp), %rcx
   pushq 8(%rbp)
   mov %rcx, %rbp
   stc
   ret
""",
)

# What the callee's frame takes, with arguments on the stack.
ROOMS = (24, 24, 32, 40, 56, 120)

FRAME = """\
   lea -16(%rsp), %rdx
   sub ${room}, %rsp
   mov %rbp, (%rdx)
   mov %rdx, %rbp
"""

CALLS = (
    "call {callee}",
    "lea {callee}(%rip), %rax; call *%rax",
)

CALL = (
    """\
   mov -16(%rbp), %rdi
   mov -8(%rbp), %rsi
   shr ${shift}, %rdi
"""
    + FRAME
    + """\
   leave_path
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   {call}
   lea -{size}(%rbp), %rsp
"""
)

# The callee aligns its stack, or the caller does.
CALL_C = """\
   mov -16(%rbp), %rdi
   mov -8(%rbp), %rsi
   shr ${shift}, %rdi
   leave_path
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   call {callee}
"""

CALL_C_ALIGNED = """\
   mov -16(%rbp), %rdi
   mov -8(%rbp), %rsi
   shr ${shift}, %rdi
   mov %rsp, %rbx
   and $-16, %rsp
   leave_path
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   call {callee}
   mov %rbx, %rsp
"""

# The return address in one more place, for a moment.
COPY = """\
   pushq 8(%rbp)
   popq %rcx
"""

LOWERS = ("lea 8(%rbp), %rsp", "pushq 8(%rbp)")
JUMPS = (
    "jmp {callee}",
    "lea {callee}(%rip), %rax; jmp *%rax",
)

JUMP = """\
   mov -16(%rbp), %rdi
   mov -8(%rbp), %rsi
   {lower}
   leave_path
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   {jump}
"""

LOAD = "mov own_stack(%rip), %rsp\n   and $-16, %rsp"

ENTER = (
    """\
   .globl {name}
   .type {name}, @function
{name}:
   enter_function fn_{name}
   push %rbp
   push %rbx
   push %r12
   mov %rsp, %r12
   {load}
"""
    + FRAME
    + """\
   leave_path
   lock incq ARC(fn_{name}, fn_{callee})(%rip)
   call {callee}
   mov %r12, %rsp
   pop %r12
   pop %rbx
   pop %rbp
   ret
   .size {name}, . - {name}
"""
)
