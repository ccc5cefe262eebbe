/* SPDX-License-Identifier: GPL-2.0-or-later

   The clock of rare events (cost.h), which calls and returns do without most of the time.

   A frame notes the clock at its entry.  Of rare events it need not, as long as none of
   them happens: what it would have noted is what the clock says now.  So frames that are
   entered the short way note frequent events only.  All frames up to shadowstack_now.rare_synced
   have noted the rest; in those above, `entry` is void for rare events, and the clock has
   not moved on in these since each of them should have noted it.

   Who changes the clock of rare events, or looks at `entry` of a frame without asking
   whether that has been noted, lets all frames catch up before.  What is not a short way
   does so, and leaves nothing above the mark; stacks that do not run have noted all.

   By the same token, while the topmost frame is above the mark, nothing rare has happened
   since it began to run: its node of the call tree has nothing of that to be booked.

   With a single event nothing is rare, and the short ways leave the mark where it is.  */

#ifndef CALLGRIND_RARE_SYNC_H
#define CALLGRIND_RARE_SYNC_H

#include "stack/shadowstack.h"

/* Lets the frames above the mark note the clock of rare events, and moves it to the topmost
   frame.  */
void rare_sync_frames(void);

/* The same; fast where there is nothing to do.  */
static inline void rare_sync(void)
{
   if (UNLIKELY(shadowstack_now.rare_synced != shadowstack_now.top))
      rare_sync_frames();
}

#endif
