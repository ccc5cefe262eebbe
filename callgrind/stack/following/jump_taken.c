/* SPDX-License-Identifier: GPL-2.0-or-later

   Indirect jumps; see jump_taken.h.  */

#include "stack/following/jump_taken.h"

#include "model/jump.h"
#include "stack/frames/shadowstack_types.h"

void jump_taken(Addr target, const CallSite* site)
{
   /* The jump counts for the context whose counters have its instruction, if any.  */
   Context* context = shadowstack_now.top->context;
   if (context != NULL && context->counters == shadowstack_now.counters)
      jump_count_indirect(context, site, target);
}
