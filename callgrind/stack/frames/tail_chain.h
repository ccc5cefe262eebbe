/* SPDX-License-Identifier: GPL-2.0-or-later

   The chain of tail calls of a frame: it, and what has jumped to it, as far down as
   frames were entered by jumps (FrameTail).  All of them return to where the first one
   was called from.  */

#ifndef CALLGRIND_TAIL_CHAIN_H
#define CALLGRIND_TAIL_CHAIN_H

#include "stack/frames/shadowstack_types.h"

/* The frame that has jumped to this one, if frames are of `size` bytes; NULL: this one is
   the first of its chain.  */
static inline Frame* tail_chain_before(const Frame* frame, SizeT size)
{
   return frame->flags & FrameTail ? (Frame*)((UChar*)frame - size) : NULL;
}

/* Does a function with this id, whose code is not skipped, run in the chain that ends at
   `frame`?  Reads no function: for the fast path, where `size` is a constant.  */
static inline Bool tail_chain_has_id(const Frame* frame, UInt function_id, SizeT size)
{
   for (; frame != NULL; frame = tail_chain_before(frame, size))
      if (!(frame->flags & FrameSkipped) && frame->context != NULL &&
          frame->context->function_id == function_id)
         return True;
   return False;
}

/* The frame of `function` in the chain that ends at `frame`; NULL if there is none.  Of
   skipped frames only `frame` itself counts: a shown function that was entered from one
   further down is the caller of what follows.  */
Frame* tail_chain_find(Frame* frame, const Function* function);

/* Does any frame of the chain that ends at `frame` run `function`, or what runs as it
   does, or was it jumped to from there?  */
Bool tail_chain_runs(const Frame* frame, Function* function);

#endif
