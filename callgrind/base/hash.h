/* SPDX-License-Identifier: GPL-2.0-or-later

   FNV-1a, the tool's hash for names and small pieces of memory.  It is short, and good
   enough for names that share long prefixes.  A checksum of larger pieces, which finds
   damage.  Neither is a protection against somebody who
   looks for collisions.  */

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

/* A checksum of `size` bytes, eight at a time, which is many times faster.  `start` makes
   checksums of several pieces one.  */
static inline ULong hash_checksum(ULong start, const void* bytes, SizeT size)
{
   const UChar* at = bytes;
   ULong sum = start ^ size * HASH_FACTOR;
   for (; size >= sizeof(ULong); size -= sizeof(ULong), at += sizeof(ULong)) {
      ULong word;
      __builtin_memcpy(&word, at, sizeof word);
      sum = (sum ^ word) * 0x9e3779b97f4a7c15ULL;
      sum ^= sum >> 32;
   }
   for (; size > 0; size--)
      sum = (sum ^ *at++) * 0x9e3779b97f4a7c15ULL;
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
