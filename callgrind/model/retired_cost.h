/* SPDX-License-Identifier: GPL-2.0-or-later

   Retired costs of a context: costs that no block's counters hold, because the code
   is gone, or because the system caused them.  Kept by source position.  */

#ifndef CALLGRIND_RETIRED_COST_H
#define CALLGRIND_RETIRED_COST_H

#include "model/block_cost.h"
#include "model/cost.h"

typedef struct RetiredCost {
   VgHashNode node;
   struct RetiredCost* next;
   Addr file_address;
   SourceLine line;
   ULong cost[]; /* cost_n_events() numbers */
} RetiredCost;

/* Those of a context.  Most have none or few, but JIT compilers make many contexts: so
   there is a table only if there are many.  All zero at first.  */
typedef struct {
   RetiredCost* first; /* linked by `next` */
   VgHashTable* table; /* of the same; NULL if there are few */
   UInt n;
} RetiredCosts;

/* Adds a cost.  */
void retired_cost_add(RetiredCosts* retired, Addr file_address, SourceLine line,
                      const ULong* cost);

/* Adds what a block has cost, and sets its counters to zero.  `counts` are the
   context's, one for each of block_n_counters().  */
void retired_cost_add_block(RetiredCosts* retired, const Block* block, ULong* counts);

/* Adds what one execution of a run costs up to, and without, the instruction with index
   `end`.  */
void retired_cost_add_begin_of_run(RetiredCosts* retired, const Block* block, UInt run,
                                   UInt end);

/* Frees all.  */
void retired_cost_clear(RetiredCosts* retired);

#endif
