/* SPDX-License-Identifier: GPL-2.0-or-later

   Which frame runs, and whether its costs are collected: keeps shadowstack_now, which
   generated code and the fast path work on, in step with the shadow stack.  */

#ifndef CALLGRIND_SHADOWSTACK_RUNNING_H
#define CALLGRIND_SHADOWSTACK_RUNNING_H

#include "stack/frames/shadowstack_types.h"

/* The topmost frame's function runs from now on, in no stub and with its stack pointer in
   place.  Opens the fast path if options and collection allow it.  */
void shadowstack_run_top(void);

/* As shadowstack_run_top(), but the thread stays where `at` says: in the topmost frame,
   or on the way out of it.  */
void shadowstack_run_top_at(const ControlPoint* at);

/* Counter arrays may have moved: fetches the running context's again.  */
void shadowstack_counters_moved(void);

/* The fast path enters and leaves nothing until shadowstack_run_top().  */
void shadowstack_disable_fast_path(void);

/* Books what the stub has cost in which `at` is, if any, up to `clock`.  */
void shadowstack_book_stub_at(ControlPoint* at, const ULong* clock);

/* As shadowstack_book_stub_at(), for the running thread, up to now.  */
void shadowstack_book_stub(void);

/* If collection is off, sets the clock back to where it was switched off.  To be called
   before the clock is read.  (That may be a step back for rare events.  All frames are
   synced then: whoever counted one has called rare_sync(), and no fast path has been open
   since.)  */
static inline void shadowstack_hold_clock(void)
{
   if (UNLIKELY(!shadowstack_now.stack->is_collecting))
      cost_copy(cost_clock, shadowstack_now.stack->frozen_clock);
}

/* Switches collection on or off for a stack, running or not.  */
void shadowstack_set_collecting(ShadowStack* stack, Bool collecting);

#endif
