/* SPDX-License-Identifier: GPL-2.0-or-later

   FNV-1a, the tool's hash for names and small pieces of memory.  It is short, and good
   enough for names that share long prefixes.  It is no protection against somebody who
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

/* The hash of a string, as a key of the core's hash tables.  */
static inline UWord hash_text(const HChar* text)
{
   ULong hash = HASH_START;
   for (; *text != '\0'; text++)
      hash = (hash ^ (UChar)*text) * HASH_FACTOR;
   return (UWord)hash;
}

#endif
