/* SPDX-License-Identifier: GPL-2.0-or-later

   Which entries of a unit lie in which, as far as names need it: entries whose name
   qualifies those within, or is that of a function (shared/names/named_entry.h).  */

#ifndef CALLGRIND_DWARF_SCOPES_H
#define CALLGRIND_DWARF_SCOPES_H

#include "dwarf/die.h"

#include "pub_tool_xarray.h"

#define NO_SCOPE (~0u)

typedef struct {
   ULong offset;
   UInt outer; /* the place in the list; or NO_SCOPE */
} Scope;

typedef struct Scopes {
   XArray* list; /* of Scope, by `offset` */
} Scopes;

/* The scopes of a unit.  They are found by a walk over all of its entries, unless they
   are known already.  */
const Scopes* scopes_of(DwarfUnit* unit);

/* The place of the scope at `offset`; NO_SCOPE if there is none.  */
UInt scopes_find(const Scopes* scopes, ULong offset);

/* For who walks over all entries of a unit anyway: to be called before the first one,
   with each, and behind the last one.  */
void scopes_begin(void);
void scopes_note(const Die* die, UInt depth);
void scopes_end(DwarfUnit* unit);

#endif
