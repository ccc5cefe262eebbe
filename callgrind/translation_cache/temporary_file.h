/* SPDX-License-Identifier: GPL-2.0-or-later

   A file of the cache's folder while it is being written: it has a name of its own until
   it is whole.

   It may be written in pieces while the program runs, and is not open in between: the
   program must not come upon it.  If anything else is found under its name then, that is
   left alone, and an error.  */

#ifndef CALLGRIND_TEMPORARY_FILE_H
#define CALLGRIND_TEMPORARY_FILE_H

#include "core_version.h"

#include "translation_cache/cache_folder.h"

/* A zeroed one has not been made.  */
typedef struct {
   HChar name[sizeof CACHE_FOLDER_NEW + 16];
   Bool is_there;
   ULong device, inode;
   ULong length; /* what has been written */
} TemporaryFile;

/* Opens it in the open folder, to write behind what it has; makes it if it is not there.
   Sets *fd.  An error of write/file_calls.h, as all below.  */
UInt temporary_file_open(TemporaryFile* file, Int folder, Int* fd);

/* Writes to it where it ends.  */
UInt temporary_file_write(TemporaryFile* file, Int fd, const UChar* bytes, SizeT size);

/* Gives it `name`, in place of a file that has it.  It is not there then.  */
UInt temporary_file_rename(TemporaryFile* file, Int folder, const HChar* name);

/* Removes it, if it is there.  */
void temporary_file_remove(TemporaryFile* file, Int folder);

#endif
