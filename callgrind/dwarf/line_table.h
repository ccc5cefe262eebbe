/* SPDX-License-Identifier: GPL-2.0-or-later

   The source lines of a file's code (.debug_line), found without reading all of them:
   where each sequence of lines begins and ends is learnt at once, what is in it when an
   address of it is asked for.

   Answers are those of the Valgrind core, which reads everything when an object is
   mapped.  Where that might say something else, the answer is that it must be asked.  */

#ifndef CALLGRIND_DWARF_LINE_TABLE_H
#define CALLGRIND_DWARF_LINE_TABLE_H

#include "dwarf/dwarf_file.h"

typedef struct LineTable LineTable;

typedef enum {
   LineUnclear, /* ask the core */
   LineNone,    /* the address has no line */
   LineFound
} LineAnswer;

/* The lines of the code from `start` to `end`.  Takes the memory of the sections, of
   which SectionLine and SectionLineStr are used.  NULL if there is something that the
   core may understand in another way.  */
LineTable* line_table_read(const DwarfSection sections[DWARF_SECTIONS], Addr start,
                           Addr end);
void line_table_free(LineTable* table);

/* The line of an address.  The path lives as long as the table.  */
LineAnswer line_table_find(LineTable* table, Addr address, const HChar** path,
                           UInt* line);

#endif
