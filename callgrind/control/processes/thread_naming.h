/* SPDX-License-Identifier: GPL-2.0-or-later

   Hears which names a program gives its threads, for the call tree and the timeline
   (model/thread_names.h).  */

#ifndef CALLGRIND_THREAD_NAMING_H
#define CALLGRIND_THREAD_NAMING_H

#include "core_version.h"

/* Before threads run.  */
void thread_naming_init(void);

/* A system call of the thread has succeeded.  */
void thread_naming_after_call(ThreadId thread, UInt call, const UWord* arguments,
                              UWord result);

/* In a forked child: the thread that forked is the only one.  */
void thread_naming_in_child(void);

#endif
