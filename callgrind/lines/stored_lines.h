/* SPDX-License-Identifier: GPL-2.0-or-later

   Source lines of one object's code, stored in a file of the disk cache for later runs:
   what the core has answered when it was asked.  They are asked for again and again by
   every run, whatever its options.

   Which file it is follows from the debug information itself (late_lines.h), so that
   nothing that was stored is out of date.  Addresses are as the object's file numbers
   them.  */

#ifndef CALLGRIND_STORED_LINES_H
#define CALLGRIND_STORED_LINES_H

#include "guest/symbols.h"

typedef struct StoredLines StoredLines;

/* The lines that are stored under `name`, a number.  The same ones for the same name.
   NULL if there is no cache.  */
StoredLines* stored_lines_of(ULong name);

/* True if the file was there: an earlier run has asked for lines, too.  */
Bool stored_lines_were_there(const StoredLines* lines);

/* Sets *line to what was stored for `address`; False if nothing was.  */
Bool stored_lines_find(StoredLines* lines, Addr address, SourceLine* line);

/* Adds what the core has answered, but for inlined functions.  */
void stored_lines_add(StoredLines* lines, Addr address, const SourceLine* line);

/* Hands what was added to the cache, to be saved with all else.  */
void stored_lines_hand_over(void);

/* In a forked child: what was added so far is the parent's to save.  */
void stored_lines_in_child(void);

#endif
