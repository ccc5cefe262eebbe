/* SPDX-License-Identifier: GPL-2.0-or-later

   Processes: what becomes of the profile when the program forks, or executes another.  */

#ifndef CALLGRIND_FORK_EXEC_H
#define CALLGRIND_FORK_EXEC_H

/* Registers with the core.  */
void fork_exec_register(void);

#endif
