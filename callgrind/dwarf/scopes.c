/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the scopes of units; see scopes.h.  */

#include "dwarf/scopes.h"

#include "names/named_entry.h"

#include "pub_tool_mallocfree.h"

/* The walk that is under way.  */
static struct {
   XArray* list;         /* of Scope */
   UInt at[DIE_DEEPEST]; /* that the entry of this depth is in or is */
} walked;

void scopes_begin(void)
{
   walked.list = VG_(newXA)(VG_(malloc), "dwarf.scopes", VG_(free), sizeof(Scope));
}

void scopes_note(const Die* die, UInt depth)
{
   const UInt outer = depth > 0 ? walked.at[depth - 1] : NO_SCOPE;
   walked.at[depth] = outer;
   if (entry_is_scope(die->abbreviation.tag)) {
      Scope scope = {die->offset, outer};
      walked.at[depth] = (UInt)VG_(addToXA)(walked.list, &scope);
   }
}

void scopes_end(DwarfUnit* unit)
{
   if (unit->scopes != NULL) {
      VG_(deleteXA)(walked.list);
      return;
   }
   unit->scopes = VG_(malloc)("dwarf.scopes", sizeof(Scopes));
   unit->scopes->list = walked.list;
}

const Scopes* scopes_of(DwarfUnit* unit)
{
   if (unit->scopes != NULL)
      return unit->scopes;
   scopes_begin();
   DieWalk walk = die_walk(unit);
   Die die;
   UInt depth;
   while (die_walk_next(&walk, &die, &depth))
      scopes_note(&die, depth);
   scopes_end(unit);
   return unit->scopes;
}

UInt scopes_find(const Scopes* scopes, ULong offset)
{
   UInt low = 0, high = (UInt)VG_(sizeXA)(scopes->list);
   while (low < high) {
      UInt middle = low + (high - low) / 2;
      const Scope* scope = VG_(indexXA)(scopes->list, middle);
      if (scope->offset == offset)
         return middle;
      if (scope->offset < offset)
         low = middle + 1;
      else
         high = middle;
   }
   return NO_SCOPE;
}
