/* SPDX-License-Identifier: GPL-2.0-or-later

   --collect-alloc: calls of allocators (options/allocators.h), from their entry to their
   return.

   The first superblock of an allocator tells of its entry: generated code calls us there.
   The arguments say what is asked for, or freed.  The result is known when it returns to
   its caller: so its frame is marked, and is not left on the fast path.  Of allocators
   that call one another only the outermost counts.  What it costs is self cost of its
   caller, at the call site.

   Nothing of the program is replaced.  While instrumentation is off, allocators that free
   tell of their entry as well, so that no block is taken for live that is not.  */

#ifndef CALLGRIND_ALLOCATION_CALLS_H
#define CALLGRIND_ALLOCATION_CALLS_H

#include "stack/frames/shadowstack_types.h"

/* The running thread is at the start of the allocator with this number, and its frame, if
   it has one, is on top.  Called by generated code.  */
void allocation_calls_enter(UWord number);

/* As allocation_calls_enter(), while instrumentation is off.  */
void allocation_calls_enter_off(UWord number);

/* The outermost allocator returns to its caller.  For allocation_calls_return().  */
void allocation_calls_end(void);

/* A return instruction goes to `target`; the stack pointer is `sp` then.  To be called
   before frames are left, at every return but those from plain frames.  */
static inline void allocation_calls_return(Addr target, Addr sp)
{
   const AllocationCall* call = &shadowstack_now.at.allocation;
   if (UNLIKELY(call->slot != 0) && sp == shadowstack_sp_after(call->slot) &&
       target == call->return_address)
      allocation_calls_end();
}

/* Tells the user, if there were any, how many calls have freed what is not a block, as
   far as is known: one that was freed before, or was allocated unseen.  */
void allocation_calls_tell(void);

/* --stats=yes */
void allocation_calls_print_stats(void);

#endif
