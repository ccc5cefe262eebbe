/* SPDX-License-Identifier: GPL-2.0-or-later

   Threads that wait when their process is attached to: no event has told where.  /proc
   says it of those that have not gone on meanwhile, without stopping them.  */

#ifndef SAMPLER_WAITING_THREADS_H
#define SAMPLER_WAITING_THREADS_H

#include "perf/record.h"

/* Passes a RecordWait of each thread of a process that waits to `take`, which frees it.
   What threads do after `time` is told by events, which have to be on.  */
void waiting_threads_read(uint32_t pid, uint64_t time, void (*take)(Record* record));

#endif
