/* SPDX-License-Identifier: GPL-2.0-or-later

   Files that are written safely: to a temporary file, which is renamed when it is
   complete.  So a file of the final name is never incomplete.  The temporary file has a
   name that nobody can foresee, is in the same folder, and only its owner can read it.
   It is not synced to disk before: a crash of the system may lose it.  Where a path leads
   is target.h's.  */

#ifndef CALLGRIND_OUTPUT_H
#define CALLGRIND_OUTPUT_H

#include "write/target.h"

typedef struct Output Output;

/* Begins to write the file `path`.  With `append` it is written behind what the file
   holds already, if it exists; otherwise in its place.  A symbolic link that is followed
   stays one.  NULL if the file cannot be created: *reason then says why, in words, until
   the next call of anything here.  The result is released by output_close().  */
Output* output_open(TargetPath path, Bool append, const HChar** reason);

/* True if `path` leads to what must not be replaced: a device, a pipe, or a file that a
   process has open.  What has been written there cannot be rolled back.  *is_pipe is True
   for a named pipe, whose reader may leave when it is closed.  */
Bool output_is_stream(TargetPath path, Bool* is_pipe);

/* Rolls back what was written to `path`, which is no stream: the file is cut back to the
   bytes that it had before, or removed if it was not appended to (`length_before` is 0).
   False if that fails.  */
Bool output_rollback(TargetPath path, Long length_before);

/* Ends the file and gives it its final name.  False if anything of it could not be
   written: *reason then says why, neither the temporary file nor an incomplete file
   remains, and a file that was appended to is as before.  Otherwise *length_before is
   what output_rollback() needs.  Releases `output` either way.  */
Bool output_close(Output* output, Long* length_before, const HChar** reason);

/* Write one character, a string, or a number.  Errors are reported by output_close().  */
void output_char(Output* output, HChar c);
void output_text(Output* output, const HChar* text);
void output_line_text(Output* output, const HChar* text); /* line breaks become blanks */
void output_decimal(Output* output, ULong number);
void output_hex(Output* output, ULong number); /* 0x... without leading zeros */

#endif
