/* SPDX-License-Identifier: GPL-2.0-or-later

   The shapes of the simulated caches: those that the command line gives, and for the rest
   those of this processor.  Completes `options.caches`, which belongs to options/.  */

#ifndef CALLGRIND_CACHE_SHAPES_H
#define CALLGRIND_CACHE_SHAPES_H

#include "sim/geometry.h"

/* Fills in the caches that the command line does not give.  Writes what stock callgrind
   writes about them to the log.  Ends the program, with a message, if a cache has shorter
   lines than a register of the guest's.  To be called once, after options_finish().  */
void cache_shapes_complete(void);

/* Length in bytes of the shortest line of all caches.  No access counts as longer.  */
uint32_t cache_shapes_smallest_line(void);

#endif
