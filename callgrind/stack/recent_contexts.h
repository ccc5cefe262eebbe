/* SPDX-License-Identifier: GPL-2.0-or-later

   When the next round of a function's contexts (model/context.h) can begin: when it has
   no frame on any stack, and no call takes the fast path to it.  To make that so, calls
   that come to a place where there is other code now take the slow path once.

   Tried where there are many, and not before as many have been added as it took steps to
   find out.  So a function that is rewritten again and again, each time for other
   callers, takes time by their number, not by its square.  */

#ifndef CALLGRIND_RECENT_CONTEXTS_H
#define CALLGRIND_RECENT_CONTEXTS_H

#include "model/context.h"

/* `block` has been retired, with all that contexts had counted in it.  */
void recent_contexts_after_retiring(const Block* block);

#endif
