/* SPDX-License-Identifier: GPL-2.0-or-later

   Reads a file while the program appends to it: each time what has been added since.

   Only a regular file that belongs to the user or to root is read, and by no symbolic
   link: its name, /tmp/perf-PID.map, is known to everybody.  Errors are silent,
   because the file is optional.  */

#ifndef CALLGRIND_TAIL_READER_H
#define CALLGRIND_TAIL_READER_H

#include "core_version.h"

typedef struct {
   HChar* path;  /* owned; NULL: no file */
   ULong offset; /* everything before it has been taken */

   /* What was in the file before the program began, and so is not about this program; 0
      bytes if there was none or it has been passed over.  */
   ULong stale_size;
   ULong stale_hash; /* of its first bytes */
} TailReader;

/* Takes the next bytes of the file.  `is_start`: they are its first.  */
typedef void TailReaderTake(const UChar* bytes, SizeT size, Bool is_start);

/* Begins to read the file `path`, which is copied and need not exist yet.  What is in it
   already counts as added, unless `is_stale`: then only what replaces or follows it.  */
void tail_reader_begin(TailReader* file, const HChar* path, Bool is_stale);

/* Passes what has been added to `take`, each byte once.  A file that has become shorter
   is read again from its start.  Fast if nothing has changed.  */
void tail_reader_read(TailReader* file, TailReaderTake* take);

#endif
