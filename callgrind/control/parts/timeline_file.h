/* SPDX-License-Identifier: GPL-2.0-or-later

   The file of the timeline (--timeline=yes).

   It is written whole whenever the program has run a ninth longer than when it was
   written last, or so much longer that writing takes a small part of the time: so a
   program that is killed leaves one.  And when it ends or executes another program.  A
   pipe or a device takes it only then.  */

#ifndef CALLGRIND_TIMELINE_FILE_H
#define CALLGRIND_TIMELINE_FILE_H

#include "core_version.h"

/* After dump_init().  */
void timeline_file_init(void);

/* The program ends, or is about to execute another one, which is to have a file of its
   own.  */
void timeline_file_write(void);

/* How many timelines this process has written, including those of programs that ran in it
   before.  */
UInt timeline_file_count(void);

/* In a forked child: nothing has been written yet.  */
void timeline_file_restart(void);

#endif
