/* SPDX-License-Identifier: GPL-2.0-or-later

   The launcher: a `valgrind` command that runs the installed Valgrind with a tool folder
   of ours, found beside the launcher.  All but --tool=callgrind is the distribution's.

   launcher_paths.h, which make_launcher_paths.sh writes, defines

      LAUNCHER_VALGRIND   the installed launcher
      LAUNCHER_BESIDE     the tool folder as seen from the launcher's own folder, so that
                          an installation can be moved as a whole
      LAUNCHER_OTHERWISE  its absolute path, where the parts were moved apart
      LAUNCHER_CORE_...   by which it is seen that the installed Valgrind was replaced
                          since: the path of one of its tools, that tool's size then, and
                          the version

   Owns: that the installed launcher is the one that goes on.  The core passes
   VALGRIND_LIB on to every program it traces, so children stay in our tool as well
   (tool_folder.h).

   A program and no script: a shell opens files, needs a pipe for each word that it works
   out, and prints messages where the working folder is gone.  This opens nothing.  */

#include "launcher_paths.h"
#include "launcher_version.h"
#include "tool_folder.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Our tool has the core of the Valgrind that it was linked to; all else would be the new
   one's.  */
static void tell_of_another_core(void)
{
   struct stat status;
   if (stat(LAUNCHER_CORE_TOOL, &status) == 0 && status.st_size != LAUNCHER_CORE_BYTES)
      fprintf(stderr,
              "valgrind (callgrind-exact): the installed Valgrind is no longer the one "
              "that this was built for, %s; build it again\n",
              LAUNCHER_CORE_VERSION);
}

int main(int count, char** arguments)
{
   char folder[PATH_MAX];
   char valgrind[] = LAUNCHER_VALGRIND;
   if (count < 1) {
      errno = EINVAL;
      launcher_refuse("no name of its own");
   }
   if (!tool_folder_beside(folder, LAUNCHER_BESIDE))
      join_path(folder, LAUNCHER_OTHERWISE, "", "");
   hand_tool_folder_over(folder);
   tell_of_another_core();
   launcher_add_to_version(arguments + 1);
   arguments[0] = valgrind;
   execv(valgrind, arguments);
   launcher_refuse(valgrind);
}
