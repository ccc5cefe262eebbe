/* SPDX-License-Identifier: GPL-2.0-or-later

   The names of functions in an object's symbol tables.  */

#ifndef SAMPLER_SYMBOLS_H
#define SAMPLER_SYMBOLS_H

#include "code/object.h"

/* The symbol that covers an address of the file, as it stands there (mangled); NULL if
   none does.  From .symtab, else from that of the separate debug file, and from .dynsym.
   It lives as long as the object.  *start is set to the symbol's own address.  */
const char* symbols_name(Object* object, uint64_t address, uint64_t* start);

#endif
