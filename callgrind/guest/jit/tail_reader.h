/* SPDX-License-Identifier: GPL-2.0-or-later

   A file that the program writes, or somebody for it, while it is read: each time, what
   has been added since.

   Read is only what can be believed and does no harm: a regular file of the user's own
   or of root's.  Whatever is wrong with it, nothing is said: it is not required.  */

#ifndef CALLGRIND_TAIL_READER_H
#define CALLGRIND_TAIL_READER_H

#include "core_version.h"

typedef struct {
   HChar* path;  /* owned by this; NULL: no file */
   ULong offset; /* what lies before it has been read */
   Bool is_bad;  /* never to be read again */
   /* What was there before the program began: another one's.  */
   ULong stale_size;
   ULong stale_hash;
} TailReader;

/* Takes what it can of `bytes`, and returns how much that is.  What it leaves it is given
   again, with more behind it.  */
typedef SizeT TailReaderTake(const UChar* bytes, SizeT size);

/* From now on the file at `path`, which is copied, is meant.  What is in it already counts
   as added, unless `is_stale`: then only what takes its place or comes behind it.  */
void tail_reader_begin(TailReader* file, const HChar* path, Bool is_stale);

/* Hands what has been added to `take`.  A file that has become shorter is read from its
   start.  Fast if nothing has changed.  */
void tail_reader_read(TailReader* file, TailReaderTake* take);

#endif
