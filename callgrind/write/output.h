/* SPDX-License-Identifier: GPL-2.0-or-later

   Files that are written safely: to a temporary file, which is renamed when it is
   complete.  So a file of the final name is never incomplete.  The temporary file is not
   synced to disk before: a crash of the system may lose it.  */

#ifndef CALLGRIND_OUTPUT_H
#define CALLGRIND_OUTPUT_H

#include "core_version.h"

typedef struct Output Output;

/* Begins to write the file `path`, which is copied.  With `append` it is written behind
   what the file holds already, if it exists; otherwise in its place.  A symbolic link
   stays one.  NULL if the file cannot be created: *reason then says why, in words, until
   the next call of anything here.  The result is released by output_close().  */
Output* output_open(const HChar* path, Bool append, const HChar** reason);

/* True if `path` leads to what must not be replaced: a device, a pipe, or a file that a
   process has open.  What has been written there cannot be rolled back.  *is_pipe is True
   for a named pipe, whose reader may leave when it is closed.  */
Bool output_is_stream(const HChar* path, Bool* is_pipe);

/* Rolls back what was written to `path`, which is no stream: the file is cut back to the
   `length` bytes that it had before, or removed if that is 0.  Errors are ignored.  */
void output_rollback(const HChar* path, Long length);

/* Ends the file and gives it its final name.  False if anything of it could not be
   written: *reason then says why, neither the temporary file nor an incomplete file
   remains, and a file that was appended to is as before.  Releases `output` either
   way.  */
Bool output_close(Output* output, const HChar** reason);

/* Write one character, a string, or a number.  Errors are reported by output_close().  */
void output_char(Output* output, HChar c);
void output_text(Output* output, const HChar* text);
void output_line_text(Output* output, const HChar* text); /* line breaks become blanks */
void output_decimal(Output* output, ULong number);
void output_hex(Output* output, ULong number); /* 0x... without leading zeros */

#endif
