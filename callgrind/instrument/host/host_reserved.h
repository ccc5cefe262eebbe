/* SPDX-License-Identifier: GPL-2.0-or-later

   What the host does with the registers that are reserved; see reserved_registers.h.  VEX
   is given a store of a constant at a constant address, of which it makes

      mov $mark, %a;  movq $1, (%a)

   and that takes no less room than any of the instructions which are made of it here.
   The facts are the Intel manual's, volume 2, chapter 2 and the entries of ADD, CMP, Jcc,
   MOV and UD2.  */

#ifndef CALLGRIND_HOST_RESERVED_H
#define CALLGRIND_HOST_RESERVED_H

#include "core_version.h"
#include "instrument/host/host_calls.h"

#include "pub_tool_libcbase.h"

typedef enum {
   ReservedAddToCounter,  /* *(counters + place) += amount */
   ReservedAddToClock,    /* *(clock + place) += amount */
   ReservedFetchCounters, /* counters = the word at the address `place` */
   ReservedCheckCounters, /* ends the process if they are not that word */
   ReservedCheckClock     /* ends the process if the clock is not at that address */
} ReservedUse;

/* HOST_HAS_RESERVED: are there such instructions?
   HOST_LONGEST_RESERVED: the bytes that one use takes at most

   host_reserved_write(bytes, use, place, amount)
      writes the instructions.  Returns how many bytes they take
   host_reserved_make(code, at, use, place, amount)
      the constant at code->bytes + `at` is the address of a store of 1: makes the
      instructions of it.  Returns where what follows begins now; 0 if there is no such
      store  */

#if defined(VGA_amd64)

#define HOST_HAS_RESERVED True
#define HOST_LONGEST_RESERVED 12
#define HOST_COUNTERS_IN 13                                         /* %r13 */
#define HOST_CLOCK_IN 14                                            /* %r14 */
#define HOST_FETCH_COUNTERS "   movq shadowstack_now(%rip), %r13\n" /* for assembly */

static inline UInt host_reserved_add(UChar* bytes, UInt base, Int displacement,
                                     UInt amount)
{
   const Bool is_byte = amount <= 0x7f;
   /* With %r13 there always is a displacement.  */
   const UInt size = displacement == 0 && base != HOST_COUNTERS_IN ? 0
                     : displacement == (signed char)displacement   ? 1
                                                                   : 4;
   UInt n = 0;
   bytes[n++] = 0x49;
   bytes[n++] = is_byte ? 0x83 : 0x81;
   bytes[n++] = (UChar)((size == 4 ? 2 : size) << 6 | (base & 7));
   host_append(bytes, &n, &displacement, size);
   host_append(bytes, &n, &amount, is_byte ? 1 : sizeof amount);
   return n;
}

/* An instruction of these four or three bytes and a number; if it is a comparison, with a
   jump over one that is none.  */
static inline UInt host_reserved_with(UChar* bytes, const char* first, UInt n, Int number,
                                      Bool compares)
{
   UInt size = 0;
   host_append(bytes, &size, first, n);
   host_append(bytes, &size, &number, sizeof number);
   if (compares)
      host_append(bytes, &size, "\x74\x02\x0f\x0b", 4); /* je over; ud2; over: */
   return size;
}

static inline UInt host_reserved_write(UChar* bytes, ReservedUse use, Int place,
                                       UInt amount)
{
   switch (use) {
   case ReservedAddToCounter:
      return host_reserved_add(bytes, HOST_COUNTERS_IN, place, amount);
   case ReservedAddToClock: return host_reserved_add(bytes, HOST_CLOCK_IN, place, amount);
   case ReservedFetchCounters: /* mov place, %r13 */
      return host_reserved_with(bytes, "\x4c\x8b\x2c\x25", 4, place, False);
   case ReservedCheckCounters: /* cmp %r13, place */
      return host_reserved_with(bytes, "\x4c\x39\x2c\x25", 4, place, True);
   case ReservedCheckClock: /* cmp $place, %r14 */
      return host_reserved_with(bytes, "\x49\x81\xfe", 3, place, True);
   }
   return 0;
}

/* `movq $1, (%in)` at `at`: where it ends; 0: it is not there.  */
static inline UInt host_reserved_store(const HostCode* code, UInt at, UInt in)
{
   static const UChar one[] = {1, 0, 0, 0};
   /* %rsp and %r12 take a byte that says which, %rbp and %r13 a displacement.  */
   const Bool has_byte = (in & 7) == 4 || (in & 7) == 5;
   const UInt end = at + (has_byte ? 8 : 7);
   if (end > code->size)
      return 0;
   const UChar* bytes = code->bytes + at;
   const UChar mode = (in & 7) == 5 ? 0x40 : 0;
   Bool is_it = bytes[0] == (0x48 | in >> 3) && bytes[1] == 0xc7 &&
                bytes[2] == (mode | (in & 7)) &&
                (!has_byte || bytes[3] == (mode == 0 ? 0x24 : 0)) &&
                VG_(memcmp)(code->bytes + end - sizeof one, one, sizeof one) == 0;
   return is_it ? end : 0;
}

static inline UInt host_reserved_make(HostCode* code, UInt at, ReservedUse use, Int place,
                                      UInt amount)
{
   HostAddress address = host_address(code->bytes, code->size, at);
   UInt end = address.end == 0 ? 0 : host_reserved_store(code, address.end, address.in);
   UChar made[HOST_LONGEST_RESERVED];
   UInt size = host_reserved_write(made, use, place, amount);
   if (end == 0)
      return 0;
   UChar* to = code->bytes + address.begin;
   __builtin_memcpy(to, made, size);
   __builtin_memmove(to + size, code->bytes + end, code->size - end);
   code->size -= end - address.begin - size;
   return address.begin + size;
}

#else

#define HOST_HAS_RESERVED False
#define HOST_LONGEST_RESERVED 1

static inline UInt host_reserved_write(UChar* bytes, ReservedUse use, Int place,
                                       UInt amount)
{
   (void)bytes, (void)use, (void)place, (void)amount;
   return 0;
}

static inline UInt host_reserved_make(HostCode* code, UInt at, ReservedUse use, Int place,
                                      UInt amount)
{
   (void)code, (void)at, (void)use, (void)place, (void)amount;
   return 0;
}

#endif

#endif
