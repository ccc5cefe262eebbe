/* SPDX-License-Identifier: GPL-2.0-or-later

   Which stored lines are an object's.  Where its functions are declared is asked for when
   a profile is written: by then it may be unmapped.  */

#ifndef CALLGRIND_OBJECT_LINES_H
#define CALLGRIND_OBJECT_LINES_H

#include "lines/stored_lines.h"

/* Notes the lines of an object; the first ones stay.  */
void object_lines_note(const Object* object, StoredLines* lines);

/* As stored_lines_find_declared() and stored_lines_add_declared(); of an object whose
   lines were not noted, nothing is known and nothing added.  */
Bool object_lines_find_declared(const Object* object, Addr address, const HChar** path,
                                UInt* line);
void object_lines_add_declared(const Object* object, Addr address, const HChar* path,
                               UInt line);

#endif
