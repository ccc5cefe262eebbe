# SPDX-License-Identifier: GPL-2.0-or-later
#
# The texts of rewritten.py for amd64: code that the program makes, and functions with a
# call or a jump that it changes.

"""Machine code that amd64 programs rewrite."""

from __future__ import annotations

# The processor sees what is written.
MADE_CODE = "#define MADE_CODE(FROM, TO) ((void)(FROM), (void)(TO))\n"
# Of the core's option: which code is compared with what was translated.
CHECKS = ("all-non-file", "all")
# Where code may begin in its mapping.
OFFSETS = (0, 16, 4090)

# sub $8, %rsp; the calls, by movabs and call *%rax; add $8, %rsp; ret.
WRITE_CODE = """\
{inline} void write_code(unsigned char* at, const Code* callees, int count)
{{
   at = put(at, 0x08ec8348, 4);
   for (int i = 0; i < count; i++) {{
      at = put(at, 0xb848, 2);
      at = put(at, (uint64_t)(uintptr_t)callees[i], 8);
      at = put(at, 0xd0ff, 2);
   }}
   at = put(at, 0x08c48348, 4);
   put(at, 0xc3, 1);
}}
"""

# The arc that is counted goes where the call goes: both are changed at once.
PATCHED = {
    "call": """\
   .globl {name}, site_{name}
   .type {name}, @function
{name}:
   .cfi_startproc
   lock incq ENTERED(fn_{name})(%rip)
   sub $8, %rsp
   .cfi_adjust_cfa_offset 8
   mov counter_{name}(%rip), %rax
   lock incq (%rax)
site_{name}:
   call {callee}
   add $8, %rsp
   .cfi_adjust_cfa_offset -8
   ret
   .cfi_endproc
   .size {name}, . - {name}
""",
    "jump": """\
   .globl {name}, site_{name}
   .type {name}, @function
{name}:
   .cfi_startproc
   lock incq ENTERED(fn_{name})(%rip)
   mov counter_{name}(%rip), %rax
   lock incq (%rax)
site_{name}:
   jmp {callee}
   .cfi_endproc
   .size {name}, . - {name}
""",
}

# Makes the instruction at `site` lead to `to`.
DIRECT = """\
{inline} void write_target(unsigned char* site, unsigned char* to)
{{
   *(volatile int*)(site + 1) = (int)(to - (site + 5));
}}
"""
