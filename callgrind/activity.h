/* SPDX-License-Identifier: GPL-2.0-or-later

   Activity that the command line asks for: parts that are written, or costs set to zero,
   when functions are entered or left, or every so often.  */

#ifndef CALLGRIND_ACTIVITY_H
#define CALLGRIND_ACTIVITY_H

/* After thread_init().  */
void activity_init(void);

#endif
