/* SPDX-License-Identifier: GPL-2.0-or-later

   What the core asks of the system for signals: handlers, and what is blocked, while the
   core runs and while a system call of the program does.  These calls are led here
   (--wrap), and to who may change what is asked for.  The core sees what it has asked
   for.

   Where this is possible, CORE_SIGNALS_CAN_BE_WRAPPED is defined.  */

#ifndef CALLGRIND_SIGNALS_H
#define CALLGRIND_SIGNALS_H

#include "core_version.h"

typedef struct {
   /* The core wants *action for this signal: what it is changed to is what the system is
      told.  */
   void (*action)(Int signal, vki_sigaction_toK_t* action);
   /* The core blocks the signals of *mask from now on.  */
   void (*blocks)(vki_sigset_t* mask);
   /* The signals of *mask are blocked while a system call of the program runs.  */
   void (*call_blocks)(vki_sigset_t* mask);
   /* A signal was pending.  True if the core is not to see it.  */
   Bool (*takes)(const vki_siginfo_t* info);
} CoreSignalHooks;

/* From now on; what the core has asked for before is asked for again.  NULL: nothing is
   changed from now on, and what was stays.  */
void core_signals_lead(const CoreSignalHooks* hooks);

/* Of the core's own, which it wants for `signal`; NULL: none, it is ignored, or what the
   system does by default.  */
typedef void CoreHandler(Int signal, vki_siginfo_t* info, struct vki_ucontext* context);
CoreHandler* core_handler_of(Int signal);

/* Does the core let the system ignore it?  */
Bool core_ignores_signal(Int signal);

#endif
