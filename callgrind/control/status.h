/* SPDX-License-Identifier: GPL-2.0-or-later

   The answers to the monitor command `status`.  They go to vgdb or gdb.  */

#ifndef CALLGRIND_STATUS_H
#define CALLGRIND_STATUS_H

#include "core_version.h"

/* Prints one line for people.  */
void status_print(void);

/* `status internal`: prints lines `key: value` for programs.  Keys and order are those
   that callgrind_control reads.  */
void status_print_internal(void);

#endif
