/* SPDX-License-Identifier: GPL-2.0-or-later

   See inlined.h.

   The core gives names of inlined functions only as lines of a stack trace, such as

      0x4001BF05: max (limits.h:12)

   with the innermost function first, and the function that has the code last.  */

#include "guest/inlined.h"

#include "base/hash.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

typedef struct {
   VgHashNode node;
   Inlined inlined;
} InlinedEntry;

static VgHashTable* table;
static XArray* by_id; /* of const Inlined* */
static UInt n_inlined;

/* Functions inlined into each other; more are cut off.  */
#define MAX_DEPTH 256

UInt inlined_count(void) { return n_inlined; }

const Inlined* inlined_by_id(UInt id)
{
   return *(const Inlined**)VG_(indexXA)(by_id, id);
}

static Word compare(const void* a, const void* b)
{
   const Inlined* c = &((const InlinedEntry*)a)->inlined;
   const Inlined* d = &((const InlinedEntry*)b)->inlined;
   return c->outer != d->outer || VG_(strcmp)(c->name, d->name) != 0;
}

static const Inlined* intern(const HChar* name, const Inlined* outer)
{
   if (table == NULL) {
      table = VG_(HT_construct)("inlined.table");
      by_id = VG_(newXA)(VG_(malloc), "inlined.ids", VG_(free), sizeof(Inlined*));
   }
   InlinedEntry sought;
   sought.node.key = hash_text(name) ^ (UWord)outer;
   sought.inlined.name = name;
   sought.inlined.outer = outer;
   InlinedEntry* entry = VG_(HT_gen_lookup)(table, &sought, compare);
   if (entry != NULL)
      return &entry->inlined;
   entry = VG_(malloc)("inlined.entry", sizeof *entry);
   entry->node.key = sought.node.key;
   entry->inlined.name = VG_(strdup)("inlined.name", name);
   entry->inlined.outer = outer;
   entry->inlined.id = n_inlined++;
   VG_(HT_add_node)(table, entry);
   const Inlined* inlined = &entry->inlined;
   VG_(addToXA)(by_id, &inlined);
   return inlined;
}

/* The name in such a line, newly allocated.  A name may have blanks and brackets in it;
   the last " (" begins the source position.  */
static HChar* name_in(const HChar* line)
{
   const HChar* colon = VG_(strstr)(line, ": ");
   HChar* name = VG_(strdup)("inlined.line", colon != NULL ? colon + 2 : line);
   for (SizeT end = VG_(strlen)(name); end > 0; end--)
      if (name[end - 1] == ' ' && name[end] == '(') {
         name[end - 1] = '\0';
         break;
      }
   return name;
}

const Inlined* inlined_at(Addr address)
{
   const DiEpoch epoch = VG_(current_DiEpoch)();
   InlIPCursor* cursor = VG_(new_IIPC)(epoch, address);
   if (cursor == NULL)
      return NULL;
   HChar* names[MAX_DEPTH];
   UInt n = 0;
   do {
      names[n++] = name_in(VG_(describe_IP)(epoch, address, cursor));
   } while (VG_(next_IIPC)(cursor) && n < MAX_DEPTH);
   VG_(delete_IIPC)(cursor);
   const Inlined* inlined = NULL;
   for (UInt i = n - 1; i-- > 0;)
      inlined = intern(names[i], inlined);
   for (UInt i = 0; i < n; i++)
      VG_(free)(names[i]);
   return inlined;
}
