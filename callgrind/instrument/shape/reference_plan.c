/* SPDX-License-Identifier: GPL-2.0-or-later

   See reference_plan.h.  Keeps nothing.  */

#include "instrument/shape/reference_plan.h"

void plan_room_discard_all(PlanRoom* room)
{
   room->unused = (ReferencePlan){.references = room->references,
                                  .statements = room->statements,
                                  .groups = room->groups,
                                  .ranges = room->ranges,
                                  .lines = room->lines};
}

ReferencePlan plan_room_new(const PlanRoom* room) { return room->unused; }

void plan_room_keep(PlanRoom* room, const ReferencePlan* plan)
{
   room->unused.references = plan->references + plan->n;
   room->unused.statements = plan->statements + plan->n;
   room->unused.groups = plan->groups + plan->n_groups;
   room->unused.ranges = plan->ranges + plan->n_ranges;
   room->unused.lines = plan->lines + plan->n_lines;
}

Bool plan_room_has_room(const PlanRoom* room, const ReferencePlan* plan)
{
   return plan->references + plan->n < room->references + BLOCK_MAX_REFERENCES &&
          plan->lines + plan->n_lines + 1 < room->lines + BLOCK_MAX_REFERENCES;
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
