/* SPDX-License-Identifier: GPL-2.0-or-later

   Builds a plan (reference_plan.h): takes references one by one, in program order, and
   forms groups and ranges of them.  references.c knows which references there are; here
   it is decided how they are checked.  */

#ifndef CALLGRIND_PLAN_BUILDER_H
#define CALLGRIND_PLAN_BUILDER_H

#include "instrument/shape/address_bases.h"
#include "instrument/shape/reference_plan.h"

/* A plan that is being built.  */
typedef struct {
   ReferencePlan plan; /* so far */
   const PlanRoom* room;
   const AddressBases* bases; /* of the addresses that are added */
   UInt statement;            /* index of the one whose references are added */
   UInt n_instructions;       /* begun so far */
   Addr instruction_address;  /* of the last of them */
   UInt n_outcomes;           /* counters of all references so far */
   Bool has_open_group;       /* the plan's last group can be added to */
} PlanBuilder;

/* A builder of an empty plan in `room`.  Its user sets `statement` before anything is
   added, and learns what is known in `bases`.  */
PlanBuilder plan_builder_new(const PlanRoom* room, const AddressBases* bases);

/* What is added from now on is done by the instruction at this address.  */
void plan_builder_begin_instruction(PlanBuilder* builder, Addr address);

/* The group ends before this statement.  To be called before each exit, and at the
   end.  */
void plan_builder_close_group(PlanBuilder* builder);

/* Adds the fetch of an instruction at the canonical `address`.  `lines` are the n_lines
   (1 or 2) lines of code, in order, that it needs and that the instruction before it has
   not used.  */
void plan_builder_add_fetch(PlanBuilder* builder, Addr address, UInt size,
                            ICacheLine* const* lines, UInt n_lines);

/* Adds an access to the `size` bytes of data at `address`.  `mru_misses` says how often
   earlier code of this kind has seen it miss the MRU line (Reference.mru_misses).  */
void plan_builder_add_access(PlanBuilder* builder, ReferenceKind kind, IRExpr* address,
                             UInt size, UChar mru_misses);

/* As plan_builder_add_access(), for an access that is made if `guard` is true.  It gets a
   group of its own: whether there is anything to check is known when the program
   runs.  */
void plan_builder_add_guarded_access(PlanBuilder* builder, ReferenceKind kind,
                                     IRExpr* address, IRExpr* guard, UInt size);

/* If the last reference is a read of these bytes by the same instruction, it becomes a
   write, and True is returned.  */
Bool plan_builder_turn_read_into_write(PlanBuilder* builder, IRExpr* address, UInt size);

/* Adds the branch of the instruction that has begun, which predictors take to be `shift`
   higher.  It is in no group, and no group is open.  */
void plan_builder_add_branch(PlanBuilder* builder, ReferenceKind kind, Addr shift);

#endif
