# SPDX-License-Identifier: GPL-2.0-or-later
#
# The texts of rewritten.py for arm64: code that the program makes, and functions with a
# call or a jump that it changes.

"""Machine code that arm64 programs rewrite."""

from __future__ import annotations

# As the architecture wants it before written code is executed.  Without a call: libgcc's
# function for this would be one of the program's.
MADE_CODE = """\
#define MADE_CODE(FROM, TO)                                                           \\
   do {                                                                               \\
      uintptr_t from_ = (uintptr_t)(FROM) & ~(uintptr_t)15, to_ = (uintptr_t)(TO);    \\
      for (uintptr_t at_ = from_; at_ < to_; at_ += 16)                               \\
         __asm__ volatile("dc cvau, %0" : : "r"(at_) : "memory");                     \\
      __asm__ volatile("dsb ish" : : : "memory");                                     \\
      for (uintptr_t at_ = from_; at_ < to_; at_ += 16)                               \\
         __asm__ volatile("ic ivau, %0" : : "r"(at_) : "memory");                     \\
      __asm__ volatile("dsb ish\\n\\tisb" : : : "memory");                              \\
   } while (0)
"""
# Of the core's option: the program says itself what it has written, so none is needed.
CHECKS = ("all-non-file", "all", "none")
# Where code may begin in its mapping.
OFFSETS = (0, 16, 4088)

# stp x29, x30, [sp, -16]!; the calls, by movz, three movk and blr x9; ldp x29, x30, [sp],
# 16; ret.
WRITE_CODE = """\
{inline} void write_code(unsigned char* at, const Code* callees, int count)
{{
   unsigned char* begin = at;
   at = put(at, 0xa9bf7bfd, 4);
   for (int i = 0; i < count; i++) {{
      uint64_t callee = (uint64_t)(uintptr_t)callees[i];
      at = put(at, 0xd2800009 | (callee & 0xffff) << 5, 4);
      at = put(at, 0xf2a00009 | (callee >> 16 & 0xffff) << 5, 4);
      at = put(at, 0xf2c00009 | (callee >> 32 & 0xffff) << 5, 4);
      at = put(at, 0xf2e00009 | (callee >> 48 & 0xffff) << 5, 4);
      at = put(at, 0xd63f0120, 4);
   }}
   at = put(at, 0xa8c17bfd, 4);
   at = put(at, 0xd65f03c0, 4);
   MADE_CODE(begin, at);
}}
"""

# The arc that is counted goes where the call goes: both are changed at once.
_COUNTS = """\
   COUNT(ENTERED(fn_{name}))
   ADDRESS(x9, counter_{name})
   ldr x9, [x9]
   ldr x10, [x9]
   add x10, x10, 1
   str x10, [x9]
"""
PATCHED = {
    "call": """\
   .globl {name}, site_{name}
   .type {name}, %function
{name}:
   .cfi_startproc
"""
    + _COUNTS
    + """\
   stp x29, x30, [sp, -16]!
   .cfi_adjust_cfa_offset 16
   .cfi_rel_offset 29, 0
   .cfi_rel_offset 30, 8
site_{name}:
   bl {callee}
   ldp x29, x30, [sp], 16
   .cfi_adjust_cfa_offset -16
   .cfi_restore 29
   .cfi_restore 30
   ret
   .cfi_endproc
   .size {name}, . - {name}
""",
    "jump": """\
   .globl {name}, site_{name}
   .type {name}, %function
{name}:
   .cfi_startproc
"""
    + _COUNTS
    + """\
site_{name}:
   b {callee}
   .cfi_endproc
   .size {name}, . - {name}
""",
}

# Makes the instruction at `site` lead to `to`; what it is, call or jump, stays.
DIRECT = """\
{inline} void write_target(unsigned char* site, unsigned char* to)
{{
   volatile unsigned* word = (volatile unsigned*)site;
   unsigned words = (unsigned)((to - site) / 4) & 0x3ffffff;
   *word = (*word & 0xfc000000) | words;
   MADE_CODE(site, site + 4);
}}
"""
