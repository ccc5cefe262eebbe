/* SPDX-License-Identifier: GPL-2.0-or-later

   The words by which programs switch `perf record`, as its clients send them.  Owns the
   start of a word that is not complete.  Knows nothing of FIFOs.

   A word ends at a line feed, at a NUL, or where there is nothing more to read: many
   clients send neither.  What is written in two pieces is one word, unless the first
   piece is one already.  Each word is answered by `ack`, a line feed and a NUL.  */

#ifndef SAMPLER_PERF_PROTOCOL_H
#define SAMPLER_PERF_PROTOCOL_H

#include "control/actions.h"

/* To be called first.  Each answer is passed to `answer` in one call.  `where` is the
   name of the FIFO, for messages; it stays the caller's.  */
void perf_protocol_begin(const ControlActions* actions, const char* where,
                         void (*answer)(const void* bytes, size_t size));

/* Takes bytes as they come, in pieces of any size; does and answers what has its end.  */
void perf_protocol_take(const char* bytes, size_t size);

/* There is nothing more to read for now: does and answers the word that has no end,
   unless it may be the first piece of one.  */
void perf_protocol_pause(void);

/* All clients have gone: does and answers what is left.  */
void perf_protocol_gone(void);

#endif
