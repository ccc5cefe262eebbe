/* SPDX-License-Identifier: GPL-2.0-or-later

   What the command line wants to happen while the program runs: parts that are written,
   or costs that are set to zero, when a function is entered or left (--dump-before and
   the like) or after a number of superblocks (--dump-every-bb).  */

#ifndef CALLGRIND_TRIGGERS_H
#define CALLGRIND_TRIGGERS_H

/* Installs the hooks.  After thread_init().  */
void triggers_init(void);

#endif
