/* SPDX-License-Identifier: GPL-2.0-or-later

   Parked shadow stacks: those of coroutines, green threads and contexts that no thread
   runs on at the moment.  They are found again by where their native stack lies.  */

#ifndef CALLGRIND_PARKING_H
#define CALLGRIND_PARKING_H

#include "stack/shadowstack.h"

/* After shadowstack_init().  */
void parking_init(void);

/* A stack begins in memory that may have been another's.  */
void parking_note_new(ShadowStack* stack);

/* Parks a stack; its topmost region says where the stack pointer left it.  */
void parking_park(ShadowStack* stack);

/* The parked stack on which `sp` lies, or NULL.  It stays parked.  Several may be said to
   hold it, when some are dead: the likeliest comes first.  */
ShadowStack* parking_find(Addr sp);

/* The parked stack that a return to `target`, with the stack pointer at `sp` then, leads
   back to, to the byte; NULL if there is none.  */
ShadowStack* parking_find_return(Addr target, Addr sp);

/* The parked stack that was left with its stack pointer at `low`, or NULL.  */
ShadowStack* parking_find_left_at(Addr low);

/* Takes a stack out: a thread goes on on it.  */
void parking_take(ShadowStack* stack);

void parking_for_each(void (*visit)(ShadowStack* stack));

/* Memory has gone: the stacks in it are freed.  */
void parking_forget_range(Addr start, SizeT length);

void parking_free_all(void);

#endif
