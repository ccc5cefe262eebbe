/* SPDX-License-Identifier: GPL-2.0-or-later

   FNV-1a, the tool's hash for names and small pieces of memory.  It is short, and good
   enough for names that share long prefixes.  A checksum of larger pieces, which finds
   damage.  Neither is a protection against somebody who looks for collisions.  */

#ifndef CALLGRIND_HASH_H
#define CALLGRIND_HASH_H

#include "core_version.h"

#define HASH_START 0xcbf29ce484222325ULL
#define HASH_FACTOR 0x100000001b3ULL

/* The hash of `size` bytes.  */
static inline ULong hash_bytes(const void* bytes, SizeT size)
{
   const UChar* byte = bytes;
   ULong hash = HASH_START;
   for (SizeT i = 0; i < size; i++)
      hash = (hash ^ byte[i]) * HASH_FACTOR;
   return hash;
}

#define CHECKSUM_FACTOR 0x9e3779b97f4a7c15ULL

/* `sum` with the word at `at`.  Another word makes another sum, and so does another
   sum.  */
static inline ULong hash_word(ULong sum, const UChar* at)
{
   ULong word;
   __builtin_memcpy(&word, at, sizeof word);
   sum = (sum ^ word) * CHECKSUM_FACTOR;
   return sum ^ sum >> 32;
}

/* A checksum of `size` bytes, which is many times faster: eight at a time, and four such
   words side by side, since the processor would wait for each product.  `start` makes
   checksums of several pieces one.  */
static inline ULong hash_checksum(ULong start, const void* bytes, SizeT size)
{
   const UChar* at = bytes;
   ULong sum = start ^ size * HASH_FACTOR, second = 0, third = 0, fourth = 0;
   for (; size >= 4 * sizeof(ULong); size -= 4 * sizeof(ULong), at += 4 * sizeof(ULong)) {
      sum = hash_word(sum, at);
      second = hash_word(second, at + sizeof(ULong));
      third = hash_word(third, at + 2 * sizeof(ULong));
      fourth = hash_word(fourth, at + 3 * sizeof(ULong));
   }
   sum = (sum * CHECKSUM_FACTOR ^ second) * CHECKSUM_FACTOR;
   sum = ((sum ^ sum >> 32) + third) * CHECKSUM_FACTOR;
   sum = (sum ^ sum >> 32) + fourth;
   for (; size >= sizeof(ULong); size -= sizeof(ULong), at += sizeof(ULong))
      sum = hash_word(sum, at);
   for (; size > 0; size--)
      sum = (sum ^ *at++) * CHECKSUM_FACTOR;
   return sum ^ sum >> 29;
}

/* The hash of a string, as a key of the core's hash tables.  */
static inline UWord hash_text(const HChar* text)
{
   ULong hash = HASH_START;
   for (; *text != '\0'; text++)
      hash = (hash ^ (UChar)*text) * HASH_FACTOR;
   return (UWord)hash;
}

#endif
