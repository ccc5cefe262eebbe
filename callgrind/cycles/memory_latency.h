/* SPDX-License-Identifier: GPL-2.0-or-later

   What LLVM's models do not say of a processor: how long misses take.  These are choices,
   near what is published for the processors; docs/cycles.md has them.  */

#ifndef CALLGRIND_MEMORY_LATENCY_H
#define CALLGRIND_MEMORY_LATENCY_H

#include "core_version.h"

/* In cycles.  */
typedef struct {
   UInt near;          /* a miss in the first level: between the second and the last */
   UInt far;           /* a miss in the last level */
   UInt near_at_least; /* the same if all that can overlap does: the bus is busy */
   UInt far_at_least;  /* all buffers for lines under way are full */
   UInt mispredicted;  /* a branch */
} MemoryLatency;

/* Those of the model that is in use.  */
const MemoryLatency* memory_latency(void);

#endif
