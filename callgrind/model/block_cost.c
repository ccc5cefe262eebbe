/* SPDX-License-Identifier: GPL-2.0-or-later

   What blocks cost; see block_cost.h.  */

#include "model/block_cost.h"

void block_add_run_cost(const Block* block, UInt run, UInt from, ULong* cost)
{
   UInt begin = block_run_begin(block, run);
   cost[CostIr] += block->run_ends[run] - (from > begin ? from : begin);
   for (UInt i = 0; i < block->n_events; i++) {
      const StaticEvent* event = &block->events[i];
      if (event->run == run && event->instruction >= from)
         cost[event->event] += event->count;
   }
}

static const Inlined* inlined_of(const Block* block, UInt instruction)
{
   UInt span = 0;
   while (span + 1 < block->n_spans && block->spans[span + 1].first <= instruction)
      span++;
   return block_line_of(&block->spans[span]).inlined;
}

void block_add_inlined_cost(const Block* block, UInt run, UInt from,
                            const Inlined* inlined, ULong* cost)
{
   UInt begin = block_run_begin(block, run);
   for (UInt i = from > begin ? from : begin; i < block->run_ends[run]; i++)
      if (inlined_of(block, i) == inlined)
         cost[CostIr]++;
   for (UInt i = 0; i < block->n_events; i++) {
      const StaticEvent* event = &block->events[i];
      if (event->run == run && event->instruction >= from &&
          inlined_of(block, event->instruction) == inlined)
         cost[event->event] += event->count;
   }
}

Bool block_is_first_span_of_inlined(const Block* block, UInt span)
{
   UInt first = 0;
   while (block->spans[first].line.inlined != block->spans[span].line.inlined)
      first++;
   return first == span;
}

void block_walk_begin(BlockWalk* walk, const Block* block)
{
   walk->block = block;
   walk->index = ~0u;
   walk->run = 0;
   walk->event = 0;
   walk->reference = 0;
   walk->file_address = block->file_address;
   walk->span = block->spans;
   walk->is_new_span = True;
}

void block_add_outcomes(const Block* block, const Reference* reference,
                        const ULong* counts, ULong* cost)
{
   const ULong* outcomes = counts + (reference->outcomes - block->slot);
   UInt n = reference_n_outcomes(reference);
   for (UInt i = 0; i < n; i++) {
      UInt event = reference_event(reference, i);
      if (event != COST_NOT_COUNTED)
         cost[event] += outcomes[i];
   }
   for (UInt late = 0; late < REFERENCE_LATE; late++)
      if (reference_may_be_late(reference, late))
         cost[cost_index(EventCy)] +=
            outcomes[reference_late_outcome(reference, late)] * reference->late[late];
}

Bool block_walk(BlockWalk* walk, const ULong* counts, ULong* cost)
{
   const Block* block = walk->block;
   if (walk->index != ~0u)
      walk->file_address += block->sizes[walk->index];
   if (++walk->index == block->n_instructions)
      return False;
   while (block->run_ends[walk->run] <= walk->index)
      walk->run++;
   const LineSpan* next = walk->span + 1;
   Bool has_next = next < block->spans + block->n_spans && next->first <= walk->index;
   walk->is_new_span = walk->index == 0 || has_next;
   if (has_next)
      walk->span = next;
   cost_zero(cost);
   cost[CostIr] = counts[walk->run];
   for (; walk->event < block->n_events; walk->event++) {
      const StaticEvent* event = &block->events[walk->event];
      if (event->instruction != walk->index)
         break;
      cost[event->event] += counts[event->run] * event->count;
   }
   for (; walk->reference < block->n_references; walk->reference++) {
      const Reference* reference = &block->references[walk->reference];
      if (reference->instruction != walk->index)
         break;
      block_add_outcomes(block, reference, counts, cost);
   }
   return True;
}
