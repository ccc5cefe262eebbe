/* SPDX-License-Identifier: GPL-2.0-or-later

   What the host does shorter than VEX: additions to memory, the question at the entry of
   a superblock, and checks that seldom call a helper.

   VEX makes three instructions of `*p = *p + n`: a load, an addition, and a store.  Of
   `*p = n` it makes one, and on amd64 that differs from one which adds only by its
   opcode.  Of a call that depends on whether an object has a value, it makes six
   instructions, and where the call is left out, a jump is taken over it:

      mov $object, %a;  mov (%a), %b;  cmp $value, %b;  jz over;
      mov $helper, %r11;  call *%r11;  over:

   Two do, with the call at the end of the code:

      cmpq $value, object;  jne call;  over:

   Of another call on a condition it gets the arguments ready in any case.  They, too, can
   be left to where the call is (host_checks.h).

   So generated code has a mark, a number that occurs nowhere else, as the constant that
   is stored, as the object's address, or as the first argument.  When VEX has made the
   host's code, the marks are searched for, and the instructions around them become what
   the marks stand for.  Besides, the superblock has three statements less for each
   addition, which VEX goes through again and again.  */

#ifndef CALLGRIND_PATCH_POINTS_H
#define CALLGRIND_PATCH_POINTS_H

#include "core_version.h"
#include "instrument/host/host_reserved.h"

/* From now on, until marks_end(), this superblock has marks.  Does nothing for a host
   that has no such instructions.  */
void marks_begin(void);
void marks_end(void);

/* The mark to be stored, 64 bits wide, where `amount` is to be added.  The store's
   address is a temporary and `displacement`, a constant.  0: this is to be added in
   another way.  */
ULong marks_addition(UWord displacement, ULong amount);

/* The mark to be given as address of the object at `object`, of 64 bits, which is loaded
   at once, compared with a constant of 31 bits, and for nothing but the guard of a call
   without arguments that follows: that it is another.  Unless `fetched` is NULL, the
   counters are fetched from there behind the call (host_reserved.h).  0: use the object's
   address.  */
ULong marks_question(const void* object, const void* fetched);

/* The mark to be given as first argument, of 64 bits, to a guarded call, where `argument`
   is meant.  0: use the argument.  */
ULong marks_check(UWord argument);

/* The mark to be given as address of a store of 1, 64 bits wide, where this use of the
   reserved registers is meant (host_reserved.h).  0: do it in another way.  */
ULong marks_reserved(ReservedUse use, UWord place, ULong amount);

/* Makes of all marks in `code`, that of the superblock which was instrumented last, what
   they stand for.  *size is the code's size, and afterwards its new one, at most `room`.
   False if a mark is not in the code, or it cannot be told which: then the code may not
   be used.  */
Bool marks_resolve(UChar* code, UInt* size, UInt room);

#endif
