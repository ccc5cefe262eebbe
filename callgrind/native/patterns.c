/* SPDX-License-Identifier: GPL-2.0-or-later

   See patterns.h.

   Sixteen places are compared at a time with the first two bytes of an instruction, and
   with two bytes of a client request.  */

#include "native/patterns.h"

#include "pub_tool_libcbase.h"

#ifdef CORE_CAN_RUN_NATIVELY

typedef UChar Bytes __attribute__((vector_size(16), aligned(1)));
typedef UChar Aligned __attribute__((vector_size(16)));

/* rol $3, $13, $61, $51 of %rdi, and then an exchange of a register with itself: with
   %rbx it is a request; with others a call, code for VEX, or a question.  */
static const UChar request[] = {0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d,
                                0x48, 0xc1, 0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33};
enum { RequestPlace = 14 }; /* of the two bytes that are looked for */

_Static_assert(sizeof request + 3 == PATTERN_LONGEST, "the exchange has three bytes");

static Bool is_request(const UChar* at, const UChar* end)
{
   if (end - at < PATTERN_LONGEST || VG_(memcmp)(at, request, sizeof request) != 0)
      return False;
   const UChar* exchange = at + sizeof request;
   return exchange[0] == 0x48 && exchange[1] == 0x87 &&
          (exchange[2] == 0xdb || exchange[2] == 0xd2 || exchange[2] == 0xc9 ||
           exchange[2] == 0xff);
}

/* Of ModRM.  */
static Bool is_memory(UChar modrm) { return modrm < 0xc0; }
static UInt digit_of(UChar modrm) { return modrm >> 3 & 7; }

/* XSAVE and XRSTOR: the processor reaches for all that it saves, also past the end of
   what is as large as VEX says.  */
static Bool is_saving(UChar modrm)
{
   return is_memory(modrm) && (digit_of(modrm) == 4 || digit_of(modrm) == 5);
}

/* Of two bytes that begin with 0F.  */
static Bool is_instruction(const UChar* at, const UChar* end, PatternChoice choice)
{
   if (at[1] == 0xa2) /* CPUID */
      return True;
   if (end - at < 3)
      return False;
   switch (at[1]) {
   case 0x01: return at[2] == 0xd0; /* XGETBV */
   case 0xae: return choice.finds_xsave && is_saving(at[2]);
   case 0xc7: return choice.finds_random && !is_memory(at[2]) && digit_of(at[2]) >= 6;
   default: return False;
   }
}

static Bool is_rex(UChar byte) { return (byte & 0xf0) == 0x40; }

static void tell_instruction(const UChar* start, const UChar* at,
                             void (*found)(Addr at, PatternKind kind))
{
   found((Addr)at, PatternInstruction);
   if (at > start && is_rex(at[-1]))
      found((Addr)(at - 1), PatternInstruction);
}

static void look_at(const UChar* start, const UChar* at, const UChar* end,
                    PatternChoice choice, void (*found)(Addr at, PatternKind kind))
{
   if (at[0] == 0x0f && is_instruction(at, end, choice))
      tell_instruction(start, at, found);
   if (at[0] == request[RequestPlace] && at[1] == request[RequestPlace + 1] &&
       at - start >= RequestPlace && is_request(at - RequestPlace, end))
      found((Addr)(at - RequestPlace), PatternRequest);
}

/* A bit for each of the sixteen places at which one may be.  */
static UInt places(const UChar* at)
{
   const Aligned first = *(const Bytes*)at, second = *(const Bytes*)(at + 1);
   const Aligned of_instruction =
      (Aligned)(first == 0x0f) & ((Aligned)(second == 0xa2) | (Aligned)(second == 0x01) |
                                  (Aligned)(second == 0xae) | (Aligned)(second == 0xc7));
   const Aligned of_request = (Aligned)(first == request[RequestPlace]) &
                              (Aligned)(second == request[RequestPlace + 1]);
   typedef char Signed __attribute__((vector_size(16)));
   return (UInt)__builtin_ia32_pmovmskb128((Signed)(of_instruction | of_request));
}

void native_patterns_find(const UChar* start, const UChar* end, PatternChoice choice,
                          void (*found)(Addr at, PatternKind kind))
{
   const UChar* at = start;
   for (; end - at > 17; at += 16)
      for (UInt bits = places(at); UNLIKELY(bits != 0); bits &= bits - 1)
         look_at(start, at + __builtin_ctz(bits), end, choice, found);
   for (; end - at >= 2; at++)
      look_at(start, at, end, choice, found);
}

#endif
