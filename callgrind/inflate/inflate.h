/* SPDX-License-Identifier: GPL-2.0-or-later

   Unpacks what zlib has compressed (RFC 1950, RFC 1951), from its beginning up to where
   somebody wants to read, and later on from there.  It may hold anything.  Its checksum,
   which is known at its end only, is not compared.  */

#ifndef CALLGRIND_INFLATE_H
#define CALLGRIND_INFLATE_H

#include "core_version.h"

typedef struct Inflate Inflate;

/* Begins to unpack the `packed_size` bytes at `packed` to the `size` bytes at `to`.  Both
   stay the caller's, for as long as the result is used.  inflate_end() frees it.  */
Inflate* inflate_begin(const UChar* packed, SizeT packed_size, UChar* to, SizeT size);
void inflate_end(Inflate* inflate);

/* Unpacks until at least the first `wanted` bytes are there, and returns how many are:
   fewer if there are no more, or if the rest cannot be read.  */
SizeT inflate_up_to(Inflate* inflate, SizeT wanted);

#endif
