/* SPDX-License-Identifier: GPL-2.0-or-later

   See fallback.h.  Owns the pages, in a hash table of the usual kind, and the doubtful
   places in those that stay.  */

#include "native/fallback.h"

#include "core/system_call.h"
#include "native/boundaries.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#ifdef CORE_CAN_RUN_NATIVELY

#define LONGEST_INSTRUCTION 15

typedef struct {
   VgHashNode node; /* its key is the page's address */
   UInt protection; /* the program's */
   UInt n_doubts;   /* in this page; 0: it waits until it is run */
   UInt n_came;     /* threads that ran natively, and were sent back */
} Page;

typedef struct {
   Addr at;
   Doubtful until;
} Doubt;

#define OFTEN 300 /* that takes a millisecond */

/* Pages that were taken out, and of which there may be translations.  */
#define MOST_FREED 64
static Addr freed[MOST_FREED];
static UInt n_freed;

static VgHashTable* pages;
static UInt n_pages;
static Doubt* doubts;
static UInt n_doubts, doubt_room;
static Bool often_somewhere;

static Page* page_of(Addr at)
{
   return n_pages == 0 ? NULL : (Page*)VG_(HT_lookup)(pages, (UWord)VG_PGROUNDDN(at));
}

static void protect(Addr start, SizeT size, UInt protection)
{
   VG_(do_syscall)(__NR_mprotect, start, size, protection, 0, 0, 0, 0, 0);
}

static Page* add_page(Addr address, UInt protection)
{
   Page* page = page_of(address);
   if (page != NULL)
      return page;
   if (pages == NULL)
      pages = VG_(HT_construct)("native.pages");
   page = VG_(calloc)("native.page", 1, sizeof *page);
   page->node.key = (UWord)VG_PGROUNDDN(address);
   page->protection = protection;
   VG_(HT_add_node)(pages, page);
   n_pages++;
   return page;
}

static void remove_page(Page* page)
{
   VG_(HT_remove)(pages, page->node.key);
   VG_(free)(page);
   n_pages--;
}

static UInt without_execution(UInt protection)
{
   return (protection & ~(UInt)VKI_PROT_EXEC) | VKI_PROT_READ;
}

void native_fallback_until_run(Addr start, SizeT size, UInt protection)
{
   for (Addr at = VG_PGROUNDDN(start); at < start + size; at += VKI_PAGE_SIZE)
      add_page(at, protection);
   protect(start, size, without_execution(protection));
}

static void doubt_page(Addr at, UInt protection)
{
   add_page(at, protection)->n_doubts++;
   protect(VG_PGROUNDDN(at), VKI_PAGE_SIZE, without_execution(protection));
}

void native_fallback_add(Addr at, UInt protection, Doubtful until)
{
   for (UInt i = 0; i < n_doubts; i++)
      if (doubts[i].at == at)
         return;
   if (n_doubts == doubt_room) {
      doubt_room = doubt_room == 0 ? 64 : 2 * doubt_room;
      doubts = VG_(realloc)("native.doubts", doubts, doubt_room * sizeof *doubts);
   }
   doubts[n_doubts++] = (Doubt){at, until};
   doubt_page(at, protection);
   if (VG_PGROUNDDN(at + 1) != VG_PGROUNDDN(at))
      doubt_page(at + 1, protection);
}

void native_fallback_forget(Addr start, SizeT size)
{
   UInt kept = 0;
   for (UInt i = 0; i < n_doubts; i++)
      if (doubts[i].at < start || doubts[i].at >= start + size)
         doubts[kept++] = doubts[i];
   n_doubts = kept;
   if (n_pages == 0)
      return;
   if (size / VKI_PAGE_SIZE <= n_pages) {
      for (Addr at = VG_PGROUNDDN(start); at < start + size; at += VKI_PAGE_SIZE)
         if (page_of(at) != NULL)
            remove_page(page_of(at));
      return;
   }
   UInt n;
   VgHashNode** all = VG_(HT_to_array)(pages, &n);
   for (UInt i = 0; i < n; i++)
      if (all[i]->key >= start && all[i]->key < start + size)
         remove_page((Page*)all[i]);
   VG_(free)(all);
}

static Fallback kind_of(Addr at)
{
   const Page* page = page_of(at);
   return page == NULL          ? NotFallback
          : page->n_doubts == 0 ? FallbackUntilRun
                                : FallbackStays;
}

Fallback native_fallback_at(Addr at)
{
   const Fallback first = kind_of(at);
   return first != NotFallback ? first : kind_of(at + LONGEST_INSTRUCTION - 1);
}

Bool native_fallback_has_page(Addr at) { return page_of(at) != NULL; }

void native_fallback_run(Addr at)
{
   Page* page = page_of(at);
   if (page == NULL || page->n_doubts != 0)
      return;
   protect(VG_PGROUNDDN(at), VKI_PAGE_SIZE, page->protection);
   remove_page(page);
}

Bool native_fallback_next_freed(Addr* page)
{
   if (LIKELY(n_freed == 0))
      return False;
   *page = freed[--n_freed];
   return True;
}

static void end_doubt(Addr at)
{
   Page* page = page_of(at);
   if (page == NULL || --page->n_doubts != 0)
      return;
   protect(VG_PGROUNDDN(at), VKI_PAGE_SIZE, page->protection);
   if (n_freed < MOST_FREED)
      freed[n_freed++] = VG_PGROUNDDN(at);
   remove_page(page);
}

/* Takes one out of the list.  */
static void end_doubt_number(UInt i)
{
   const Addr at = doubts[i].at;
   doubts[i] = doubts[--n_doubts];
   end_doubt(at);
   if (VG_PGROUNDDN(at + 1) != VG_PGROUNDDN(at))
      end_doubt(at + 1);
}

void native_fallback_came(Addr at)
{
   Page* page = page_of(at);
   if (page != NULL && ++page->n_came == OFTEN)
      often_somewhere = True;
}

void native_fallback_settle(void (*site)(Addr at, UInt protection))
{
   if (LIKELY(!often_somewhere))
      return;
   often_somewhere = False;
   for (UInt i = 0; i < n_doubts;) {
      const Page* page = page_of(doubts[i].at);
      if (page == NULL || page->n_came < OFTEN || doubts[i].until != DoubtUntilOften) {
         i++;
         continue;
      }
      site(doubts[i].at, page->protection);
      end_doubt_number(i);
   }
}

UInt native_fallback_pages(void) { return n_pages; }

void native_fallback_translated(Addr start, SizeT size,
                                void (*site)(Addr at, UInt protection))
{
   for (UInt i = 0; i < n_doubts;) {
      const Doubt doubt = doubts[i];
      Boundary boundary = BoundaryUnknown;
      if (doubt.until == DoubtUntilKnown && doubt.at >= start && doubt.at < start + size)
         boundary = native_boundary_from(start, doubt.at, start + size);
      if (boundary == BoundaryUnknown) {
         i++;
         continue;
      }
      const Page* page = page_of(doubt.at);
      if (boundary == BoundaryHere && page != NULL)
         site(doubt.at, page->protection);
      end_doubt_number(i);
   }
}

#endif
