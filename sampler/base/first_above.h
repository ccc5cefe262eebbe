/* SPDX-License-Identifier: GPL-2.0-or-later

   The search among records that are sorted by an address.  */

#ifndef SAMPLER_FIRST_ABOVE_H
#define SAMPLER_FIRST_ABOVE_H

#include <stddef.h>
#include <stdint.h>

/* The index of the first of `count` records with an address above `address`; `count` if
   there is none.  A record has `size` bytes, and its address, 64 bits, at `offset`.  The
   records are sorted by their addresses.  */
static inline size_t first_above(const void* records, size_t count, size_t size,
                                 size_t offset, uint64_t address)
{
   size_t low = 0, high = count;
   while (low < high) {
      size_t middle = low + (high - low) / 2;
      const void* at = (const char*)records + middle * size + offset;
      if (*(const uint64_t*)at <= address)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

#endif
