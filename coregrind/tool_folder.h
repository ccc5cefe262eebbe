/* SPDX-License-Identifier: GPL-2.0-or-later

   The folder of tools that a launcher hands to the core, in VALGRIND_LIB.

   Owns: how it is found beside the launcher, whatever link that was called by, and what
   is handed over where the core cannot take its name.  Relies on /proc.  */

#ifndef COREGRIND_TOOL_FOLDER_H
#define COREGRIND_TOOL_FOLDER_H

#include <limits.h>

/* Ends the launcher with one line, `what` and what errno says: 127 where something is not
   there, 126 where it cannot be used, as a shell does.  */
_Noreturn void launcher_refuse(const char* what);

/* Puts `left`, `between` and `right` together; ends the launcher if that is too long.  */
void join_path(char path[PATH_MAX], const char* left, const char* between,
               const char* right);

/* Sets `self` to the launcher's own file, without links.  0 if that is not known.  */
int launcher_file(char self[PATH_MAX]);

/* Sets `folder` to the absolute path, without links, of the folder that is `beside` the
   folder of the launcher's own file: a traced program may change its folder before it
   runs another one.  0, and `folder` is undefined, if there is none.  */
int tool_folder_beside(char folder[PATH_MAX], const char* beside);

/* Hands a tool folder, an absolute path, to the core.  Where its name has a space or a
   colon, that is a link to it, in the user's cache or below /tmp.  */
void hand_tool_folder_over(const char* folder);

#endif
