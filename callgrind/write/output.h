/* SPDX-License-Identifier: GPL-2.0-or-later

   Files, written safely: under a temporary name, renamed when they are whole.
   A file that cannot be written is reported once and given up; nothing half
   written is left under its final name.  */

#ifndef CALLGRIND_OUTPUT_H
#define CALLGRIND_OUTPUT_H

#include "core_version.h"

typedef struct Output Output;

/* Begins to write `path`.  With `append`, what is written goes behind what the
   file holds already, if it exists.  NULL if the file cannot be created;
   *reason then says why.  `path` is copied.  */
Output* output_open(const HChar* path, Bool append, const HChar** reason);

/* True if `path` leads to what is not ours to replace: a device, a pipe, or a file that a
   process has open.  What is written there stays.  *is_pipe tells of a pipe with a name,
   whose reader may leave when it is closed.  */
Bool output_is_stream(const HChar* path, Bool* is_pipe);

/* Undoes what was written to `path`, which is no stream: what it held before was `length`
   bytes; if that is 0, the file goes.  */
void output_rollback(const HChar* path, Long length);

/* Ends the file and gives it its final name.  False if not all of it could be
   written; *reason then says why, and neither the temporary file nor a partial
   result remains.  Releases `output` either way.  */
Bool output_close(Output* output, const HChar** reason);

/* Writing fails silently; output_close() tells.  */
void output_char(Output* output, HChar c);
void output_text(Output* output, const HChar* text);
void output_decimal(Output* output, ULong number);
void output_hex(Output* output, ULong number); /* 0x... without leading zeros */

#endif
