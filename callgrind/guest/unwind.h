/* SPDX-License-Identifier: GPL-2.0-or-later

   The core's unwinder, where the memory of stacks may be missing: the core believes that
   all of a mapping can be read (memory.h).  */

#ifndef CALLGRIND_UNWIND_H
#define CALLGRIND_UNWIND_H

#include "core_version.h"

/* Unwinds the thread's stack as if these deltas were added to its instruction and stack
   pointer.  Sets `most` of these at most, innermost first: instruction pointers, those of
   callers less one; stack and frame pointers.  Returns how many; one, the innermost,
   where the way out leads through memory that cannot be read.  */
UInt unwind_stack(ThreadId thread, Addr* ips, Addr* sps, Addr* fps, UInt most,
                  Word ip_delta, Word sp_delta);

#endif
