/* SPDX-License-Identifier: GPL-2.0-or-later

   A page of an object's code: the source lines of its addresses, which functions are
   inlined there, and where functions that begin there are declared, as far as that was
   asked for; in memory, and as an entry of a file.

   Source files and functions are interned when they are asked for: the profile numbers
   them in that order.  */

#ifndef CALLGRIND_LINE_PAGE_H
#define CALLGRIND_LINE_PAGE_H

#include "guest/inlined.h"
#include "guest/symbols.h"

#include "pub_tool_hashtable.h"

#define LINE_PAGE_BITS 12
#define LINE_PAGE_SIZE (1u << LINE_PAGE_BITS)

typedef struct LinePage LinePage;

/* The page with this number, its key in a hash table, and with what its entry of `size`
   bytes has; NULL: nothing.  Of an entry that is damaged, nothing is taken.  */
LinePage* line_page_new(UWord number, const void* entry, UInt size);

/* Sets *line to what is known of the address `offset`; False if nothing is.  Says nothing
   of inlined functions.  */
Bool line_page_find(LinePage* page, UInt offset, SourceLine* line);
void line_page_add(LinePage* page, UInt offset, const SourceLine* line);

/* Sets *inlined to the innermost inlined function there, in code of `object`, or to NULL
   if it is known that there is none; False if that is not known.  */
Bool line_page_find_inlined(LinePage* page, UInt offset, const Object* object,
                            const Inlined** inlined);

/* Adds it, or NULL, to a line that is there.  */
void line_page_add_inlined(LinePage* page, UInt offset, const Inlined* inlined);

/* Sets *path and *line to where the function is declared that begins there; NULL and 0 if
   it is known that nothing tells.  False if that is not known.  The path lives as long as
   the page.  */
Bool line_page_find_declared(LinePage* page, UInt offset, const HChar** path, UInt* line);

/* Adds it; the path is the caller's, and must live as long as the page.  */
void line_page_add_declared(LinePage* page, UInt offset, const HChar* path, UInt line);

/* Has something been added since this was asked, or since line_page_new()?  */
Bool line_page_has_changed(LinePage* page);

/* The bytes of its entry; and the entry, which is written to `to`.  */
UInt line_page_size(const LinePage* page);
void line_page_put(const LinePage* page, void* to);

#endif
