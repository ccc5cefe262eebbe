/* SPDX-License-Identifier: GPL-2.0-or-later

   Arcs by the guest address at which control arrived last (Arc.last_target): what is
   remembered of a call, so that the next one like it takes the same arc without a search
   for its function.

   When other code comes to stand at an address, the arcs that arrive there have to forget
   it.  So there are lists of arcs by target; all others go on as before.  */

#ifndef CALLGRIND_ARC_TARGETS_H
#define CALLGRIND_ARC_TARGETS_H

#include "model/arc.h"

/* The arc by which control came from `caller` at `site` to guest address `target` the
   last time; NULL if that is not known (any more).  Fast.  */
Arc* arc_recall(const Context* caller, const CallSite* site, Addr target);

/* Control has come to `target`, which is not 0, by `arc`: arc_recall() will find it.  */
void arc_remember(Arc* arc, Addr target);

/* As arc_remember(), of an arc to `stub`, which arc_recall() is not asked for.  */
void arc_remember_stub(Arc* arc, const Block* stub);

/* There is other code now at `target`: the arcs that arrive there forget it.  Takes time
   by their number.  */
void arc_forget_target(Addr target);

/* The host's code for `target` is discarded: the arcs that arrive there have no host
   target. Takes time as arc_forget_target() does.  */
void arc_forget_host_targets(Addr target);

/* How many arcs to the function's contexts arc_recall() can find.  */
UInt arc_n_remembered(const Function* function);

/* All arcs forget their targets: it has been decided anew what is skipped.  */
void arc_forget_targets(void);

#endif
