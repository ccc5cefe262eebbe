/* SPDX-License-Identifier: GPL-2.0-or-later

   Dumps: one part of the profile, to the right file.  Zeroing.  The consistency
   check of everything.  */

#ifndef CALLGRIND_DUMP_H
#define CALLGRIND_DUMP_H

#include "core_version.h"

/* After the command line has been read.  */
void dump_init(void);

/* Verifies every data structure, and that the self costs add up to what all clocks have
   counted.  Says what is wrong in the log; with --ct-check=yes, ends the run.  */
void dump_check(void);

/* Writes all costs since the last dump as the next part, and sets them to zero; with
   --separate-threads those of the running thread only, as stock callgrind does.  `trigger` names the reason in the part's header.  If the file cannot be
   written, one line says why, and the part goes to a fall-back file, which is
   named.  */
void dump_part(const HChar* trigger);

/* The same for all threads, each in a section, or file, of its own.  */
void dump_all_threads(const HChar* trigger);

/* The last part, when the program ends: its file has no part number.  Gives the
   total over all parts in *total.  */
void dump_final(ULong* total);

/* Queues a line `desc: text` for the header of the next part.  */
void dump_describe(const HChar* text);

/* How many parts have been written.  */
UInt dump_count(void);

/* Sets all costs to zero without writing them.  */
void dump_zero(void);

/* Queues a line `desc: Spawned pid: N` for the same.  */
void dump_spawned(Int process);

/* The program is about to execute another: writes what has been spent and not yet written
   as the next part, if there is any.  If the other one does not start, dump_exec_failed()
   makes that undone.  */
void dump_before_exec(const HChar* trigger);
void dump_exec_failed(void);

/* The file that all parts go on in, with --combine-dumps or because it is a device or a
   pipe; NULL if there is none yet.  */
const HChar* dump_combined_path(void);

/* The file that all call trees go on in; NULL if there is none yet.  */
const HChar* dump_tree_path(void);

/* In a forked child, before dump_restart(): from now on the profile's name holds the number
   of the process, and so does that of the call tree.  False if it does already, or leads to
   what many may write to.  */
Bool dump_take_own_name(void);
Bool dump_take_own_tree_name(void);

/* In a forked child: nothing has been counted or written yet.  */
void dump_restart(void);

#endif
