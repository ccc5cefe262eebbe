/* SPDX-License-Identifier: GPL-2.0-or-later

   The file /tmp/perf-PID.map, in which programs that make code say what it is called.

   A line of it is `START SIZE NAME`, both numbers hexadecimal, the name up to the end of
   the line.  (The format is that of Linux's perf: its Documentation/jit-interface.txt.)  */

#ifndef CALLGRIND_PERFMAP_H
#define CALLGRIND_PERFMAP_H

/* Looks for the file of this process from now on: after a fork again, in the child.  */
void perfmap_init(void);

/* Hands names that have come since the last time to jit_names.h.  A line that makes no
   sense is passed over, one without its end is left for later.  */
void perfmap_read(void);

#endif
