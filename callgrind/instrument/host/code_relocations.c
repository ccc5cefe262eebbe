/* SPDX-License-Identifier: GPL-2.0-or-later

   Relocations; see code_relocations.h.

   A placeholder is, from its lowest byte on: MARK_LOW, the constant's number in two
   bytes, MARK_HIGH; of a constant that does not fit in 31 bits, LONG_MARK follows in the
   upper half.  VEX copies such numbers into the host's code (host_constants.h), once for
   each use.  No two placeholders overlap, since the two marks differ.

   A guest's constant, or host instructions that happen to have these bytes, would be
   taken for one.  So each constant must be found exactly once, or twice where one is
   used twice; otherwise the code is not stored.

   Keeps nothing.  */

#include "instrument/host/code_relocations.h"

#include "instrument/host/host_constants.h"

#include "pub_tool_libcbase.h"

#define MARK_LOW 0x69
#define MARK_HIGH 0x5a
#define LONG_MARK 0x3c96a55bu
#define LARGEST_CODE 0xffffu
#define LARGEST_SHORT 0x7fffffffu

void code_relocations_begin(CodeRelocations* all)
{
   all->n = 0;
   all->is_overfull = False;
   all->is_active = True;
}

void code_relocations_end(CodeRelocations* all) { all->is_active = False; }

static UWord stand_in(CodeRelocations* all, UWord value, Bool takes_eight)
{
   if (all->n == CODE_RELOCATIONS_MOST) {
      all->is_overfull = True;
      return value;
   }
   UWord low = MARK_LOW | (UWord)all->n << 8 | (UWord)MARK_HIGH << 24;
   all->is_long[all->n] = takes_eight;
   all->values[all->n++] = value;
#if VG_WORDSIZE == 8
   if (takes_eight)
      return (UWord)LONG_MARK << 32 | low;
#endif
   return low;
}

UWord code_relocations_stand_in(CodeRelocations* all, UWord value)
{
   return LIKELY(!all->is_active) ? value : stand_in(all, value, value > LARGEST_SHORT);
}

UWord code_relocations_stand_in_distance(CodeRelocations* all, Word distance)
{
   return LIKELY(!all->is_active)
             ? (UWord)distance
             : stand_in(all, (UWord)distance,
                        !HOST_CONSTANT_SIGNED || distance != (Int)distance);
}

/* Is there a placeholder at `at`?  Sets *word.  */
static Bool is_placeholder(const CodeRelocations* all, const UChar* code, UInt size,
                           UInt at, UInt* word)
{
   ULong value;
   if (at + host_constant_size(False) > size ||
       !host_constant_read(code + at, False, &value) || (value & 0xff) != MARK_LOW ||
       value >> 24 != MARK_HIGH)
      return False;
   *word = (UInt)(value >> 8 & 0xffff);
   if (*word >= all->n)
      return False;
   return !all->is_long[*word] ||
          (at + host_constant_size(True) <= size &&
           host_constant_read(code + at, True, &value) && value >> 32 == LONG_MARK);
}

static void put(const CodeRelocations* all, UChar* code, const Relocation* place)
{
   host_constant_write(code + place->offset, place->is_long, all->values[place->word]);
}

/* Has each constant been found once, or twice?  */
static Bool all_are_found(const CodeRelocations* all, const UChar* times)
{
   for (UInt i = 0; i < all->n; i++)
      if (times[i] < 1 || times[i] > 2)
         return False;
   return True;
}

Int code_relocations_resolve(CodeRelocations* all, UChar* code, UInt size)
{
   UChar times[CODE_RELOCATIONS_MOST + sizeof(ULong)];
   UInt n = 0;
   if (all->is_overfull || size > LARGEST_CODE)
      return -1;
   /* They are few: the core's memset() takes longer to begin.  */
   for (UInt i = 0; i < all->n; i += sizeof(ULong))
      __builtin_memset(times + i, 0, sizeof(ULong));
   for (UInt at = host_constant_next(code, size, 0, MARK_LOW, MARK_HIGH); at < size;
        at =
           host_constant_next(code, size, at + HOST_CONSTANT_STEP, MARK_LOW, MARK_HIGH)) {
      UInt word;
      if (!is_placeholder(all, code, size, at, &word))
         continue;
      if (times[word]++ == 2)
         return -1;
      Relocation place = {(UShort)at, (UShort)word, all->is_long[word]};
      all->found[n++] = place;
      at += host_constant_size(place.is_long) - HOST_CONSTANT_STEP;
   }
   if (!all_are_found(all, times))
      return -1;
   for (UInt i = 0; i < n; i++)
      put(all, code, &all->found[i]);
   return (Int)n;
}

Bool code_relocations_apply(const CodeRelocations* all, UChar* code, UInt size,
                            const Relocation* places, UInt n)
{
   for (UInt i = 0; i < n; i++)
      if (places[i].word >= all->n || places[i].is_long != all->is_long[places[i].word] ||
          places[i].offset + host_constant_size(places[i].is_long) > size)
         return False;
   for (UInt i = 0; i < n; i++)
      put(all, code, &places[i]);
   return True;
}
