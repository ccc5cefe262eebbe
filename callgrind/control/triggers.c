/* SPDX-License-Identifier: GPL-2.0-or-later

   See triggers.h.  Functions that are entered or left, and superblocks that have run,
   are noticed by stack/, which knows no dumps.  So the actions are installed there as
   hooks.  */

#include "control/triggers.h"

#include "base/text.h"
#include "control/parts/dump.h"
#include "options/options.h"
#include "stack/frames/effects.h"
#include "stack/threads/superblock_count.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

static void dump_at_function(const HChar* option, const HChar* function)
{
   HChar* trigger = text_join("triggers.trigger", option, "=", function);
   dump_part(trigger);
   VG_(free)(trigger);
}

static void dump_at_superblock(void)
{
   HChar trigger[64];
   VG_(snprintf)(trigger, sizeof trigger, "--dump-every-bb=%llu", options.dump_every_bb);
   dump_all_threads(trigger);
}

void triggers_init(void)
{
   const EffectsActions actions = {dump_at_function, dump_zero};
   effects_init(&actions);
   if (options.dump_every_bb != 0)
      superblock_count_init(options.dump_every_bb, dump_at_superblock);
}
