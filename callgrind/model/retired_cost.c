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

/* More than this are found by a table.  */
#define FEW 16

static RetiredCost* find(const RetiredCosts* retired, const RetiredCost* sought)
{
   if (retired->table != NULL)
      return VG_(HT_gen_lookup)(retired->table, sought, compare_retired);
   RetiredCost* found = retired->first;
   while (found != NULL && compare_retired(found, sought) != 0)
      found = found->next;
   return found;
}

static void make_table(RetiredCosts* retired)
{
   retired->table = VG_(HT_construct)("context.retired");
   for (RetiredCost* cost = retired->first; cost != NULL; cost = cost->next)
      VG_(HT_add_node)(retired->table, cost);
}

static RetiredCost* retired_at(RetiredCosts* retired, Addr file_address, SourceLine line)
{
   RetiredCost sought;
   sought.node.key = file_address;
   sought.file_address = file_address;
   sought.line = line;
   RetiredCost* found = find(retired, &sought);
   if (found != NULL)
      return found;
   found =
      VG_(malloc)("context.retired", sizeof *found + cost_n_events() * sizeof(ULong));
   *found = sought;
   cost_zero(found->cost);
   found->next = retired->first;
   retired->first = found;
   if (retired->table != NULL)
      VG_(HT_add_node)(retired->table, found);
   else if (++retired->n > FEW)
      make_table(retired);
   return found;
}

void retired_cost_add(RetiredCosts* retired, Addr file_address, SourceLine line,
                      const ULong* cost)
{
   if (!cost_is_zero(cost))
      cost_add(retired_at(retired, file_address, line)->cost, cost);
}

/* Adds what the instructions before number `end` have cost.  */
static void add_instructions(RetiredCosts* retired, const Block* block,
                             const ULong* counts, UInt end)
{
   ULong cost[COST_MAX_EVENTS];
   BlockWalk walk;
   block_walk_begin(&walk, block);
   while (block_walk(&walk, counts, cost) && walk.index < end)
      retired_cost_add(retired, walk.file_address, block_line_of(walk.span), cost);
}

void retired_cost_add_block(RetiredCosts* retired, const Block* block, ULong* counts)
{
   add_instructions(retired, block, counts, block->n_instructions);
   for (UInt i = 0; i < block_n_counters(block); i++)
      counts[i] = 0;
}

void retired_cost_add_begin_of_run(RetiredCosts* retired, const Block* block, UInt run,
                                   UInt end)
{
   ULong* once = VG_(calloc)("context.once", block_n_counters(block), sizeof *once);
   once[run] = 1;
   add_instructions(retired, block, once, end);
   VG_(free)(once);
}

/* The table's entries are those of the list.  */
static void keep_entry(void* entry) { (void)entry; }

void retired_cost_clear(RetiredCosts* retired)
{
   if (retired->first == NULL)
      return;
   if (retired->table != NULL)
      VG_(HT_destruct)(retired->table, keep_entry);
   for (RetiredCost *cost = retired->first, *next; cost != NULL; cost = next) {
      next = cost->next;
      VG_(free)(cost);
   }
   VG_(memset)(retired, 0, sizeof *retired);
}
