/* SPDX-License-Identifier: GPL-2.0-or-later

   See summary.h.  Lines and columns are stock callgrind's, because scripts parse them.
   There is a column for all accesses, one for reads or conditional branches, and one for
   writes or indirect branches; each is as wide as its largest number.  */

#include "control/summary.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"

/* A count, and the two that it is the sum of.  */
typedef struct {
   ULong all, first, second;
} SplitCount;

static Int all_width, first_width, second_width;

/* The width of a number with a comma before each three digits.  */
static Int width_of(ULong number)
{
   Int digits = 1;
   for (; number >= 10; number /= 10)
      digits++;
   return digits + (digits - 1) / 3;
}

static ULong count_of(const ULong* total, Event event)
{
   return cost_is_counted(event) ? total[cost_index(event)] : 0;
}

static ULong larger(ULong a, ULong b) { return a > b ? a : b; }

/* `part` of `whole` in percent.  It is printed by the core's %f, as stock does, because
   that has its own way to round ties and does not cut off what is wider than its
   column.  */
static double percentage(ULong part, ULong whole)
{
   return whole == 0 ? 0.0 : (double)part * 100.0 / (double)whole;
}

static void print_instructions(const ULong* total)
{
   ULong refs = total[CostIr];
   VG_(umsg)("I   refs:      %'*llu\n", all_width, refs);
   if (!cost_is_counted(EventI1mr))
      return;
   ULong misses = count_of(total, EventI1mr), last_misses = count_of(total, EventILmr);
   VG_(umsg)("I1  misses:    %'*llu\n", all_width, misses);
   VG_(umsg)("LLi misses:    %'*llu\n", all_width, last_misses);
   VG_(umsg)("I1  miss rate: %*.2f%%\n", all_width, percentage(misses, refs));
   VG_(umsg)("LLi miss rate: %*.2f%%\n", all_width, percentage(last_misses, refs));
}

static void print_counts(const HChar* name, SplitCount of, const HChar* first,
                         const HChar* second)
{
   VG_(umsg)("%s %'*llu  (%'*llu %s + %'*llu %s)\n", name, all_width, of.all, first_width,
             of.first, first, second_width, of.second, second);
}

/* Prints the counts of `part` in percent of those of `whole`.  `gap` and `end` are as
   wide as the words behind the counts.  */
static void print_rates(const HChar* name, SplitCount part, SplitCount whole,
                        const HChar* gap, const HChar* end)
{
   VG_(umsg)("%s %*.1f%% (%*.1f%%%s+ %*.1f%%%s)\n", name, all_width,
             percentage(part.all, whole.all), first_width,
             percentage(part.first, whole.first), gap, second_width,
             percentage(part.second, whole.second), end);
}

static SplitCount split_count(ULong first, ULong second)
{
   return (SplitCount){first + second, first, second};
}

static void print_caches(const ULong* total)
{
   SplitCount refs = split_count(count_of(total, EventDr), count_of(total, EventDw));
   SplitCount misses =
      split_count(count_of(total, EventD1mr), count_of(total, EventD1mw));
   SplitCount last = split_count(count_of(total, EventDLmr), count_of(total, EventDLmw));
   VG_(umsg)("\n");
   print_counts("D   refs:     ", refs, "rd", "wr");
   print_counts("D1  misses:   ", misses, "rd", "wr");
   print_counts("LLd misses:   ", last, "rd", "wr");
   print_rates("D1  miss rate:", misses, refs, "   ", "  ");
   print_rates("LLd miss rate:", last, refs, "   ", "  ");

   ULong fetches = total[CostIr];
   ULong fetched_last = count_of(total, EventI1mr),
         missed_last = count_of(total, EventILmr);
   VG_(umsg)("\n");
   print_counts("LL refs:      ", split_count(misses.first + fetched_last, misses.second),
                "rd", "wr");
   SplitCount all_last = split_count(last.first + missed_last, last.second);
   print_counts("LL misses:    ", all_last, "rd", "wr");
   print_rates("LL miss rate: ", all_last, split_count(refs.first + fetches, refs.second),
               "   ", "  ");
}

static void print_branches(const ULong* total)
{
   SplitCount branches = split_count(count_of(total, EventBc), count_of(total, EventBi));
   SplitCount mispredicted =
      split_count(count_of(total, EventBcm), count_of(total, EventBim));
   VG_(umsg)("\n");
   print_counts("Branches:     ", branches, "cond", "ind");
   print_counts("Mispredicts:  ", mispredicted, "cond", "ind");
   print_rates("Mispred rate: ", mispredicted, branches, "     ", "   ");
}

static void print_events(const ULong* total)
{
   VG_(umsg)("Events    :");
   for (UInt i = 0; i < cost_n_events(); i++)
      VG_(message)(Vg_UserMsg, " %s", cost_event_name(cost_listed(i)));
   VG_(message)(Vg_UserMsg, "\n");
   ULong listed[COST_MAX_EVENTS];
   UInt n = cost_list(total, 1, listed);
   VG_(umsg)("Collected :");
   for (UInt i = 0; i < n; i++)
      VG_(message)(Vg_UserMsg, " %llu", listed[i]);
   VG_(message)(Vg_UserMsg, "\n");
   VG_(umsg)("\n");
}

void summary_print(const ULong* total)
{
   all_width = width_of(total[CostIr]);
   first_width = width_of(larger(count_of(total, EventDr), count_of(total, EventBc)));
   second_width = width_of(larger(count_of(total, EventDw), count_of(total, EventBi)));
   print_events(total);
   print_instructions(total);
   if (cost_is_counted(EventDr))
      print_caches(total);
   if (cost_is_counted(EventBc))
      print_branches(total);
}
