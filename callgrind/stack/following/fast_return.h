/* SPDX-License-Identifier: GPL-2.0-or-later

   Fast path: returns from what fast_enter.h enters.  For callstack.c alone, which
   compiles it for each set of events (fast_frame.h).

   As there, each function returns False, with the shadow stack as it was, if it does not
   know the case.

   To have passed a frame's slot is not enough for its return: the stack pointer must
   be just above the slot.  Two coroutines that yield at the same call site return to
   the same address, on different stacks.  */

#ifndef CALLGRIND_FAST_RETURN_H
#define CALLGRIND_FAST_RETURN_H

#include "stack/following/fast_frame.h"
#include "stack/frames/timed_frames.h"

/* The most frequent case: from a plain frame.  Takes the guest's state: the stack
   pointer is read last, so that it need not be kept in a register.  Sets *host_target to
   that of the call site.  */
ALWAYS_INLINE Bool fast_return_from_plain(Addr target, const UChar* guest_state,
                                          const void** host_target, HelperVariant variant)
{
   Frame* top = shadowstack_now.top;
   Arc* arc = top->arc;
   if (UNLIKELY(top->flags != shadowstack_now.plain_flags) ||
       UNLIKELY(arc->return_address != target) ||
       UNLIKELY(shadowstack_sp_after(top->slot) != guest_sp(guest_state)))
      return False;
   /* A plain frame lies on one that is shown.  */
   Frame* below = frame_below(top, variant);
   Context* context = below->context;
   shadowstack_now.top = below;
   shadowstack_now.counters = context->counters;
   shadowstack_now.at.current = context->function_id;
   shadowstack_now.activations[top->context->function_id]--;
   Bool may_have_rare = is_rare_synced(top, variant);
   Bool is_kept = is_long(top, variant);
   book_left_by(arc, top, variant);
   run_node(below->node, may_have_rare, variant);
   if (has_timeline(variant) && UNLIKELY(is_kept))
      timed_frames_left(top);
   *host_target = arc->site->host_target;
   return True;
}

/* Was the frame entered by a jump from a stub that was jumped to?  */
ALWAYS_INLINE Bool is_over_stub(Frame* frame, HelperVariant variant)
{
   return frame->flags == (FRAME_PLAIN | FrameTail | FrameOverSkipped) &&
          frame_below(frame, variant)->flags == (FrameSkipped | FrameTail);
}

/* From tail calls, perhaps through stubs, and from the plain call that they followed.
   Sets *host_target to that of the call site.  */
ALWAYS_INLINE Bool fast_return_from_tail_calls(Addr target, Addr sp,
                                               const void** host_target,
                                               HelperVariant variant)
{
   const UInt plain = shadowstack_now.plain_flags;
   Frame* left = shadowstack_now.top;
   if (plain == FRAME_NEVER)
      return False;
   /* The last of them has lasted longest.  */
   for (;;) {
      if (left->flags == (plain | FrameTail))
         left = frame_below(left, variant);
      else if (is_over_stub(left, variant))
         left = frame_below(frame_below(left, variant), variant);
      else
         break;
   }
   UInt flags = is_flat() ? left->flags & ~(UInt)FrameInPlace : left->flags;
   if (flags != plain || left->arc->return_address != target ||
       shadowstack_sp_after(left->slot) != sp || is_long(left, variant))
      return False;
   Frame* below = frame_below(left, variant);
   Bool may_have_rare = is_rare_synced(shadowstack_now.top, variant);
   for (Frame* frame = shadowstack_now.top; frame != below;
        frame = frame_below(frame, variant)) {
      if (frame->flags & FrameSkipped) {
         /* All that a stub has cost is booked; what it jumped to was no cost of it.  */
         if (is_rare_synced(frame, variant))
            shadowstack_now.rare_synced = frame_below(frame, variant);
         continue;
      }
      book_left(frame, variant);
      shadowstack_now.activations[frame->context->function_id]--;
   }
   shadowstack_now.top = below;
   shadowstack_now.at.current = below->context->function_id;
   shadowstack_now.counters = below->context->counters;
   run_node(below->node, may_have_rare, variant);
   *host_target = left->arc->site->host_target;
   return True;
}

/* From a function that skipped code called.  */
ALWAYS_INLINE Bool fast_return_to_skipped(Addr target, Addr sp, HelperVariant variant)
{
   Frame* top = shadowstack_now.top;
   if (shadowstack_now.plain_flags == FRAME_NEVER ||
       top->flags != (FRAME_PLAIN | FrameOverSkipped) || top->return_address != target ||
       shadowstack_sp_after(top->slot) != sp || is_long(top, variant))
      return False;
   Frame* below = frame_below(top, variant);
   Bool may_have_rare = is_rare_synced(top, variant);
   book_left(top, variant);
   shadowstack_now.activations[top->context->function_id]--;
   shadowstack_now.top = below;
   restart_skipped(below, variant);
   shadowstack_now.at.current = symbols_runs_as(below->skipped_function)->id;
   shadowstack_now.counters = context_scratch_counters();
   shadowstack_now.limit = NULL;
   run_node(below->node, may_have_rare, variant);
   return True;
}

/* From skipped code to skipped code: such calls have no frames.  */
ALWAYS_INLINE Bool fast_return_within_skipped(Addr sp, CallSite* site)
{
   const Frame* top = shadowstack_now.top;
   if ((top->flags & (FrameSkipped | FrameOpenEnd)) != FrameSkipped ||
       shadowstack_is_left(top->slot, sp) || shadowstack_now.at.moved != 0)
      return False;
   shadowstack_now.at.last_exit = site;
   return True;
}

#endif
