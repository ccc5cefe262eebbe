/* SPDX-License-Identifier: GPL-2.0-or-later

   Two tables of translations; see translation_tables.h.

   The core's functions for its table are called by the scheduler, by system calls and by
   others.  The linker leads these calls here (--wrap), and they go on to the table that
   is in use: __real_vgPlain_...() has the core's, second_vgPlain_...() the second one.

   Both share the fast cache, an array that the core's dispatcher searches before it asks
   the table.  Here it is taken to be lines of which it is only known what an empty one
   looks like.

   Owns which table is in use, and what is to be done to the other one.  */

#include "translations/translation_tables.h"

#include "instrument/emit/cold_code.h"
#include "model/block.h"
#include "options/options.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_transtab.h"

#define WHOLE_START ((Addr)0x1000)
#define WHOLE_SIZE (~(ULong)0xfff)

#ifdef CORE_TABLE_CAN_BE_DOUBLED

void __real_vgPlain_discard_translations(Addr start, ULong range, const HChar* who);
void __wrap_vgPlain_discard_translations(Addr start, ULong range, const HChar* who);
void second_vgPlain_discard_translations(Addr start, ULong range, const HChar* who);
void second_vgPlain_init_tt_tc(void);
extern UInt second_vgPlain_clo_num_transtab_sectors;
extern UInt second_vgPlain_clo_avg_transtab_entry_size;

extern UChar translation_tables_is_second; /* the table in use */
UChar translation_tables_is_second;

/* A function of the core that goes on to the table in use, with whatever arguments.  */
#ifdef VGA_amd64
#define LEAD(name)                                                                       \
   __asm__(".text\n"                                                                     \
           ".globl __wrap_vgPlain_" #name "\n"                                           \
           ".type __wrap_vgPlain_" #name ", @function\n"                                 \
           "__wrap_vgPlain_" #name ":\n"                                                 \
           "cmpb $0, translation_tables_is_second(%rip)\n"                               \
           "jne second_vgPlain_" #name "\n"                                              \
           "jmp __real_vgPlain_" #name "\n"                                              \
           ".size __wrap_vgPlain_" #name ", . - __wrap_vgPlain_" #name "\n")
#else
#define LEAD(name)                                                                       \
   __asm__(".text\n"                                                                     \
           ".balign 4\n"                                                                 \
           ".globl __wrap_vgPlain_" #name "\n"                                           \
           ".type __wrap_vgPlain_" #name ", %function\n"                                 \
           "__wrap_vgPlain_" #name ":\n"                                                 \
           "adrp x16, translation_tables_is_second\n"                                    \
           "ldrb w16, [x16, :lo12:translation_tables_is_second]\n"                       \
           "cbnz w16, 1f\n"                                                              \
           "b __real_vgPlain_" #name "\n"                                                \
           "1: b second_vgPlain_" #name "\n"                                             \
           ".size __wrap_vgPlain_" #name ", . - __wrap_vgPlain_" #name "\n")
#endif

LEAD(add_to_transtab);
LEAD(search_transtab);
LEAD(tt_tc_do_chaining);
LEAD(add_to_unredir_transtab);
LEAD(search_unredir_transtab);
LEAD(get_SB_profile);

static void discard_in_use(Addr start, ULong range)
{
   if (translation_tables_is_second)
      second_vgPlain_discard_translations(start, range, "callgrind");
   else
      __real_vgPlain_discard_translations(start, range, "callgrind");
}

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
      discard_in_use(ranges->of[i].start,
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
         discard_in_use(block->address, 1);
   }
}

/* Nothing is wrong with the program's code where cold code gives way to warm.  */
void __wrap_vgPlain_discard_translations(Addr start, ULong range, const HChar* who)
{
   Bool is_warm = cold_code_has_left(start);
   if (is_warm)
      discard_around(start);
   if (translation_tables_is_second)
      second_vgPlain_discard_translations(start, range, who);
   else
      __real_vgPlain_discard_translations(start, range, who);
   if (!is_warm)
      discard_later(start, range);
}

/*--------------------------------------------------------------------*/
/* The fast cache                                                      */

#define LINE 64
#define N_LINES (CORE_FAST_CACHE_BYTES / LINE)

typedef struct {
   ULong words[LINE / sizeof(ULong)];
} FastLine;

extern FastLine VG_(tt_fast)[N_LINES];
_Static_assert(N_LINES - 1 <= 0xffff, "the number of a line is a UShort");
static FastLine empty_line;

/* The lines that are not empty, of the table that is not in use.  */
typedef struct {
   UInt n, room;
   UShort* numbers;
   FastLine* lines;
} FastLines;
static FastLines saved[2];

static inline Bool is_empty(const FastLine* line)
{
   ULong differs = 0;
   for (UInt i = 0; i < LINE / sizeof(ULong); i++)
      differs |= line->words[i] ^ empty_line.words[i];
   return differs == 0;
}

static void save_line(FastLines* to, UInt number)
{
   if (to->n == to->room) {
      to->room = to->room == 0 ? 256 : 2 * to->room;
      to->numbers = VG_(realloc)("translation_tables.numbers", to->numbers,
                                 to->room * sizeof *to->numbers);
      to->lines = VG_(realloc)("translation_tables.lines", to->lines,
                               to->room * sizeof *to->lines);
   }
   to->numbers[to->n] = (UShort)number;
   to->lines[to->n++] = VG_(tt_fast)[number];
}

/* Moves what is in the fast cache to *to.  */
static void save_fast_cache(FastLines* to)
{
   to->n = 0;
   for (UInt i = 0; i < N_LINES; i++)
      if (!is_empty(&VG_(tt_fast)[i])) {
         save_line(to, i);
         VG_(tt_fast)[i] = empty_line;
      }
}

static void restore_fast_cache(const FastLines* from)
{
   for (UInt i = 0; i < from->n; i++)
      VG_(tt_fast)[from->numbers[i]] = from->lines[i];
}

/*--------------------------------------------------------------------*/

/* The core empties the fast cache when a table is set up.  It must be the one that both
   use; then an empty line is known.  */
static void set_up(void)
{
   FastLine* before = VG_(malloc)("translation_tables.fast", sizeof VG_(tt_fast));
   VG_(memcpy)(before, VG_(tt_fast), sizeof VG_(tt_fast));
   VG_(memset)(VG_(tt_fast), 0x55, sizeof VG_(tt_fast));
   second_vgPlain_clo_num_transtab_sectors = VG_(clo_num_transtab_sectors);
   second_vgPlain_clo_avg_transtab_entry_size = VG_(clo_avg_transtab_entry_size);
   second_vgPlain_init_tt_tc();
   empty_line = VG_(tt_fast)[0];
   for (UInt i = 0; i < N_LINES; i++)
      tl_assert2(is_empty(&VG_(tt_fast)[i]) &&
                    empty_line.words[0] != 0x5555555555555555ULL,
                 "both tables of translations must use the same fast cache");
   VG_(memcpy)(VG_(tt_fast), before, sizeof VG_(tt_fast));
   VG_(free)(before);
   is_set_up = True;
}

Bool translation_tables_are_two(void) { return options.keep_translations; }

void translation_tables_leave(void) { discard_ranges(&of_jit_code); }

void translation_tables_switch(void)
{
   tl_assert(translation_tables_are_two() && of_jit_code.n == 0);
   if (!is_set_up)
      set_up();
   save_fast_cache(&saved[translation_tables_is_second]);
   translation_tables_is_second = !translation_tables_is_second;
   if (of_other.n == 0)
      restore_fast_cache(&saved[translation_tables_is_second]);
   discard_ranges(&of_other);
}

void translation_tables_empty(void) { discard_in_use(WHOLE_START, WHOLE_SIZE); }

void translation_tables_empty_other(void)
{
   of_other.n = 0;
   discard_later(WHOLE_START, WHOLE_SIZE);
}

#else

Bool translation_tables_are_two(void) { return False; }

void translation_tables_leave(void) {}

void translation_tables_switch(void) { tl_assert(False); }

void translation_tables_empty(void)
{
   VG_(discard_translations_safely)(WHOLE_START, WHOLE_SIZE, "callgrind");
}

void translation_tables_empty_other(void) {}

void translation_tables_note_jit_code(Addr address) { (void)address; }

#endif
