/* SPDX-License-Identifier: GPL-2.0-or-later

   What the host does shorter than VEX: additions to memory, the guard at the entry of
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

   So generated code has a patch point: a number that occurs nowhere else, as the constant
   that is stored, as the object's address, or as the first argument.  When VEX has made
   the host's code, these numbers are searched for, and the instructions around them
   become what they stand for.  Besides, the superblock has three statements less for each
   addition, which VEX goes through again and again.  */

#ifndef CALLGRIND_PATCH_POINTS_H
#define CALLGRIND_PATCH_POINTS_H

#include "core_version.h"
#include "instrument/host/host_reserved.h"

#define PATCH_POINTS_MOST 1024

typedef enum { PatchAddition, PatchGuard, PatchCheck, PatchReserved } PatchKind;

typedef struct {
   PatchKind kind;
   Bool is_made; /* its constant has been found in the host's code */
   Int place;    /* an addition's displacement; the address of the object compared */
   ULong amount; /* of an addition; the argument of a checked call; what is fetched behind
                    the call of a guard */
   ReservedUse use;
} PatchPoint;

/* Those of one superblock, in the order in which they were asked for.  All zero: there
   are none, and none is given.  */
typedef struct {
   Bool is_active;
   UInt n;
   PatchPoint points[PATCH_POINTS_MOST];
} PatchPoints;

/* From now on, until patch_points_end(), the superblock has patch points.  None is given
   for a host that has no such instructions.  */
void patch_points_begin(PatchPoints* all);
void patch_points_end(PatchPoints* all);

/* The constant to be stored, 64 bits wide, where `amount` is to be added.  The store's
   address is a temporary and `displacement`, a constant.  0: this is to be added in
   another way.  */
ULong patch_points_addition(PatchPoints* all, UWord displacement, ULong amount);

/* The constant to be given as address of the object at `object`, of 64 bits, which is
   loaded at once, compared with a constant of 31 bits, and for nothing but the guard of a
   call without arguments that follows: that it is another.  Unless `fetched` is NULL, the
   counters are fetched from there behind the call (host_reserved.h).  0: use the object's
   address.  */
ULong patch_points_guard(PatchPoints* all, const void* object, const void* fetched);

/* The constant to be given as first argument, of 64 bits, to a guarded call, where
   `argument` is meant.  0: use the argument.  */
ULong patch_points_check(PatchPoints* all, UWord argument);

/* The constant to be given as address of a store of 1, 64 bits wide, where this use of
   the reserved registers is meant (host_reserved.h).  0: do it in another way.  */
ULong patch_points_reserved(PatchPoints* all, ReservedUse use, UWord place, ULong amount);

/* Makes of all patch points in `code`, which VEX has made of the superblock, what they
   stand for.  *size is the code's size, and afterwards its new one, at most `room`.
   False if one is not in the code, or it cannot be told which: then the code may not be
   used.  */
Bool patch_points_resolve(PatchPoints* all, UChar* code, UInt* size, UInt room);

#endif
