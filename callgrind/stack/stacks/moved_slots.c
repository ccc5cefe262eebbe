/* SPDX-License-Identifier: GPL-2.0-or-later

   See moved_slots.h.  */

#include "stack/stacks/moved_slots.h"

#include "guest/arch.h"
#include "stack/frames/shadowstack_regions.h"

/* A return address moves up by no more than this: by what the caller's frame is apart
   from it, and by the arguments on the stack.  Further up, a word that is the same is
   most likely what an earlier call has left there.  */
#define FARTHEST (64 * sizeof(Addr))

/* Frames that have no slot of their own, or whose return address says nothing.  */
#define UNMOVABLE                                                                        \
   (FrameBarrier | FrameStackSwitch | FrameOpenEnd | FrameInner | FrameCallerGone)

/* The frame below the activation that `frame` is the topmost one of; NULL if that cannot
   have moved.  */
static Frame* below_activation(Frame* frame)
{
   if (frame->flags & UNMOVABLE)
      return NULL;
   while (frame->flags & FrameTail) {
      frame = shadowstack_below(frame);
      if (frame->flags & UNMOVABLE)
         return NULL;
   }
   return shadowstack_below(frame);
}

/* Where the return address of `frame` lies at or above `low`; 0: nowhere.  Not above what
   is known to be another's: `below` is the frame below its activation.  (Not so a stack
   switch frame.  It says with what a function loaded its stack pointer to call there; it
   may have taken room before.)  */
static Addr find_slot(const Frame* frame, const Frame* below, Addr low)
{
   Addr wanted = shadowstack_return_address(frame), found;
   Addr end = frame->slot + FARTHEST;
   if (wanted == 0)
      return 0;
   if (below->flags & (UNMOVABLE & ~FrameStackSwitch) && below->slot < end)
      end = below->slot;
   for (Addr slot = low; slot < end; slot += sizeof(Addr)) {
      if (!arch_return_address(slot, &found))
         return 0;
      if (found == wanted)
         return slot;
   }
   return 0;
}

void moved_slots_set(Frame* frame, Frame* below, Addr slot)
{
   for (; frame != below; frame = shadowstack_below(frame))
      frame->slot = slot;
   Addr behind = shadowstack_sp_after(slot);
   if (below->flags & FrameStackSwitch && below->slot < behind) {
      below->slot = behind;
      shadowstack_region(shadowstack_now.stack)->end = behind;
   }
}

/* Goes over the activations whose slots lie below `low`, the topmost first; each lies
   above the one before it.  So if what is found is no return address of that activation,
   but a word that happens to be the same in a caller's part of the stack, that one's will
   not be found.  Returns False if one is found nowhere.  */
static Bool move_slots(Addr low, Bool is_for_real)
{
   Frame* frame = shadowstack_now.top;
   while (frame->slot < low && !(frame->flags & FrameStackSwitch)) {
      Frame* below = below_activation(frame);
      if (below == NULL)
         return False;
      Addr slot = find_slot(frame, below, low);
      if (slot == 0)
         return False;
      if (is_for_real)
         moved_slots_set(frame, below, slot);
      frame = below;
      low = slot + sizeof(Addr);
   }
   return True;
}

Bool moved_slots_follow(Addr sp)
{
   Addr low = (sp + sizeof(Addr) - 1) & ~(sizeof(Addr) - 1);
   const Frame* top = shadowstack_now.top;
   if (!ARCH_CALL_PUSHES || top->flags & UNMOVABLE || top->slot >= low ||
       !move_slots(low, False))
      return False;
   return move_slots(low, True);
}

const Frame* moved_slots_find_return(Addr target, Addr sp)
{
   Frame* top = shadowstack_now.top;
   if (!ARCH_CALL_PUSHES || sp <= shadowstack_sp_after(top->slot) ||
       sp > shadowstack_sp_after(top->slot + FARTHEST) ||
       shadowstack_return_address(top) != target)
      return NULL;
   const Frame* below = below_activation(top);
   return below != NULL ? shadowstack_above(below) : NULL;
}
