/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the records; see inlined.h.  */

#include "guest/inlined.h"

#include "base/hash.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

typedef struct {
   VgHashNode node;
   Inlined inlined;
   const HChar* base_name; /* of its file, without folders; "" if it is not known */
} InlinedEntry;

static VgHashTable* table;
static XArray* by_id; /* of const Inlined* */
static UInt n_inlined;

UInt inlined_count(void) { return n_inlined; }

const Inlined* inlined_by_id(UInt id)
{
   return *(const Inlined**)VG_(indexXA)(by_id, id);
}

static Word compare(const void* a, const void* b)
{
   const InlinedEntry *c = a, *d = b;
   return c->inlined.outer != d->inlined.outer ||
          c->inlined.object != d->inlined.object || c->inlined.line != d->inlined.line ||
          VG_(strcmp)(c->inlined.name, d->inlined.name) != 0 ||
          VG_(strcmp)(c->base_name, d->base_name) != 0;
}

Inlined* inlined_intern(const Inlined* like, const HChar* base_name)
{
   if (table == NULL) {
      table = VG_(HT_construct)("inlined.table");
      by_id = VG_(newXA)(VG_(malloc), "inlined.ids", VG_(free), sizeof(Inlined*));
   }
   InlinedEntry sought = {.inlined = *like, .base_name = base_name};
   sought.node.key = hash_text(like->name) ^ (UWord)like->outer ^ (UWord)like->object ^
                     3 * hash_text(base_name) ^ 5 * (UWord)like->line;
   InlinedEntry* entry = VG_(HT_gen_lookup)(table, &sought, compare);
   if (entry != NULL)
      return &entry->inlined;
   entry = VG_(malloc)("inlined.entry", sizeof *entry);
   *entry = sought;
   entry->inlined.name = VG_(strdup)("inlined.name", like->name);
   entry->inlined.file = NULL;
   entry->inlined.id = n_inlined++;
   entry->base_name = VG_(strdup)("inlined.file", base_name);
   VG_(HT_add_node)(table, entry);
   const Inlined* inlined = &entry->inlined;
   VG_(addToXA)(by_id, &inlined);
   return &entry->inlined;
}
