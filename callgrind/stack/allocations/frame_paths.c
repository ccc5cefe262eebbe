/* SPDX-License-Identifier: GPL-2.0-or-later

   See frame_paths.h.

   What is kept of a depth is right as long as the same activation is there: no other has
   been entered by the same arc at the same time of the clock, in instructions, since each
   takes at least one.  And what lies below an activation does not change while it is
   there.  (Where it has, in copies of stacks, the path may be another one's.)  */

#include "stack/allocations/frame_paths.h"

#include "model/allocations/alloc_paths.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

static void make_room(ShadowStack* stack, UInt depth)
{
   if (LIKELY(depth < stack->n_paths))
      return;
   UInt n = stack->n_paths == 0 ? 64 : stack->n_paths;
   while (n <= depth)
      n *= 2;
   stack->paths = VG_(realloc)("shadowstack.paths", stack->paths, n * sizeof(FramePath));
   VG_(memset)(stack->paths + stack->n_paths, 0,
               (n - stack->n_paths) * sizeof(FramePath));
   stack->n_paths = n;
}

static Bool is_known(const FramePath* known, const Frame* frame)
{
   return known->path != 0 && known->entered == frame->entry[CostIr] &&
          known->arc == frame->arc && known->context == frame->context;
}

/* The path that goes on from `below` with `frame`, of which `known` was kept last.  */
static UInt continued(FramePath* known, const Frame* frame, UInt below)
{
   UInt path = below;
   if (known->path != 0 && known->path_below == below && known->arc == frame->arc &&
       known->context == frame->context)
      path = known->path;
   else if (!(frame->flags & (FrameSkipped | FrameInner | FrameStackSwitch)))
      path = alloc_path_continued(below, frame->arc, frame->context);
   *known = (FramePath){frame->entry[CostIr], frame->arc, frame->context, path, below};
   return path;
}

UInt frame_path(const Frame* frame)
{
   ShadowStack* stack = shadowstack_now.stack;
   const UInt depth =
      (UInt)((SizeT)((const UChar*)frame - stack->memory) / shadowstack_frame_size);
   make_room(stack, depth);
   UInt i = depth;
   while (!(frame->flags & FrameBarrier) && !is_known(&stack->paths[i], frame)) {
      frame = shadowstack_below(frame);
      i--;
   }
   UInt path = frame->flags & FrameBarrier ? ALLOC_PATH_EMPTY : stack->paths[i].path;
   while (i < depth) {
      frame = shadowstack_above(frame);
      i++;
      path = continued(&stack->paths[i], frame, path);
   }
   return path;
}
