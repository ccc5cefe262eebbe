/* SPDX-License-Identifier: GPL-2.0-or-later

   When the next round of a function's contexts (model/context.h) begins.  What has a
   frame on any stack is entered anew then.  Calls that come to the function take the slow
   path once, which enters the context, whatever the fast path knew.

   It is done when retiring has looked at as many contexts as doing it costs.  So a
   function that is rewritten again and again, each time for other callers, takes time by
   their number, not by its square.  */

#ifndef CALLGRIND_RECENT_CONTEXTS_H
#define CALLGRIND_RECENT_CONTEXTS_H

#include "model/context.h"

/* `block` has been retired, with all that contexts had counted in it.  */
void recent_contexts_after_retiring(const Block* block);

#endif
