/* SPDX-License-Identifier: GPL-2.0-or-later

   What the run cost in all, as it is said in the log when the program ends.  */

#ifndef CALLGRIND_SUMMARY_H
#define CALLGRIND_SUMMARY_H

#include "model/cost.h"

/* Prints totals, and of what was simulated the shares that went badly.  `total` is a cost
   vector.  */
void summary_print(const ULong* total);

#endif
