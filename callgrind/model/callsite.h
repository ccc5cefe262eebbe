/* SPDX-License-Identifier: GPL-2.0-or-later

   Call site: an instruction that may pass control to another function.  It is a call,
   or a jump or return that can leave its function.  Arcs begin here, and here the
   cost of skipped code is booked.  */

#ifndef CALLGRIND_CALLSITE_H
#define CALLGRIND_CALLSITE_H

#include "base/host_lines.h"
#include "guest/symbols.h"

typedef enum { SiteCall, SiteJump, SiteReturn } CallSiteKind;

struct Arc;

typedef struct CallSite {
   /* What the fast path uses lies in one line of the host's cache.  */

   /* The arcs that were taken last from here, to a function, and to a stub on the way to
      it; if there is none yet, &arc_none and NULL.  Most sites only ever take one, so the
      table of arcs (arc.c) is seldom needed.  */
   struct Arc* last_arc __attribute__((aligned(HOST_LINE / 2)));
   struct Arc* stub_arc;

   const void* host_target; /* the host's code that a return to this site goes on with
                           (instrument/host/dispatch.h) */
   Addr return_address;     /* of the instruction behind it: where a call returns to */

   Addr address;      /* of the instruction; with kind and function, its identity */
   Addr file_address; /* the same, as the object's file numbers it */
   Function* function;
   StoredLine line;
   CallSiteKind kind;
   struct CallSite* next_host_target;
} CallSite;

/* The host target of sites for which none is known.  Never NULL; may be set while there
   are no sites.  */
extern const void* callsite_no_host_target;

/* What the last arc of a site is that has taken none: one that leads nowhere (arc_none).
   Once, before there are sites.  */
void callsite_init(struct Arc* no_arc);

static inline SourceLine callsite_line(const CallSite* site)
{
   return symbols_stored_line(&site->line);
}

/* The call site with these attributes, made at its first use, never freed.  */
CallSite* callsite_intern(CallSiteKind kind, Addr address, Addr file_address,
                          Addr return_address, Function* function, SourceLine line);

/* The site for when it is not known where control left `function`: in its file, without a
   line.  */
CallSite* callsite_unknown(Function* function);

#endif
