/* SPDX-License-Identifier: GPL-2.0-or-later

   What a function is called, with all scopes that it lies in, by debug information.

   A lambda has no name there, and compilers show the same text for all that take the same
   arguments.  So it is called by its number in its scope, also in names of templates:

      main::<lambda#2>::operator()
      apply<main(int, char**)::<lambda#2> >

   Needs no C library.  */

#ifndef SHARED_QUALIFIED_NAME_H
#define SHARED_QUALIFIED_NAME_H

#include "names/entry.h"

/* The name of a function's entry, valid until the next call; NULL: it has none.  Sets
   `scope` to what it lies in.  */
const char* qualified_name(const EntryReader* entries, Entry function, Entry* scope);

#endif
