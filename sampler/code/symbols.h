/* SPDX-License-Identifier: GPL-2.0-or-later

   The names of functions in an object's symbol tables.  */

#ifndef SAMPLER_SYMBOLS_H
#define SAMPLER_SYMBOLS_H

#include "code/object.h"

/* The name of the symbol that an address of the file belongs to, mangled as it is
   there; NULL if there is none.  Symbols are those of .dynsym and of .symtab, of the
   separate debug file if the object has none.  *start becomes the symbol's address.
   The name lives as long as the object.  */
const char* symbols_name(Object* object, uint64_t address, uint64_t* start);

#endif
