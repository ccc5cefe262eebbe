/* SPDX-License-Identifier: GPL-2.0-or-later

   Counts superblocks for --dump-every-bb, one by one, as they are executed.  Only with
   that option generated code does so.  (The core's countdown leaves out those that a
   direct jump forward leads to.)

   What is due after so many of them is a matter of control/, which lies above: it
   installs a hook here.  */

#ifndef CALLGRIND_SUPERBLOCK_COUNT_H
#define CALLGRIND_SUPERBLOCK_COUNT_H

#include "core_version.h"

/* How many are left until the hook is due.  At the start of each superblock, generated
   code calls superblock_count_due() if this is zero, and then subtracts one.  */
extern ULong superblock_count_left;

/* Begins to count: `hook` is called whenever `period` superblocks, not 0, have been
   executed, before the next one begins.  Before any guest code runs.  */
void superblock_count_init(ULong period, void (*hook)(void));

/* Has it begun to?  */
Bool superblock_count_is_on(void);

/* Superblocks executed since the program began, while they were instrumented.  */
ULong superblock_count(void);

/* For generated code.  */
void superblock_count_due(void);

/* The superblock that has just begun will begin again.  */
static inline void superblock_count_again(void) { superblock_count_left++; }

#endif
