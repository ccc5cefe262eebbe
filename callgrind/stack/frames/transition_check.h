/* SPDX-License-Identifier: GPL-2.0-or-later

   --ct-check: verifies the running shadow stack at transitions, and ends the run if it is
   inconsistent.

   With `all` every transition is verified, and none takes the fast path.  With `yes` it
   is a share of them.  To verify a stack takes time by its depth, so the next time comes
   after as much has been executed: transitions on the slow path are counted, and at the
   start of each time slice the fast path is closed for one transition, if enough
   superblocks have been executed since.  The choice depends on the program alone.  */

#ifndef CALLGRIND_TRANSITION_CHECK_H
#define CALLGRIND_TRANSITION_CHECK_H

#include "options/options.h"

/* Verifies the stack, if it is time.  */
void transition_check_if_due(void);

/* A call or return has been followed on the slow path.  */
static inline void transition_check(void)
{
   if (UNLIKELY(options.check != CheckDumps))
      transition_check_if_due();
}

/* The running thread goes on; `blocks_run` superblocks have been executed so far.  */
void transition_check_at_slice(ULong blocks_run);

/* Says in the log how many transitions were verified, if any were.  */
void transition_check_report(void);

#endif
