/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns the JIT names; see jit_names.h.

   A name is in the list of each page that its code touches, the newest first.  A name
   that has been replaced stays in the list but is not found any more.  Names of code
   that touches very many pages (a whole region, or nonsense) are in a list of their
   own.  */

#include "guest/jit/jit_names.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef struct {
   Addr start;
   SizeT size;
   ULong age; /* 1, 2, 3 ... in the order in which they came */
   HChar name[];
} JitName;

typedef struct Link {
   struct Link* next;
   const JitName* what;
} Link;

typedef struct {
   VgHashNode node; /* key: the page's number */
   Link* newest;
} Page;

#define PAGE_BITS 12
#define MAX_PAGES 64 /* of one piece of code */

static VgHashTable* pages;
static Link* large; /* the newest first */
static ULong n_names;

void jit_names_init(void) { pages = VG_(HT_construct)("jit_names.pages"); }

static void put_in_front(Link** list, const JitName* what)
{
   Link* link = VG_(malloc)("jit_names.link", sizeof *link);
   link->next = *list;
   link->what = what;
   *list = link;
}

static Page* page_of(UWord number)
{
   Page* page = VG_(HT_lookup)(pages, number);
   if (page == NULL) {
      page = VG_(calloc)("jit_names.page", 1, sizeof *page);
      page->node.key = number;
      VG_(HT_add_node)(pages, page);
   }
   return page;
}

void jit_names_add(Addr start, SizeT size, const HChar* name, SizeT length)
{
   SizeT ends_at = 0;
   while (ends_at < length && name[ends_at] != '\0')
      ends_at++;
   length = ends_at;
   if (size == 0 || length == 0 || start + (size - 1) < start)
      return;
   JitName* what = VG_(malloc)("jit_names.name", sizeof *what + length + 1);
   what->start = start;
   what->size = size;
   what->age = ++n_names;
   VG_(memcpy)(what->name, name, length);
   what->name[length] = '\0';

   UWord first = start >> PAGE_BITS, last = (start + (size - 1)) >> PAGE_BITS;
   if (last - first >= MAX_PAGES)
      put_in_front(&large, what);
   else
      for (UWord number = first; number <= last; number++)
         put_in_front(&page_of(number)->newest, what);
}

static const JitName* find(const Link* list, Addr address)
{
   for (; list != NULL; list = list->next)
      if (address - list->what->start < list->what->size)
         return list->what;
   return NULL;
}

static const JitName* name_of(Addr address)
{
   if (n_names == 0)
      return NULL;
   const Page* page = VG_(HT_lookup)(pages, address >> PAGE_BITS);
   const JitName* found = page != NULL ? find(page->newest, address) : NULL;
   const JitName* in_large = find(large, address);
   if (found == NULL || (in_large != NULL && in_large->age > found->age))
      found = in_large;
   return found;
}

const HChar* jit_names_at(Addr address)
{
   const JitName* found = name_of(address);
   return found != NULL ? found->name : NULL;
}

Bool jit_names_begin_at(Addr address)
{
   const JitName* found = name_of(address);
   return found != NULL && found->start == address;
}
