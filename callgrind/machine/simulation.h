/* SPDX-License-Identifier: GPL-2.0-or-later

   The simulated machine of this process: caches and a branch predictor, one of each for
   all threads, as stock callgrind has it.  Here it is set up, emptied and finished, and
   here are its parts that the instrumenter has to know.  What generated code calls:
   simulation_helpers.h.  */

#ifndef CALLGRIND_SIMULATION_H
#define CALLGRIND_SIMULATION_H

#include "model/reference.h"
#include "sim/branchsim.h"
#include "sim/firstlevel.h"

/* Sets it up, as the options say.  To be called once, after options_finish() and
   cost_init().  Writes what stock callgrind writes about the caches to the log.  Ends the
   program, with a message, if a cache cannot be simulated or takes more memory than there
   is.  */
void simulation_init(void);

/* Empties the caches, unless --cache-at-start=keep.  The branch predictor stays as it is,
   as in stock callgrind.  */
void simulation_make_cold(void);

/* To be called before the last part is written.  With --cacheuse=yes it books the waste
   of all lines that are still in a cache, as if they were evicted.  */
void simulation_finish(void);

/* The first-level caches.  Generated code reads from that for data which line of a set
   was used last.  When it uses a line of code, it stores the core's countdown of
   superblocks (thread_countdown()) in the line's record.  The addresses never change.  */
ICache* simulation_code(void);
const FirstLevel* simulation_data(void);

/* Length in bytes of the shortest line of all caches.  No access counts as longer.  */
UInt simulation_smallest_line(void);

/* Must the simulator be called for each access by a reference of this kind, even for an
   MRU hit?  */
Bool simulation_is_always_called(ReferenceKind kind);

/* The predictor of branches.  Is it the only one?  With --cycle-model it is not.  */
BranchPredictor* simulation_predictor(void);
Bool simulation_has_one_predictor(void);

#endif
