/* SPDX-License-Identifier: GPL-2.0-or-later

   What happens to the profile when the program forks, or executes another program.  */

#ifndef CALLGRIND_FORK_EXEC_H
#define CALLGRIND_FORK_EXEC_H

/* Registers with the core for forks and system calls.  Before the command line is
   read.  */
void fork_exec_register(void);

#endif
