/* SPDX-License-Identifier: GPL-2.0-or-later

   A memory access that faults stops a straight run in its midst; when a handler has
   mended the cause, the program goes on at the faulting instruction, in a superblock of
   its own.  What the run had counted beyond the fault must not be counted twice.  */

#ifndef CALLGRIND_FAULT_H
#define CALLGRIND_FAULT_H

#include "stack/shadowstack.h"

/* A signal is about to be delivered to the running thread, which stands at `ip`.  */
void fault_rollback(Int signal, Addr ip);

#endif
