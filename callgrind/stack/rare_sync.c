/* SPDX-License-Identifier: GPL-2.0-or-later

   See rare_sync.h.  */

#include "stack/rare_sync.h"

static Bool anything_is_rare(void) { return cost_rare.begin != cost_rare.end; }

void rare_sync_frames(void)
{
   Frame* top = shadowstack_now.top;
   /* With a single event the mark may be anywhere.  */
   if (anything_is_rare())
      for (Frame* frame = shadowstack_now.rare_synced; frame != top;) {
         frame = shadowstack_above(frame);
         cost_copy_pairs(frame->entry, cost_clock, cost_rare.begin, cost_rare.end);
      }
   shadowstack_now.rare_synced = top;
}
