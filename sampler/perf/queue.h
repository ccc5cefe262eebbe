/* SPDX-License-Identifier: GPL-2.0-or-later

   From the thread that drains the ring buffers to the one that unwinds: records of all
   processors, in the order of their times.  */

#ifndef SAMPLER_QUEUE_H
#define SAMPLER_QUEUE_H

#include "perf/record.h"

/* Most bytes of samples that wait; beyond, samples are dropped and counted as lost.  */
#define QUEUE_MAX_BYTES (256ul << 20)

/* Takes over a record.  By the draining thread alone.  */
void queue_add(Record* record);

/* Lets everything up to `time` be taken: no older record is still to come.  By the draining
   thread alone.  */
void queue_release(uint64_t time);

/* Lets all be taken, and the taker end.  By the draining thread alone.  */
void queue_finish(void);

/* The next record, which is the caller's to free; waits for one.  NULL after the end.  By
   the unwinding thread alone.  */
Record* queue_take(void);

/* How many samples were dropped.  */
uint64_t queue_dropped(void);

#endif
