/* SPDX-License-Identifier: GPL-2.0-or-later

   Memory that the program loses without the core's knowing of it: what is not copied for
   a forked child (MADV_DONTFORK), and code in a file that becomes shorter.  The core is
   told, so that what it says of memory holds for the child, too, and translations of code
   that is gone are discarded.  */

#ifndef CALLGRIND_LOST_MEMORY_H
#define CALLGRIND_LOST_MEMORY_H

#include "core_version.h"

/* To be called when a system call of the program has succeeded.  */
void lost_memory_after_call(UInt call, const UWord* arguments);

/* In a forked child, first of all.  */
void lost_memory_in_child(void);

#endif
