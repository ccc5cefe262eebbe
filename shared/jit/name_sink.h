/* SPDX-License-Identifier: GPL-2.0-or-later

   Where the readers of perf maps and jitdumps put what they find.

   These readers serve both the tool and the sampler.  They know nothing of files and need
   no C library: bytes go in, in pieces of any size, and each byte is looked at once.  So
   whatever a program writes, and however it writes it, reading takes time by the number
   of bytes.  What they are given is trusted in nothing.  */

#ifndef SHARED_NAME_SINK_H
#define SHARED_NAME_SINK_H

#include <stddef.h>
#include <stdint.h>

/* `context` is passed to both functions.  Addresses and sizes may be anything.  */
typedef struct {
   void* context;

   /* From `time` on (of a jitdump: in nanoseconds, by its clock; of a perf map: 0),
      `size` bytes at `start` have a name.  It has `length` bytes, which may be 0; none of
      them is a NUL, nor need one follow.  It is valid during the call only.  */
   void (*named)(void* context, uint64_t start, uint64_t size, uint64_t time,
                 const char* name, size_t length);

   /* The code that began at `from` was moved to `to`, where it has `size` bytes.  Never
      called for a perf map.  */
   void (*moved)(void* context, uint64_t from, uint64_t to, uint64_t size, uint64_t time);
} NameSink;

#endif
