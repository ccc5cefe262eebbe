/* SPDX-License-Identifier: GPL-2.0-or-later

   How much memory the program allows itself (RLIMIT_AS), where the system is not told of
   it (limits.h).  What counts is what the program has mapped, without the core and the
   tool: as much as it has without them.  */

#ifndef CALLGRIND_MEMORY_LIMIT_H
#define CALLGRIND_MEMORY_LIMIT_H

#include "core_version.h"

/* From now on it may have `most` bytes; ~0: any number.  */
void memory_limit_set(ULong most);

/* To be called before and after each system call of the program.  One that would give it
   more fails, as without the tool.  Stacks that grow and shared segments (shmat) are not
   looked at.  */
void memory_limit_before_call(UInt call, const UWord* arguments);
void memory_limit_after_call(void);

#endif
