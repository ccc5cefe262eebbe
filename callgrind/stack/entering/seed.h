/* SPDX-License-Identifier: GPL-2.0-or-later

   Seeding: building the shadow stack from the native one.  Measurement may start when
   every thread is deep in calls already.  What is on a thread's stack is found by
   unwinding it, so that later returns find their frames, and the next callee has its real
   caller.

   Functions may also become skipped while they are on a stack: then their frames are
   changed.  */

#ifndef CALLGRIND_SEED_H
#define CALLGRIND_SEED_H

#include "stack/frames/shadowstack_types.h"

/* How much seeding has found.  */
typedef struct {
   UInt threads;
   UInt frames;    /* all of them */
   UInt skipped;   /* frames of skipped functions */
   UInt anonymous; /* frames of code without symbol or frame information */
} SeedCounts;

/* Rebuilds the shadow stack of every live thread, all of which must be empty.  A
   call that is found there was made before: it makes no arc and no count.  */
SeedCounts seed_all_threads(void);

/* As seed_all_threads(), for the running thread alone, whose shadow stack must be empty.
   To be called at the start of a superblock.  */
void seed_running_thread(void);

/* The slot (arch.h) of the running thread's innermost function, and its return address;
   False if they are not known.  To be called at the start of a superblock.  */
Bool seed_caller(Addr* slot, Addr* return_address);

/* The call site in `caller` whose call returns to `return_address`; if there is none, its
   unknown one.  */
CallSite* seed_call_site(Addr return_address, Function* caller);

/* The call site of a frame that is about to be pushed on the running stack, and that
   returns to `return_address`: of the topmost frame's function, or, if that is skipped,
   its own.  NULL if nobody is known to call.  */
CallSite* seed_site_above_top(Addr return_address);

/* Functions have become skipped that may be on this stack.  From now on their frames are
   skipped frames, and what they called was called by their owners.  */
void seed_reapply_skips(ShadowStack* stack);

#endif
