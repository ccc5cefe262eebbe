/* SPDX-License-Identifier: GPL-2.0-or-later

   On whom the waste of cache lines is booked (--cacheuse=yes).

   A cache line is brought in by one instruction and evicted much later.  What was wasted
   of it is self cost of that instruction, in the context that it ran in.  It is part of
   no inclusive cost, and of no clock.  */

#ifndef CALLGRIND_LINE_WASTE_H
#define CALLGRIND_LINE_WASTE_H

#include "model/reference.h"
#include "sim/cacheuse.h"

/* The instruction and context that make this access now; 0 if it is not to be
   counted.  */
CacheLoader line_waste_loader(const Reference* reference);

/* The function that books waste; NULL while costs are not collected.  */
CacheWasteReport* line_waste_report(void);

/* Is this event (an index in a cost vector) booked here, and by no clock?  */
Bool line_waste_is_event(UInt event);

#endif
