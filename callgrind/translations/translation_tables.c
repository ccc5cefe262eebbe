/* SPDX-License-Identifier: GPL-2.0-or-later

   See translation_tables.h.

   Owns what is to be discarded, and when.  */

#include "translations/translation_tables.h"

#include "core/two_tables.h"
#include "instrument/emit/cold_code.h"
#include "model/block.h"
#include "native/native.h"
#include "options/options.h"

#include "pub_tool_libcassert.h"

#define WHOLE_START ((Addr)0x1000)
#define WHOLE_SIZE (~(ULong)0xfff)

/*--------------------------------------------------------------------*/
/* What is to be discarded                                             */

/* Ranges of guest addresses; no more than a few, since each has the core go through its
   table.  */
#define MOST_RANGES 64

typedef struct {
   UInt n;
   struct {
      Addr start, last;
   } of[MOST_RANGES];
} Ranges;

static Bool is_set_up;     /* the second table; before, there is nothing in it */
static Ranges of_other;    /* the table that is not in use: when it is taken */
static Ranges of_jit_code; /* the table in use: when it is left */

/* Adds a range, or widens one that is at most so far away; the last one if there are too
   many.  */
static void add_range(Ranges* ranges, Addr start, Addr last, SizeT distance)
{
   UInt i = 0;
   for (; i < ranges->n && i + 1 < MOST_RANGES; i++)
      if (last + distance >= ranges->of[i].start &&
          ranges->of[i].last + distance >= start)
         break;
   if (i == ranges->n) {
      ranges->of[i].start = start;
      ranges->of[i].last = last;
      ranges->n++;
      return;
   }
   if (start < ranges->of[i].start)
      ranges->of[i].start = start;
   if (last > ranges->of[i].last)
      ranges->of[i].last = last;
}

static void discard_ranges(Ranges* ranges)
{
   for (UInt i = 0; i < ranges->n; i++)
      core_tables_discard(ranges->of[i].start,
                          (ULong)(ranges->of[i].last - ranges->of[i].start) + 1);
   ranges->n = 0;
}

static void discard_later(Addr start, ULong range)
{
   Addr last = start + range - 1 < start ? ~(Addr)0 : start + range - 1;
   if (is_set_up && range != 0)
      add_range(&of_other, start, last, 0);
}

/* JIT compilers have their code in a few places of a megabyte or more.  */
#define JIT_CODE_TOGETHER 0x100000

void translation_tables_note_jit_code(Addr address)
{
   add_range(&of_jit_code, address, address, JIT_CODE_TOGETHER);
}

/* Most superblocks are shorter, in bytes.  */
#define LONGEST_AROUND 128

/* Discards those translations that the core would discard with the one at `start`, since
   its first instruction is theirs, too: one by one.  If the core discards several at once
   it empties the fast cache, and every jump by an address has to be searched for anew; of
   one it takes out the entry.

   They are found as long as they do not begin too far away.  The first one discarded is
   the one that begins first, which usually has no other's first instruction.  */
static void discard_around(Addr start)
{
   for (Addr distance = LONGEST_AROUND; distance > 0; distance--) {
      const Block* block = block_at(start - distance);
      if (block != NULL && block->is_translated && block->address == block->key &&
          block_length(block) > distance)
         core_tables_discard(block->address, 1);
   }
}

/* Nothing is wrong with the program's code where cold code gives way to warm.  */
static void hear_of_discard(Addr start, ULong range)
{
   native_note_discard(start, range);
   if (cold_code_has_left(start))
      discard_around(start);
   else
      discard_later(start, range);
}

/*--------------------------------------------------------------------*/

void translation_tables_init(void)
{
   core_tables_lead(hear_of_discard);
   if (options.check == CheckAll)
      core_tables_check();
}

Bool translation_tables_are_two(void)
{
   return options.keep_translations && core_tables_may_be_two();
}

void translation_tables_leave(Bool code_may_run)
{
   is_set_up = translation_tables_are_two() && core_tables_double();
   if (!is_set_up || code_may_run)
      translation_tables_empty();
   discard_ranges(&of_jit_code);
}

void translation_tables_take_other(void)
{
   if (!is_set_up)
      return;
   tl_assert(of_jit_code.n == 0);
   core_tables_switch(of_other.n == 0);
   discard_ranges(&of_other);
}

void translation_tables_empty(void) { core_tables_discard(WHOLE_START, WHOLE_SIZE); }

void translation_tables_empty_other(void)
{
   of_other.n = 0;
   discard_later(WHOLE_START, WHOLE_SIZE);
}
