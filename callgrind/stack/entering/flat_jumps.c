/* SPDX-License-Identifier: GPL-2.0-or-later

   See flat_jumps.h.  */

#include "stack/entering/flat_jumps.h"

#include "guest/jit/jit_functions.h"
#include "stack/entering/entry.h"
#include "stack/entering/seed.h"
#include "stack/frames/shadowstack_frames.h"

/* May what `frame` jumps to take its place?  Not if its activation goes on: then it is
   the caller.  Nor if that is skipped and nobody called what has jumped: then there is no
   other owner.  */
static Bool may_be_replaced(const Frame* frame, Bool by_shown)
{
   return !(frame->flags & (FrameBarrier | FrameInner | FrameStackSwitch)) &&
          (by_shown || shadowstack_below(frame)->context != NULL);
}

/* The site in the frame below from which `frame` was entered; NULL if it is a root.  */
static CallSite* entered_from(const Frame* frame)
{
   if (frame->flags & FrameSkipped)
      return frame->skipped_site;
   if (frame->arc != NULL)
      return frame->arc->site;
   const Context* caller = shadowstack_below(frame)->context;
   return caller != NULL ? seed_call_site(frame->return_address, caller->function) : NULL;
}

/* Has the topmost frame jumped to where its call returns to?  A prologue that has made
   its caller's frame does (leave_above_new_frame() in transition.c).  Here that is in
   another function than the call is: the caller has run on into it.  */
static Bool is_back_at_caller(const Block* block)
{
   const Frame* top = shadowstack_now.top;
   return !(top->flags & (FrameTail | FrameBarrier | FrameStackSwitch | FrameOpenEnd)) &&
          shadowstack_return_address(top) == block->address &&
          !(shadowstack_below(top)->flags & (FrameBarrier | FrameSkipped));
}

void flat_jumps_replace_top(Block* block, CallSite* site)
{
   Entry entry = {.is_shown = entry_is_shown(block->function, shadowstack_now.top)};
   if (is_back_at_caller(block))
      shadowstack_pop();
   /* These share the place of the frame that has jumped.  */
   while (shadowstack_now.top->flags & FrameTail &&
          shadowstack_now.top->flags & (FrameInner | FrameSkipped))
      shadowstack_pop();
   const Frame* left = shadowstack_now.top;
   Function* function = shadowstack_function(left);
   entry.slot = left->slot;
   entry.return_address = shadowstack_return_address(left);
   entry.is_call = True;
   if (!may_be_replaced(left, entry.is_shown)) {
      entry.site = site;
      entry.flags = FrameTail;
      entry_push(block, &entry);
      return;
   }
   entry.site = entered_from(left);
   entry.flags = left->flags & (FrameTail | FrameOpenEnd);
   entry.is_call = !shadowstack_was_jumped_from(left, block->function) ||
                   (!block->function->is_unbounded &&
                    jit_functions_may_start_at(block->function, block->address));
   if (!entry.is_shown || left->flags & FrameSkipped)
      function = NULL;
   else
      entry.flags |= FrameInPlace;
   /* An allocator may jump to what returns its result.  */
   const UInt allocates = left->flags & FrameAllocates;
   const AllocationCall allocation = shadowstack_now.at.allocation;
   shadowstack_pop();
   entry_push(block, &entry);
   if (function != NULL)
      shadowstack_now.top->jumped_from = function;
   if (allocates) {
      shadowstack_now.top->flags |= FrameAllocates;
      shadowstack_now.at.allocation = allocation;
   }
}
