/* SPDX-License-Identifier: GPL-2.0-or-later

   What the monitor command `status` answers.  */

#ifndef CALLGRIND_STATUS_H
#define CALLGRIND_STATUS_H

#include "core_version.h"

/* One line for people.  */
void status_print(void);

/* `status internal`: lines `key: value` for programs.  The distribution's
   callgrind_control asks for them; their keys and order are what it reads.  */
void status_print_internal(void);

#endif
