/* SPDX-License-Identifier: GPL-2.0-or-later

   Source lines of one object's code, and which functions are inlined there, stored in a
   file of the disk cache for later runs: what was found when it was asked for.  They are
   asked for again and again by every run, whatever its options.

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

/* Adds what was found, but for inlined functions.  */
void stored_lines_add(StoredLines* lines, Addr address, const SourceLine* line);

/* Sets *inlined to the innermost function that was stored for `address`, in code of
   `object`, or to NULL if it was stored that there is none; False if nothing was.  */
Bool stored_lines_find_inlined(StoredLines* lines, Addr address, const Object* object,
                               const Inlined** inlined);

/* Adds it, or NULL for none, if a line of the address is there.  */
void stored_lines_add_inlined(StoredLines* lines, Addr address, const Inlined* inlined);

/* Where the function that begins at `address` is declared, as in line_page.h.  */
Bool stored_lines_find_declared(StoredLines* lines, Addr address, const HChar** path,
                                UInt* line);
void stored_lines_add_declared(StoredLines* lines, Addr address, const HChar* path,
                               UInt line);

/* Hands what was added to the cache, to be saved with all else.  */
void stored_lines_hand_over(void);

/* In a forked child: what was added so far is the parent's to save.  */
void stored_lines_in_child(void);

#endif
