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

/* What had the name before something was written there.  */
typedef struct {
   Long length;  /* of the file that was appended to; 0 if none was */
   Int replaced; /* open: the plain file that was replaced; -1 if there was none, if it
                    cannot be read, or if it was not to be kept */
} OutputBefore;

/* Rolls back what was written to `path`, which is no stream: a file that was appended to
   is cut back to the bytes that it had before, one that was replaced has its name again,
   and otherwise what was written is removed.  False if that fails: then it is there.  */
Bool output_rollback(TargetPath path, const OutputBefore* before);

/* There will be no rollback any more: releases what it would need.  */
void output_settle(OutputBefore* before);

/* Ends the file and gives it its final name.  False if anything of it could not be
   written: *reason then says why, neither the temporary file nor an incomplete file
   remains, and a file that was appended to is as before.  Otherwise sets *before, which
   is for output_rollback(), and which output_settle() releases; a file that is replaced
   is kept open if `keeps`.  Releases `output` either way.  */
Bool output_close(Output* output, Bool keeps, OutputBefore* before, const HChar** reason);

/* Write one character, a string, or a number.  Errors are reported by output_close().  */
void output_char(Output* output, HChar c);
void output_text(Output* output, const HChar* text);
void output_line_text(Output* output, const HChar* text); /* line breaks become blanks */
void output_decimal(Output* output, ULong number);
void output_hex(Output* output, ULong number); /* 0x... without leading zeros */

#endif
