/* SPDX-License-Identifier: GPL-2.0-or-later

   The plan of a segment: which references (model/reference.h) its statements make, and in
   which groups generated code checks them.  references.c makes one for each segment of a
   superblock, once; the segment keeps it, and all that write or count code read it.

   A group is checked inline as a whole.  It holds as many references, in program order,
   as one call of the simulator can be passed.  It ends before any exit, since what has
   not been reached must not be simulated.

   All data that a group touches are divided into ranges of bytes, each normally within
   one cache line.  The group consists of MRU hits if every range lies in the line of its
   set that was used last, and every line of code is in the cache.  Then no simulator
   would change its state, except for when the lines of code were used, and generated code
   stores that itself.  Otherwise generated code calls the simulator for the whole
   group.  */

#ifndef CALLGRIND_REFERENCE_PLAN_H
#define CALLGRIND_REFERENCE_PLAN_H

#include "model/block.h"

#include "pub_tool_tooliface.h"

/* Bytes of data that are expected to lie in one cache line.  */
typedef struct {
   IRExpr* base;  /* `low` is relative to this temporary; NULL: `low` is an address */
   ULong low;     /* the first byte */
   IRExpr* first; /* its address, as the guest computes it */
   UInt length;   /* in bytes */
   IRExpr* guard; /* touched only if this is true; NULL: always */
} ReferenceRange;

/* The references [first, first + n) of the plan, branches not among them.  */
typedef struct {
   UInt at; /* index of the statement before which the group is checked */
   UInt first, n;
   UInt first_access;          /* index of its first data access among the plan's */
   UInt first_range, n_ranges; /* of data */
   UInt first_line, n_lines;   /* of code, in the order in which they are fetched */
   Bool is_full;               /* it takes no further reference */
   Bool lines_share_set;       /* two of its lines of code may evict each other */
   /* The temporaries that its data addresses are relative to: they are passed to the
      simulator.  */
   UInt n_arguments;
   IRExpr* arguments[REFERENCE_MAX_ARGUMENTS];
   /* The guard of a guarded reference, which has a group of its own; otherwise NULL.  */
   IRExpr* guard;
} ReferenceGroup;

/* All references of a segment.  The arrays are parts of a PlanRoom: they are valid until
   the next superblock is instrumented.  */
typedef struct {
   UInt n, n_accesses, n_groups, n_ranges, n_lines;
   Reference* references;  /* n; their `outcomes` count from the segment's first */
   UInt* statements;       /* n, ascending: index of the statement that makes it */
   ReferenceGroup* groups; /* n_groups */
   ReferenceRange* ranges; /* n_ranges */
   ICacheLine** lines;     /* n_lines */
} ReferencePlan;

/* The memory of the plans of one superblock: one behind the other.  The next superblock
   uses it again.  So plans take as much as one superblock may need, and nothing is
   allocated.  */
typedef struct {
   ReferencePlan unused; /* an empty plan: where the next one begins */
   Reference references[BLOCK_MAX_REFERENCES];
   UInt statements[BLOCK_MAX_REFERENCES];
   ReferenceGroup groups[BLOCK_MAX_REFERENCES];
   ReferenceRange ranges[BLOCK_MAX_REFERENCES];
   ICacheLine* lines[BLOCK_MAX_REFERENCES];
} PlanRoom;

/* No plan is used any longer.  To be called before the first plan of a superblock.  */
void plan_room_discard_all(PlanRoom* room);

/* An empty plan, with all the room that the other plans of the superblock have left.  */
ReferencePlan plan_room_new(const PlanRoom* room);

/* The plan is complete: the next one begins behind it.  */
void plan_room_keep(PlanRoom* room, const ReferencePlan* plan);

/* Is there room in the plan for another reference, with two lines of code?  There always
   is: VEX makes superblocks far smaller than the limits of block.h.  */
Bool plan_room_has_room(const PlanRoom* room, const ReferencePlan* plan);

/* Index of the first reference made by statement number `i` or a later one; plan->n if
   there is none.  */
UInt reference_plan_first_at(const ReferencePlan* plan, UInt i);

#endif
