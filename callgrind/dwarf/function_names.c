/* SPDX-License-Identifier: GPL-2.0-or-later

   See function_names.h.

   A function may have several entries: for the code, for what all its code has in common
   (the abstract origin), and for the declaration in its class (the specification); each
   refers to the next one.  The last one that has a name lies in the scopes that the name
   is qualified by.  Which entry lies in which is found by a walk over the unit.

   Owns the scopes of units.  */

#include "dwarf/function_names.h"

#include "dwarf/die.h"
#include "dwarf/source_names.h"
#include "dwarf/units.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#define NO_SCOPE (~0u)
#define MOST_ENTRIES 8    /* of one function */
#define MOST_SCOPES 64    /* that a name is qualified by */
#define LONGEST_NAME 4096 /* of one that is put together */

/* An entry whose name qualifies those within, or of a function.  */
typedef struct {
   ULong offset;
   UInt outer; /* the place in the list; or NO_SCOPE */
} Scope;

typedef struct Scopes {
   XArray* list; /* of Scope, by `offset` */
} Scopes;

/*--------------------------------------------------------------------*/
/* Scopes                                                              */

static Bool is_scope(UInt tag)
{
   switch (tag) {
   case TagClass:
   case TagEnumeration:
   case TagStructure:
   case TagUnion:
   case TagModule:
   case TagInterface:
   case TagNamespace:
   case TagSubprogram: return True;
   default: return False;
   }
}

static const Scopes* scopes_of(DwarfUnit* unit)
{
   if (unit->scopes != NULL)
      return unit->scopes;
   static UInt scope_at[DIE_DEEPEST]; /* that the entry of this depth is in or is */
   XArray* list = VG_(newXA)(VG_(malloc), "dwarf.scopes", VG_(free), sizeof(Scope));
   DieWalk walk = die_walk(unit);
   Die die;
   UInt depth;
   while (die_walk_next(&walk, &die, &depth)) {
      UInt outer = depth > 0 ? scope_at[depth - 1] : NO_SCOPE;
      scope_at[depth] = outer;
      if (is_scope(die.abbreviation.tag)) {
         Scope scope = {die.offset, outer};
         scope_at[depth] = (UInt)VG_(addToXA)(list, &scope);
      }
   }
   unit->scopes = VG_(malloc)("dwarf.scopes", sizeof(Scopes));
   unit->scopes->list = list;
   return unit->scopes;
}

static UInt scope_of(const Scopes* scopes, ULong offset)
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

/*--------------------------------------------------------------------*/
/* Entries                                                             */

/* What the entries of a function say, the first one that says it.  */
typedef struct {
   const HChar* linkage;
   const HChar* name;
   DwarfUnit* name_unit; /* that the name is in, and at which entry */
   ULong name_offset;
   UInt tag; /* of that */
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
   case AtName:
      found->name = die_text(die->unit, value);
      found->name_unit = die->unit;
      found->name_offset = die->offset;
      found->tag = die->abbreviation.tag;
      break;
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
      /* A declaration in a class has its name from there, an unnamed one too.  */
      if (found.name == NULL) {
         found.name_unit = unit;
         found.name_offset = offset;
         found.tag = die.abbreviation.tag;
      }
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
/* Names                                                               */

/* A name that grows to the left.  */
typedef struct {
   HChar text[LONGEST_NAME];
   SizeT begin;
} LongName;

static void put_before(LongName* name, const HChar* text)
{
   SizeT length = VG_(strlen)(text);
   if (length > name->begin)
      return;
   name->begin -= length;
   VG_(memcpy)(name->text + name->begin, text, length);
}

/* How far a nameless scope looks for others beside it.  */
#define NEAREST_SCOPES 4096

/* The how-manieth nameless one the scope is, in the scope that it lies in.  */
static UInt number_of_nameless(const DwarfUnit* unit, UInt scope)
{
   XArray* list = unit->scopes->list;
   const UInt outer = ((const Scope*)VG_(indexXA)(list, scope))->outer;
   UInt number = 1;
   for (UInt i = scope; i > 0 && scope - i < NEAREST_SCOPES && i != outer; i--) {
      const Scope* other = VG_(indexXA)(list, i - 1);
      if (i - 1 != outer && other->outer == outer &&
          read_entries(unit->file, other->offset).name == NULL)
         number++;
   }
   return number;
}

/* gcc gives the class of a lambda no name, and nothing in it a line.  */
static void put_nameless(LongName* name, const DwarfUnit* unit, UInt scope, UInt tag)
{
   HChar text[32];
   if (tag == TagNamespace)
      VG_(snprintf)(text, sizeof text, "(anonymous namespace)");
   else if (VG_(strncmp)(name->text + name->begin, "::operator()", 12) == 0)
      VG_(snprintf)(text, sizeof text, "<lambda#%u>", number_of_nameless(unit, scope));
   else
      VG_(snprintf)(text, sizeof text, "(anonymous)");
   put_before(name, text);
}

/* Puts the scopes of the entry before its name.  That of a function may be described by
   another entry, which lies elsewhere.  Where the function is not said to be, it is where
   the scope is that it lies in.  */
static void put_scopes(LongName* name, DwarfUnit* unit, ULong offset, Found* function)
{
   for (UInt n = 0; n < MOST_SCOPES; n++) {
      const Scopes* scopes = scopes_of(unit);
      UInt scope = scope_of(scopes, offset);
      if (scope == NO_SCOPE)
         return;
      UInt outer = ((const Scope*)VG_(indexXA)(scopes->list, scope))->outer;
      if (outer == NO_SCOPE)
         return;
      const Scope* in = VG_(indexXA)(scopes->list, outer);
      Found found = read_entries(unit->file, in->offset);
      put_before(name, "::");
      if (found.name != NULL)
         put_before(name, found.name);
      else
         put_nameless(name, unit, outer, found.tag);
      if (n == 0 && function->line == 0) {
         function->path = found.path;
         function->line = found.line;
      }
      if (found.name_unit == NULL)
         return;
      unit = found.name_unit;
      offset = found.name_offset;
   }
}

FunctionDescription function_names_describe(DwarfFile* file, ULong offset)
{
   Found found = read_entries(file, offset);
   FunctionDescription description = {.linkage = found.linkage};
   if (found.name != NULL) {
      static LongName name;
      name.begin = LONGEST_NAME - 1;
      put_before(&name, found.name);
      put_scopes(&name, found.name_unit, found.name_offset, &found);
      description.name = VG_(strdup)("dwarf.name", name.text + name.begin);
   }
   description.path = found.path;
   description.line = found.line <= 0x7fffffff ? (UInt)found.line : 0;
   return description;
}
