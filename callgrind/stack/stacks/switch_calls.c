/* SPDX-License-Identifier: GPL-2.0-or-later

   Calls of functions that switch stacks; see switch_calls.h.  */

#include "stack/stacks/switch_calls.h"

#include "model/arc_targets.h"
#include "stack/stacks/moved_stack.h"

#include "pub_tool_mallocfree.h"

void switch_calls_expect(Function* function)
{
   if (function == NULL || function->effects & FunctionSwitchesStacks)
      return;
   function->effects |= FunctionSwitchesStacks;
   /* Those that are taken already shall be seen, too.  */
   for (const Block* block = block_first_of(function); block != NULL;
        block = block->next_of_function)
      arc_forget_target(block->key);
}

static void release(SwitchCall* call)
{
   if (--call->n_stacks == 0)
      VG_(free)(call);
}

static void add(ShadowStack* stack, SwitchCall* call)
{
   stack->switch_calls =
      shadowstack_make_room(stack->switch_calls, stack->n_switch_calls,
                            &stack->switch_call_capacity, sizeof(SwitchCall*));
   stack->switch_calls[stack->n_switch_calls++] = call;
   call->n_stacks++;
}

void switch_calls_on_entry(const Function* function, Addr slot)
{
   if (!(function->effects & FunctionSwitchesStacks))
      return;
   ShadowStack* stack = shadowstack_now.stack;
   Addr low = shadowstack_sp_after(slot);
   while (stack->n_switch_calls > 0 &&
          stack->switch_calls[stack->n_switch_calls - 1]->kept.low <= low)
      release(stack->switch_calls[--stack->n_switch_calls]);
   SwitchCall* call = VG_(calloc)("switch_calls.call", 1, sizeof *call);
   relocation_keep(stack, low, &call->kept);
   add(stack, call);
}

SwitchCall* switch_calls_find(const ShadowStack* stack, Addr low, Addr high)
{
   for (UInt i = stack->n_switch_calls; i-- > 0;) {
      SwitchCall* call = stack->switch_calls[i];
      if (call->kept.low >= low)
         return call->kept.low <= high && !call->has_gone_on ? call : NULL;
   }
   return NULL;
}

void switch_calls_copy(ShadowStack* copy, const ShadowStack* stack, Addr low)
{
   for (UInt i = 0; i < stack->n_switch_calls; i++)
      if (stack->switch_calls[i]->kept.low >= low)
         add(copy, stack->switch_calls[i]);
}

void switch_calls_forget(ShadowStack* stack)
{
   while (stack->n_switch_calls > 0)
      release(stack->switch_calls[--stack->n_switch_calls]);
}
