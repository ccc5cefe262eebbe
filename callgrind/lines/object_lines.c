/* SPDX-License-Identifier: GPL-2.0-or-later

   See object_lines.h.  */

#include "lines/object_lines.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_mallocfree.h"

typedef struct {
   VgHashNode node; /* key: the object */
   StoredLines* lines;
} ObjectLines;

static VgHashTable* known; /* NULL: none */
static const Object* last; /* that was noted */

void object_lines_note(const Object* object, StoredLines* lines)
{
   if (object == last)
      return;
   last = object;
   if (known == NULL)
      known = VG_(HT_construct)("object_lines");
   if (VG_(HT_lookup)(known, (UWord)object) != NULL)
      return;
   ObjectLines* noted = VG_(malloc)("object_lines", sizeof *noted);
   *noted = (ObjectLines){.node.key = (UWord)object, .lines = lines};
   VG_(HT_add_node)(known, noted);
}

static StoredLines* lines_of(const Object* object)
{
   const ObjectLines* noted = known != NULL ? VG_(HT_lookup)(known, (UWord)object) : NULL;
   return noted != NULL ? noted->lines : NULL;
}

Bool object_lines_find_declared(const Object* object, Addr address, const HChar** path,
                                UInt* line)
{
   StoredLines* lines = lines_of(object);
   return lines != NULL && stored_lines_find_declared(lines, address, path, line);
}

void object_lines_add_declared(const Object* object, Addr address, const HChar* path,
                               UInt line)
{
   StoredLines* lines = lines_of(object);
   if (lines != NULL)
      stored_lines_add_declared(lines, address, path, line);
}
