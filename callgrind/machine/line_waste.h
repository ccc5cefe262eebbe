/* SPDX-License-Identifier: GPL-2.0-or-later

   How cache lines are used (--cacheuse=yes): whom the waste is booked on.

   A line is brought in by one instruction and leaves much later.  What was wasted of it is
   self cost of that instruction, in the context that it ran in, and no inclusive cost of
   anybody.  */

#ifndef CALLGRIND_LINE_WASTE_H
#define CALLGRIND_LINE_WASTE_H

#include "model/reference.h"
#include "sim/cacheuse.h"

/* Who makes the reference now; 0 if nobody is counted.  */
CacheLoader line_waste_loader(const Reference* reference);

/* Who books waste now; NULL while nothing is collected.  */
CacheWasteReport* line_waste_listener(void);

/* Is that an event that is booked so, and by no clock?  */
Bool line_waste_is_event(UInt event);

#endif
