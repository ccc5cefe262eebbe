/* SPDX-License-Identifier: GPL-2.0-or-later

   Additions to memory in one instruction of the host's.

   VEX makes three instructions of `*p = *p + n`: a load, an addition, and a store.  Of
   `*p = n` it makes one, and on amd64 that differs from one which adds only by its
   opcode:

      mov $n, displacement(%register)    48 c7 /0 ...
      add $n, displacement(%register)    48 81 /0 ...

   So generated code stores a mark, a number that occurs nowhere else.  When VEX has made
   the host's code, the stores of marks are searched for, and become additions of what the
   marks stand for.  Besides, the superblock has three statements less for each, which
   VEX goes through again and again.  */

#ifndef CALLGRIND_MEMORY_ADDITIONS_H
#define CALLGRIND_MEMORY_ADDITIONS_H

#include "core_version.h"

/* From now on, until memory_additions_end(), additions of this superblock are marked.
   Does nothing for a host that has no such instruction.  */
void memory_additions_begin(void);
void memory_additions_end(void);

/* The mark to be stored, 64 bits wide, where `amount` is to be added.  The store's
   address is a temporary and `displacement`, a constant.  0: this is to be added in
   another way.  */
ULong memory_additions_mark(UWord displacement, ULong amount);

/* Makes additions of all stores of marks in `code`, that of the superblock which was
   instrumented last.  False if one is not in the code, or it cannot be told which: then
   the code may not be used.  */
Bool memory_additions_resolve(UChar* code, UInt size);

#endif
