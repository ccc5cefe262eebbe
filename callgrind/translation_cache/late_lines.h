/* SPDX-License-Identifier: GPL-2.0-or-later

   Source lines, read late.  The core reads an object's line tables when the object is
   mapped, which takes most of the time of a short run where debug information is
   installed.  With a translation cache, what was asked of them is stored
   (stored_lines.h).  If an earlier run has done so, the tables are not read before
   somebody asks for a line that is not stored; in most runs nobody does.  */

#ifndef CALLGRIND_LATE_LINES_H
#define CALLGRIND_LATE_LINES_H

#include "core_version.h"

/* To be called once there is a translation cache.  */
void late_lines_init(void);

/* Must be called when mappings change.  */
void late_lines_forget_ranges(void);

/* With --stats=yes: of how many objects lines were put off, and read after all.  */
void late_lines_print_stats(void);

#endif
