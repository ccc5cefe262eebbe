/* SPDX-License-Identifier: GPL-2.0-or-later

   Adds up what a part of a profile holds; see part.h.  */

#include "tables/part.h"

#include "base/array.h"
#include "base/give_up.h"

#include <stdlib.h>
#include <string.h>

void part_start(Part* part, unsigned events, bool with_lines)
{
   *part = (Part){.events = events, .with_lines = with_lines};
}

void part_free(Part* part)
{
   Numbering* numberings[] = {&part->functions, &part->blocks, &part->lines,
                              &part->arcs,      &part->goals,  &part->jumps};
   for (size_t n = 0; n < sizeof numberings / sizeof numberings[0]; n++)
      numbering_clear(numberings[n]);
   free(part->self.numbers);
   free(part->line_costs.numbers);
   free(part->inclusive.numbers);
   free(part->counts);
   free(part->targets);
   free(part->jump_counts);
   *part = (Part){0};
}

static void add_number(int64_t* sum, int64_t number)
{
   if (__builtin_add_overflow(*sum, number, sum))
      give_up("a sum has more than 64 bits");
}

static void add_cost(const Part* part, const Costs* costs, uint32_t place,
                     const int64_t* cost, unsigned count)
{
   int64_t* sums = costs->numbers + (size_t)place * part->events;
   for (unsigned n = 0; n < count; n++)
      add_number(&sums[n], cost[n]);
}

/* A cost of zeros for what is the newest of its kind.  */
static void start_cost(const Part* part, Costs* costs, uint32_t place)
{
   size_t start = (size_t)place * part->events;
   costs->numbers = array_room(costs->numbers, &costs->capacity, start + part->events,
                               sizeof *costs->numbers);
   memset(costs->numbers + start, 0, part->events * sizeof *costs->numbers);
}

uint32_t part_function(Part* part, uint32_t key)
{
   uint32_t known = part->functions.count;
   uint32_t function = numbering_add(&part->functions, (Key){key, 0});
   if (function == known)
      start_cost(part, &part->self, function);
   return function;
}

uint32_t part_block(Part* part, uint32_t function, uint32_t source)
{
   return numbering_add(&part->blocks, (Key){pair_of(function, source), 0});
}

void part_add_self(Part* part, uint32_t function, uint32_t block, int64_t line,
                   const int64_t* cost, unsigned count)
{
   add_cost(part, &part->self, function, cost, count);
   if (!part->with_lines)
      return;
   uint32_t known = part->lines.count;
   uint32_t place = numbering_add(&part->lines, (Key){block, (uint64_t)line});
   if (place == known)
      start_cost(part, &part->line_costs, place);
   add_cost(part, &part->line_costs, place, cost, count);
}

void part_add_calls(Part* part, uint32_t function, uint32_t block, int64_t line,
                    uint32_t callee, int64_t target, int64_t calls, const int64_t* cost,
                    unsigned count)
{
   Key key = {pair_of(function, callee), 0};
   if (part->with_lines)
      key = (Key){pair_of(block, callee), (uint64_t)line};
   uint32_t known = part->arcs.count;
   uint32_t arc = numbering_add(&part->arcs, key);
   if (arc == known) {
      start_cost(part, &part->inclusive, arc);
      part->counts = array_room(part->counts, &part->counts_capacity, (size_t)arc + 1,
                                sizeof *part->counts);
      part->counts[arc] = 0;
      part->targets = array_room(part->targets, &part->targets_capacity, (size_t)arc + 1,
                                 sizeof *part->targets);
      part->targets[arc] = target;
   }
   add_number(&part->counts[arc], calls);
   add_cost(part, &part->inclusive, arc, cost, count);
}

void part_add_jump(Part* part, uint32_t block, int64_t line, Goal goal, JumpCounts counts)
{
   /* The line has 62 bits. */
   Key place = {pair_of(goal.function, goal.file),
                (uint64_t)goal.line * 2 + goal.is_conditional};
   uint32_t to = numbering_add(&part->goals, place);
   uint32_t known = part->jumps.count;
   uint32_t jump = numbering_add(&part->jumps, (Key){pair_of(block, to), (uint64_t)line});
   if (jump == known) {
      part->jump_counts = array_room(part->jump_counts, &part->jumps_capacity,
                                     (size_t)jump + 1, sizeof *part->jump_counts);
      part->jump_counts[jump] = (JumpCounts){0, 0};
   }
   add_number(&part->jump_counts[jump].executed, counts.executed);
   add_number(&part->jump_counts[jump].followed, counts.followed);
}
