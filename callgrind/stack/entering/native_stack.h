/* SPDX-License-Identifier: GPL-2.0-or-later

   A thread's native stack, unwound from the innermost frame out: by the core, and where
   code has no frame information, by what lies on the stack.  Knows nothing of the shadow
   stack.  */

#ifndef CALLGRIND_NATIVE_STACK_H
#define CALLGRIND_NATIVE_STACK_H

#include "core_version.h"

/* One thread's native stack; the innermost frame is number 0.  */
typedef struct {
   UInt n;
   UInt capacity;
   /* Of frame 0, where it is; of others, the last byte of a call instruction.  */
   Addr* ips;
   Addr* sps;
   Addr* fps;
   Bool is_whole; /* the outermost frame has no caller */
} NativeStack;

/* Unwinds the thread's stack.  The caller releases it.  */
void native_stack_unwind(ThreadId thread, NativeStack* native);

void native_stack_release(NativeStack* native);

/* Has frame `i` called frame `i - 1` on another stack?  A function may, as one does that
   goes to a scheduler.  The unwinder, where it goes by frame pointers, may find its
   caller all the same; then it seems to have a frame as large as the two stacks lie
   apart.  (If they lie the other way round, the path ends there.)  If its caller was not
   found by the frame pointer, but by what lies on the stack, they may lie near by.  (What
   the kernel puts there for a signal's handler is large.)  */
Bool native_stack_is_switched(const NativeStack* native, UInt i);

#endif
