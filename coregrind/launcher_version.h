/* SPDX-License-Identifier: GPL-2.0-or-later

   What a launcher adds to the core's answer to --version.

   The core answers before it knows of any tool, so the tool cannot say with which parts
   it was built: --version with -v is where the launcher does, behind that answer.  */

#ifndef COREGRIND_LAUNCHER_VERSION_H
#define COREGRIND_LAUNCHER_VERSION_H

/* `words` is the command line behind the launcher's name.  If it asks for the version of
   callgrind, with -v, the core's answer is waited for: this returns in a child that is to
   go on to the core, and in the process itself never; that prints the table of
   core_parts.h when the child has ended, and ends as that did.  Otherwise it just
   returns.  */
void launcher_add_to_version(char** words);

#endif
