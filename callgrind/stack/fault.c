/* SPDX-License-Identifier: GPL-2.0-or-later

   Rolling back at a fault; see fault.h.

   Which superblock was running is not recorded: that would cost time in every one.  It is
   searched among those of the running function: it is the one that has the faulting
   instruction behind its first.  If there are several, or none, the counts stay as they
   are.  */

#include "stack/fault.h"

#include "model/block.h"
#include "model/block_cost.h"
#include "stack/shadowstack_types.h"

#include "pub_tool_vki.h"

/* The index of the instruction of `block` at `ip`; 0 if that is its first, or if there is
   none.  */
static UInt instruction_at(const Block* block, Addr ip)
{
   Addr address = block->address;
   for (UInt i = 0; i < block->n_instructions && address <= ip; i++) {
      if (address == ip)
         return i;
      address += block->sizes[i];
   }
   return 0;
}

/* The only translated block of `function` that has the instruction at `ip` behind its
   first, and the instruction's index; NULL if there is none, or more than one.  */
static const Block* only_block_around(const Function* function, Addr ip, UInt* index)
{
   const Block* found = NULL;
   for (const Block* block = block_first_of(function); block != NULL;
        block = block->next_of_function) {
      if (!block->is_translated)
         continue;
      if (block->address == ip)
         return NULL; /* it may be here by a jump, not by a fault */
      UInt i = instruction_at(block, ip);
      if (i == 0)
         continue;
      if (found != NULL)
         return NULL;
      found = block;
      *index = i;
   }
   return found;
}

void fault_rollback(Int signal, Addr ip)
{
   const Frame* top = shadowstack_now.top;
   Function* function = shadowstack_function(top);
   if ((signal != VKI_SIGSEGV && signal != VKI_SIGBUS) || function == NULL ||
       shadowstack_now.at.current != symbols_runs_as(function)->id ||
       !shadowstack_now.stack->is_collecting)
      return;
   UInt index = 0;
   const Block* block = only_block_around(function, ip, &index);
   if (block == NULL)
      return;
   UInt run = 0;
   while (block->run_ends[run] <= index)
      run++;
   if (!(top->flags & FrameSkipped)) {
      if (top->context->counters[block->slot + run] == 0)
         return;
      context_cut_run(top->context, block, run, index);
   }
   ULong not_done[COST_MAX_EVENTS] = {0};
   block_add_run_cost(block, run, index, not_done);
   for (UInt e = 0; e < cost_n_events(); e++)
      cost_clock[e] -= not_done[e];
}
