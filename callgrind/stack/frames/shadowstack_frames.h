/* SPDX-License-Identifier: GPL-2.0-or-later

   Entering and leaving frames of the running stack, in the general case.  (The fast path
   does the same for plain frames; see fast_enter.h and fast_return.h.)  */

#ifndef CALLGRIND_SHADOWSTACK_FRAMES_H
#define CALLGRIND_SHADOWSTACK_FRAMES_H

#include "stack/frames/shadowstack_types.h"

/* Costs that have left all clocks: of signal handlers, and of threads that have
   ended.  */
extern ULong shadowstack_retired_cost[COST_MAX_EVENTS];

/* A new topmost frame, entered now, without an arc.  If the frame below is skipped,
   what it has spent is booked.  The stack owns the frame; it may move at the next
   push.  */
Frame* shadowstack_push(Context* context, Addr slot, Addr return_address, UInt flags);

/* A new topmost frame of `function`, which is skipped.  Its owner is `caller`; see
   shadowstack_book_on().  */
void shadowstack_push_skipped(Function* function, Context* caller, CallSite* site,
                              Addr sp, Addr return_address, UInt flags);

/* From now on what a skipped frame costs is booked on `caller`, at `site`.  If no shown
   function has led to it (NULL), that is the context of skipped code.  */
void shadowstack_book_on(Frame* skipped, Context* caller, CallSite* site);

/* A barrier: a signal has interrupted what lies below, at the stack pointer `sp`.  What
   runs now has stack up to `end`.  */
void shadowstack_push_barrier(Addr sp, Addr end);

/* The topmost frame's function goes on with its stack pointer at `moved`, in other
   memory.  Where it was is in the topmost region's `low`.  */
void shadowstack_push_stack_switch(Addr moved);

/* Leaves the topmost frame and books its cost; of a stack without frames, counts a
   repair.  Does not say what runs: see shadowstack_run_top().  */
void shadowstack_pop(void);

/* `frame` is FrameUncounted: counts its call if something has been collected in it, up to
   `clock`.  */
void shadowstack_count_late(Frame* frame, const ULong* clock);

/* With --call-tree: sets the node of `frame`, whose function was called from code of
   `inlined` (NULL: of none) in `below`.  */
void shadowstack_find_node(Frame* frame, const Frame* below, const Inlined* inlined);

#endif
