/* SPDX-License-Identifier: GPL-2.0-or-later

   The signal that ends the process, sent to the thread that ends it.

   When all is written, the core gives itself the signal that the program has died of
   (VG_(kill_self)): to the process.  If the last thread is not the process's first one,
   that may still be on its way out, and the system gives the signal to it; meanwhile the
   sender finds itself alive, and ends the process with a message and status 1.  So the
   call is led here at link time (configure.ac).

   Nothing here is called by the tool.  */

#ifndef CALLGRIND_FATAL_SIGNAL_H
#define CALLGRIND_FATAL_SIGNAL_H

#include "core_version.h"

#ifdef CORE_SIGNAL_CAN_BE_AIMED
void __wrap_vgPlain_kill_self(Int signal);
#endif

#endif
