/* SPDX-License-Identifier: GPL-2.0-or-later

   The check that all costs add up, and setting costs to zero.  They belong together: the
   check has to know what has been set to zero.  */

#ifndef CALLGRIND_TOTALS_H
#define CALLGRIND_TOTALS_H

#include "core_version.h"

/* Verifies that self costs add up to what the clocks of all threads have counted, and
   their shadow stacks; with --ct-check=yes every data structure.  What is wrong is said
   in the log; with --ct-check=yes it ends the process.  Sets `total` to what the self
   costs of all threads add up to.  */
void totals_check(ULong* total);

/* Sets the costs of one thread to zero, or of all threads if `thread` is 0.  The part
   that is written next begins here.  */
void totals_zero(UInt thread);

/* As totals_zero(), for all threads, in a forked child, of which only one goes on.  */
void totals_zero_in_child(void);

/* How many superblocks had been executed when costs were last set to zero.  */
ULong totals_first_block(void);

#endif
