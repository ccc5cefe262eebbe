/* SPDX-License-Identifier: GPL-2.0-or-later

   See function_names.h.

   Gives the entries of a unit to what puts names together (shared/names/).  */

#include "dwarf/function_names.h"

#include "dwarf/die.h"
#include "dwarf/scopes.h"
#include "dwarf/source_names.h"
#include "dwarf/units.h"
#include "names/named_entry.h"
#include "names/qualified_name.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#define MOST_ENTRIES 8      /* of one function */
#define MOST_CHILDREN 65536 /* with their own, that are looked at for one name */

/*--------------------------------------------------------------------*/
/* Entries                                                             */

/* What the entries of a function say, the first one that says it.  */
typedef struct {
   const HChar* linkage;
   const HChar* path;
   ULong line;
} Found;

static DwarfUnit* read_at(DwarfFile* file, ULong offset, Die* die)
{
   DwarfUnit* unit = units_at_offset(file, offset);
   return unit != NULL && unit->abbreviations != NULL && die_read(unit, offset, die)
             ? unit
             : NULL;
}

static void note_attribute(Found* found, const Die* die, UInt attribute, DieValue value)
{
   ULong number;
   switch (attribute) {
   case AtLinkageName:
   case AtMipsLinkageName:
      if (found->linkage == NULL)
         found->linkage = die_text(die->unit, value);
      break;
   case AtDeclFile:
      if (found->path == NULL && die_number(value, &number))
         found->path = source_names_path(die->unit, number);
      break;
   case AtDeclLine:
      if (found->line == 0)
         (void)die_number(value, &found->line);
      break;
   default: break;
   }
}

/* Reads the entry at `offset`, and those that it refers to.  */
static Found read_entries(DwarfFile* file, ULong offset)
{
   Found found;
   VG_(memset)(&found, 0, sizeof found);
   for (UInt n = 0; n < MOST_ENTRIES; n++) {
      Die die;
      DwarfUnit* unit = read_at(file, offset, &die);
      if (unit == NULL)
         break;
      Bool goes_on = False;
      DieAttributes attributes = die_attributes(&die);
      while (die_next_attribute(&attributes)) {
         note_attribute(&found, &die, attributes.attribute, attributes.value);
         if (attributes.attribute == AtAbstractOrigin ||
             attributes.attribute == AtSpecification)
            goes_on = die_reference(unit, attributes.value, &file, &offset);
      }
      if (!goes_on)
         break;
   }
   return found;
}

/*--------------------------------------------------------------------*/
/* Entries, as names need them                                         */

/* How many children may still be looked at.  */
static UInt children_left;

static Entry referred(const DwarfUnit* unit, DieValue value)
{
   DwarfFile* file;
   ULong offset;
   if (!die_reference(unit, value, &file, &offset))
      return (Entry){NULL, 0};
   DwarfUnit* other = units_at_offset(file, offset);
   return other != NULL ? (Entry){other, offset} : (Entry){NULL, 0};
}

static void read_facts(const Die* die, EntryFacts* facts)
{
   VG_(memset)(facts, 0, sizeof *facts);
   facts->tag = die->abbreviation.tag;
   DieAttributes attributes = die_attributes(die);
   while (die_next_attribute(&attributes)) {
      const DieValue value = attributes.value;
      switch (attributes.attribute) {
      case AtName: facts->name = die_text(die->unit, value); break;
      case AtArtificial: facts->is_artificial = True; break;
      case AtAbstractOrigin:
      case AtSpecification: facts->more = referred(die->unit, value); break;
      case AtType: facts->type = referred(die->unit, value); break;
      case AtContainingType: facts->owner = referred(die->unit, value); break;
      default: break;
      }
   }
}

static bool read_entry(Entry entry, EntryFacts* facts)
{
   DwarfUnit* unit = entry.unit;
   Die die;
   if (unit == NULL || unit->abbreviations == NULL || !die_read(unit, entry.place, &die))
      return false;
   read_facts(&die, facts);
   return true;
}

static void read_children(Entry entry, EntryVisit visit, void* to)
{
   DieWalk walk = {entry.unit, entry.place, 0, False, False};
   Die die;
   UInt depth;
   while (children_left > 0 && die_walk_next(&walk, &die, &depth)) {
      EntryFacts facts;
      children_left--;
      if (depth != 1)
         continue;
      read_facts(&die, &facts);
      if (!visit(to, (Entry){entry.unit, die.offset}, &facts))
         return;
   }
}

static Entry scope_around(Entry entry)
{
   if (entry.unit == NULL)
      return entry;
   const Scopes* scopes = scopes_of(entry.unit);
   UInt scope = scopes_find(scopes, entry.place);
   if (scope == NO_SCOPE)
      return (Entry){NULL, 0};
   UInt outer = ((const Scope*)VG_(indexXA)(scopes->list, scope))->outer;
   if (outer == NO_SCOPE)
      return (Entry){NULL, 0};
   const Scope* around = VG_(indexXA)(scopes->list, outer);
   return (Entry){entry.unit, around->offset};
}

static Bool is_nameless(DwarfUnit* unit, ULong offset);

/* How far a nameless scope looks for others beside it.  */
#define NEAREST_SCOPES 4096

static unsigned number_of_nameless(Entry entry)
{
   DwarfUnit* unit = entry.unit;
   unsigned number = 1;
   UInt scope = unit != NULL ? scopes_find(scopes_of(unit), entry.place) : NO_SCOPE;
   if (scope == NO_SCOPE)
      return number;
   XArray* list = unit->scopes->list;
   const UInt outer = ((const Scope*)VG_(indexXA)(list, scope))->outer;
   for (UInt i = scope; i > 0 && scope - i < NEAREST_SCOPES && i != outer; i--) {
      const Scope* other = VG_(indexXA)(list, i - 1);
      if (i - 1 != outer && other->outer == outer && is_nameless(unit, other->offset))
         number++;
   }
   return number;
}

static const EntryReader reader = {read_entry, read_children, scope_around,
                                   number_of_nameless};

static Bool is_nameless(DwarfUnit* unit, ULong offset)
{
   return named_entry_of(&reader, (Entry){unit, offset}).name == NULL;
}

/*--------------------------------------------------------------------*/

/* Where a function is not said to be, it is where the scope is that it lies in, if that
   is said.  */
static FunctionPlace place_of(Found found, Entry scope)
{
   if (found.line == 0 && scope.unit != NULL) {
      Found around = read_entries(((DwarfUnit*)scope.unit)->file, scope.place);
      if (around.line != 0 && (around.path != NULL || found.path == NULL))
         found = around;
   }
   return (FunctionPlace){found.path, found.line <= 0x7fffffff ? (UInt)found.line : 0};
}

FunctionPlace function_names_place(DwarfFile* file, ULong offset)
{
   Found found = read_entries(file, offset);
   Entry scope = {NULL, 0};
   if (found.line == 0) {
      Entry entry = {units_at_offset(file, offset), offset};
      NamedEntry named = named_entry_of(&reader, entry);
      if (named.name != NULL)
         scope = scope_around(named.entry);
   }
   return place_of(found, scope);
}

FunctionDescription function_names_describe(DwarfFile* file, ULong offset)
{
   Found found = read_entries(file, offset);
   FunctionDescription description = {.linkage = found.linkage};
   Entry scope = {NULL, 0};
   children_left = MOST_CHILDREN;
   const HChar* name =
      qualified_name(&reader, (Entry){units_at_offset(file, offset), offset}, &scope);
   if (name != NULL)
      description.name = VG_(strdup)("dwarf.name", name);
   FunctionPlace place = place_of(found, scope);
   description.path = place.path;
   description.line = place.line;
   return description;
}
