/* SPDX-License-Identifier: GPL-2.0-or-later

   Entering a function; see entry.h.  Relies on shadowstack_frames.c to push frames.  */

#include "stack/entering/entry.h"

#include "guest/address.h"
#include "guest/jit/jit_functions.h"
#include "model/arc_targets.h"
#include "options/options.h"
#include "stack/entering/seed.h"
#include "stack/frames/effects.h"
#include "stack/frames/shadowstack_activations.h"
#include "stack/frames/shadowstack_frames.h"
#include "stack/frames/shadowstack_running.h"
#include "stack/stacks/switch_calls.h"

/* The context that `function` runs in when `caller` (NULL: nobody) enters it.  */
static Context* context_for(Function* function, Context* caller, UInt* flags)
{
   if (options.skip_direct_recursion && caller != NULL && caller->function == function)
      return caller;
   *flags |= FrameCounted;
   return context_at_depth(function, ++*shadowstack_activations(function), caller);
}

Bool entry_is_shown(Function* function, const Frame* caller)
{
   if (symbols_runs_as(function) != function)
      return False;
   if (options.skip_jit == SkipJitNo || !symbols_is_unnamed_jit_function(function))
      return True;
   return options.skip_jit == SkipJitAsCaller && !(caller->flags & FrameSkipped);
}

void entry_push(Block* block, const Entry* entry)
{
   Function* function = block->function;
   CallSite* site = entry->site;
   UInt flags = entry->flags;
   const Frame* top = shadowstack_now.top;
   Context* caller = top->context;
   if (top->flags & FrameSkipped)
      site = top->skipped_site;
   else if (caller != NULL && (site == NULL || site->function != caller->function))
      site = callsite_unknown(caller->function);

   if (UNLIKELY(function->effects != 0))
      switch_calls_on_entry(function, entry->slot);
   if (!entry->is_shown) {
      Bool is_stub_of_jump = function->kind == FunctionPlt && flags == FrameTail &&
                             function->effects == 0 && caller != NULL &&
                             !(top->flags & FrameSkipped) && site == entry->site;
      shadowstack_push_skipped(function, caller, site, entry->slot, entry->return_address,
                               flags);
      if (is_stub_of_jump) {
         site->stub_arc = shadowstack_now.top->arc;
         arc_remember_stub(site->stub_arc, block);
      }
      return;
   }
   if (UNLIKELY(function->effects != 0))
      flags |= effects_on_entry(function);
   Context* context = context_for(function, caller, &flags);
   Bool is_counted = entry->is_call && shadowstack_now.stack->is_collecting;
   if (entry->is_call && !is_counted)
      flags |= FrameUncounted;
   if (caller == NULL)
      flags |= FrameRoot;
   Frame* frame = shadowstack_push(context, entry->slot, entry->return_address, flags);
   if (caller != NULL && site->line.inlined != 0)
      shadowstack_find_node(frame, shadowstack_below(frame), callsite_line(site).inlined);
   if (is_counted && options.call_tree && frame->node != NULL)
      frame->node->calls++;
   if (caller == NULL)
      return;
   frame->arc = arc_to_block(caller, site, context, block);
   if (function->effects == 0 && entry->is_call)
      arc_remember(frame->arc, block->key);
   if (is_counted)
      frame->arc->calls++;
}

void entry_push_call(Block* block, CallSite* site, Addr sp, Addr return_address,
                     UInt flags)
{
   const Entry entry = {site,
                        sp,
                        return_address,
                        flags,
                        entry_is_shown(block->function, shadowstack_now.top),
                        True};
   entry_push(block, &entry);
}

void entry_push_again(Function* function, Addr ip, Addr sp, Addr return_address)
{
   const Frame* top = shadowstack_now.top;
   Context* caller = top->context;
   CallSite* site = seed_site_above_top(return_address);
   if (!entry_is_shown(function, top)) {
      shadowstack_push_skipped(function, caller, site, sp, return_address, 0);
      return;
   }
   UInt flags = caller == NULL ? FrameRoot : 0;
   Context* context = context_for(function, caller, &flags);
   Frame* frame = shadowstack_push(context, sp, return_address, flags);
   if (caller == NULL)
      return;
   if (site->line.inlined != 0)
      shadowstack_find_node(frame, shadowstack_below(frame), callsite_line(site).inlined);
   /* Where the call was made before measurement began, the arc is a new one.  */
   const ArcTarget here = {address_place_of(ip).file_address, address_line_of(ip).line};
   frame->arc = arc_get(caller, site, context, &here);
}
