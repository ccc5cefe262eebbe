/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the running thread's state; see shadowstack_types.h.  */

#include "stack/frames/shadowstack_types.h"

#include "options/options.h"

#include "pub_tool_mallocfree.h"

ShadowstackNow shadowstack_now __attribute__((aligned(64)));
const UChar shadowstack_no_guest_state[sizeof(VexGuestArchState)]
   __attribute__((aligned(16)));
SizeT shadowstack_frame_size;

void shadowstack_init(void)
{
   shadowstack_frame_size = sizeof(Frame) + cost_stride() * sizeof(ULong) +
                            (options.timeline ? SHADOWSTACK_PIN_SIZE : 0);
}

Frame* shadowstack_top_of(const ShadowStack* stack)
{
   return stack == shadowstack_now.stack ? shadowstack_now.top : stack->top;
}

Frame* shadowstack_last_of(const ShadowStack* stack)
{
   return (Frame*)(stack->memory + (stack->capacity - 1) * shadowstack_frame_size);
}

UInt shadowstack_depth(const ShadowStack* stack)
{
   return (UInt)(((UChar*)shadowstack_top_of(stack) - stack->memory) /
                 shadowstack_frame_size);
}

void* shadowstack_make_room(void* array, UInt n, UInt* capacity, SizeT size)
{
   if (n < *capacity)
      return array;
   *capacity = *capacity == 0 ? 2 : *capacity * 2;
   return VG_(realloc)("shadowstack.array", array, *capacity * size);
}
