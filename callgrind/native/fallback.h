/* SPDX-License-Identifier: GPL-2.0-or-later

   The fall-back: pages that are not executable for the processor, though they are for the
   program.  Whoever comes there leaves natively run code, and that page's runs
   translated.

   Some stay so: with bytes that must not run natively, if they are an instruction, and of
   which that is not known, or which cannot be planted (sites.h).  When it is known of all
   of them, the page runs natively again; of some it is known from the beginning, and they
   are planted when threads have come often.  Until then nothing is changed that the
   program may read.  Others only wait until somebody comes there for
   the first time: what the program makes and may change at any moment is looked at
   then.  */

#ifndef CALLGRIND_FALLBACK_H
#define CALLGRIND_FALLBACK_H

#include "core_version.h"

typedef enum { NotFallback, FallbackStays, FallbackUntilRun } Fallback;

/* Takes the right to execute from the pages of the range, of which the program has
   `protection`.  */
void native_fallback_until_run(Addr start, SizeT size, UInt protection);

/* As native_fallback_until_run(), of the page that these two bytes, or more, begin in;
   and of the one that they end in.  Until when they may not run natively: for ever, as
   they cannot be planted; until it is known whether an instruction begins there; or until
   threads have come there often.  */
typedef enum { DoubtForEver, DoubtUntilKnown, DoubtUntilOften } Doubtful;
void native_fallback_add(Addr at, UInt protection, Doubtful until);

/* A thread that ran natively was sent back where it came to this page.  */
void native_fallback_came(Addr at);

/* Ends doubts in pages to which threads have come often.  Calls `site` as
   native_fallback_translated() does.  */
void native_fallback_settle(void (*site)(Addr at, UInt protection));

/* The memory is gone, or has been given other rights.  */
void native_fallback_forget(Addr start, SizeT size);

/* What of the code of an instruction at `at`, of 15 bytes at most?  */
Fallback native_fallback_at(Addr at);

/* Is the page at `at` one of them?  */
Bool native_fallback_has_page(Addr at);

/* A page that waited runs natively from now on: the one of `at`.  */
void native_fallback_run(Addr at);

/* The core has translated this code, so an instruction begins at `start`.  Calls
   `site(at, protection)` for each that is to be planted from now on.  */
void native_fallback_translated(Addr start, SizeT size,
                                void (*site)(Addr at, UInt protection));

/* Takes a page that is none any more: its translations would be used as long as they
   lead to each other.  False if there is no more.  */
Bool native_fallback_next_freed(Addr* page);

UInt native_fallback_pages(void);

#endif
