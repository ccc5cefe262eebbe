/* SPDX-License-Identifier: GPL-2.0-or-later

   How the sets of a simulated cache lie in the host's memory: side by side, each in a power
   of two of bytes, so that where one stands takes no multiplication, and none across more
   lines of the host than it needs.  */

#ifndef CALLGRIND_LAYOUT_H
#define CALLGRIND_LAYOUT_H

#include "sim/geometry.h"

#include <stddef.h>

/* A host's cache line.  */
#define LAYOUT_HOST_LINE_BITS 6
#define LAYOUT_HOST_LINE ((size_t)1 << LAYOUT_HOST_LINE_BITS)

/* The binary logarithm of the room for a set of so many bytes.  */
static inline uint32_t layout_set_bits(size_t bytes)
{
   uint32_t bits = 0;
   while (((size_t)1 << bits) < bytes)
      bits++;
   return bits;
}

/* Bytes that all sets of this room take, wherever they begin.  */
static inline size_t layout_bytes(const CacheGeometry* geometry, uint32_t set_bits)
{
   return ((size_t)geometry_sets(geometry) << set_bits) + LAYOUT_HOST_LINE;
}

/* Where they begin in the memory of that size.  */
static inline void* layout_start(void* memory)
{
   return (void*)(((uintptr_t)memory + LAYOUT_HOST_LINE - 1) &
                  -(uintptr_t)LAYOUT_HOST_LINE);
}

#endif
