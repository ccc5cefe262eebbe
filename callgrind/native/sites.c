/* SPDX-License-Identifier: GPL-2.0-or-later

   See sites.h.  Owns the sites, in the order of their addresses.

   A page is made writable for a moment, by a system call for each; no other thread runs
   the program's code then.  A page that the system does not let be written stays as it
   is: its sites are lost, with one line under -v.  */

#include "native/sites.h"

#include "core/system_call.h"
#include "native/fallback.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

#ifdef CORE_CAN_RUN_NATIVELY

#define BREAKPOINT 0xcc
#define JUMP 0xe9

typedef struct {
   Addr at;
   UChar size, protection;
   UChar bytes[SITE_JUMP]; /* the program's */
   UChar planted[SITE_JUMP];
} Site;

static Site* sites;
static UInt n_sites, room;
static Bool are_planted;

/* The first one at `at` or behind.  */
static UInt first_from(Addr at)
{
   UInt low = 0, high = n_sites;
   while (low < high) {
      const UInt middle = (low + high) / 2;
      if (sites[middle].at < at)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

Bool native_sites_has(Addr at)
{
   const UInt i = first_from(at);
   return i < n_sites && sites[i].at == at && sites[i].size == 1;
}

UInt native_sites_count(void) { return n_sites; }

/*--------------------------------------------------------------------*/

static Bool protect(Addr page, UInt protection)
{
   SysRes done =
      VG_(do_syscall)(__NR_mprotect, page, VKI_PAGE_SIZE, protection, 0, 0, 0, 0, 0);
   return !sr_isError(done);
}

static void warn_of(Addr at)
{
   if (VG_(clo_verbosity) > 1)
      VG_(dmsg)("No breakpoint can be planted at 0x%lx.\n", at);
}

static void plant(Site* site)
{
   VG_(memcpy)(site->bytes, (const void*)site->at, site->size);
   VG_(memcpy)((void*)site->at, site->planted, site->size);
}

/* What was planted is now at `at`, unless somebody has written there.  */
static void put_back(const Site* site, Addr at)
{
   if (VG_(memcmp)((const void*)at, site->planted, site->size) == 0)
      VG_(memcpy)((void*)at, site->bytes, site->size);
}

/* Writes to those from `i` on that lie in one page; returns the first one behind.  */
static UInt write_page(UInt i, Bool plants)
{
   const Addr page = VG_PGROUNDDN(sites[i].at);
   const UInt protection = sites[i].protection;
   /* Nothing was planted there: a page falls back, and no longer does, when all is put
      back.  */
   if (native_fallback_has_page(page))
      return first_from(page + VKI_PAGE_SIZE);
   const Bool may_write = (protection & VKI_PROT_WRITE) != 0 ||
                          protect(page, protection | VKI_PROT_READ | VKI_PROT_WRITE);
   if (!may_write)
      warn_of(sites[i].at);
   for (; i < n_sites && VG_PGROUNDDN(sites[i].at) == page; i++)
      if (may_write && plants)
         plant(&sites[i]);
      else if (may_write)
         put_back(&sites[i], sites[i].at);
   if (may_write && (protection & VKI_PROT_WRITE) == 0)
      protect(page, protection);
   return i;
}

static void write_all(Bool plants)
{
   are_planted = plants;
   for (UInt i = 0; i < n_sites;)
      i = write_page(i, plants);
}

void native_sites_plant(void)
{
   if (UNLIKELY(!are_planted))
      write_all(True);
}

void native_sites_put_back(void)
{
   if (are_planted)
      write_all(False);
}

/*--------------------------------------------------------------------*/

/* Is there one that has a byte of these?  */
static Bool has_any(Addr start, Addr end)
{
   for (UInt i = first_from(start - SITE_JUMP + 1); i < n_sites && sites[i].at < end; i++)
      if (sites[i].at + sites[i].size > start)
         return True;
   return False;
}

static void add(const Site* site)
{
   native_sites_put_back();
   if (n_sites == room) {
      room = room == 0 ? 64 : 2 * room;
      sites = VG_(realloc)("native.sites", sites, room * sizeof *sites);
   }
   const UInt i = first_from(site->at);
   VG_(memmove)(&sites[i + 1], &sites[i], (n_sites - i) * sizeof *sites);
   sites[i] = *site;
   n_sites++;
}

static void forget_jumps_at(Addr at)
{
   for (UInt i = first_from(at - SITE_JUMP + 1); i < n_sites && sites[i].at <= at; i++)
      if (sites[i].size > 1)
         native_sites_forget(sites[i].at, 1);
}

void native_sites_add(Addr at, UInt protection)
{
   native_sites_put_back();
   forget_jumps_at(at);
   if (!native_sites_has(at))
      add(&(Site){
         .at = at, .size = 1, .protection = (UChar)protection, .planted = {BREAKPOINT}});
}

void native_sites_add_jump(Addr at, UInt protection, Addr target)
{
   const Int distance = (Int)(target - (at + SITE_JUMP));
   Site site = {
      .at = at, .size = SITE_JUMP, .protection = (UChar)protection, .planted = {JUMP}};
   VG_(memcpy)(&site.planted[1], &distance, sizeof distance);
   if (!has_any(at, at + SITE_JUMP))
      add(&site);
}

void native_sites_forget(Addr start, SizeT size)
{
   const UInt from = first_from(start), to = first_from(start + size);
   VG_(memmove)(&sites[from], &sites[to], (n_sites - to) * sizeof *sites);
   n_sites -= to - from;
}

/* Those in the range, which has this protection now.  */
static void put_back_in(Addr start, SizeT size, UInt protection)
{
   const UInt to = first_from(start + size);
   UInt i = first_from(start);
   for (UInt k = i; k < to; k++)
      sites[k].protection = (UChar)protection;
   while (are_planted && i < to)
      i = write_page(i, False);
}

void native_sites_give_back(Addr start, SizeT size, UInt protection)
{
   put_back_in(start, size, protection);
   native_sites_forget(start, size);
}

void native_sites_moved(Addr from, Addr to, SizeT size)
{
   const UInt first = first_from(from), last = first_from(from + size);
   for (UInt i = first; are_planted && i < last; i++) {
      const Addr at = sites[i].at - from + to, page = VG_PGROUNDDN(at);
      const UInt protection = sites[i].protection;
      if (!protect(page, protection | VKI_PROT_READ | VKI_PROT_WRITE))
         continue;
      put_back(&sites[i], at);
      protect(page, protection);
   }
   native_sites_forget(from, size);
}

#endif
