/* SPDX-License-Identifier: GPL-2.0-or-later

   What the unwinder finds; see native_frames.h.  */

#include "stack/stacks/native_frames.h"

#include "guest/address.h"
#include "guest/arch.h"
#include "guest/unwind.h"
#include "stack/frames/shadowstack_regions.h"
#include "stack/stacks/moved_stack.h"

#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#define MOST_FRAMES 8

static struct {
   Addr ip;
   Addr sp;
   NativeFrame frames[MOST_FRAMES];
   UInt n;
   Bool is_known; /* what they are */
} here;

void native_frames_at(Addr ip, Addr sp)
{
   here.ip = ip;
   here.sp = sp;
   here.is_known = False;
}

static void unwind(void)
{
   Addr ips[MOST_FRAMES + 1], sps[MOST_FRAMES + 1], fps[MOST_FRAMES + 1];
   ThreadId thread = VG_(get_running_tid)();
   /* At a return the core has not got there yet.  */
   UInt n = unwind_stack(thread, ips, sps, fps, MOST_FRAMES + 1,
                         (Word)(here.ip - VG_(get_IP)(thread)),
                         (Word)(here.sp - VG_(get_SP)(thread)));
   here.is_known = True;
   here.n = 0;
   for (UInt i = 0; i + 1 < n; i++) {
      Place place = address_place_of(ips[i]);
      Function* function = address_function_of(ips[i], &place);
      if (function == NULL)
         return;
      here.frames[here.n++] = (NativeFrame){.function = function,
                                            .ip = ips[i],
                                            .slot = sps[i + 1] - sizeof(Addr),
                                            .return_address = ips[i + 1] + 1};
   }
}

UInt native_frames(const NativeFrame** frames)
{
   if (!here.is_known)
      unwind();
   *frames = here.frames;
   return here.n;
}

static Bool is_same(const Frame* frame, const NativeFrame* native)
{
   return frame->slot == native->slot &&
          shadowstack_return_address(frame) == native->return_address;
}

Frame* native_frames_find(const ShadowStack* stack, UInt region,
                          const NativeFrame* native)
{
   Frame* frame = shadowstack_first_not_left_in(stack, region, native->slot);
   return is_same(frame, native) ? frame : NULL;
}

UInt native_frames_matches(const ShadowStack* stack, UInt region, const Frame* from,
                           UInt first)
{
   UInt found = 0;
   if (!ARCH_CALL_PUSHES) {
      const NativeFrame* native;
      UInt n = native_frames(&native);
      for (UInt i = first; i < n; i++, found++) {
         from = native_frames_find(stack, region, &native[i]);
         if (from == NULL)
            return found;
         from = shadowstack_below(from);
      }
   }
   return found + relocation_matches(stack, region, from);
}

Int native_frames_tell(const ShadowStack* stack, UInt region, const Frame* frame)
{
   const NativeFrame* native;
   if (!ARCH_CALL_PUSHES && native_frames(&native) > 0 && native->slot == frame->slot)
      return is_same(frame, native);
   return relocation_is_in_memory(stack, region, frame);
}
