/* SPDX-License-Identifier: GPL-2.0-or-later

   The memory of plans; see reference_plan.h.

   Owns one set of arrays.  The plans of all segments of a superblock share them, one
   behind the other, and the next superblock uses them again: so they take as much memory
   as one superblock may need, and nothing is allocated.  */

#include "instrument/shape/reference_plan.h"

static Reference references[BLOCK_MAX_REFERENCES];
static UInt statements[BLOCK_MAX_REFERENCES];
static ReferenceGroup groups[BLOCK_MAX_REFERENCES];
static ReferenceRange ranges[BLOCK_MAX_REFERENCES];
static ICacheLine* lines[BLOCK_MAX_REFERENCES];

/* Where the next plan begins.  */
static ReferencePlan unused;

void reference_plan_discard_all(void)
{
   unused = (ReferencePlan){.references = references,
                            .statements = statements,
                            .groups = groups,
                            .ranges = ranges,
                            .lines = lines};
}

ReferencePlan reference_plan_new(void) { return unused; }

void reference_plan_keep(const ReferencePlan* plan)
{
   unused.references = plan->references + plan->n;
   unused.statements = plan->statements + plan->n;
   unused.groups = plan->groups + plan->n_groups;
   unused.ranges = plan->ranges + plan->n_ranges;
   unused.lines = plan->lines + plan->n_lines;
}

Bool reference_plan_has_room(const ReferencePlan* plan)
{
   return plan->references + plan->n < references + BLOCK_MAX_REFERENCES &&
          plan->lines + plan->n_lines + 1 < lines + BLOCK_MAX_REFERENCES;
}

UInt reference_plan_first_at(const ReferencePlan* plan, UInt i)
{
   UInt low = 0, high = plan->n;
   while (low < high) {
      UInt middle = (low + high) / 2;
      if (plan->statements[middle] < i)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}
