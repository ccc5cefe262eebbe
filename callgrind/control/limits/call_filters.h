/* SPDX-License-Identifier: GPL-2.0-or-later

   Filters of system calls that the program sets (seccomp): what they answer to a call of
   the program's.  At a call for which the system would kill the process there would be no
   time to write; so each call is put to the filters before it is made.  */

#ifndef CALLGRIND_CALL_FILTERS_H
#define CALLGRIND_CALL_FILTERS_H

#include "base/system_filter.h"

#include "core_version.h"

/* To be called before each system call of the program: writes what is to be written, and
   kills the process by SIGSYS, if a filter says so.  */
void call_filters_before_call(ThreadId thread, UInt call, const UWord* arguments);

/* How files could be opened under the filter that this call sets, if it sets one.  */
FilteredOpening call_filters_opening(UInt call, const UWord* arguments);

/* Does the filter that this call sets, if it sets one, keep memory from the core, which
   maps some as it translates code?  Then the process may end at any moment.  */
Bool call_filters_forbid_memory(UInt call, const UWord* arguments);

/* When a call has succeeded: it may have set a filter, or made a thread.  */
void call_filters_after_call(ThreadId thread, UInt call, const UWord* arguments);

#endif
