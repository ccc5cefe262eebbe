/* SPDX-License-Identifier: GPL-2.0-or-later

   Processes: what becomes of the profile when the program forks, or executes another.  */

#ifndef CALLGRIND_PROCESS_H
#define CALLGRIND_PROCESS_H

/* Registers with the core.  */
void process_register(void);

#endif
