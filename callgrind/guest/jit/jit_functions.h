/* SPDX-License-Identifier: GPL-2.0-or-later

   Functions that a program has made at run time: which one a piece of code is, and what
   it is called.

   They are in no object and have no symbol, so each is known by where it is entered, and
   by what the program says about that address (perfmap.h, jitdump.h).  A name that is
   known when the code first runs is the function's from then on: all code of that name is
   one function.  A name that comes later is taken over while the code is still there.
   What is said after other code has taken its place is no longer said about it.  */

#ifndef CALLGRIND_JIT_FUNCTIONS_H
#define CALLGRIND_JIT_FUNCTIONS_H

#include "guest/symbols.h"

/* After symbols_init().  */
void jit_functions_init(void);

/* The function that is entered at `entry`, which is outside any object; `length` bytes of
   it, from there on, are certain.  */
Function* jit_functions_entered_at(Addr entry, SizeT length, const Place* place);

/* Does the code at `address` still belong to `function`, to which what was there last
   did?  No, if it has another name now.  */
Bool jit_functions_is_still(Function* function, Addr address);

/* Does the code at `address` belong to `function`, which ran into it?  No, if it is known
   to be another one.  */
Bool jit_functions_is_continued(const Function* function, Addr address);

/* A translation of code of `function` has been discarded: last chance for its name.  */
void jit_functions_discarded(const Function* function);

/* Takes over names that have come late.  To be called before names are written.  */
void jit_functions_take_late_names(void);

/* The program has mapped something at `start`.  */
void jit_functions_mapped(Addr start);

/* Before a fork; and in the child, whose names are in files of its own.  */
void jit_functions_before_fork(void);
void jit_functions_in_child(void);

#endif
