/* SPDX-License-Identifier: GPL-2.0-or-later

   How the host adds a constant to memory; see patch_points.h.  On amd64 a store of a
   constant (C7 /0) becomes an addition (81 /0): both take a constant of 32 bits, which is
   extended by its sign, and address memory alike.  The facts are the Intel manual's,
   volume 2, chapter 2 and the entries of MOV and ADD.  */

#ifndef CALLGRIND_HOST_ADDITIONS_H
#define CALLGRIND_HOST_ADDITIONS_H

#include "core_version.h"

/* HOST_HAS_ADDITION: is there such an instruction?

   host_addition_make(code, at, displacement, amount)
      the constant at `code` + `at` is that of a store of 64 bits at a register and
      `displacement`: makes it an addition of `amount`.  False if there is no such
      store  */

#if defined(VGA_amd64)

#define HOST_HAS_ADDITION True

/* As host_addition_make(), if the displacement takes so many bytes, and there is a byte
   (`has_sib`) that says which register: it is %rsp or %r12 then.  */
static inline Bool host_addition_make_from(UChar* code, UInt at, Int displacement,
                                           UInt size, Bool has_sib, UInt amount)
{
   const UInt mode = size == 4 ? 2 : size, length = 2 + (has_sib ? 1 : 0) + size;
   if (at < length + 1)
      return False;
   UChar* opcode = code + at - length;
   const UChar rex = opcode[-1], registers = opcode[1];
   Bool is_store = (rex == 0x48 || rex == 0x49) && opcode[0] == 0xc7 &&
                   registers >> 6 == mode && (registers >> 3 & 7) == 0 &&
                   ((registers & 7) == 4) == has_sib && (!has_sib || opcode[2] == 0x24) &&
                   !(mode == 0 && (registers & 7) == 5);
   Int found = size == 1 ? (signed char)code[at - 1] : 0;
   if (size == sizeof found)
      __builtin_memcpy(&found, code + at - size, sizeof found);
   if (!is_store || found != displacement)
      return False;
   opcode[0] = 0x81;
   __builtin_memcpy(code + at, &amount, sizeof amount);
   return True;
}

static inline Bool host_addition_make(UChar* code, UInt at, Int displacement, UInt amount)
{
   UInt size = displacement == 0 ? 0 : displacement == (signed char)displacement ? 1 : 4;
   for (;; size = 1) {
      if (host_addition_make_from(code, at, displacement, size, False, amount) ||
          host_addition_make_from(code, at, displacement, size, True, amount))
         return True;
      if (size != 0) /* with %rbp, %r13, %rsp and %r12 a displacement of 0 takes a byte */
         return False;
   }
}

#else

#define HOST_HAS_ADDITION False

static inline Bool host_addition_make(UChar* code, UInt at, Int displacement, UInt amount)
{
   (void)code, (void)at, (void)displacement, (void)amount;
   return False;
}

#endif

#endif
