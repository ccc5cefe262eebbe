/* SPDX-License-Identifier: GPL-2.0-or-later

   Syncing frames with the clock of rare events; see rare_sync.h.  */

#include "stack/rare_sync.h"

static Bool anything_is_rare(void) { return cost_rare.begin != cost_rare.end; }

void rare_sync_frames(void)
{
   Frame* top = shadowstack_now.top;
   /* Where nothing is rare the mark may be anywhere, even above the topmost frame.  */
   if (anything_is_rare())
      for (Frame* frame = shadowstack_now.rare_synced; frame != top;) {
         frame = shadowstack_above(frame);
         cost_copy_pairs(frame->entry, cost_clock, cost_rare.begin, cost_rare.end);
      }
   shadowstack_now.rare_synced = top;
}
