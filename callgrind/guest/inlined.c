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
   const HChar* base_name; /* of its file, without folders; "" if it is not known */
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
   const InlinedEntry *c = a, *d = b;
   return c->inlined.outer != d->inlined.outer ||
          c->inlined.object != d->inlined.object ||
          VG_(strcmp)(c->inlined.name, d->inlined.name) != 0 ||
          VG_(strcmp)(c->base_name, d->base_name) != 0;
}

/* `base_name` is that of its file.  */
static InlinedEntry* intern(const HChar* name, const HChar* base_name,
                            const Inlined* outer, const struct Object* object)
{
   if (table == NULL) {
      table = VG_(HT_construct)("inlined.table");
      by_id = VG_(newXA)(VG_(malloc), "inlined.ids", VG_(free), sizeof(Inlined*));
   }
   InlinedEntry sought;
   sought.node.key =
      hash_text(name) ^ (UWord)outer ^ (UWord)object ^ 3 * hash_text(base_name);
   sought.inlined.name = name;
   sought.inlined.outer = outer;
   sought.inlined.object = object;
   sought.base_name = base_name;
   InlinedEntry* entry = VG_(HT_gen_lookup)(table, &sought, compare);
   if (entry != NULL)
      return entry;
   entry = VG_(malloc)("inlined.entry", sizeof *entry);
   *entry = sought;
   entry->inlined.name = VG_(strdup)("inlined.name", name);
   entry->inlined.file = NULL;
   entry->inlined.id = n_inlined++;
   entry->base_name = VG_(strdup)("inlined.file", base_name);
   VG_(HT_add_node)(table, entry);
   const Inlined* inlined = &entry->inlined;
   VG_(addToXA)(by_id, &inlined);
   return entry;
}

static const HChar* base_name_of(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   return slash != NULL ? slash + 1 : path;
}

/* Cuts the position off, and returns the base name of its file, "" if there is none.  */
static const HChar* cut_position(HChar* position)
{
   HChar* colon = VG_(strrchr)(position, ':');
   position[0] = '\0';
   if (colon == NULL) /* " (in OBJECT)" */
      return "";
   colon[0] = '\0';
   return base_name_of(position + 2);
}

/* A function in such a line.  A name may have blanks and brackets in it; the last " ("
   begins the source position.  */
typedef struct {
   HChar* line; /* owned: both texts lie there */
   const HChar* name;
   const HChar* base_name;
} Described;

static Described parse(const HChar* text)
{
   Described found = {VG_(strdup)("inlined.line", text), NULL, ""};
   HChar* colon = VG_(strstr)(found.line, ": ");
   HChar* name = colon != NULL ? colon + 2 : found.line;
   found.name = name;
   for (SizeT end = VG_(strlen)(name); end > 0; end--)
      if (name[end - 1] == ' ' && name[end] == '(') {
         found.base_name = cut_position(name + end - 1);
         break;
      }
   return found;
}

const Inlined* inlined_at(Addr address, const struct Object* object,
                          const struct SourceFile* file, const HChar* path)
{
   const DiEpoch epoch = VG_(current_DiEpoch)();
   InlIPCursor* cursor = VG_(new_IIPC)(epoch, address);
   if (cursor == NULL)
      return NULL;
   Described frames[MAX_DEPTH];
   UInt n = 0;
   do {
      frames[n++] = parse(VG_(describe_IP)(epoch, address, cursor));
   } while (VG_(next_IIPC)(cursor) && n < MAX_DEPTH);
   VG_(delete_IIPC)(cursor);
   /* What a line says of the position is where code of this very function goes on: the
      instruction, or the place where the next one is inlined.  Folders are known of the
      instruction alone.  */
   frames[0].base_name = base_name_of(path);
   InlinedEntry* entry = NULL;
   for (UInt i = n - 1; i-- > 0;)
      entry = intern(frames[i].name, frames[i].base_name,
                     entry != NULL ? &entry->inlined : NULL, object);
   if (entry != NULL && entry->inlined.file == NULL)
      entry->inlined.file = file;
   for (UInt i = 0; i < n; i++)
      VG_(free)(frames[i].line);
   return entry != NULL ? &entry->inlined : NULL;
}
