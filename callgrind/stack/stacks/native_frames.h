/* SPDX-License-Identifier: GPL-2.0-or-later

   The innermost frames of the running thread's native stack where control comes to, by
   the core's unwinder.  Owns: what was found there.  It is asked at most once for each
   place.

   Where a call pushes its return address, that lies in the frame's slot, and it suffices
   to look there (moved_stack.h).  Elsewhere a function puts it anywhere in its part of
   the stack, and a search of that part finds, too, what an earlier function has left in
   words that this one does not use: that of another stack, where stacks share one place.
   Only the function's own frame information says which word it is.  */

#ifndef CALLGRIND_NATIVE_FRAMES_H
#define CALLGRIND_NATIVE_FRAMES_H

#include "stack/frames/shadowstack_types.h"

typedef struct {
   Function* function;
   Addr ip;   /* where it is */
   Addr slot; /* arch.h */
   Addr return_address;
} NativeFrame;

/* Control is at `ip`, the start of a superblock, or comes there by a return, with the
   stack pointer at `sp`.  That is what the others tell of until this is called again.  */
void native_frames_at(Addr ip, Addr sp);

/* The innermost frames that have a caller, a few; and how many.  */
UInt native_frames(const NativeFrame** frames);

/* The frame of this region that `native` is; NULL: there is another, or none.  */
Frame* native_frames_find(const ShadowStack* stack, UInt region,
                          const NativeFrame* native);

/* How many frames of this region lie in memory: from `from` down, which is the
   unwinder's number `first`, up to the first that does not.  Only some of very many are
   compared.  */
UInt native_frames_matches(const ShadowStack* stack, UInt region, const Frame* from,
                           UInt first);

/* Does the frame in which control is lie in memory?  1: yes; 0: no; -1: nothing
   tells.  */
Int native_frames_tell(const ShadowStack* stack, UInt region, const Frame* frame);

#endif
