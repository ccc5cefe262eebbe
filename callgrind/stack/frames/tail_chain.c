/* SPDX-License-Identifier: GPL-2.0-or-later

   See tail_chain.h.  Keeps nothing.  */

#include "stack/frames/tail_chain.h"

Frame* tail_chain_find(Frame* frame, const Function* function)
{
   if (shadowstack_function(frame) == function)
      return frame;
   for (; frame != NULL; frame = tail_chain_before(frame, shadowstack_frame_size))
      if (!(frame->flags & FrameSkipped) && shadowstack_function(frame) == function)
         return frame;
   return NULL;
}

Bool tail_chain_runs(const Frame* frame, Function* function)
{
   const Function* runs_as = symbols_runs_as(function);
   for (; frame != NULL; frame = tail_chain_before(frame, shadowstack_frame_size)) {
      Function* here = shadowstack_function(frame);
      if (here != NULL && (here == function || symbols_runs_as(here) == runs_as ||
                           shadowstack_was_jumped_from(frame, function)))
         return True;
   }
   return False;
}
