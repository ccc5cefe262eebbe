/* SPDX-License-Identifier: GPL-2.0-or-later

   Copies memory.  The core's memcpy() goes by four bytes, or by one where these are not
   aligned: for pieces of code, which are some hundred bytes, that is slow.  */

#ifndef CALLGRIND_COPY_H
#define CALLGRIND_COPY_H

#include "core_version.h"

/* So much at once.  */
typedef struct {
   ULong words[2];
} CopyUnit;

/* Copies `size` bytes to where none of them is.  */
static inline void copy_bytes(void* to, const void* from, SizeT size)
{
   UChar* at = to;
   const UChar* source = from;
   for (; size >= sizeof(CopyUnit); size -= sizeof(CopyUnit)) {
      CopyUnit unit;
      __builtin_memcpy(&unit, source, sizeof unit);
      __builtin_memcpy(at, &unit, sizeof unit);
      at += sizeof unit;
      source += sizeof unit;
   }
   for (; size > 0; size--)
      *at++ = *source++;
}

#endif
