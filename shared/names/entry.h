/* SPDX-License-Identifier: GPL-2.0-or-later

   Entries of debug information (DIEs), as far as names need them.  The tool and the
   sampler read them in ways of their own; what is told of them here is the same.  */

#ifndef SHARED_ENTRY_H
#define SHARED_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

/* DWARF's numbers of kinds of entries.  */
typedef enum {
   TagArray = 0x01,
   TagClass = 0x02,
   TagEnumeration = 0x04,
   TagParameter = 0x05,
   TagPointer = 0x0f,
   TagReference = 0x10,
   TagCompileUnit = 0x11,
   TagStructure = 0x13,
   TagFunctionType = 0x15,
   TagTypedef = 0x16,
   TagUnion = 0x17,
   TagInlinedSubroutine = 0x1d,
   TagModule = 0x1e,
   TagMemberPointer = 0x1f,
   TagConst = 0x26,
   TagSubprogram = 0x2e,
   TagTemplateType = 0x2f,
   TagTemplateValue = 0x30,
   TagVolatile = 0x35,
   TagInterface = 0x38,
   TagNamespace = 0x39,
   TagRvalueReference = 0x42,
   TagSkeletonUnit = 0x4a,
   TagTemplateTemplate = 0x4106,
   TagTemplatePack = 0x4107
} DwarfTag;

/* Which one it is, in its reader's terms; `unit` is NULL if it is none.  */
typedef struct {
   void* unit;
   uint64_t place;
} Entry;

static inline bool entry_is_same(Entry a, Entry b)
{
   return a.unit == b.unit && a.place == b.place;
}

/* What an entry says itself.  */
typedef struct {
   unsigned tag;
   bool is_artificial; /* the compiler has made it up */
   const char* name;   /* NULL: it has none; lives as long as the reader's file */
   Entry more;         /* that says the rest: an abstract origin or a specification */
   Entry type;         /* of what it describes */
   Entry owner;        /* of a pointer to a member: its class */
} EntryFacts;

typedef bool (*EntryVisit)(void* to, Entry child, const EntryFacts* facts);

typedef struct {
   /* What the entry says; false if it cannot be read.  */
   bool (*read)(Entry entry, EntryFacts* facts);

   /* Calls `visit` for each child, until it returns false.  */
   void (*children)(Entry entry, EntryVisit visit, void* to);

   /* The nearest one around it whose name qualifies it (entry_is_scope()); none if there
      is none.  */
   Entry (*scope)(Entry entry);

   /* The how-manieth nameless one a scope is, in the scope that it lies in.  */
   unsigned (*number)(Entry entry);
} EntryReader;

/* Is it one whose name qualifies those within, or that of a function?  */
static inline bool entry_is_scope(unsigned tag)
{
   switch (tag) {
   case TagClass:
   case TagEnumeration:
   case TagStructure:
   case TagUnion:
   case TagModule:
   case TagInterface:
   case TagNamespace:
   case TagSubprogram: return true;
   default: return false;
   }
}

#endif
