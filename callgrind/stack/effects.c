/* SPDX-License-Identifier: GPL-2.0-or-later

   See effects.h.  Functions with effects are never entered or left the short way.  */

#include "stack/effects.h"

static EffectsActions actions;

void effects_init(const EffectsActions* given) { actions = *given; }

static void toggle(void)
{
   ShadowStack* stack = shadowstack_now.stack;
   shadowstack_set_collecting(stack, !stack->is_collecting);
}

UInt effects_on_entry(const Function* function)
{
   if (*shadowstack_activations(function) != 0)
      return 0;
   UInt flags = 0;
   if (function->effects & FunctionDumpsBefore)
      actions.dump("--dump-before", function->name);
   if (function->effects & FunctionZeroesBefore)
      actions.zero();
   if (function->effects & FunctionToggles) {
      toggle();
      flags |= FrameToggle;
   }
   if (function->effects & FunctionDumpsAfter)
      flags |= FrameDump;
   return flags;
}

void effects_on_exit(const Frame* frame)
{
   if (frame->flags & FrameToggle)
      toggle();
   if (frame->flags & FrameDump)
      actions.dump("--dump-after", shadowstack_function(frame)->name);
}

void effects_at_thread_end(void)
{
   const Frame* bottom = shadowstack_bottom(shadowstack_now.stack);
   UInt flags = 0;
   for (const Frame* frame = shadowstack_now.top; frame != bottom;
        frame = shadowstack_below(frame))
      flags |= frame->flags;
   if (!(flags & FrameDump))
      return;
   shadowstack_hold_clock();
   shadowstack_book_stub();
   while (shadowstack_now.top != bottom)
      shadowstack_pop();
   shadowstack_run_top();
}
