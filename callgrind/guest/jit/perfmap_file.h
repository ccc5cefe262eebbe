/* SPDX-License-Identifier: GPL-2.0-or-later

   The file /tmp/perf-PID.map, to which a program writes the names of its JIT code
   (shared/jit/perf_map.h).  */

#ifndef CALLGRIND_PERFMAP_FILE_H
#define CALLGRIND_PERFMAP_FILE_H

/* From now on the file of this process is read.  To be called again in a forked
   child.  */
void perfmap_file_begin(void);

/* Passes names that have been added since the last time to jit_names.h.  */
void perfmap_file_read(void);

#endif
