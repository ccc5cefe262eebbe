/* SPDX-License-Identifier: GPL-2.0-or-later

   Call site: an instruction that may hand control to another function.  A call,
   or a jump or return that can leave its function.  Arcs begin here, and here
   the cost of skipped code is booked.  */

#ifndef CALLGRIND_CALLSITE_H
#define CALLGRIND_CALLSITE_H

#include "guest/symbols.h"

typedef enum { SiteCall, SiteJump, SiteReturn } CallSiteKind;

struct Arc;

typedef struct CallSite {
   Addr address;        /* of the instruction; with kind and function, its identity */
   Addr file_address;   /* the same, as the object's file numbers it */
   Addr return_address; /* of the instruction behind it: where a call returns to */
   Function* function;
   StoredLine line;
   CallSiteKind kind;

   /* The arcs taken last from here, to a function and to a stub (PLT) on the way to
      it.  Most sites only ever take one, so that looking here first spares the
      table (arc.c).  */
   struct Arc* last_arc;
   struct Arc* stub_arc;
} CallSite;

static inline SourceLine callsite_line(const CallSite* site)
{
   return symbols_stored_line(&site->line);
}

void callsite_init(void);

/* The one record for this instruction.  Never freed.  */
CallSite* callsite_intern(CallSiteKind kind, Addr address, Addr file_address,
                          Addr return_address, Function* function, SourceLine line);

/* Where control left `function` is not known: a site at its first line.  */
CallSite* callsite_unknown(Function* function);

#endif
