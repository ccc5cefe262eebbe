/* SPDX-License-Identifier: GPL-2.0-or-later

   The summary in the log when the program ends.  */

#ifndef CALLGRIND_SUMMARY_H
#define CALLGRIND_SUMMARY_H

#include "model/cost.h"

/* Prints the events of `total`, a cost vector, and the miss rates of what was
   simulated.  */
void summary_print(const ULong* total);

#endif
