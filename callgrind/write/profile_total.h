/* SPDX-License-Identifier: GPL-2.0-or-later

   The sum of the self costs that a part of the profile will have.  */

#ifndef CALLGRIND_PROFILE_TOTAL_H
#define CALLGRIND_PROFILE_TOTAL_H

#include "model/cost.h"

/* Sets `total`, a cost vector, to the sum of all self costs of a thread, or of all
   threads if `thread` is 0.  */
void profile_total(UInt thread, ULong* total);

#endif
