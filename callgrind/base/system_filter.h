/* SPDX-License-Identifier: GPL-2.0-or-later

   Whether system calls are filtered (seccomp).  A filter that the program has set, or
   that was set for it, may end the process at a call that it did not foresee.  So while
   one is on, the tool makes none that the distribution's callgrind would not make.  */

#ifndef CALLGRIND_SYSTEM_FILTER_H
#define CALLGRIND_SYSTEM_FILTER_H

#include "core_version.h"

/* Does this system call of the program set a filter, if it succeeds?  */
Bool system_filter_is_set_by(UInt call, const UWord* arguments);

/* To be called when a system call of the program has succeeded.  */
void system_filter_after_call(UInt call, const UWord* arguments);

/* Is there a filter?  What all of a container's processes have is none: it is told from
   others by what the first of them has, and does not end processes that the tool can be
   started in.  Asks the system once, and only if the program has set no filter.  */
Bool system_filter_is_on(void);

/* By which call files can be opened under filters.  */
typedef enum { OpenAsEver, OpenInFolder /* openat alone */, OpenByNone } FilteredOpening;

/* What was forbidden stays so.  */
void system_filter_set_opening(FilteredOpening opening);
FilteredOpening system_filter_opening(void);

#endif
