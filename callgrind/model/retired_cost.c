/* SPDX-License-Identifier: GPL-2.0-or-later

   Retired costs; see retired_cost.h.  */

#include "model/retired_cost.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

static Word compare_retired(const void* a, const void* b)
{
   const RetiredCost* c = a;
   const RetiredCost* d = b;
   return c->file_address != d->file_address || !source_line_is_same(&c->line, &d->line);
}

static RetiredCost* retired_at(VgHashTable** retired, Addr file_address, SourceLine line)
{
   if (*retired == NULL)
      *retired = VG_(HT_construct)("context.retired");
   RetiredCost sought;
   sought.node.key = file_address;
   sought.file_address = file_address;
   sought.line = line;
   RetiredCost* found = VG_(HT_gen_lookup)(*retired, &sought, compare_retired);
   if (found == NULL) {
      found = VG_(malloc)("context.retired", sizeof *found);
      *found = sought;
      VG_(memset)(found->cost, 0, sizeof found->cost);
      VG_(HT_add_node)(*retired, found);
   }
   return found;
}

void retired_cost_add(VgHashTable** retired, Addr file_address, SourceLine line,
                      const ULong* cost)
{
   if (!cost_is_zero(cost))
      cost_add(retired_at(retired, file_address, line)->cost, cost);
}

/* Adds what the instructions before number `end` have cost.  */
static void add_instructions(VgHashTable** retired, const Block* block,
                             const ULong* counts, UInt end)
{
   ULong cost[COST_MAX_EVENTS];
   BlockWalk walk;
   block_walk_begin(&walk, block);
   while (block_walk(&walk, counts, cost) && walk.index < end)
      retired_cost_add(retired, walk.file_address, block_line_of(walk.span), cost);
}

void retired_cost_add_block(VgHashTable** retired, const Block* block, ULong* counts)
{
   add_instructions(retired, block, counts, block->n_instructions);
   for (UInt i = 0; i < block_n_counters(block); i++)
      counts[i] = 0;
}

void retired_cost_add_begin_of_run(VgHashTable** retired, const Block* block, UInt run,
                                   UInt end)
{
   ULong* once = VG_(calloc)("context.once", block_n_counters(block), sizeof *once);
   once[run] = 1;
   add_instructions(retired, block, once, end);
   VG_(free)(once);
}

void retired_cost_clear(VgHashTable** retired)
{
   if (*retired == NULL)
      return;
   VG_(HT_destruct)(*retired, VG_(free));
   *retired = NULL;
}
