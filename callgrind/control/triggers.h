/* SPDX-License-Identifier: GPL-2.0-or-later

   Activity that the command line asks for: parts that are written, or costs set to zero,
   when functions are entered or left, or every so often.  */

#ifndef CALLGRIND_TRIGGERS_H
#define CALLGRIND_TRIGGERS_H

/* After thread_init().  */
void triggers_init(void);

#endif
