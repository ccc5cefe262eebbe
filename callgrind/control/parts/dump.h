/* SPDX-License-Identifier: GPL-2.0-or-later

   Dumps: writing what has been counted as a part of the profile, and setting costs to
   zero.

   A part's header says what triggered it: the `trigger` of the functions here.  If a file
   cannot be written, one line in the log says why, and the part goes to a fall-back file,
   which is named.  */

#ifndef CALLGRIND_DUMP_H
#define CALLGRIND_DUMP_H

#include "core_version.h"

/* After options_finish().  */
void dump_init(void);

/* Writes all costs since the last dump as the next part, and sets them to zero.  With
   --separate-threads that is done for the running thread only, as stock callgrind does,
   unless --dump-threads=all.  */
void dump_part(const HChar* trigger);

/* As dump_part(), for all threads.  With --separate-threads each has a section, or a
   file, of its own.  */
void dump_all_threads(const HChar* trigger);

/* Writes the last part, when the program ends: its file has no number.  Sets `total`, a
   cost vector, to the sum of all parts.  */
void dump_final(ULong* total);

/* Sets all costs to zero without writing them.  */
void dump_zero(void);

/* Queues a line for the header of the next part: `desc: text`, or `desc: Spawned pid: N`
   for a process that has been forked.  `text` is copied.  */
void dump_describe(const HChar* text);
void dump_spawned(Int process);

/* How many parts this process has written, including those of programs that ran in it
   before.  */
UInt dump_count(void);

/* To be called when the program is about to execute another one: there is no time for it
   later.  Writes the next part, unless there is nothing to write.  If the other program
   cannot be started, dump_exec_failed() rolls that back, and everything is as before.  */
void dump_before_exec(const HChar* trigger);
void dump_exec_failed(void);

/* To be called in a forked child: nothing has been counted or written yet.  */
void dump_restart(void);

#endif
