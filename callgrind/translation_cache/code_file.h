/* SPDX-License-Identifier: GPL-2.0-or-later

   A file of the translation cache: the translations of one object, such as a library,
   where it was mapped, or the source lines of its code.

   An entry is a piece of bytes with a key; what is in it is for others to know
   (translations/stored_translations.h, stored_lines.h).  Entries of the file can be
   looked up, and new ones added, which are written when the file is saved.

   Nothing that the file holds is trusted.  Its header and index are checked when it is
   read, each entry when it is asked for.  A file that is damaged, was made by another
   build of the tool, or was written under another name, counts as empty, and is
   replaced.  The name says all that a file depends on: which object, where, with which
   options.  */

#ifndef CALLGRIND_CODE_FILE_H
#define CALLGRIND_CODE_FILE_H

#include "core_version.h"

typedef struct CodeFile CodeFile;

/* Reads the file `name` in the open folder, if there is one that was made for `identity`
   (two numbers).  `name` must stay as it is; it is not in the folder if `folder` is
   negative.  Never NULL.  */
CodeFile* code_file_open(Int folder, const HChar* name, const ULong* identity);

/* Was it there, but no file of the user's own that nobody else may open?  */
Bool code_file_is_refused(const CodeFile* file);

/* The entry with this key, whose size is put into *size; one that was added counts before
   one of the file.  NULL if there is none, if it is damaged, or if it was added and has
   been written already.  Valid until the next code_file_room(), code_file_add() or
   code_file_save().  */
const void* code_file_find(CodeFile* file, ULong key, UInt* size);

/* As code_file_find(), if nothing with this key has been added, as far as the caller
   knows.  */
const void* code_file_find_read(const CodeFile* file, ULong key, UInt* size);

/* Adds an entry, in place of one that has the same key.  `bytes` is copied.  Nothing is
   added, and the file need not be written, if it has just that entry already.  */
void code_file_add(CodeFile* file, ULong key, const void* bytes, UInt size);

/* As code_file_add(), without a copy: room for an entry of `size` bytes, aligned to
   eight, which is added by code_file_add_room() once it has been filled, or left.  False:
   it was not added.  */
void* code_file_room(CodeFile* file, UInt size);
Bool code_file_add_room(CodeFile* file, ULong key, UInt size);

/* As code_file_add_room(), if nothing with this key has been added, as far as the caller
   knows: it takes less time.  Otherwise this entry counts.  */
Bool code_file_add_new_room(CodeFile* file, ULong key, UInt size);

/* From now on what is added is written to a temporary file in the folder of this path, as
   it comes: so it does not take more and more memory.  What does not work then is an
   error of code_file_save().  */
void code_file_write_early(CodeFile* file, const HChar* folder);

/* Releases all that belongs to `file`, as code_file_drop_added().  */
void code_file_close(CodeFile* file);

/* How many bytes have been added and not been saved.  */
ULong code_file_n_added(const CodeFile* file);

/* Forgets what has been added and not been saved.  A temporary file stays: a process that
   was forked does this, and it is its parent's.  */
void code_file_drop_added(CodeFile* file);

/* Writes the file in the open folder anew if enough was added, at least 1/`least_share`
   of what was read (0: any): what it holds by now, which may be more than was read, and
   what was added.  What was added is then dropped, and the temporary file is gone.  An
   error of write/file_calls.h; then the file is as it was.  */
UInt code_file_save(CodeFile* file, Int folder, UInt least_share);

#endif
