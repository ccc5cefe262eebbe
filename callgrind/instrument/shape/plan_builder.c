/* SPDX-License-Identifier: GPL-2.0-or-later

   Groups and ranges; see plan_builder.h.

   Fewer ranges make a cheaper check, but a range that lies in two cache lines never is an
   MRU hit.  So accesses relative to one base join a range only if they are likely to be
   in one line, and a range that lies between others of its base is dropped where it must
   be in the line of one of them.  */

#include "instrument/shape/plan_builder.h"

#include "machine/simulation.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"

/* Ranges and lines of a group: what is compared should fit the host's registers.  */
#define MAX_RANGES 8

PlanBuilder plan_builder_new(const PlanRoom* room, const AddressBases* bases)
{
   return (PlanBuilder){.plan = plan_room_new(room), .room = room, .bases = bases};
}

void plan_builder_begin_instruction(PlanBuilder* builder, Addr address)
{
   builder->n_instructions++;
   builder->instruction_address = address;
}

/*--------------------------------------------------------------------*/
/* Groups                                                              */

static ReferenceGroup* open_group(const PlanBuilder* builder)
{
   return &builder->plan.groups[builder->plan.n_groups - 1];
}

void plan_builder_close_group(PlanBuilder* builder)
{
   if (!builder->has_open_group)
      return;
   open_group(builder)->at = builder->statement;
   builder->plan.references[builder->plan.n - 1].is_last = True;
   builder->has_open_group = False;
}

/* The open group, if it can take a reference with so many ranges or lines; otherwise a
   new one.  */
static ReferenceGroup* need_group(PlanBuilder* builder, UInt n_ranges)
{
   if (builder->has_open_group) {
      const ReferenceGroup* group = open_group(builder);
      if (group->is_full || group->n == REFERENCE_MAX_TOGETHER ||
          group->n_ranges + group->n_lines + n_ranges > MAX_RANGES)
         plan_builder_close_group(builder);
   }
   if (!builder->has_open_group) {
      ReferencePlan* plan = &builder->plan;
      plan->groups[plan->n_groups++] = (ReferenceGroup){.first = plan->n,
                                                        .first_access = plan->n_accesses,
                                                        .first_range = plan->n_ranges,
                                                        .first_line = plan->n_lines};
      builder->has_open_group = True;
   }
   return open_group(builder);
}

static Reference* add_reference(PlanBuilder* builder, ReferenceKind kind, Addr address,
                                UInt size)
{
   ReferencePlan* plan = &builder->plan;
   tl_assert(plan_room_has_room(builder->room, plan));
   Reference* reference = &plan->references[plan->n];
   VG_(memset)(reference, 0, sizeof *reference);
   reference->kind = (UChar)kind;
   reference->address = address;
   reference->at = builder->instruction_address;
   reference->size = (UShort)size;
   reference->instruction = (UShort)(builder->n_instructions - 1);
   reference->argument = REFERENCE_NO_ARGUMENT;
   reference->outcomes = builder->n_outcomes;
   builder->n_outcomes += reference_n_outcomes(reference);
   if (builder->has_open_group)
      reference->before = (UChar)(plan->n - open_group(builder)->first);
   plan->n_accesses += reference_is_data(reference);
   plan->statements[plan->n++] = builder->statement;
   return reference;
}

/*--------------------------------------------------------------------*/
/* Fetches and branches                                                */

static void add_line(ReferencePlan* plan, ReferenceGroup* group, ICacheLine* line)
{
   for (UInt i = 0; i < group->n_lines; i++)
      if (icache_share_set(simulation_code(), plan->lines[group->first_line + i], line))
         group->lines_share_set = True;
   plan->lines[group->first_line + group->n_lines++] = line;
   plan->n_lines++;
}

void plan_builder_add_fetch(PlanBuilder* builder, Addr address, UInt size,
                            ICacheLine* const* lines, UInt n_lines)
{
   ReferenceGroup* group = need_group(builder, n_lines);
   Reference* reference = add_reference(builder, ReferenceFetch, address, size);
   if (!simulation_is_always_called(ReferenceFetch))
      reference->line = lines[0];
   reference->is_from_two = n_lines > 1;
   if (n_lines > 1)
      lines[0]->following = lines[1];
   group->n++;
   for (UInt i = 0; i < n_lines; i++)
      add_line(&builder->plan, group, lines[i]);
}

void plan_builder_add_branch(PlanBuilder* builder, ReferenceKind kind, Addr shift)
{
   Reference* reference =
      add_reference(builder, kind, builder->instruction_address + shift, 0);
   reference->is_last = True;
}

/*--------------------------------------------------------------------*/
/* Ranges                                                              */

static ReferenceRange* add_range(ReferencePlan* plan, ReferenceGroup* group,
                                 IRExpr* first, SplitAddress at, UInt length)
{
   ReferenceRange* range = &plan->ranges[plan->n_ranges++];
   group->n_ranges++;
   *range = (ReferenceRange){
      .base = at.base, .low = at.offset, .first = first, .length = length};
   return range;
}

/* Are the bytes [begin, end) relative to `base` likely to be in one cache line?  */
static Bool is_likely_one_line(const AddressBases* bases, const IRExpr* base, ULong begin,
                               ULong end)
{
   if (base == NULL)
      return (begin ^ (end - 1)) < firstlevel_line_size(simulation_data()->shape);
   ULong misalignment = address_bases_misalignment(bases, base);
   return ((misalignment + begin) ^ (misalignment + end - 1)) < ADDRESS_GRANULE;
}

/* Makes a range of the group longer, if there is one that can be, to hold these
   bytes.  */
static Bool join_range(const PlanBuilder* builder, const ReferenceGroup* group,
                       IRExpr* first, SplitAddress at, UInt size)
{
   for (UInt i = group->first_range; i < group->first_range + group->n_ranges; i++) {
      ReferenceRange* range = &builder->plan.ranges[i];
      if (!address_bases_are_same(range->base, at.base))
         continue;
      ULong begin = (Long)(at.offset - range->low) < 0 ? at.offset : range->low;
      ULong end = at.offset + size, range_end = range->low + range->length;
      if ((Long)(range_end - end) > 0)
         end = range_end;
      if (end - begin > range->length &&
          !is_likely_one_line(builder->bases, at.base, begin, end))
         continue;
      if (begin != range->low)
         range->first = first;
      range->low = begin;
      range->length = (UInt)(end - begin);
      return True;
   }
   return False;
}

/* Do the bytes [low, end) lie between the first byte of `a` and the last one of `b`,
   which are at most a line's length apart?  Then they are in the line of `a` or in that
   of `b`.  */
static Bool is_between(const ReferenceRange* a, const ReferenceRange* b, ULong low,
                       ULong end)
{
   ULong span = b->low + b->length - a->low;
   return span <= firstlevel_line_size(simulation_data()->shape) && low - a->low < span &&
          end - a->low <= span;
}

/* Are these bytes sure to be MRU hits if all ranges of the group, but for `except`,
   are?  */
static Bool is_covered(const ReferencePlan* plan, const ReferenceGroup* group,
                       const ReferenceRange* except, SplitAddress at, ULong size)
{
   const ReferenceRange* ranges = &plan->ranges[group->first_range];
   for (UInt a = 0; a < group->n_ranges; a++) {
      if (&ranges[a] == except || !address_bases_are_same(ranges[a].base, at.base))
         continue;
      for (UInt b = 0; b < group->n_ranges; b++)
         if (&ranges[b] != except && address_bases_are_same(ranges[b].base, at.base) &&
             is_between(&ranges[a], &ranges[b], at.offset, at.offset + size))
            return True;
   }
   return False;
}

/* Drops the ranges of this base that need no check, since others cover them.  */
static void drop_covered(ReferencePlan* plan, ReferenceGroup* group, const IRExpr* base)
{
   ReferenceRange* ranges = &plan->ranges[group->first_range];
   for (UInt i = 0; i < group->n_ranges;) {
      ReferenceRange* range = &ranges[i];
      SplitAddress at = {range->base, range->low};
      if (!address_bases_are_same(range->base, base) ||
          !is_covered(plan, group, range, at, range->length)) {
         i++;
         continue;
      }
      *range = ranges[--group->n_ranges];
      plan->n_ranges--;
   }
}

/* Has the group check these bytes.  */
static void cover(PlanBuilder* builder, ReferenceGroup* group, IRExpr* first,
                  SplitAddress at, UInt size)
{
   ReferencePlan* plan = &builder->plan;
   if (is_covered(plan, group, NULL, at, size))
      return;
   if (!join_range(builder, group, first, at, size))
      add_range(plan, group, first, at, size);
   if (group->n_ranges > 2)
      drop_covered(plan, group, at.base);
}

/*--------------------------------------------------------------------*/
/* Data                                                                */

/* The group's argument that is `base`; n_arguments if it has none.  */
static UInt argument_of(const ReferenceGroup* group, const IRExpr* base)
{
   UInt i = 0;
   while (i < group->n_arguments && !address_bases_are_same(group->arguments[i], base))
      i++;
   return i;
}

static Bool has_room_for(const ReferenceGroup* group, const IRExpr* base)
{
   return base == NULL || argument_of(group, base) < REFERENCE_MAX_ARGUMENTS;
}

/* As argument_of(); `base` becomes an argument, if need be.  There is room for it.  */
static UChar need_argument(ReferenceGroup* group, IRExpr* base)
{
   if (base == NULL)
      return REFERENCE_NO_ARGUMENT;
   UInt i = argument_of(group, base);
   if (i == group->n_arguments)
      group->arguments[group->n_arguments++] = base;
   return (UChar)i;
}

void plan_builder_add_access(PlanBuilder* builder, ReferenceKind kind, IRExpr* address,
                             UInt size, UChar mru_misses)
{
   SplitAddress at = address_bases_split(builder->bases, address);
   /* An access that often misses the MRU line shares its group with no other data: they
      would be simulated whenever it misses.  Fetches do no harm.  */
   Bool is_alone = mru_misses == REFERENCE_OFTEN_MISSES_MRU;
   if (is_alone && builder->has_open_group && open_group(builder)->n_ranges > 0)
      plan_builder_close_group(builder);
   ReferenceGroup* group = need_group(builder, 1);
   if (!has_room_for(group, at.base)) {
      plan_builder_close_group(builder);
      group = need_group(builder, 1);
   }
   Reference* reference = add_reference(builder, kind, (Addr)at.offset, size);
   reference->mru_misses = mru_misses;
   reference->argument = need_argument(group, at.base);
   group->n++;
   group->is_full = is_alone;
   cover(builder, group, address, at, size);
}

void plan_builder_add_guarded_access(PlanBuilder* builder, ReferenceKind kind,
                                     IRExpr* address, IRExpr* guard, UInt size)
{
   plan_builder_close_group(builder);
   ReferenceGroup* group = need_group(builder, 1);
   Reference* reference = add_reference(builder, kind, 0, size);
   reference->is_guarded = True;
   builder->n_outcomes++;
   /* The whole address is the argument, even if it is a constant: generated code passes
      another value if the access is not made.  */
   reference->argument = 0;
   group->arguments[group->n_arguments++] = address;
   group->n++;
   group->guard = guard;
   SplitAddress at = {address, 0};
   if (address->tag == Iex_Const)
      at = address_bases_split(builder->bases, address);
   add_range(&builder->plan, group, address, at, size)->guard = guard;
   plan_builder_close_group(builder);
}

Bool plan_builder_turn_read_into_write(PlanBuilder* builder, IRExpr* address, UInt size)
{
   if (!builder->has_open_group || open_group(builder)->n == 0)
      return False;
   Reference* last = &builder->plan.references[builder->plan.n - 1];
   SplitAddress at = address_bases_split(builder->bases, address);
   Bool is_same_base =
      at.base == NULL ? last->argument == REFERENCE_NO_ARGUMENT
                      : last->argument != REFERENCE_NO_ARGUMENT &&
                           address_bases_are_same(
                              open_group(builder)->arguments[last->argument], at.base);
   if (last->kind != ReferenceRead || last->size != size ||
       last->instruction != builder->n_instructions - 1 ||
       last->address != (Addr)at.offset || !is_same_base)
      return False;
   last->kind = ReferenceWrite;
   return True;
}
