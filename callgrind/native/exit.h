/* SPDX-License-Identifier: GPL-2.0-or-later

   The way out: from a signal's handler, with the guest's state complete, back to the
   core's dispatcher, as translated code goes there.  The signal's frame is left behind:
   nothing of it is needed, and the next one begins where it began.

   To be called by the thread that ran natively, after native_stops_running().  What is
   blocked now stays blocked.  */

#ifndef CALLGRIND_EXIT_H
#define CALLGRIND_EXIT_H

#include "core_version.h"

#ifdef CORE_CAN_RUN_NATIVELY

/* With VEX's reason (VEX_TRC_...).  */
void native_exit_for(UWord reason) __attribute__((noreturn));

/* The thread has had its time: the core polls signals and debuggers, and others have
   their turn.  */
void native_exit_out_of_time(VexGuestAMD64State* guest) __attribute__((noreturn));

#endif

#endif
