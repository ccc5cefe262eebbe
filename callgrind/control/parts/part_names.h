/* SPDX-License-Identifier: GPL-2.0-or-later

   The names of the files that parts of the profile are written to.

   Names given by the user are expanded each time they are used, because %p is another
   number in a forked child.  Paths that are returned are newly allocated, and the caller
   frees them.  */

#ifndef CALLGRIND_PART_NAMES_H
#define CALLGRIND_PART_NAMES_H

#include "write/target.h"

/* The path for a part: BASE, BASE.PART, BASE-THREAD or BASE.PART-THREAD, where BASE is
   --callgrind-out-file.  `part` is left out if `is_final`, `thread` if it is 0.  It is
   BASE alone if all parts go to one file.  */
TargetPath part_names_path(UInt part, UInt thread, Bool is_final);

/* The path for call trees: --call-tree-out-file.  */
TargetPath part_names_tree(void);

/* The path for a timeline: --timeline-out-file, with `.number` if that is not 0.  */
TargetPath part_names_timeline(UInt number);

/* What is written.  */
typedef enum { FileOfProfile, FileOfTree, FileOfTimeline } FileKind;

/* The paths for a part, or what else is of this kind, that cannot be written to its own
   file: `attempt` is 0 for the first one to be tried.  They are in $TMPDIR or /tmp, in
   /var/tmp and in the home folder, under a name that tells what it is, and in case
   somebody else has put something there, under one that nobody can foresee.  Without a
   path (NULL), there are no more.  */
TargetPath part_names_fallback(UInt part, UInt thread, FileKind kind, UInt attempt);

/* At the start: keeps what the files' names lead to if a process has that open; the
   program may close it.  */
void part_names_keep_open_files(void);

/* Opens the files that will be written at the end: soon none can be opened.  */
void part_names_open_all(void);

/* Between outside_begin() and outside_end() (write/outside.h): keeps what all names lead
   to, also those of the fall-back.  */
void part_names_keep(void);

/* True if `path` leads to what all parts are written to, such as a device; not to a pipe
   with a name, nor to a file of our own.  */
Bool part_names_is_shared(TargetPath path);

/* In a forked child: from now on the name of the profile, or of what else, has the
   process's number at its end.  False, and nothing is changed, if the name has it
   already, or if it leads to what several processes may write to.  */
Bool part_names_add_process(void);
Bool part_names_add_process_to_tree(void);
Bool part_names_add_process_to_timeline(void);

#endif
