/* SPDX-License-Identifier: GPL-2.0-or-later

   Fork; see process.h.  A forked child begins a profile of its own: the cost of
   what happened before the fork stays its parent's alone.  */

#include "process.h"

#include "dump.h"
#include "stack/thread.h"

#include "pub_tool_libcproc.h"

static void in_child(ThreadId thread)
{
   (void)thread;
   thread_forget_others();
   dump_restart();
}

void process_register(void) { VG_(atfork)(NULL, NULL, in_child); }
