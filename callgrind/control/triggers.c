/* SPDX-License-Identifier: GPL-2.0-or-later

   See triggers.h.  Functions that are entered or left, and superblocks that have run,
   are noticed by stack/, which knows no dumps.  So the actions are installed there as
   hooks.  */

#include "control/triggers.h"

#include "control/dump.h"
#include "base/text.h"
#include "options/options.h"
#include "stack/effects.h"
#include "stack/thread.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

static ULong next_dump; /* due when this many superblocks have been executed */

static void dump_at_function(const HChar* option, const HChar* function)
{
   HChar* trigger = text_join("triggers.trigger", option, "=", function);
   dump_part(trigger);
   VG_(free)(trigger);
}

/* Writes one part, however many periods have passed.  */
static void dump_if_due(ULong blocks_run)
{
   if (blocks_run < next_dump)
      return;
   HChar trigger[64];
   VG_(snprintf)(trigger, sizeof trigger, "--dump-every-bb=%llu", options.dump_every_bb);
   dump_all_threads(trigger);
   next_dump = blocks_run + options.dump_every_bb;
}

void triggers_init(void)
{
   const EffectsActions actions = {dump_at_function, dump_zero};
   effects_init(&actions);
   if (options.dump_every_bb == 0)
      return;
   next_dump = options.dump_every_bb;
   thread_before_running(dump_if_due);
}
