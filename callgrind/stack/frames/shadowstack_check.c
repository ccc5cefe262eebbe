/* SPDX-License-Identifier: GPL-2.0-or-later

   Checking a shadow stack; see shadowstack_check.h.  */

#include "stack/frames/shadowstack_check.h"

#include "guest/arch.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

/* What is wrong with one frame, or NULL.  */
static const HChar* frame_fault(const Frame* frame, const Frame* below)
{
   if (frame->flags & FrameBarrier)
      return frame->context == NULL ? NULL : "barrier with a context";
   if (frame->context == NULL)
      return "frame without a context";
   if (frame->flags & FrameSkipped) {
      if (frame->arc == NULL || frame->arc->callee != NULL ||
          frame->skipped_function == NULL || frame->skipped_site == NULL)
         return "skipped frame without a place for its cost";
   } else {
      if ((frame->arc == NULL) !=
          ((frame->flags & (FrameRoot | FrameInner | FrameStackSwitch)) != 0))
         return "root with an arc, or another frame without";
      if (frame->arc != NULL && frame->arc->callee != frame->context)
         return "arc to another context";
   }
   if ((below->flags & FrameBarrier) || (frame->flags & FrameStackSwitch))
      return NULL;
   if (frame->flags & FrameTail
          ? frame->slot != below->slot
          : frame->slot > below->slot || (ARCH_CALL_PUSHES && frame->slot == below->slot))
      return "stack pointers out of order";
   if (frame->arc != NULL && frame->arc->caller != below->context)
      return "arc from another caller";
   return NULL;
}

/* True if the activation counters are what the frames say.  */
static Bool activations_are_valid(const ShadowStack* stack)
{
   UInt* counted = VG_(calloc)("shadowstack.check", stack->n_activations, sizeof(UInt));
   for (Frame* frame = shadowstack_top_of(stack); frame != shadowstack_bottom(stack);
        frame = shadowstack_below(frame))
      if (frame->flags & FrameCounted)
         counted[frame->context->function_id]++;
   Bool valid =
      VG_(memcmp)(counted, stack->activations, stack->n_activations * sizeof(UInt)) == 0;
   VG_(free)(counted);
   return valid;
}

/* Was `later` read from the clock no earlier than `earlier`?  Counts may wrap.  */
static Bool is_in_order(const ULong* earlier, const ULong* later)
{
   for (UInt e = 0; e < cost_n_events(); e++)
      if ((Long)(later[e] - earlier[e]) < 0)
         return False;
   return True;
}

/* What is wrong with the clock that frames recorded at entry (rare_sync.h), or NULL.  */
static const HChar* clock_fault(const ShadowStack* stack)
{
   Bool is_running = stack == shadowstack_now.stack;
   const Frame* top = shadowstack_top_of(stack);
   if (is_running && cost_has_rare() && shadowstack_now.rare_synced != top)
      return "frames are not synced with rare events where all must be";
   const ULong* later = is_running ? cost_clock : stack->clock;
   for (const Frame* frame = top; frame != shadowstack_bottom(stack);
        frame = shadowstack_below(frame)) {
      if (!is_in_order(frame->entry, later))
         return "a frame has recorded a later clock than the one above it";
      later = frame->entry;
   }
   return NULL;
}

Bool shadowstack_is_valid(const ShadowStack* stack)
{
   UInt n_barriers = 0, n_stack_switches = 0;
   for (Frame* frame = shadowstack_top_of(stack); frame != shadowstack_bottom(stack);
        frame = shadowstack_below(frame)) {
      const HChar* fault = frame_fault(frame, shadowstack_below(frame));
      if (fault != NULL) {
         VG_(umsg)("ct-check: shadow stack of depth %u: %s\n", shadowstack_depth(stack),
                   fault);
         return False;
      }
      if (frame->flags & FrameBarrier)
         n_barriers++;
      if (frame->flags & FrameStackSwitch)
         n_stack_switches++;
   }
   if (n_barriers != stack->n_interrupted ||
       n_barriers + n_stack_switches + 1 != stack->n_regions ||
       (stack->activations != NULL && !activations_are_valid(stack))) {
      VG_(umsg)("ct-check: barriers or activation counters are off\n");
      return False;
   }
   const HChar* fault = clock_fault(stack);
   if (fault != NULL)
      VG_(umsg)("ct-check: the clock: %s\n", fault);
   return fault == NULL;
}
