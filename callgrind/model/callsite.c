/* SPDX-License-Identifier: GPL-2.0-or-later

   Owns all call sites; see callsite.h.  Sites outlive the superblocks that they were
   found in, because arcs refer to them.  */

#include "model/callsite.h"

#include "base/table.h"

#include "pub_tool_libcbase.h"

static Table sites;
const void* callsite_no_host_target = &callsite_no_host_target;

static struct Arc* none;

void callsite_init(struct Arc* no_arc) { none = no_arc; }

/* The first sites lie in the tool's static memory, where addresses are short: generated
   code stores such an address with one instruction.  */
#define NEAR_SITES 0x8000
static CallSite near_sites[NEAR_SITES];
static UInt n_near;

static CallSite* room_for_site(void)
{
   return n_near < NEAR_SITES ? &near_sites[n_near++] : host_lines_make(sizeof(CallSite));
}

static Bool is_same_site(const void* a, const void* b)
{
   const CallSite* s = a;
   const CallSite* t = b;
   return s->address == t->address && s->kind == t->kind && s->function == t->function &&
          s->return_address == t->return_address &&
          stored_line_is_same(&s->line, &t->line);
}

CallSite* callsite_intern(CallSiteKind kind, Addr address, Addr file_address,
                          Addr return_address, Function* function, SourceLine line)
{
   const CallSite sought = {.address = address,
                            .file_address = file_address,
                            .return_address = return_address,
                            .function = function,
                            .line = symbols_store_line(&line),
                            .kind = kind,
                            .last_arc = none,
                            .host_target = callsite_no_host_target};
   /* A JIT has many functions at one address.  */
   ULong hash = address * 31 + (UWord)function / sizeof(UWord);
   CallSite* site = table_find(&sites, hash, is_same_site, &sought);
   if (site == NULL) {
      site = room_for_site();
      *site = sought;
      table_add(&sites, hash, site);
   }
   return site;
}

CallSite* callsite_unknown(Function* function)
{
   SourceLine line = {function->file, 0, NULL};
   return callsite_intern(SiteJump, 0, 0, 0, function, line);
}
