/* SPDX-License-Identifier: GPL-2.0-or-later

   The ring buffer of one processor, into which the kernel writes the records of all
   events on it.  Relies on record.c for what they mean.  */

#ifndef SAMPLER_RING_H
#define SAMPLER_RING_H

#include "perf/record.h"

typedef struct Ring Ring;

/* Maps a ring of about `size` bytes onto the event `fd`; where the limit of locked memory
   does not allow that, a smaller one, of `least` bytes and more.  NULL with errno if there
   cannot be one.  `stack_asked` is the sampling event's size of stacks.  */
Ring* ring_open(int fd, size_t size, size_t least, unsigned stack_asked);
size_t ring_size(const Ring* ring);

/* Hands all that was written up to now to `take`, which owns the records then.  */
void ring_drain(Ring* ring, void (*take)(Record* record));

void ring_close(Ring* ring);

#endif
