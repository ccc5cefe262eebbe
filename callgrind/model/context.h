/* SPDX-License-Identifier: GPL-2.0-or-later

   Context: a function in one of the situations that the profile distinguishes.  By
   default that is its recursion level: `f` for the outermost activation, `f'2` for those
   inside it (--separate-recs).  With --separate-callers it is also the chain of callers,
   with --separate-threads the thread.

   How many callers matter may differ from function to function.  Contexts are
   distinguished by as many as matter to any function; those that the profile does not
   distinguish name one that they are written as.

   A context owns the counters of its function's blocks:

      Context f     counters: | block a: runs, jumps, references | block b: ... |
      Context f'2   counters: | the same slots                                  |

   block_record.h says which slot is whose.  Generated code adds to the running
   context's array (shadowstack_now.counters), so that one translation counts for
   every context.  */

#ifndef CALLGRIND_CONTEXT_H
#define CALLGRIND_CONTEXT_H

#include "model/block.h"
#include "model/caller_chain.h"
#include "model/cost.h"
#include "model/retired_cost.h"

struct Arc;
struct KeptJump;

typedef struct Context {
   Function* function;
   UInt function_id; /* the function's, for the fast path */
   UInt level;       /* recursion level, 1 and up */
   CallChain* chain; /* the callers; NULL without --separate-callers */
   UInt thread;      /* 0 without --separate-threads */
   UInt level_span;  /* how many deeper levels it stands for, too: none, or all */
   UInt id;          /* 0, 1, 2 ... in order of creation */
   UInt n_outer;     /* level - 1, for the fast path: activations outside the first one
                        that it stands for */
   ULong* counters;
   UInt n_counters; /* room in the array; the same in all of a function */
   RetiredCosts retired;
   struct Arc* first_arc;       /* arcs that begin here; linked by arc.c */
   struct KeptJump* first_jump; /* jumps that no block counts; linked by jump.c */
   struct Context* written_as;  /* as what the profile shows it; often itself */
   struct Context* next;        /* in order of creation */
   struct Context* next_of_function;
   struct Context* next_entered; /* the one of its function that was entered before */
   struct Context** link_entered;
   UInt round;               /* in which it was entered last; 0: never */
   Bool is_recent;           /* that is the round of now */
   Bool has_mapped_counters; /* a part of a mapping: context_zero_in_child() */
} Context;

void context_init(void);

/* The context in which `function`, called by `caller` (NULL: nobody), runs as its
   `depth`th activation on a stack, in the running thread; made at its first use.  Levels
   beyond --separate-recs share the last context.  */
Context* context_at_depth(Function* function, UInt depth, const Context* caller);

/* The context of skipped code without a visible caller.  */
Context* context_of_skipped(void);

/* With --separate-threads: `thread` runs from now on.  */
void context_set_thread(UInt thread);

/* All contexts, in order of creation.  */
Context* context_first(void);

/* Those of one function, linked by next_of_function, in any order.  */
Context* context_first_of(const Function* function);

/* How many there are.  */
UInt context_count(void);

/*--------------------------------------------------------------------*/
/* Which contexts may have run a block, so that not all of its function's need be looked
   at when it is retired.  A function's contexts are kept in the order in which they were
   entered last, in rounds.  The contexts of a round are recent until recent_contexts.h
   has made sure that they can be entered by context_enter() alone, and begins the
   next.  */

void context_make_recent(Context* context);

/* To be called when a frame gets the context.  */
static inline void context_enter(Context* context)
{
   if (UNLIKELY(!context->is_recent))
      context_make_recent(context);
}

/* There is a block, new or not.  */
void context_note_block(Block* block);

/* The contexts that may have run the block: the first one, and the one after another.  */
Context* context_first_in(const Block* block);
Context* context_next_in(const Block* block, const Context* context);

/* True if there are many recent ones, and retiring blocks has, since the last round,
   looked at as many contexts as that round cost.  */
Bool context_is_round_due(const Function* function);

/* The next round begins: none is recent.  Those that have a frame are to be entered anew,
   and none may get a frame without context_enter().  */
void context_begin_round(const Function* function);

/* It has been tried to begin a round; `price` things had to be looked at.  */
void context_pay_for_round(const Function* function, UInt price);

/* --stats=yes */
void context_print_stats(void);

/*--------------------------------------------------------------------*/

/* Makes room in every context of `function`, and in the scratch counters, for all slots
   that its blocks use.  To be called after each new block.  Counter arrays may move.  */
void context_make_room(Function* function);

/* Counters for code whose cost is booked elsewhere or not at all.  As many as any context
   has; nobody reads them.  */
extern ULong* context_scratch; /* read through context_scratch_counters() */
static inline ULong* context_scratch_counters(void) { return context_scratch; }

/* Adds a cost that has no block.  */
void context_add_cost(Context* context, Addr file_address, SourceLine line,
                      const ULong* cost);

/* Retires `block`: moves what it has cost into the retired costs of its function's
   contexts, and sets its counters to zero.  */
void context_retire_block(const Block* block);

/* Of a run of `block` that has been counted for `context`, only the instructions before
   number `end` were executed: rolls back the count, and adds their cost instead.  */
void context_cut_run(Context* context, const Block* block, UInt run, UInt end);

/* True if none of the context's counters has counted since they were set to zero.  A
   program with many benchmarks writes a part for each, in which most contexts have no
   cost: their counters lie side by side, their blocks do not.  */
Bool context_is_idle(const Context* context);

/* The counter at `slot`, added up over all contexts of `function`.  */
ULong context_sum_at(const Function* function, UInt slot);

/* Sets every counter and retired cost to zero; of one thread's contexts only, unless
   `thread` is 0.  */
void context_zero(UInt thread);

/* As context_zero(), for all threads, in a forked child.  Writing to what it shares with
   its parent takes the child a page fault and a copy of each page.  So contexts that have
   counted get new counters, of which only those that are used take memory; the old ones
   stay where they are.  Counter arrays move.  */
void context_zero_in_child(void);

/* --ct-check; says what is wrong in the log.  */
Bool context_all_valid(void);

#endif
