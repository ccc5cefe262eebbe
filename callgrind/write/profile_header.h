/* SPDX-License-Identifier: GPL-2.0-or-later

   The header of a part of a profile: everything before its first cost.  */

#ifndef CALLGRIND_PROFILE_HEADER_H
#define CALLGRIND_PROFILE_HEADER_H

#include "model/cost.h"
#include "write/output.h"

#include "pub_tool_xarray.h"

/* What the header says.  Nothing in it is owned.  */
typedef struct {
   UInt part;                  /* 1 and up */
   UInt thread;                /* whose costs it has; 0: all threads' */
   Bool opens_file;            /* first of its file: with format, creator, pid, command */
   Bool opens_program;         /* first of its program, if another one ran before */
   const HChar* trigger;       /* why it is written */
   const XArray* spawned;      /* of Int: ids of processes forked since the last part */
   const XArray* descriptions; /* of HChar*: for `desc:` lines of their own */
   ULong first_block;          /* superblocks executed when the part began */
   ULong last_block;           /* and now */
} PartHeader;

/* Writes the header.  `total` is the sum of the costs of the part, for `summary:`.  */
void profile_header_write(Output* output, const PartHeader* header, const ULong* total);

#endif
