/* SPDX-License-Identifier: GPL-2.0-or-later

   JIT functions: which one a piece of JIT code belongs to, and what it is called.

   JIT code is in no object and has no symbol.  So a JIT function is identified by where
   it is entered, and by the name that the program gives that address (perfmap.h,
   jitdump.h).  A name that is known when the code first runs identifies the function:
   all code of that name is one function.  A name that comes later is taken over as long
   as the code is still there.  Once other code has taken its place, names for the
   address are not its names any more.  */

#ifndef CALLGRIND_JIT_FUNCTIONS_H
#define CALLGRIND_JIT_FUNCTIONS_H

#include "guest/address.h"

/* After symbols_init().  */
void jit_functions_init(void);

/* The function that is entered at `entry`, in JIT code; `length` bytes of it, from there
   on, are known to be its code.  `place` is address_place_of(entry).  */
Function* jit_functions_entered_at(Addr entry, SizeT length, const Place* place);

/* The function of the JIT code at `address`, by the name that the program has given it;
   NULL if it has none.  */
Function* jit_functions_named_at(Addr address);

/* True if a jump to `address`, in code of `function`, may be a call of it: not if that is
   behind the start of a function of which the start is known.  */
Bool jit_functions_may_start_at(const Function* function, Addr address);

/* True if the code at `address`, which was `function`'s, still is.  It is not if it has
   another name now.  */
Bool jit_functions_is_still(Function* function, Addr address);

/* True if the code at `address`, which `function` ran into, belongs to it.  It does not
   if it has another name.  */
Bool jit_functions_is_continued(const Function* function, Addr address);

/* To be called when a translation of `function`'s code has been discarded: its name is
   taken over now or never.  */
void jit_functions_discarded(const Function* function);

/* Takes over names that have come late.  To be called before names are written.  */
void jit_functions_take_late_names(void);

/* To be called when the program has mapped something at `start`.  */
void jit_functions_mapped(Addr start);

/* To be called before a fork, and in the child, whose names are in files of its own.  */
void jit_functions_before_fork(void);
void jit_functions_in_child(void);

#endif
