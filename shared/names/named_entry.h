/* SPDX-License-Identifier: GPL-2.0-or-later

   The entry that names what several entries describe; see qualified_name.c.  */

#ifndef SHARED_NAMED_ENTRY_H
#define SHARED_NAMED_ENTRY_H

#include "names/entry.h"

typedef struct {
   Entry entry; /* the last one that has a name; none if none can be read */
   unsigned tag;
   const char* name; /* NULL: none has one; then it is the first entry's */
} NamedEntry;

static inline NamedEntry named_entry_of(const EntryReader* entries, Entry entry)
{
   enum { MOST_ENTRIES = 8 };
   NamedEntry named = {{NULL, 0}, 0, NULL};
   EntryFacts facts;
   for (unsigned n = 0; n < MOST_ENTRIES && entry.unit != NULL; n++) {
      if (!entries->read(entry, &facts))
         break;
      /* A declaration in a class has its name from there, an unnamed one too.  */
      if (facts.name != NULL || named.name == NULL)
         named = (NamedEntry){entry, facts.tag, facts.name};
      entry = facts.more;
   }
   return named;
}

#endif
