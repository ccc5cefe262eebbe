/* SPDX-License-Identifier: GPL-2.0-or-later

   --collect-alloc: what is added at the start of allocators.  allocation_calls.h says
   what for.  */

#ifndef CALLGRIND_ALLOCATION_CHECKS_H
#define CALLGRIND_ALLOCATION_CHECKS_H

#include "instrument/ir/ir_build.h"
#include "model/block_record.h"

/* If the superblock that begins with `first` is where an allocator begins: tells of its
   entry.  To be called when the superblock's function has been entered.  */
void allocation_checks_emit(IrOutput* out, const Block* first);

/* While instrumentation is off: the superblock `in`, which was asked for at `key`; or, if
   an allocator that frees begins there, one that tells of its entry besides.  */
IRSB* allocation_checks_off(IRSB* in, Addr key);

#endif
