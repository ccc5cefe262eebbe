/* SPDX-License-Identifier: GPL-2.0-or-later

   Stacks that move: a program may copy a native stack to other memory, because it has to
   grow for example, and go on there.  Go does so with the stacks of its goroutines.  The
   frames keep their distances, and the copy holds their return addresses.

   So where control comes to memory in which no stack is known to lie, the stacks that are
   known are compared with what lies there.  Nothing is looked at as long as stacks are
   found where they were left.  */

#ifndef CALLGRIND_MOVED_STACK_H
#define CALLGRIND_MOVED_STACK_H

#include "stack/frames/shadowstack_types.h"

/* Keeps what lies at `low`, in the topmost region.  */
void relocation_keep(const ShadowStack* stack, Addr low, StackWords* kept);

/* As relocation_keep(), for that region, which is being left there perhaps.  */
void relocation_remember(ShadowStack* stack, Addr low);

/* The likeness of a region with itself where it was left, if nothing has changed there,
   and if little has: others may write to variables there.  */
#define RELOCATION_SAME 257
#define RELOCATION_NEARLY_SAME 193

/* How much of what was remembered still lies there.  */
UInt relocation_likeness_here(const StackRegion* region);

/* How far up from where words were kept the memory is as it was.  */
typedef struct {
   UInt words;  /* so many are the same */
   UInt nearly; /* so many until there are more than two that are not */
} LikenessRun;
LikenessRun relocation_run(const StackWords* kept);

/* How many frames, from `from` down to where its region begins, have their return address
   in memory, `delta` bytes above their slots; -1 if one has not.  Only some of very
   many are compared.  */
Int relocation_compare(const ShadowStack* stack, UInt region, const Frame* from,
                       Word delta);

/* As relocation_compare(), for frames that have not been moved, and up to the first that
   does not lie there.  */
UInt relocation_matches(const ShadowStack* stack, UInt region, const Frame* from);

/* Does the return address of a frame of this region lie in memory?  1: yes; 0: no; -1:
   nothing tells.  */
Int relocation_is_in_memory(const ShadowStack* stack, UInt region, const Frame* frame);

/* As relocation_is_in_memory(), of a frame that may have been left, after the stack
   pointer was moved to `live` (0: it was not).  If that is in the frame's part of the
   stack, what lies further down does not count.  */
Int relocation_is_live(const ShadowStack* stack, UInt region, const Frame* frame,
                       Addr live);

/* Where control comes to in memory that is no known stack's.  */
typedef struct {
   Addr target;
   const Function* function; /* that `target` is in; NULL: a return, it is not known */
   Addr sp;                  /* the stack pointer */
   Addr low;                 /* with what it was loaded: what lies below is no frame's */
} Arrival;

/* Has the region been moved to where control is?  0 if not; otherwise the more, the more
   of what was remembered lies there, up to RELOCATION_SAME.  Sets `delta` to how far
   up.  If no return address but that of the function that switched tells, all of it has
   to lie there.  */
UInt relocation_likeness(const ShadowStack* stack, UInt region, const Arrival* at,
                         Word* delta);

/* Moves the region's frames up.  */
void relocation_move(ShadowStack* stack, UInt region, Word delta);

#endif
