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

static inline void copy_few_bytes(UChar* to, const UChar* from, SizeT size)
{
   for (; size > 0; size--)
      *to++ = *from++;
}

/* Copies `size` bytes to where none of them is.  The last ones are copied together with
   some before them, once more: a loop of single bytes ends where the processor does not
   foresee it.  */
static inline void copy_bytes(void* to, const void* from, SizeT size)
{
   UChar* at = to;
   const UChar* source = from;
   CopyUnit unit;
   if (size < sizeof unit) {
      ULong word;
      if (size < sizeof word) {
         copy_few_bytes(at, source, size);
         return;
      }
      SizeT last = size - sizeof word;
      __builtin_memcpy(&word, source, sizeof word);
      __builtin_memcpy(at, &word, sizeof word);
      __builtin_memcpy(&word, source + last, sizeof word);
      __builtin_memcpy(at + last, &word, sizeof word);
      return;
   }
   SizeT last = size - sizeof unit;
   for (SizeT done = 0; done < last; done += sizeof unit) {
      __builtin_memcpy(&unit, source + done, sizeof unit);
      __builtin_memcpy(at + done, &unit, sizeof unit);
   }
   __builtin_memcpy(&unit, source + last, sizeof unit);
   __builtin_memcpy(at + last, &unit, sizeof unit);
}

#endif
