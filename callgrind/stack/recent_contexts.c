/* SPDX-License-Identifier: GPL-2.0-or-later

   See recent_contexts.h.  */

#include "stack/recent_contexts.h"

#include "model/arc_targets.h"
#include "stack/shadowstack_types.h"
#include "stack/thread.h"

static const Function* sought;
static UInt n_frames; /* that were looked at */
static Bool is_found;

static void look_for_frames(ShadowStack* stack)
{
   const Frame* bottom = shadowstack_bottom(stack);
   n_frames++;
   for (const Frame* frame = shadowstack_top_of(stack); !is_found && frame != bottom;
        frame = shadowstack_below(frame)) {
      n_frames++;
      is_found = frame->context != NULL && frame->context->function == sought;
   }
}

static Bool has_frames(const Function* function)
{
   sought = function;
   n_frames = 0;
   is_found = False;
   thread_for_each(look_for_frames);
   return is_found;
}

void recent_contexts_after_retiring(const Block* block)
{
   const Function* function = block->function;
   if (!context_has_many_recent(function))
      return;
   arc_forget_target(block->key);
   n_frames = 0;
   if (arc_n_remembered(function) == 0 && !has_frames(function))
      context_begin_round(function);
   context_keep_recent(function, n_frames);
}
