/* SPDX-License-Identifier: GPL-2.0-or-later

   Parked stacks: the shadow stacks of coroutines, green threads and contexts that no
   thread runs at the moment.  They are found again by where their native stack lies.  */

#ifndef CALLGRIND_PARKING_H
#define CALLGRIND_PARKING_H

#include "stack/shadowstack_types.h"

/* After shadowstack_init().  */
void parking_init(void);

/* A new stack begins, in memory that may have been another's: its place in time is
   recorded.  */
void parking_note_new(ShadowStack* stack);

/* Parks a stack, which is parking's from now on.  Its topmost region says where the stack
   pointer left it.  */
void parking_park(ShadowStack* stack);

/* The parked stack on which `sp` lies, or NULL.  It stays parked.  Dead stacks may
   seem to hold it, too: of several it is the most likely one.  */
ShadowStack* parking_find(Addr sp);

/* The parked stack that has a frame from which a return to `target` leaves the stack
   pointer exactly at `sp`; NULL if there is none.  It stays parked.  */
ShadowStack* parking_find_return(Addr target, Addr sp);

/* The parked stack that was left with its stack pointer at `low`, or NULL.  It stays
   parked.  */
ShadowStack* parking_find_left_at(Addr low);

/* Takes a stack out: it is the caller's again, and a thread runs it.  */
void parking_take(ShadowStack* stack);

/* Calls `visit` for each parked stack; it must not park any, nor take any out.  */
void parking_for_each(void (*visit)(ShadowStack* stack));

/* The memory from `start` on, `length` bytes, is unmapped: frees the stacks in it.  */
void parking_forget_range(Addr start, SizeT length);

/* Frees all parked stacks, booking what is open.  */
void parking_free_all(void);

#endif
