/* SPDX-License-Identifier: GPL-2.0-or-later

   Switching instrumentation on and off, and what else makes all translations void.  */

#ifndef CALLGRIND_INSTR_STATE_H
#define CALLGRIND_INSTR_STATE_H

#include "core_version.h"

/* Sets the state that the program starts in.  After the command line has been
   read, before anything is translated.  */
void instr_state_init(Bool on);

Bool instr_state_is_on(void);

/* Switches instrumentation.  Nothing happens if it is in that state already.
   Going on rebuilds the shadow stacks of all threads from their native stacks; going
   off books all open arcs and empties them.  `reason` is for the log.  */
void instr_state_set(Bool on, const HChar* reason);

/* Folds the object at `path` away from now on (guest/skip.h).  */
void instr_state_skip_object(const HChar* path);

#endif
