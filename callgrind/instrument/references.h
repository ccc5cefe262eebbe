/* SPDX-License-Identifier: GPL-2.0-or-later

   Which references (model/reference.h) the statements of a superblock make, and how
   generated code finds out whether the simulators must be asked about them.

   References are looked at in groups, in the order of the program.  A group holds as many
   as can be told of with one call, and ends before any exit: what has not been reached is
   not simulated.  All that a group touches is divided into ranges of bytes, each within
   one line as a rule.  While every range lies in the line of its cache set that was used
   last, and every line of code is there, all of the group are hits, and no simulator's
   state would change but for when the lines of code were used, which generated code notes:
   it compares, and calls for the group only if it is not so.  */

#ifndef CALLGRIND_REFERENCES_H
#define CALLGRIND_REFERENCES_H

#include "model/block_record.h"

#include "pub_tool_tooliface.h"

/* Bytes that are expected to lie in one line.  */
typedef struct {
   IRExpr* base;  /* what `low` counts from; NULL: it is an address */
   ULong low;     /* the first byte */
   IRExpr* first; /* its address, which the guest computes */
   UInt length;   /* in bytes */
   IRExpr* guard; /* touched only if this is true; NULL: always */
} ReferenceRange;

typedef struct {
   UInt at; /* index of the statement before which the group is complete */
   UInt first, n;
   UInt first_access;          /* of data, among all of data */
   UInt first_range, n_ranges; /* of data */
   UInt first_line, n_lines;   /* of code, in the order in which they are fetched */
   Bool has_own_group;         /* nothing is to be added */
   Bool shares_set;            /* two of these lines may push each other out */
   UInt n_arguments;
   IRExpr* arguments[REFERENCE_MAX_ARGUMENTS];
   /* Of a guarded reference, which is alone in its group; otherwise NULL.  */
   IRExpr* guard;
} ReferenceGroup;

/* All references of a segment.  */
typedef struct {
   UInt n, n_accesses, n_groups, n_ranges, n_lines;
   Reference references[BLOCK_MAX_REFERENCES];
   UInt statements[BLOCK_MAX_REFERENCES]; /* which one makes it */
   ReferenceGroup groups[BLOCK_MAX_REFERENCES];
   ReferenceRange ranges[BLOCK_MAX_REFERENCES];
   ICacheLine* lines[BLOCK_MAX_REFERENCES];
} ReferencePlan;

/* Another superblock is looked at from now on.  */
void references_begin(const IRSB* in);

/* The references of the statements [first, end) of that superblock; to be read until the
   next call.  What is before them has been asked for already.  Their `outcomes` count from
   the segment's first.  Of nothing simulated, there are none.  Branches are in no group.

   `earlier` is the record of an earlier translation of what may be the same code, or NULL:
   how often references are known to be slow decides on groups, and is taken over.  So
   with the record that is made of them they are found once more as they are.  */
const ReferencePlan* references_find(const IRSB* in, UInt first, UInt end,
                                     const Block* earlier);

/* The first reference of statement number `i` or one behind it; plan->n if there is none.  */
UInt references_first_at(const ReferencePlan* plan, UInt i);

/* Is an exit, or the end of a superblock, a branch of the guest's that is predicted?  */
Bool references_is_branch(const IRStmt* exit);
Bool references_is_indirect(const IRSB* in);

#endif
