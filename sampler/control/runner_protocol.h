/* SPDX-License-Identifier: GPL-2.0-or-later

   The messages between benchmark integrations and a profiler: each a length of four bytes
   and a body, a tag of four bytes and fields, all little-endian.  Owns the bytes of a
   message that has not come to its end, and what was answered; knows nothing of FIFOs.  */

#ifndef SAMPLER_RUNNER_PROTOCOL_H
#define SAMPLER_RUNNER_PROTOCOL_H

#include "control/actions.h"

#define RUNNER_NEWEST_VERSION 2
#define RUNNER_LONGEST_MESSAGE (1u << 20)

/* Answers go to `answer`, each in one call.  */
void runner_protocol_begin(const ControlActions* actions,
                           void (*answer)(const void* bytes, size_t size));

/* Takes bytes as they come, in pieces of any size.  */
void runner_protocol_take(const void* bytes, size_t size);

/* All clients have gone: what is left of a message is forgotten.  */
void runner_protocol_gone(void);

#endif
