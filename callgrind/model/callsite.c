/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns all call sites; see callsite.h.  Sites outlive the superblocks that they were
   found in, because arcs refer to them.  */

#include "model/callsite.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef struct {
   VgHashNode node; /* key: address and function; a JIT has many at one address */
   CallSite site;
} SiteEntry;

static VgHashTable* sites;

/* The first sites lie in the tool's static memory, where addresses are short: generated
   code stores such an address with one instruction.  */
#define NEAR_SITES 0x8000
static SiteEntry near_sites[NEAR_SITES];
static UInt n_near;

static SiteEntry* room_for_site(void)
{
   return n_near < NEAR_SITES
             ? &near_sites[n_near++]
             : VG_(perm_malloc)(sizeof(SiteEntry), vg_alignof(SiteEntry));
}

void callsite_init(void) { sites = VG_(HT_construct)("callsite.table"); }

static Word compare_sites(const void* a, const void* b)
{
   const CallSite* s = &((const SiteEntry*)a)->site;
   const CallSite* t = &((const SiteEntry*)b)->site;
   return s->address != t->address || s->kind != t->kind || s->function != t->function ||
          s->return_address != t->return_address ||
          !stored_line_is_same(&s->line, &t->line);
}

CallSite* callsite_intern(CallSiteKind kind, Addr address, Addr file_address,
                          Addr return_address, Function* function, SourceLine line)
{
   SiteEntry sought;
   sought.node.key = address * 31 + (UWord)function / sizeof(UWord);
   sought.site.address = address;
   sought.site.file_address = file_address;
   sought.site.return_address = return_address;
   sought.site.function = function;
   sought.site.line = symbols_store_line(&line);
   sought.site.kind = kind;
   sought.site.last_arc = NULL;
   sought.site.stub_arc = NULL;
   SiteEntry* entry = VG_(HT_gen_lookup)(sites, &sought, compare_sites);
   if (entry == NULL) {
      entry = room_for_site();
      *entry = sought;
      VG_(HT_add_node)(sites, entry);
   }
   return &entry->site;
}

CallSite* callsite_unknown(Function* function)
{
   SourceLine line = {function->file, 0, NULL};
   return callsite_intern(SiteJump, 0, 0, 0, function, line);
}
