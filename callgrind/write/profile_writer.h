/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes the model as a part of a profile in the callgrind format (version 1,
   the package's cl-format page).  Reads the model and changes nothing.  */

#ifndef CALLGRIND_PROFILE_WRITER_H
#define CALLGRIND_PROFILE_WRITER_H

#include "model/cost.h"
#include "write/output.h"

#include "pub_tool_xarray.h"

/* What a part's header says.  */
typedef struct {
   UInt part;                  /* 1 and up */
   UInt thread;                /* whose costs it has; 0: all threads' */
   Bool opens_file;            /* first in its file: format, creator, pid, command */
   Bool opens_program;         /* first of its program, behind one that executed it */
   const HChar* trigger;       /* why it is written */
   const XArray* spawned;      /* of Int: processes forked since the last part */
   const XArray* descriptions; /* of HChar*: for `desc:` lines of their own */
   ULong first_block;          /* superblocks run when it began, and now */
   ULong last_block;
} PartHeader;

/* The sum of all self costs of a thread (0: of all), as a written part will have it.  */
void profile_writer_total(UInt thread, ULong* total);

/* Writes one part.  `total` is what profile_writer_total() said.  */
void profile_writer_write(Output* output, const PartHeader* header, const ULong* total);

#endif
