/* SPDX-License-Identifier: GPL-2.0-or-later

   Gives the entries of libdw to what puts names together; see function_names.h.  Which
   entry lies in which libdw finds by walking over the unit each time.  So each unit is
   walked over once, when one of its names is asked for first.

   Owns the scopes of units, and the names.  */

#include "code/function_names.h"

#include "base/memory.h"
#include "code/die_text.h"
#include "names/named_entry.h"
#include "names/qualified_name.h"

#include <dwarf.h>
#include <stddef.h>
#include <string.h>

#define NO_SCOPE SIZE_MAX
#define DEEPEST 256         /* nesting of entries; a hostile file may have more */
#define MOST_CHILDREN 65536 /* that are looked at for one name */
#define NEAREST_SCOPES 4096 /* that a nameless scope looks at for others beside it */

/* An entry whose name qualifies those within, or of a function.  */
typedef struct {
   uint64_t place;
   size_t outer; /* the place in the list; or NO_SCOPE */
} Scope;

typedef struct UnitScopes {
   struct UnitScopes* next;
   Dwarf_CU* unit;
   Scope* list; /* by `place` */
   size_t count, room;
} UnitScopes;

/* The one that was asked for last comes first.  */
static UnitScopes* units;

/* How many children may still be looked at.  */
static unsigned children_left;

/* --- Scopes ------------------------------------------------------------------------- */

static Entry entry_of(const Dwarf_Die* die)
{
   return (Entry){die->cu, (uintptr_t)die->addr};
}

static Dwarf_Die die_of(Entry entry)
{
   return (Dwarf_Die){.cu = entry.unit, .addr = (void*)(uintptr_t)entry.place};
}

static size_t add_scope(UnitScopes* unit, const Dwarf_Die* die, size_t outer)
{
   if (unit->count == unit->room) {
      unit->room = unit->room != 0 ? 2 * unit->room : 64;
      unit->list = memory_reallocate(unit->list, unit->room, sizeof(Scope));
   }
   unit->list[unit->count] = (Scope){entry_of(die).place, outer};
   return unit->count++;
}

static void add_scopes_in(UnitScopes* unit, Dwarf_Die* parent, size_t outer,
                          unsigned level)
{
   Dwarf_Die die;
   const void* last = parent->addr;
   if (level > DEEPEST || dwarf_child(parent, &die) != 0)
      return;
   /* Only forwards: a hostile file may name one that was there as the next.  */
   while ((const char*)die.addr > (const char*)last) {
      bool is_scope = entry_is_scope((unsigned)dwarf_tag(&die));
      add_scopes_in(unit, &die, is_scope ? add_scope(unit, &die, outer) : outer,
                    level + 1);
      last = die.addr;
      if (dwarf_siblingof(&die, &die) != 0)
         break;
   }
}

static UnitScopes* read_scopes(Entry entry)
{
   UnitScopes* unit = memory_allocate(sizeof *unit);
   Dwarf_Die inside = die_of(entry), top;
   *unit = (UnitScopes){.unit = entry.unit};
   if (dwarf_diecu(&inside, &top, NULL, NULL) != NULL)
      add_scopes_in(unit, &top, NO_SCOPE, 0);
   return unit;
}

static const UnitScopes* scopes_around(Entry entry)
{
   UnitScopes** link = &units;
   while (*link != NULL && (*link)->unit != entry.unit)
      link = &(*link)->next;
   UnitScopes* unit = *link;
   if (unit != NULL)
      *link = unit->next;
   else
      unit = read_scopes(entry);
   unit->next = units;
   units = unit;
   return unit;
}

/* The place of a scope in the list of its unit.  */
static size_t find_scope(const UnitScopes* unit, uint64_t place)
{
   size_t low = 0, high = unit->count;
   while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (unit->list[middle].place < place)
         low = middle + 1;
      else
         high = middle;
   }
   return low < unit->count && unit->list[low].place == place ? low : NO_SCOPE;
}

/* --- Entries ------------------------------------------------------------------------ */

/* Its name; NULL: it has none that can be read.  */
static const char* name_of(Dwarf_Die* die)
{
   Dwarf_Attribute attribute;
   return dwarf_attr(die, DW_AT_name, &attribute) != NULL ? die_text(&attribute) : NULL;
}

static Entry referred(Dwarf_Die* die, unsigned name)
{
   Dwarf_Attribute attribute;
   Dwarf_Die other;
   if (dwarf_attr(die, name, &attribute) == NULL ||
       dwarf_formref_die(&attribute, &other) == NULL)
      return (Entry){NULL, 0};
   return entry_of(&other);
}

static void read_facts(Dwarf_Die* die, EntryFacts* facts)
{
   Dwarf_Attribute attribute;
   *facts = (EntryFacts){.tag = (unsigned)dwarf_tag(die),
                         .name = name_of(die),
                         .more = referred(die, DW_AT_abstract_origin),
                         .type = referred(die, DW_AT_type),
                         .owner = referred(die, DW_AT_containing_type)};
   if (facts->more.unit == NULL)
      facts->more = referred(die, DW_AT_specification);
   if (dwarf_attr(die, DW_AT_artificial, &attribute) != NULL)
      (void)dwarf_formflag(&attribute, &facts->is_artificial);
}

static bool read_entry(Entry entry, EntryFacts* facts)
{
   Dwarf_Die die = die_of(entry);
   if (entry.unit == NULL || dwarf_tag(&die) == DW_TAG_invalid)
      return false;
   read_facts(&die, facts);
   return true;
}

static void read_children(Entry entry, EntryVisit visit, void* to)
{
   Dwarf_Die parent = die_of(entry), die;
   if (entry.unit == NULL || dwarf_child(&parent, &die) != 0)
      return;
   do {
      EntryFacts facts;
      if (children_left == 0)
         return;
      children_left--;
      read_facts(&die, &facts);
      if (!visit(to, entry_of(&die), &facts))
         return;
   } while (dwarf_siblingof(&die, &die) == 0);
}

static Entry scope_around(Entry entry)
{
   const Entry none = {NULL, 0};
   if (entry.unit == NULL)
      return none;
   const UnitScopes* unit = scopes_around(entry);
   size_t scope = find_scope(unit, entry.place);
   if (scope == NO_SCOPE || unit->list[scope].outer == NO_SCOPE)
      return none;
   return (Entry){entry.unit, unit->list[unit->list[scope].outer].place};
}

static bool is_nameless(Entry entry);

static unsigned number_of_nameless(Entry entry)
{
   unsigned number = 1;
   if (entry.unit == NULL)
      return number;
   const UnitScopes* unit = scopes_around(entry);
   size_t scope = find_scope(unit, entry.place);
   if (scope == NO_SCOPE)
      return number;
   size_t outer = unit->list[scope].outer;
   size_t first = outer == NO_SCOPE ? 0 : outer + 1;
   if (scope - first > NEAREST_SCOPES)
      first = scope - NEAREST_SCOPES;
   for (size_t i = first; i < scope; i++) {
      if (unit->list[i].outer == outer &&
          is_nameless((Entry){entry.unit, unit->list[i].place}))
         number++;
   }
   return number;
}

static const EntryReader reader = {read_entry, read_children, scope_around,
                                   number_of_nameless};

static bool is_nameless(Entry entry)
{
   return named_entry_of(&reader, entry).name == NULL;
}

const char* function_names_qualified(Dwarf_Die* function, Dwarf_Die* scope,
                                     bool* has_scope)
{
   Entry around;
   children_left = MOST_CHILDREN;
   const char* name = qualified_name(&reader, entry_of(function), &around);
   *has_scope = around.unit != NULL;
   if (*has_scope)
      *scope = die_of(around);
   if (name == NULL)
      return NULL;
   size_t size = strlen(name) + 1;
   return memcpy(memory_allocate(size), name, size);
}
