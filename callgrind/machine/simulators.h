/* SPDX-License-Identifier: GPL-2.0-or-later

   The simulators themselves.  Shared by the files of machine/ only: everybody else goes
   by simulation.h and simulation_helpers.h.  */

#ifndef CALLGRIND_SIMULATORS_H
#define CALLGRIND_SIMULATORS_H

#include "model/reference.h"
#include "options/options.h"
#include "sim/branchsim.h"
#include "sim/cacheuse.h"
#include "sim/firstlevel.h"
#include "sim/historysim.h"
#include "sim/icache.h"
#include "sim/lastlevel.h"
#include "sim/prefetch.h"
#include "sim/writeback.h"

/* What the options have us simulate of caches.  */
typedef enum {
   ModelPlain,
   ModelPrefetch,          /* --simulate-hwpref */
   ModelWriteback,         /* --simulate-wb */
   ModelWritebackPrefetch, /* both */
   ModelUse                /* --cacheuse */
} CacheModel;

/* One of each for all threads.  Which last level is used depends on the model.  */
typedef struct {
   CacheModel model;
   ICache i1;
   FirstLevel d1;
   LastLevel ll;                /* ModelPlain, ModelPrefetch */
   WritebackLevel ll_writeback; /* ModelWriteback, ModelWritebackPrefetch */
   Prefetcher prefetcher;

   /* With --cycle-model.  No event is counted by them, only cycles.  */
   Bool counts_cycles;           /* of caches */
   Bool counts_predicted_cycles; /* of branches */
   HistoryPredictor by_history;
   LastLevel second;       /* the second level */
   LastLevel translations; /* of addresses, behind the first buffer: of pages */

   UsedLevel with_use[CACHES]; /* ModelUse: in place of all the others */
   BranchPredictor predictor;

   /* simulation_is_always_called(), by kind; and as a bit of the packed references for
      which it is true.  */
   UChar is_always_called[REFERENCE_KINDS];
   PackedReference always_called;
} Simulators;

/* Owned by simulation.c.  */
extern Simulators simulators;

#endif
