/* SPDX-License-Identifier: GPL-2.0-or-later

   How the host's code holds a constant that VEX was given: on amd64 as it is, in four or
   eight bytes; on arm64 in instructions that put 16 bits each into a register, MOVZ and
   then MOVK, two or four of them.  (VEX leaves out those for 16 bits that are 0.)

   Host and guest are one architecture.  */

#ifndef CALLGRIND_HOST_CONSTANTS_H
#define CALLGRIND_HOST_CONSTANTS_H

#include "core_version.h"

/* HOST_CONSTANT_STEP: constants begin at multiples of it.
   HOST_CONSTANT_SIGNED: 32 bits are extended by their sign where they are added.

   host_constant_size(is_long)
      so many bytes of code hold a constant of eight bytes, or of four
   host_constant_read(code, is_long, &value)
      reads one of them; False if the code there holds none
   host_constant_write(code, is_long, value)
      puts another in its place
   host_constant_marks(code, low, high)
      where HOST_CONSTANT_STEP is 1: at which of HOST_CONSTANT_MARKS places from `code` on
      there is the byte `low`, and `high` three bytes behind it; the first is the lowest
      bit.  Reads HOST_CONSTANT_LOOKED_AT bytes
   host_distance_write(behind, target)
      there, too: puts the distance from `behind` to `target` in front of `behind`, as a
      jump has it that ends there.  False if that takes more than four bytes  */

#if defined(VGA_arm64)

#define HOST_CONSTANT_STEP 4
#define HOST_CONSTANT_SIGNED 0

static inline UInt host_constant_size(Bool is_long) { return is_long ? 16 : 8; }

static inline Bool host_constant_read(const UChar* code, Bool is_long, ULong* value)
{
   UInt first, instruction;
   __builtin_memcpy(&first, code, sizeof first);
   *value = 0;
   for (UInt i = 0; i < (is_long ? 4 : 2); i++) {
      __builtin_memcpy(&instruction, code + 4 * i, sizeof instruction);
      UInt wanted = (i == 0 ? 0xd2800000 : 0xf2800000) | i << 21 | (first & 31);
      if ((instruction & 0xffe0001f) != wanted)
         return False;
      *value |= (ULong)(instruction >> 5 & 0xffff) << (16 * i);
   }
   return True;
}

static inline void host_constant_write(UChar* code, Bool is_long, ULong value)
{
   for (UInt i = 0; i < (is_long ? 4 : 2); i++) {
      UInt instruction;
      __builtin_memcpy(&instruction, code + 4 * i, sizeof instruction);
      instruction &= ~(0xffffu << 5);
      instruction |= (UInt)(value >> (16 * i) & 0xffff) << 5;
      __builtin_memcpy(code + 4 * i, &instruction, sizeof instruction);
   }
}

#else

#define HOST_CONSTANT_STEP 1
#define HOST_CONSTANT_SIGNED 1

static inline UInt host_constant_size(Bool is_long) { return is_long ? 8 : 4; }

static inline Bool host_constant_read(const UChar* code, Bool is_long, ULong* value)
{
   if (is_long)
      __builtin_memcpy(value, code, sizeof *value);
   else {
      UInt half;
      __builtin_memcpy(&half, code, sizeof half);
      *value = half;
   }
   return True;
}

static inline void host_constant_write(UChar* code, Bool is_long, ULong value)
{
   UInt half = (UInt)value;
   if (is_long)
      __builtin_memcpy(code, &value, sizeof value);
   else
      __builtin_memcpy(code, &half, sizeof half);
}

static inline Bool host_distance_write(UChar* behind, const UChar* target)
{
   Word distance = target - behind;
   Int written = (Int)distance;
   if (written != distance)
      return False;
   __builtin_memcpy(behind - sizeof written, &written, sizeof written);
   return True;
}

#define HOST_CONSTANT_MARKS 16
#define HOST_CONSTANT_LOOKED_AT (HOST_CONSTANT_MARKS + 3)

static inline UInt host_constant_marks(const UChar* code, UChar low, UChar high)
{
   typedef char Bytes __attribute__((vector_size(HOST_CONSTANT_MARKS)));
   Bytes first, last;
   __builtin_memcpy(&first, code, sizeof first);
   __builtin_memcpy(&last, code + 3, sizeof last);
   Bytes hits = (Bytes)((first == (char)low) & (last == (char)high));
   return (UInt)__builtin_ia32_pmovmskb128(hits);
}

#endif

/* Where the search for constants with these marks goes on from `at`, as far as the marks
   tell: there is none before.  Few places have both; to ask each one took 3 % of a run
   that stores translations.  */
static inline UInt host_constant_next(const UChar* code, UInt size, UInt at, UChar low,
                                      UChar high)
{
#if HOST_CONSTANT_STEP == 1
   if (size < HOST_CONSTANT_LOOKED_AT)
      return at;
   const UInt last = size - HOST_CONSTANT_LOOKED_AT;
   for (; at < size; at += HOST_CONSTANT_MARKS) {
      UInt from = at < last ? at : last;
      UInt marks = host_constant_marks(code + from, low, high);
      if (at - from < HOST_CONSTANT_MARKS && marks >> (at - from) != 0)
         return at + (UInt)__builtin_ctz(marks >> (at - from));
   }
   return size;
#else
   (void)code, (void)size, (void)low, (void)high;
   return at;
#endif
}

#endif
