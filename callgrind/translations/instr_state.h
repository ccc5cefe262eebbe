/* SPDX-License-Identifier: GPL-2.0-or-later

   Switches instrumentation on and off, and what else the translations depend on.  Every
   change takes other translations.  is_on.h tells the state.  */

#ifndef CALLGRIND_INSTR_STATE_H
#define CALLGRIND_INSTR_STATE_H

#include "core_version.h"

/* Sets what the core's options are unless the command line says otherwise.  To be called
   before it is read.  */
void instr_state_set_defaults(void);

/* Sets the state that the program starts in.  To be called once, after the command line
   has been read and before anything is translated.  */
void instr_state_init(Bool on);

/* A client request is made between superblocks.  A debugger's command may come while one
   is left for a moment, which then goes on.  */
typedef enum { RequestBetweenSuperblocks, RequestWhileCodeMayRun } InstrRequest;

/* Switches instrumentation on or off.  Does nothing if it is in that state already.
   Switching it on empties the simulated caches (simulation_make_cold()) and rebuilds the
   shadow stacks of all threads from their native stacks (stack/entering/seed.h).
   Switching it off flushes inclusive costs and empties the shadow stacks.  `reason` is
   for the log.  */
void instr_state_set(Bool on, InstrRequest from, const HChar* reason);

/* A system call of the program has succeeded.  */
void instr_state_after_call(UInt call, const UWord* arguments);

/* The object at `path` is skipped from now on (guest/skip.h), also where it is
   active.  */
void instr_state_skip_object(const HChar* path);

#endif
