/* SPDX-License-Identifier: GPL-2.0-or-later

   Writes the call tree in the tree format (docs/tree-format.md).  Reads the model and
   changes nothing in it but the numbers of tree nodes.  */

#ifndef CALLGRIND_TREE_WRITER_H
#define CALLGRIND_TREE_WRITER_H

#include "write/output.h"

#include "pub_tool_xarray.h"

/* What the file says about a part.  Nothing in it is owned.  */
typedef struct {
   UInt part;                  /* 1 and up */
   UInt thread;                /* whose paths it has; 0: all threads' */
   const HChar* trigger;       /* why it is written */
   const XArray* descriptions; /* of HChar*: for `desc` lines */
} TreeHeader;

/* Writes one complete document: a part, with the definitions of all that it names.  */
void tree_writer_write(Output* output, const TreeHeader* header);

#endif
