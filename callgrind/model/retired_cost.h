/* SPDX-License-Identifier: GPL-2.0-or-later

   Retired costs of a context: costs that no block's counters hold, because the code
   is gone, or because the system caused them.  Kept by source position.  */

#ifndef CALLGRIND_RETIRED_COST_H
#define CALLGRIND_RETIRED_COST_H

#include "model/block_cost.h"
#include "model/cost.h"

typedef struct {
   VgHashNode node;
   Addr file_address;
   SourceLine line;
   ULong cost[COST_MAX_EVENTS];
} RetiredCost;

/* A context's retired costs are a table of these; NULL if there are none.  The following
   make it when it is needed.  */

/* Adds a cost.  */
void retired_cost_add(VgHashTable** retired, Addr file_address, SourceLine line,
                      const ULong* cost);

/* Adds what a block has cost, and sets its counters to zero.  `counts` are the
   context's, one for each of block_n_counters().  */
void retired_cost_add_block(VgHashTable** retired, const Block* block, ULong* counts);

/* Adds what one execution of a run costs up to, and without, the instruction with index
   `end`.  */
void retired_cost_add_begin_of_run(VgHashTable** retired, const Block* block, UInt run,
                                   UInt end);

/* Frees all, and sets *retired to NULL.  */
void retired_cost_clear(VgHashTable** retired);

#endif
