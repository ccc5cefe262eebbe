/* SPDX-License-Identifier: GPL-2.0-or-later

   The clock of rare events (cost.h), which calls and returns leave out most of the time.

   A frame records the clock at its entry.  The numbers of rare events can be left out as
   long as no rare event happens: what would have been recorded is still what the clock
   says.  So the fast path records the frequent events only, and the rest is copied when
   somebody needs it:

      frames up to shadowstack_now.rare_synced    `entry` is complete
      frames above                                `entry` has no valid rare events; none
                                                  happened since the first was entered

   Before the clock of a rare event changes, and before any other code than the fast path
   reads `entry`, the frames are synced with rare_sync().  The slow path does so always,
   and leaves no frame above the mark; in stacks that do not run all frames are synced.

   It follows that while the topmost frame is above the mark, no rare event has happened
   since it began to run: its node of the call tree has none to book.

   With a single event nothing is rare, and the fast path leaves the mark where it is.  */

#ifndef CALLGRIND_RARE_SYNC_H
#define CALLGRIND_RARE_SYNC_H

#include "stack/frames/shadowstack_types.h"

/* Copies the clock of rare events into the frames above shadowstack_now.rare_synced,
   which becomes the topmost frame.  */
void rare_sync_frames(void);

/* As rare_sync_frames(); fast where there is nothing to do.  */
static inline void rare_sync(void)
{
   if (UNLIKELY(shadowstack_now.rare_synced != shadowstack_now.top))
      rare_sync_frames();
}

#endif
