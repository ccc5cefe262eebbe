/* SPDX-License-Identifier: GPL-2.0-or-later

   How the sets of a simulated cache lie in the host's memory: side by side, each in a
   power of two of bytes.  So the address of a set is computed without a multiplication,
   and a set spans no more lines of the host than it needs.  */

#ifndef CALLGRIND_LAYOUT_H
#define CALLGRIND_LAYOUT_H

#include "sim/geometry.h"

#include <stddef.h>

/* A host's cache line.  */
#define LAYOUT_HOST_LINE_BITS 6
#define LAYOUT_HOST_LINE ((size_t)1 << LAYOUT_HOST_LINE_BITS)

/* The binary logarithm of the room that a set of so many bytes takes.  */
static inline uint32_t layout_set_bits(size_t bytes)
{
   uint32_t bits = 0;
   while (((size_t)1 << bits) < bytes)
      bits++;
   return bits;
}

/* Bytes for all sets, each of 1 << set_bits bytes, wherever the memory begins.  */
static inline size_t layout_bytes(const CacheGeometry* geometry, uint32_t set_bits)
{
   return ((size_t)geometry_sets(geometry) << set_bits) + LAYOUT_HOST_LINE;
}

/* Where the sets begin in memory of that size: at a line of the host.  */
static inline void* layout_start(void* memory)
{
   return (void*)(((uintptr_t)memory + LAYOUT_HOST_LINE - 1) &
                  -(uintptr_t)LAYOUT_HOST_LINE);
}

#endif
