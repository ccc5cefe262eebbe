/* SPDX-License-Identifier: GPL-2.0-or-later

   See profile_total.h.  Reads the same parts of the model that the writer does: counters
   of blocks, costs of call sites without a callee, and costs of retired blocks.  */

#include "write/profile_total.h"

#include "model/arc.h"
#include "model/context.h"

#include "pub_tool_hashtable.h"

static void add_block_total(const Context* context, const Block* block, ULong* total)
{
   const ULong* counts = context->counters + block->slot;
   for (UInt run = 0; run < block->n_runs; run++)
      total[CostIr] += counts[run] * (block->run_ends[run] - block_run_begin(block, run));
   for (UInt i = 0; i < block->n_events; i++) {
      const StaticEvent* event = &block->events[i];
      total[event->event] += counts[event->run] * event->count;
   }
   for (UInt i = 0; i < block->n_references; i++)
      block_add_outcomes(block, &block->references[i], counts, total);
}

static void add_blocks_total(const Context* context, ULong* total)
{
   for (const Block* block = block_first_of(context->function); block != NULL;
        block = block->next_of_function)
      add_block_total(context, block, total);
}

void profile_total(UInt thread, ULong* total)
{
   cost_zero(total);
   for (const Context* context = context_first(); context != NULL;
        context = context->next) {
      if (thread != 0 && context->thread != thread)
         continue;
      if (!context_is_idle(context))
         add_blocks_total(context, total);
      for (const Arc* arc = context->first_arc; arc != NULL; arc = arc->next_of_caller)
         if (arc->callee == NULL)
            cost_add(total, arc->inclusive);
      for (const RetiredCost* retired = context->retired.first; retired != NULL;
           retired = retired->next)
         cost_add(total, retired->cost);
   }
}
