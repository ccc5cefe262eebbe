/* SPDX-License-Identifier: GPL-2.0-or-later

   Native stack -> shadow stack.  Measurement may start, and functions may be folded
   away, when every thread is deep in calls already: what is on its stack is found
   by unwinding it, so that later returns meet their frames and the first callee has
   the caller that it really has.  */

#ifndef CALLGRIND_SEED_H
#define CALLGRIND_SEED_H

#include "stack/shadowstack.h"

/* What seeding has found.  */
typedef struct {
   UInt threads;
   UInt frames;    /* all of them */
   UInt skipped;   /* of functions that are folded away */
   UInt anonymous; /* of code that nothing is known of */
} SeedCounts;

/* Rebuilds the shadow stack of every live thread, all of which must be empty.  A
   call that is found there was made before: it makes no arc and no count.  */
SeedCounts seed_all_threads(void);

/* The same for the running thread alone, whose shadow stack must be empty.  To be called
   at the start of a superblock.  */
void seed_running_thread(void);

/* Where the return address of the running thread's innermost function lies, and what it
   is; False if that is not known.  To be called at the start of a superblock.  */
Bool seed_caller(Addr* slot, Addr* return_address);

/* Functions have been folded away that may be on a stack: from now on their frames
   are bare, and what they called was called by the nearest function that is
   shown.  */
void seed_reapply_skips(ShadowStack* stack);

#endif
