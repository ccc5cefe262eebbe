/* SPDX-License-Identifier: GPL-2.0-or-later

   What functions do when they are entered or left; see effects.h.  */

#include "stack/frames/effects.h"

#include "stack/frames/shadowstack_activations.h"
#include "stack/frames/shadowstack_running.h"

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
   if (frame->flags & FrameAllocates) /* an exception has left it */
      shadowstack_now.at.allocation.slot = 0;
   if (frame->flags & FrameToggle)
      toggle();
   if (frame->flags & FrameDump)
      actions.dump("--dump-after", shadowstack_function(frame)->name);
}
