/* SPDX-License-Identifier: GPL-2.0-or-later

   Relocations; see code_relocations.h.

   A placeholder is, from its lowest byte on: MARK_LOW, the constant's number in two
   bytes, MARK_HIGH; of a constant that does not fit in 31 bits, LONG_MARK follows in the
   upper half.  VEX copies such numbers into the host's code (host_constants.h), once for
   each use.  No two placeholders overlap, since the two marks differ.

   A guest's constant, or host instructions that happen to have these bytes, would be
   taken for one.  So each constant must be found exactly once, or twice where one is
   used twice; otherwise the code is not stored.

   Owns the constants of the superblock that is being instrumented.  */

#include "instrument/host/code_relocations.h"

#include "instrument/host/host_constants.h"

#include "pub_tool_libcbase.h"

#define MARK_LOW 0x69
#define MARK_HIGH 0x5a
#define LONG_MARK 0x3c96a55bu
#define MOST_WORDS 2048
#define LARGEST_CODE 0xffffu
#define LARGEST_SHORT 0x7fffffffu

static UWord values[MOST_WORDS];
static Bool is_long[MOST_WORDS]; /* by constant: does it take eight bytes? */
static UInt n_values;
static Bool is_active, is_overfull;

static Relocation found[2 * MOST_WORDS];

void relocations_begin(void)
{
   n_values = 0;
   is_overfull = False;
   is_active = True;
}

void relocations_end(void) { is_active = False; }

UInt relocations_n_words(void) { return n_values; }

static UWord stand_in(UWord value, Bool takes_eight)
{
   if (n_values == MOST_WORDS) {
      is_overfull = True;
      return value;
   }
   UWord low = MARK_LOW | (UWord)n_values << 8 | (UWord)MARK_HIGH << 24;
   is_long[n_values] = takes_eight;
   values[n_values++] = value;
#if VG_WORDSIZE == 8
   if (takes_eight)
      return (UWord)LONG_MARK << 32 | low;
#endif
   return low;
}

UWord relocations_stand_in(UWord value)
{
   return LIKELY(!is_active) ? value : stand_in(value, value > LARGEST_SHORT);
}

UWord relocations_stand_in_distance(Word distance)
{
   return LIKELY(!is_active) ? (UWord)distance
                             : stand_in((UWord)distance, !HOST_CONSTANT_SIGNED ||
                                                            distance != (Int)distance);
}

/* Is there a placeholder at `at`?  Sets *word.  */
static Bool is_placeholder(const UChar* code, UInt size, UInt at, UInt* word)
{
   ULong value;
   if (at + host_constant_size(False) > size ||
       !host_constant_read(code + at, False, &value) || (value & 0xff) != MARK_LOW ||
       value >> 24 != MARK_HIGH)
      return False;
   *word = (UInt)(value >> 8 & 0xffff);
   if (*word >= n_values)
      return False;
   return !is_long[*word] ||
          (at + host_constant_size(True) <= size &&
           host_constant_read(code + at, True, &value) && value >> 32 == LONG_MARK);
}

static void put(UChar* code, const Relocation* place)
{
   host_constant_write(code + place->offset, place->is_long, values[place->word]);
}

/* Has each constant been found once, or twice?  */
static Bool all_are_found(const UChar* times)
{
   for (UInt i = 0; i < n_values; i++)
      if (times[i] < 1 || times[i] > 2)
         return False;
   return True;
}

Int relocations_resolve(UChar* code, UInt size, const Relocation** places)
{
   UChar times[MOST_WORDS + sizeof(ULong)];
   UInt n = 0;
   *places = found;
   if (is_overfull || size > LARGEST_CODE)
      return -1;
   /* They are few: the core's memset() takes longer to begin.  */
   for (UInt i = 0; i < n_values; i += sizeof(ULong))
      __builtin_memset(times + i, 0, sizeof(ULong));
   for (UInt at = host_constant_next(code, size, 0, MARK_LOW, MARK_HIGH); at < size;
        at =
           host_constant_next(code, size, at + HOST_CONSTANT_STEP, MARK_LOW, MARK_HIGH)) {
      UInt word;
      if (!is_placeholder(code, size, at, &word))
         continue;
      if (times[word]++ == 2)
         return -1;
      Relocation place = {(UShort)at, (UShort)word, is_long[word]};
      found[n++] = place;
      at += host_constant_size(place.is_long) - HOST_CONSTANT_STEP;
   }
   if (!all_are_found(times))
      return -1;
   for (UInt i = 0; i < n; i++)
      put(code, &found[i]);
   return (Int)n;
}

Bool relocations_apply(UChar* code, UInt size, const Relocation* places, UInt n)
{
   for (UInt i = 0; i < n; i++)
      if (places[i].word >= n_values || places[i].is_long != is_long[places[i].word] ||
          places[i].offset + host_constant_size(places[i].is_long) > size)
         return False;
   for (UInt i = 0; i < n; i++)
      put(code, &places[i]);
   return True;
}
