/* SPDX-License-Identifier: GPL-2.0-or-later

   The simulated caches and branch predictors of this run: one of each for all threads,
   as stock callgrind has it.  What generated code looks at, and what it calls.  */

#ifndef CALLGRIND_SIMULATION_H
#define CALLGRIND_SIMULATION_H

#include "model/reference.h"
#include "sim/firstlevel.h"

/* After options_finish() and cost_init().  Says in the log what stock says of the caches
   that it finds.  */
void simulation_init(void);

/* Caches as if nothing had run yet.  Predictors stay as they are.  */
void simulation_make_cold(void);

/* To be called before the last part is written: what is still in the caches is counted as
   if it had to leave them.  */
void simulation_finish(void);

/* The first-level caches.  Of that for data, generated code reads which line of a set was
   used last; with lines of code, it notes when they were used, by the core's countdown of
   superblocks (thread_countdown()).  Their addresses never change.  */
ICache* simulation_code(void);
const FirstLevel* simulation_data(void);

/* Bytes of the smallest line of all caches: no access is taken for longer.  */
UInt simulation_smallest_line(void);

/* Does a reference of this kind change the simulator even if it is a plain hit on the line
   used last?  */
Bool simulation_is_always_called(ReferenceKind kind);

/* Simulates the group of references that begins with `first`, and counts what comes of
   them for whoever runs.  Takes as many of the arguments as the group has.  Generated code
   has noted that the lines of code are used.  */
void simulation_run(const Reference* first, Addr a, Addr b, Addr c, Addr d);

/* The same where generated code has noted nothing: for a group whose lines push each other
   out, so that each is to be noted only when its turn comes, and for cold code
   (cold_code.h).  Notes how often data are no plain hit.  */
void simulation_run_unnoted(const Reference* first, Addr a, Addr b, Addr c, Addr d);

/* The calls for what most often is asked.  They are chosen by the shape of the cache.  */
typedef struct {
   /* As simulation_run(), for a group that accesses data, of which `first` is the first.
      `missed` is ICACHE_LINE_ABSENT if a line of code is.  */
   void (*access)(const PackedReference* first, UWord missed, Addr a, Addr b, Addr c,
                  Addr d);
   /* The same for a group with a single access, which is the last in it, if that is neither
      guarded nor asked about always.  */
   void (*access_one)(SizedReference access, UWord missed, Addr address);
} SimulationHelpers;
SimulationHelpers simulation_helpers(void);

/* As simulation_run(), with --cacheuse=yes.  */
void simulation_run_used(const Reference* first, Addr a, Addr b, Addr c, Addr d);

/* The branch `reference` has been decided: how it turned out, or where it goes.  */
void simulation_branch_conditional(const Reference* branch, UWord taken);
void simulation_branch_indirect(const Reference* branch, Addr target);

#endif
