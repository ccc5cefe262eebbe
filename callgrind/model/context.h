/* SPDX-License-Identifier: GPL-2.0-or-later

   Context: a function as the profile tells it apart.  By default that is the
   function and its recursion level: `f` for the outermost activation, `f'2` for
   those inside it (--separate-recs).  With --separate-callers it is also by way of whom
   it was called, with --separate-threads in which thread.

   How many callers matter may differ from function to function.  All contexts are told
   apart by as many as matter to any; those that the profile does not tell apart have one
   that they are written as.

   A context owns the counters of its function's superblocks (block.h says which
   slot is whose).  Generated code reaches them through the base address of the
   running context's array, so that the same superblock counts for whichever
   context it runs in, without asking.  */

#ifndef CALLGRIND_CONTEXT_H
#define CALLGRIND_CONTEXT_H

#include "model/block.h"
#include "model/caller_chain.h"
#include "model/cost.h"

struct Arc;
struct KeptJump;

typedef struct Context {
   Function* function;
   UInt function_id; /* of it, at hand */
   UInt level;       /* 1 and up */
   CallChain* chain; /* by way of whom; NULL without --separate-callers */
   UInt thread;      /* 0 without --separate-threads */
   UInt level_span;  /* how many deeper levels it stands for too: none, or all */
   UInt id;          /* 0, 1, 2 ... in order of creation */
   ULong* counters;
   UInt n_counters;       /* how many the array has room for */
   VgHashTable* retired;  /* costs without a block: of code that is gone, of what the
                                   system did; NULL if none */
   struct Arc* first_arc; /* arcs that begin here; linked by arc.c */
   struct KeptJump* first_jump; /* jumps that no block counts; linked by jump.c */
   struct Context* written_as; /* the one it is told apart from others as; often itself */
   struct Context* next;       /* in order of creation */
   struct Context* next_of_function;
} Context;

/* A cost that has no block, or none any more: kept by source position.  */
typedef struct {
   VgHashNode node;
   Addr file_address;
   SourceLine line;
   ULong cost[COST_MAX_EVENTS];
} RetiredCost;

void context_init(void);

/* The context in which `function`, called by `caller` (NULL: nobody), runs as its
   `depth`th activation on a stack, in the running thread; made at its first use.  Levels
   beyond --separate-recs share the last context.  */
Context* context_at_depth(Function* function, UInt depth, const Context* caller);

/* The context of skipped code without a visible caller.  */
Context* context_of_skipped(void);

/* The thread that contexts are told apart by, from now on.  */
void context_set_thread(UInt thread);

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
void context_add_cost(Context* context, Addr file_address, SourceLine line,
                      const ULong* cost);

/* Moves the counts of `block` into the retired costs of its function's contexts
   and leaves its slots zero.  */
void context_retire_block(const Block* block);

/* Of a run of `block` that has been counted for `context`, only the instructions before
   number `end` were executed: counts those instead.  */
void context_cut_run(Context* context, const Block* block, UInt run, UInt end);

/* Sets every counter and retired cost to zero; of one thread's contexts only, unless
   `thread` is 0.  */
void context_zero(UInt thread);

/* --ct-check; says what is wrong in the log.  */
Bool context_all_valid(void);

#endif
