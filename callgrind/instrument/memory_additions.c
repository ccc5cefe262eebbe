/* SPDX-License-Identifier: GPL-2.0-or-later

   See memory_additions.h.

   A mark is, from its lowest byte on: MARK_LOW, its number in two bytes, MARK_HIGH.  The
   guest's own code may have a constant that looks like it.  So each mark must be found
   exactly once, in a store with its displacement.

   Owns the additions of the superblock that is being instrumented.  */

#include "instrument/memory_additions.h"

#include "instrument/host_additions.h"
#include "instrument/host_constants.h"

#include "pub_tool_libcbase.h"

#define MARK_LOW 0x6d
#define MARK_HIGH 0x5c
#define MOST_ADDITIONS 1024
#define LARGEST_AMOUNT 0x7fffffff

typedef struct {
   Int displacement;
   UInt amount;
   Bool is_made;
} Addition;

static Addition additions[MOST_ADDITIONS];
static UInt n_additions;
static Bool is_active;

void memory_additions_begin(void)
{
   n_additions = 0;
   is_active = HOST_HAS_ADDITION;
}

void memory_additions_end(void) { is_active = False; }

ULong memory_additions_mark(UWord displacement, ULong amount)
{
   Word distance = (Word)displacement;
   if (!is_active || n_additions == MOST_ADDITIONS || amount > LARGEST_AMOUNT ||
       distance != (Int)distance)
      return 0;
   additions[n_additions] = (Addition){(Int)distance, (UInt)amount, False};
   return MARK_LOW | (ULong)n_additions++ << 8 | (ULong)MARK_HIGH << 24;
}

/* Is there a mark at `at`?  Sets *number.  */
static Bool is_mark(const UChar* code, UInt at, UInt* number)
{
   *number = code[at + 1] | (UInt)code[at + 2] << 8;
   return code[at] == MARK_LOW && code[at + 3] == MARK_HIGH && *number < n_additions;
}

Bool memory_additions_resolve(UChar* code, UInt size)
{
   UInt n_made = 0;
   if (n_additions == 0)
      return True;
   for (UInt at = host_constant_next(code, size, 0, MARK_LOW, MARK_HIGH); at + 4 <= size;
        at = host_constant_next(code, size, at + 1, MARK_LOW, MARK_HIGH)) {
      UInt number;
      if (!is_mark(code, at, &number))
         continue;
      Addition* addition = &additions[number];
      if (addition->is_made ||
          !host_addition_make(code, at, addition->displacement, addition->amount))
         return False;
      addition->is_made = True;
      n_made++;
   }
   return n_made == n_additions;
}
