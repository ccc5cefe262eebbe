/* SPDX-License-Identifier: GPL-2.0-or-later

   What entries look like: an entry begins with the number of an abbreviation, which names
   its tag and the forms of its attributes (.debug_abbrev).  */

#ifndef CALLGRIND_DWARF_ABBREVIATIONS_H
#define CALLGRIND_DWARF_ABBREVIATIONS_H

#include "dwarf/dwarf_file.h"
#include "dwarf/form_size.h"

typedef struct {
   UInt attribute, form;
   Long constant; /* of FormImplicitConst */
} AttributeForm;

typedef struct {
   UInt tag;
   Bool has_children;
   UInt first, n; /* of its forms */
   FormSize size; /* of all its values */
} Abbreviation;

/* The table at `offset`; NULL if there is none.  It lives as long as the file.  */
struct Abbreviations* abbreviations_at(DwarfFile* file, ULong offset);

/* Frees all tables of a file.  */
void abbreviations_free(DwarfFile* file);

/* The abbreviation with this number, not 0; NULL if there is none.  Valid until the next
   call.  */
const Abbreviation* abbreviations_find(struct Abbreviations* table, ULong number);

/* One of its forms, which has abbreviation->first or a later number.  */
const AttributeForm* abbreviations_form(const struct Abbreviations* table, UInt form);

#endif
