/* SPDX-License-Identifier: GPL-2.0-or-later

   Entering a function: which context it runs in, by which arc it was called, and the
   frame that says so.  For the slow path (transition.h), which knows how control has
   come there.  */

#ifndef CALLGRIND_ENTRY_H
#define CALLGRIND_ENTRY_H

#include "stack/frames/shadowstack_types.h"

/* How a function is entered.  */
typedef struct {
   CallSite* site; /* in the topmost frame; NULL: not known */
   Addr slot;
   Addr return_address;
   UInt flags;
   Bool is_shown;
   Bool is_call; /* it counts as one */
} Entry;

/* Whether `function`, entered from `caller`, is shown.  JIT code with a name is a
   function like any other, even if the virtual machine that made it is skipped.  Without
   a name it may be a mere trampoline of that machine.  */
Bool entry_is_shown(Function* function, const Frame* caller);

/* Enters the function of `block` from the topmost frame; if that is a barrier, nobody has
   called it.  */
void entry_push(Block* block, const Entry* entry);

/* As entry_push(), by a call.  */
void entry_push_call(Block* block, CallSite* site, Addr sp, Addr return_address,
                     UInt flags);

/* Enters a function again that had been left, and is at `ip`: its native frame, which
   returns to `return_address`, is back in memory.  That is no call.  */
void entry_push_again(Function* function, Addr ip, Addr sp, Addr return_address);

#endif
