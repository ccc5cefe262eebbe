/* SPDX-License-Identifier: GPL-2.0-or-later

   See fast_cache.h.  Owns the set of lines that may not be empty.  */

#include "core/fast_cache.h"

#ifdef CORE_TABLE_CAN_BE_DOUBLED

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#define LINE 64
#define N_LINES (CORE_FAST_CACHE_BYTES / LINE)
#define N_WORDS (LINE / sizeof(ULong))

typedef struct FastLine {
   ULong words[N_WORDS];
} FastLine;

extern FastLine VG_(tt_fast)[N_LINES];
_Static_assert(N_LINES - 1 <= 0xffff, "the number of a line is a UShort");

/* In an empty line, the core sets the addresses of the guest.  What stands beside them
   stays.  */
static FastLine empty_line;
static ULong is_told[N_WORDS]; /* all ones: this word tells whether a line is empty */

static inline Bool is_empty(const FastLine* line)
{
   ULong differs = 0;
   for (UInt i = 0; i < N_WORDS; i++)
      differs |= (line->words[i] ^ empty_line.words[i]) & is_told[i];
   return differs == 0;
}

/*--------------------------------------------------------------------*/
/* Lines that may have been filled                                     */

/* Beyond so many, all are looked at.  */
enum { MostFilled = N_LINES / 4 };

static UShort filled[MostFilled];
static UInt n_filled;
static Bool are_more; /* lines that are not in the list may have been filled */
static ULong is_filled[(N_LINES + 63) / 64]; /* a bit for each line of the list */

/* What the core does with addresses that need not be aligned.  */
#if defined(VGA_amd64) && (N_LINES & (N_LINES - 1)) == 0
static Bool is_known = True;
static UInt line_of(Addr guest)
{
   return (UInt)((guest ^ guest >> __builtin_ctz(N_LINES)) & (N_LINES - 1));
}
#else
static Bool is_known = False;
static UInt line_of(Addr guest) { return (UInt)(guest % N_LINES); }
#endif

static void note_line(UInt line)
{
   const ULong bit = 1ULL << (line % 64);
   if ((is_filled[line / 64] & bit) != 0)
      return;
   if (n_filled == MostFilled) {
      are_more = True;
      return;
   }
   is_filled[line / 64] |= bit;
   filled[n_filled++] = (UShort)line;
}

static void forget_lines(void)
{
   for (UInt i = 0; i < n_filled; i++)
      is_filled[filled[i] / 64] = 0;
   n_filled = 0;
   are_more = False;
}

void fast_cache_adds(Addr guest) { note_line(line_of(guest)); }

static Bool has_word(const FastLine* line, ULong word)
{
   for (UInt i = 0; i < N_WORDS; i++)
      if (line->words[i] == word)
         return True;
   return False;
}

void fast_cache_found(Addr guest)
{
   const UInt line = line_of(guest);
   note_line(line);
   is_known = is_known && has_word(&VG_(tt_fast)[line], guest);
}

/*--------------------------------------------------------------------*/

Bool fast_cache_learn_empty(void (*empties)(void))
{
   const ULong filler = 0x5555555555555555ULL;
   FastLine* before = VG_(malloc)("fast_cache.before", sizeof VG_(tt_fast));
   VG_(memcpy)(before, VG_(tt_fast), sizeof VG_(tt_fast));
   VG_(memset)(VG_(tt_fast), 0x55, sizeof VG_(tt_fast));
   empties();
   empty_line = VG_(tt_fast)[0];
   for (UInt i = 0; i < N_WORDS; i++)
      is_told[i] = empty_line.words[i] != filler ? ~0ULL : 0;
   Bool is_emptied = is_told[0] != 0;
   for (UInt i = 0; i < N_LINES; i++)
      is_emptied = is_emptied && is_empty(&VG_(tt_fast)[i]);
   VG_(memcpy)(VG_(tt_fast), before, sizeof VG_(tt_fast));
   VG_(free)(before);
   return is_emptied;
}

static void save_line(FastLines* to, UInt number)
{
   if (is_empty(&VG_(tt_fast)[number]))
      return;
   if (to->n == to->room) {
      to->room = to->room == 0 ? 256 : 2 * to->room;
      to->numbers =
         VG_(realloc)("fast_cache.numbers", to->numbers, to->room * sizeof *to->numbers);
      to->lines =
         VG_(realloc)("fast_cache.lines", to->lines, to->room * sizeof *to->lines);
   }
   to->numbers[to->n] = (UShort)number;
   to->lines[to->n++] = VG_(tt_fast)[number];
   VG_(tt_fast)[number] = empty_line;
}

static Bool is_checked;

void fast_cache_check(void) { is_checked = True; }

static void check_empty(void)
{
   for (UInt i = 0; i < N_LINES; i++)
      tl_assert2(is_empty(&VG_(tt_fast)[i]),
                 "line %u of the core's fast cache was filled otherwise than is known",
                 i);
}

void fast_cache_save(FastLines* to)
{
   to->n = 0;
   if (!is_known || are_more)
      for (UInt i = 0; i < N_LINES; i++)
         save_line(to, i);
   else
      for (UInt i = 0; i < n_filled; i++)
         save_line(to, filled[i]);
   forget_lines();
   if (UNLIKELY(is_checked))
      check_empty();
}

void fast_cache_restore(const FastLines* from)
{
   for (UInt i = 0; i < from->n; i++) {
      VG_(tt_fast)[from->numbers[i]] = from->lines[i];
      note_line(from->numbers[i]);
   }
}

#endif
