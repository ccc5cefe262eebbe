/* SPDX-License-Identifier: GPL-2.0-or-later

   Syncing frames with the clock of rare events; see rare_sync.h.  */

#include "stack/frames/rare_sync.h"

void rare_sync_frames(void)
{
   Frame* top = shadowstack_now.top;
   /* Where nothing is rare the mark may be anywhere, even above the topmost frame.  */
   if (cost_has_rare())
      for (Frame* frame = shadowstack_now.rare_synced; frame != top;) {
         frame = shadowstack_above(frame);
         cost_copy_pairs(frame->entry, cost_clock, cost_n_frequent(), cost_n_events());
      }
   shadowstack_now.rare_synced = top;
}
