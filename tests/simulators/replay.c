/* SPDX-License-Identifier: GPL-2.0-or-later

   Runs whole traces through the simulators, for tests in Python: a call for each access
   would take too long there.  Built as a shared library, see native.py.  */

#include "sim/branchsim.h"
#include "sim/cachesim.h"
#include "sim/host_caches.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
   uint64_t address;
   uint32_t size;
   uint32_t first; /* 0 or 1: which of the two first levels it goes to */
} TracedAccess;

/* What is wrong with the check for the newest line, as bits of an answer.  */
enum { NewestMissed = 0x10, NewestChanged = 0x20, NewestSaid = 0x40 };

typedef struct {
   CacheLevel level;
   void* memory;
   void* copy;
   size_t bytes;
} TestedLevel;

static void make(TestedLevel* tested, const CacheGeometry* geometry)
{
   tested->bytes = cachesim_bytes(geometry);
   tested->memory = calloc(1, tested->bytes);
   tested->copy = malloc(tested->bytes);
   cachesim_set_up(&tested->level, geometry, tested->memory);
}

static void drop(TestedLevel* tested)
{
   free(tested->memory);
   free(tested->copy);
}

static int outcome_of(TestedLevel* first, TestedLevel* last, const TracedAccess* access)
{
   uintptr_t address = (uintptr_t)access->address;
   if (!cachesim_is_newest(&first->level, address, access->size))
      return (int)cachesim_access(&first->level, &last->level, address, access->size);
   memcpy(first->copy, first->memory, first->bytes);
   int answer = (int)cachesim_access(&first->level, &last->level, address, access->size);
   if (answer != CacheHit)
      answer |= NewestMissed;
   if (memcmp(first->copy, first->memory, first->bytes) != 0)
      answer |= NewestChanged;
   return answer | NewestSaid;
}

/* Fills answers[] with a CacheOutcome, and bits from above, for each access.  The caches
   are emptied before the accesses at the positions empty_at[], which ascend and end with
   one that is not reached.  The shapes are of both first levels and the last one.  */
void replay_caches(const CacheGeometry shapes[3], size_t n, const TracedAccess accesses[],
                   const size_t empty_at[], uint8_t answers[])
{
   TestedLevel levels[3];
   for (int i = 0; i < 3; i++)
      make(&levels[i], &shapes[i]);
   for (size_t i = 0; i < n; i++) {
      if (i == *empty_at) {
         for (int level = 0; level < 3; level++)
            cachesim_empty(&levels[level].level);
         empty_at++;
      }
      answers[i] =
         (uint8_t)outcome_of(&levels[accesses[i].first], &levels[2], &accesses[i]);
   }
   for (int i = 0; i < 3; i++)
      drop(&levels[i]);
}

typedef struct {
   uint64_t address, target;
   uint32_t is_indirect, taken;
} TracedBranch;

/* Fills answers[] with whether each branch was mispredicted.  The predictor is emptied
   before the branch at the position `empty_at`.  */
void replay_branches(size_t n, const TracedBranch branches[], size_t empty_at,
                     uint8_t answers[])
{
   BranchPredictor* predictor = calloc(1, sizeof *predictor);
   for (size_t i = 0; i < n; i++) {
      const TracedBranch* branch = &branches[i];
      uintptr_t address = (uintptr_t)branch->address;
      if (i == empty_at)
         branchsim_empty(predictor);
      answers[i] = branch->is_indirect
                      ? branchsim_indirect(predictor, address, (uintptr_t)branch->target)
                      : branchsim_conditional(predictor, address, branch->taken != 0);
   }
   free(predictor);
}

typedef struct {
   uint32_t leaf, subleaf;
   CpuidAnswer answer;
} MadeUpAnswer;

static const MadeUpAnswer* made_up;
static size_t made_up_count;

/* Leaves that are not listed are all zero.  */
static CpuidAnswer ask_made_up(uint32_t leaf, uint32_t subleaf)
{
   for (size_t i = 0; i < made_up_count; i++)
      if (made_up[i].leaf == leaf && made_up[i].subleaf == subleaf)
         return made_up[i].answer;
   return (CpuidAnswer){0, 0, 0, 0};
}

/* The caches of a made-up processor; with NULL those of this one.  */
void replay_host_caches(const MadeUpAnswer answers[], size_t n, HostCaches* found)
{
   made_up = answers;
   made_up_count = n;
   host_caches_find(answers == NULL ? host_caches_cpuid : ask_made_up, found);
}
