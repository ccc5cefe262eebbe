/* SPDX-License-Identifier: GPL-2.0-or-later

   Context: a function as the profile tells it apart.  By default that is the
   function and its recursion level: `f` for the outermost activation, `f'2` for
   those inside it (--separate-recs).

   A context owns the counters of its function's superblocks (block.h says which
   slot is whose).  Generated code reaches them through the base address of the
   running context's array, so that the same superblock counts for whichever
   context it runs in, without asking.  */

#ifndef CALLGRIND_CONTEXT_H
#define CALLGRIND_CONTEXT_H

#include "model/block.h"
#include "model/cost.h"

struct Arc;
struct KeptJump;

typedef struct Context {
   Function* function;
   UInt function_id; /* of it, at hand */
   UInt level;       /* 1 and up */
   UInt level_span;  /* how many deeper levels it stands for too: none, or all */
   UInt id;          /* 0, 1, 2 ... in order of creation */
   ULong* counters;
   UInt n_counters;             /* how many the array has room for */
   VgHashTable* retired;        /* costs without a block: of code that is gone, of what the
                                   system did; NULL if none */
   struct Arc* first_arc;       /* arcs that begin here; linked by arc.c */
   struct KeptJump* first_jump; /* jumps that no block counts; linked by jump.c */
   struct Context* next;        /* in order of creation */
} Context;

/* A cost that has no block, or none any more: kept by source position.  */
typedef struct {
   VgHashNode node;
   Addr file_address;
   SourceFile* file;
   UInt line;
   ULong cost[COST_MAX_EVENTS];
} RetiredCost;

void context_init(void);

/* The context of `function` at recursion `level`, made at its first use.  */
Context* context_get(Function* function, UInt level);

/* The same for the `depth`th activation of `function` on a stack: levels beyond
   --separate-recs share the last context.  */
Context* context_at_depth(Function* function, UInt depth);

/* All contexts, in order of creation.  */
Context* context_first(void);

/* How many there are.  */
UInt context_count(void);

/* Makes room in every context of `function`, and in the scratch counters, for
   all slots that its blocks use.  Counter arrays may move.  */
void context_make_room(Function* function);

/* Counters for code whose cost is booked elsewhere or not at all.  As large as
   any context's; nobody reads them.  */
ULong* context_scratch_counters(void);

/* Adds to the costs that have no block.  */
void context_add_cost(Context* context, Addr file_address, SourceFile* file, UInt line,
                      const ULong* cost);

/* Moves the counts of `block` into the retired costs of its function's contexts
   and leaves its slots zero.  */
void context_retire_block(const Block* block);

/* Of a run of `block` that has been counted for `context`, only the instructions before
   number `end` were executed: counts those instead.  */
void context_cut_run(Context* context, const Block* block, UInt run, UInt end);

/* Sets every counter and retired cost to zero.  */
void context_zero_all(void);

/* --ct-check; says what is wrong in the log.  */
Bool context_all_valid(void);

#endif
