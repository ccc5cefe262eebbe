/* SPDX-License-Identifier: GPL-2.0-or-later

   Counts superblocks; see superblock_count.h.  */

#include "stack/threads/superblock_count.h"

ULong superblock_count_left;

static ULong period; /* 0: they are not counted */
static ULong before; /* in all periods that are over */
static void (*when_due)(void);

void superblock_count_init(ULong superblocks, void (*hook)(void))
{
   superblock_count_left = period = superblocks;
   when_due = hook;
}

Bool superblock_count_is_on(void) { return period != 0; }

ULong superblock_count(void) { return before + period - superblock_count_left; }

void superblock_count_due(void)
{
   when_due();
   before += period;
   superblock_count_left = period;
}
