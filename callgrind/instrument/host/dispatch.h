/* SPDX-License-Identifier: GPL-2.0-or-later

   Dispatchers: how a superblock goes on that ends with a return, with a call by address,
   or that is a stub.

   The core's dispatcher searches each address that is jumped to in its fast cache.  But
   the shadow stack knows the site that a plain return goes back to, and the arc that a
   call takes.  Both can remember their *cached host target*: the host's code at the
   address, behind the event check and, as the answer is known, behind the function guard
   (chains.h).  So VEX is given another dispatcher for such a superblock.  That does what
   the shadow stack needs (callstack.h), and goes on at the host target; if there is none,
   by the core's dispatcher.

   Where this is not done, generated code calls the helpers itself.  */

#ifndef CALLGRIND_DISPATCH_H
#define CALLGRIND_DISPATCH_H

#include "core_version.h"
#include "model/callsite.h"
#include "pub_tool_tooliface.h"

#include "libvex.h"

/* After cost_init(), before there are call sites.  */
void dispatch_init(void);

/* Which dispatcher a superblock goes on by.  All zero: the core's.  */
typedef struct {
   VexTranslateArgs* arguments; /* of VEX, which has it from there */
   const void* of_core;
} DispatcherChoice;

/* VEX is about to translate a superblock, or what it has made of one is about to be
   instrumented again; and that is done.  In between, the arguments may change.  */
void dispatch_begin(DispatcherChoice* choice, VexTranslateArgs* arguments);
void dispatch_end(DispatcherChoice* choice);

/* The superblock ends with a return.  True if it goes on by a dispatcher that follows it
   on the shadow stack; then the return's site must be stored in dispatch_return_site.  */
Bool dispatch_return_of(const DispatcherChoice* choice, const IRSB* superblock);
extern CallSite* dispatch_return_site;

/* The superblock ends with a call, whose site has been stored, or is a stub.  */
void dispatch_call_of(const DispatcherChoice* choice, const IRSB* superblock);

/* The core discards its translation of the superblock at `start`.  */
void dispatch_discarded(Addr start);

#endif
