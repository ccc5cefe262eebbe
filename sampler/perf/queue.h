/* SPDX-License-Identifier: GPL-2.0-or-later

   From the thread that drains the ring buffers to the one that unwinds: records of all
   processors, in the order of their times.  */

#ifndef SAMPLER_QUEUE_H
#define SAMPLER_QUEUE_H

#include "perf/record.h"

/* How many bytes of samples may wait; more are dropped, and counted as lost.  */
#define QUEUE_MAX_BYTES (256ul << 20)

/* Adds a record, and takes it over.  Called by the draining thread alone.  */
void queue_add(Record* record);

/* Lets the records up to `time` be taken: none that is older will be added.  Called by
   the draining thread alone.  */
void queue_release(uint64_t time);

/* Lets all records be taken: none will be added.  Called by the draining thread
   alone.  */
void queue_finish(void);

/* Waits for the next record, which the caller frees.  NULL after the last.  Called by the
   unwinding thread alone.  */
Record* queue_take(void);

/* How many samples were dropped.  Called by the draining thread alone.  */
uint64_t queue_dropped(void);

#endif
