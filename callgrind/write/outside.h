/* SPDX-License-Identifier: GPL-2.0-or-later

   What paths led to before the program shut itself in: a program may change the root of
   its paths (chroot), or the file systems that it sees (unshare, pivot_root), and close
   what was open when it was started.  The user's paths mean what they meant before.

   So the root, folders and open files are kept, under numbers that the program cannot
   use.  They cost nothing until a program is about to do such a thing.  */

#ifndef CALLGRIND_OUTSIDE_H
#define CALLGRIND_OUTSIDE_H

#include "core_version.h"

/* From here on folders that are opened are kept, until outside_end(); and paths lead
   where they lead now.  The first time counts.  False: they are kept already.  */
Bool outside_begin(void);
void outside_end(void);

/* The system call for which all was kept has failed: forgets it.  */
void outside_drop(void);

/* Are paths other ones than at the start?  */
Bool outside_is_left(void);

/* As file_open_folder(), but an absolute path leads where it led when it was kept.  */
UInt outside_open_folder(Int from, const HChar* path, Int* folder);

/* The number of the folder that was kept; -1 if it was not.  It stays open.  */
Int outside_folder(const HChar* path);

/* Keeps the file that `path` leads to, which a process has open, as /dev/stdout.  If it
   is not open, it is not kept.  */
void outside_keep_open_file(const HChar* path);

/* Keeps `fd`, by another number, as the file that `path` leads to; for when no file can
   be opened any more soon.  */
void outside_keep_file(const HChar* path, Int fd);

/* The number of the file that was kept; -1 if it was not.  It stays open.  */
Int outside_open_file(const HChar* path);

/* As file_open_again(), for the one that was kept if it was: another number for it.  */
UInt outside_open_again(const HChar* path, Int* fd);

#endif
