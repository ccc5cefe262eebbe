/* SPDX-License-Identifier: GPL-2.0-or-later

   The file /tmp/perf-PID.map, to which a program writes the names of its JIT code.

   A line of it is `START SIZE NAME`: two hexadecimal numbers, and the name up to the end
   of the line.  (The format is that of Linux's perf: its
   Documentation/jit-interface.txt.)  */

#ifndef CALLGRIND_PERFMAP_H
#define CALLGRIND_PERFMAP_H

/* From now on the file of this process is read.  To be called again in a forked
   child.  */
void perfmap_init(void);

/* Passes names that have been added since the last time to jit_names.h.  A line that
   makes no sense is ignored; an incomplete last line is left for the next time.  */
void perfmap_read(void);

#endif
