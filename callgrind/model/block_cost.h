/* SPDX-License-Identifier: GPL-2.0-or-later

   What blocks cost: of one execution, and of all that their counters tell.  */

#ifndef CALLGRIND_BLOCK_COST_H
#define CALLGRIND_BLOCK_COST_H

#include "model/block_record.h"
#include "model/cost.h"

/* Adds what one execution of a run costs from its instruction number `from` on.  */
void block_add_run_cost(const Block* block, UInt run, UInt from, ULong* cost);

/* Adds the part of it that is code of one inlined function (NULL: of none).  */
void block_add_inlined_cost(const Block* block, UInt run, UInt from,
                            const Inlined* inlined, ULong* cost);

/* Is it the first of the spans that are code of the same inlined function?  */
Bool block_is_first_span_of_inlined(const Block* block, UInt span);

/* Adds what a reference has cost besides being made.  `counts` are the block's
   counters, one for each of block_n_counters().  */
void block_add_outcomes(const Block* block, const Reference* reference,
                        const ULong* counts, ULong* cost);

/* A walk over the instructions of a block: where each lies, and what it has cost.  */
typedef struct {
   const Block* block;
   UInt index;     /* of the instruction, once block_walk() has returned True */
   UInt run;       /* that holds it */
   UInt event;     /* the first static event behind it */
   UInt reference; /* the first reference behind it */
   Addr file_address;
   const LineSpan* span;
   Bool is_new_span; /* it is the first of its span */
} BlockWalk;

void block_walk_begin(BlockWalk* walk, const Block* block);

/* Goes on to the next instruction; False if there is none.  Sets *cost to what it has
   cost; `counts` are the block's counters, as above.  */
Bool block_walk(BlockWalk* walk, const ULong* counts, ULong* cost);

#endif
