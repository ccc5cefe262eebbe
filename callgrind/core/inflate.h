/* SPDX-License-Identifier: GPL-2.0-or-later

   The core's own reader of compressed sections, which is miniz's.  */

#ifndef CALLGRIND_INFLATE_H
#define CALLGRIND_INFLATE_H

#include "core_version.h"

#ifdef HAVE_CORE_INFLATE

#define CORE_CAN_INFLATE 1

extern SizeT tinfl_decompress_mem_to_mem(void* to, SizeT to_size, const void* from,
                                         SizeT from_size, Int flags);

/* Makes `size` bytes at `to` of what zlib has compressed to `from_size` bytes at `from`.
   False if these are not what becomes so many.  */
static inline Bool core_inflate(void* to, SizeT size, const void* from, SizeT from_size)
{
   enum { WithZlibHeader = 1 };
   return tinfl_decompress_mem_to_mem(to, size, from, from_size, WithZlibHeader) == size;
}

#endif

#endif
