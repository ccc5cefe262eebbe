/* SPDX-License-Identifier: GPL-2.0-or-later

   Parked stacks: the shadow stacks of coroutines, green threads and contexts that no
   thread runs at the moment.  They are found again by where their native stack lies.  */

#ifndef CALLGRIND_PARKING_H
#define CALLGRIND_PARKING_H

#include "stack/frames/shadowstack_types.h"

/* A region of a parked stack; `stack` is NULL: none.  */
typedef struct {
   ShadowStack* stack;
   UInt region;
} ParkedRegion;
#define NO_REGION ((ParkedRegion){NULL, 0})

/* After shadowstack_init().  */
void parking_init(void);

/* The topmost region of the running stack is new, in memory that may have been
   another's: its place in time is recorded.  */
void parking_note_new(ShadowStack* stack);

/* Parks a stack, which is parking's from now on.  Its regions say where the stack pointer
   left each of them.  */
void parking_park(ShadowStack* stack);

/* The parked region in which `sp` lies.  Its stack stays parked.  Dead ones may seem to
   hold it, too: of several it is the most likely one.  */
ParkedRegion parking_find(Addr sp);

/* The parked region that was left a few words above `sp`.  Its stack stays parked.  */
ParkedRegion parking_find_above(Addr sp);

/* The parked region that has a frame from which a return to `target` leaves the stack
   pointer exactly at `sp`.  Its stack stays parked.  */
ParkedRegion parking_find_return(Addr target, Addr sp);

/* The parked region that was left with its stack pointer at `low`.  Its stack stays
   parked.  */
ParkedRegion parking_find_left_at(Addr low);

/* Was any region left there, of a parked stack or of one that seems to be dead?  Or a few
   words above: these may have been pushed at once.  */
#define PARKING_PUSHED_AT_ONCE 64
Bool parking_is_left_at(Addr low);

/* Calls `visit` for regions that seem to be dead, and for parked ones, with the same
   demand as parking_for_each(), but for no more than `most`; returns for how many.  */
UInt parking_for_each_region(void (*visit)(ParkedRegion parked), UInt most);

/* Calls `visit` for regions of stacks, parked ones and those that seem to be dead, in
   whose memory `sp` lies: for the nearest, if there are very many. With the demand of
   parking_for_each().  */
void parking_for_each_at(Addr sp, void (*visit)(ParkedRegion parked));

/* The stack is the caller's again, and a thread runs it.  */
void parking_take(ShadowStack* stack);

/* What a parked region's frames lay on has been written over.  If the stack began there,
   it is found by parking_for_each_region() only, until too many others are.  */
void parking_drop(ParkedRegion parked);

/* Calls `visit` for each parked stack; it must not park any, nor take any out.  */
void parking_for_each(void (*visit)(ShadowStack* stack));

/* The memory from `start` on, `length` bytes, is unmapped: frees the stacks in it.  */
void parking_forget_range(Addr start, SizeT length);

/* With --stats: how often stacks were parked.  */
void parking_print_stats(void);

/* Frees all parked stacks, booking what is open.  */
void parking_free_all(void);

#endif
