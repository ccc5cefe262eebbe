/* SPDX-License-Identifier: GPL-2.0-or-later

   The messages between benchmark integrations and a profiler.  Each has a length of four
   bytes, a tag of four bytes, and fields, all little-endian; the length does not count
   itself.  Owns the start of a message that is not complete.  Knows nothing of FIFOs.  */

#ifndef SAMPLER_RUNNER_PROTOCOL_H
#define SAMPLER_RUNNER_PROTOCOL_H

#include "control/actions.h"

#define RUNNER_NEWEST_VERSION 2
#define RUNNER_LONGEST_MESSAGE (1u << 20)

/* To be called first.  Each answer is passed to `answer` in one call.  */
void runner_protocol_begin(const ControlActions* actions,
                           void (*answer)(const void* bytes, size_t size));

/* Takes bytes as they come, in pieces of any size; does and answers what is complete.  */
void runner_protocol_take(const void* bytes, size_t size);

/* All clients have gone: forgets an incomplete message.  */
void runner_protocol_gone(void);

#endif
