/* SPDX-License-Identifier: GPL-2.0-or-later

   The ring buffer of one processor, into which the kernel writes the records of its
   events.  Relies on record.c to read them.  */

#ifndef SAMPLER_RING_H
#define SAMPLER_RING_H

#include "perf/record.h"

typedef struct Ring Ring;

/* Maps a ring of about `size` bytes for the event `fd`; a smaller one, but of `least`
   bytes, where the limit of locked memory is too low.  `has_waits` is for record_read().
   NULL, with errno, if there can be no ring.  */
Ring* ring_open(int fd, size_t size, size_t least, bool has_waits);

/* How many bytes of records it can hold.  */
size_t ring_size(const Ring* ring);

/* Passes all records that are in the ring to `take`, which frees them.  */
void ring_drain(Ring* ring, void (*take)(Record* record));

/* Unmaps and frees the ring; `fd` stays open.  */
void ring_close(Ring* ring);

#endif
