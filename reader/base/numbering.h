/* SPDX-License-Identifier: GPL-2.0-or-later

   A numbering gives keys of 16 bytes the numbers 0, 1, 2... in the order in which they
   first come.  It is a hash table with open addressing: `slots` has a key's number plus
   1, 0 where it is free, and at most half of it is in use.  */

#ifndef READER_NUMBERING_H
#define READER_NUMBERING_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
   uint64_t first, second;
} Key;

typedef struct {
   Key* keys; /* by number */
   size_t capacity;
   uint32_t count;
   uint32_t* slots;
   uint32_t mask; /* the number of slots, less 1 */
} Numbering;

/* The number of a key: `count`, as it was before, if the key is new.  */
uint32_t numbering_add(Numbering* numbering, Key key);

/* Forgets all keys and frees the memory; what is all zero is a numbering, too.  */
void numbering_clear(Numbering* numbering);

/* Two numbers in one.  */
static inline uint64_t pair_of(uint32_t high, uint32_t low)
{
   return (uint64_t)high << 32 | low;
}

#endif
