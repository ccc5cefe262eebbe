/* SPDX-License-Identifier: GPL-2.0-or-later

   See totals.h.  A clock counts from the start of its thread, or from when all costs were
   last set to zero.  Costs of single threads that have been set to zero since then are
   added to what is written, so that both can be compared.  */

#include "control/parts/totals.h"

#include "machine/line_waste.h"
#include "model/allocations/alloc_owners.h"
#include "model/arc.h"
#include "model/block.h"
#include "model/context.h"
#include "model/jump.h"
#include "model/tree/calltree.h"
#include "options/options.h"
#include "stack/frames/shadowstack_frames.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/stacks/shadowstack.h"
#include "stack/threads/fault.h"
#include "stack/threads/thread.h"
#include "write/profile_total.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcprint.h"

/* What has been set to zero for single threads since all costs were.  */
static ULong zeroed[COST_MAX_EVENTS];

static ULong first_block;

/* The thread whose costs are being set to zero; 0: all.  For count_open().  */
static UInt zeroed_thread;

/* False if self costs, which add up to `total`, are not what was counted; the log then
   says so.  */
static Bool totals_agree(const ULong* total)
{
   ULong written[COST_MAX_EVENTS], spent[COST_MAX_EVENTS];
   cost_copy(written, total);
   cost_add(written, zeroed);
   thread_total_cost(spent);
   for (UInt e = 0; e < cost_n_events(); e++)
      if (written[e] != spent[e] && !line_waste_is_event(e)) {
         VG_(umsg)(
            "Warning: self costs of %s add up to %llu, but %llu were counted: a bug of "
            "callgrind's, please report it\n",
            cost_event_name(e), written[e], spent[e]);
         return False;
      }
   return True;
}

/* Visits all that has been counted.  A program with many benchmarks writes a part for
   each, so this is not done by default.  */
static Bool structures_are_valid(void)
{
   return block_all_valid() && context_all_valid() && arc_all_valid() && jump_all_valid();
}

void totals_check(ULong* total)
{
   thread_for_each(shadowstack_flush_inclusive);
   if (options.collect_alloc)
      alloc_owners_book(shadowstack_retired_cost);
   profile_total(0, total);
   Bool is_valid = totals_agree(total) && thread_all_valid();
   /* A profile with an error is better than none, but not in a test.  */
   if (options.check != CheckDumps)
      tl_assert2(is_valid && structures_are_valid(), "a data structure is inconsistent");
}

static void count_open(ShadowStack* stack)
{
   shadowstack_count_open(stack, zeroed_thread);
}

/* All but what contexts have counted.  */
static void zero_others(UInt thread)
{
   thread_for_each(shadowstack_flush_inclusive);
   if (thread == 0) {
      cost_zero(zeroed);
      thread_zero_total();
      fault_forget();
   } else {
      ULong total[COST_MAX_EVENTS];
      profile_total(thread, total);
      cost_add(zeroed, total);
   }
   arc_zero(thread);
   zeroed_thread = thread;
   thread_for_each(count_open);
   jump_zero(thread);
   alloc_owners_zero(thread);
   if (options.call_tree)
      calltree_zero(thread);
   first_block = thread_blocks_run();
}

void totals_zero(UInt thread)
{
   zero_others(thread);
   context_zero(thread);
}

void totals_zero_in_child(void)
{
   zero_others(0);
   context_zero_in_child();
   shadowstack_counters_moved();
}

ULong totals_first_block(void) { return first_block; }
