/* SPDX-License-Identifier: GPL-2.0-or-later

   Source lines, read late.  The core reads an object's line tables when the object is
   mapped, which takes most of the time of a short run where debug information is
   installed.  While instrumentation is off nobody asks for a line, and with a translation
   cache, what was asked is stored (stored_lines.h).  So the tables of an object that is
   mapped while instrumentation is off, or whose lines an earlier run has stored, are not
   read before somebody asks for a line that is not known, or before the program shuts
   itself in.  Inlined functions, which the tool reads without the core
   (guest/inlined_code.h), wait for as long as it need not be asked for them.

   While code runs natively, nobody asks the core for anything.  So of an object that is
   mapped then, symbols are not read, either, and no file but its own is opened, until
   somebody asks for one of them, or for a frame or a line: then it is read as if it were
   mapped then.  An object that may replace functions is read at once, and so are all
   others when it comes (guest/elf/redirections.h).  */

#ifndef CALLGRIND_LATE_LINES_H
#define CALLGRIND_LATE_LINES_H

#include "core_version.h"

/* To be called once there is a translation cache, if there will be one.  is_on() tells
   whether instrumentation is, and runs_unseen() whether code runs natively.  */
void late_lines_init(Bool (*is_on)(void), Bool (*runs_unseen)(void));

/* To be called while a thread runs, before code is translated or runs natively: if the
   core reads otherwise than is known, one line says so under -v, and nothing is put off.
   Later calls do nothing.  */
void late_lines_look_at_core(void);

/* Must be called when mappings change.  */
void late_lines_forget_ranges(void);

/* Reads all that was put off, and puts nothing off from now on: files may soon be out of
   reach.  */
void late_lines_read_all(void);

/* Is anything put off?  */
Bool late_lines_wait(void);

/* Reads what was put off of this file, which is about to get another name or none: nobody
   would find it by its path.  */
void late_lines_before_removal(ULong device, ULong inode);

/* With --stats=yes: of how many objects lines were put off, and read after all.  */
void late_lines_print_stats(void);

#endif
