/* SPDX-License-Identifier: GPL-2.0-or-later

   What is to be written about one function at one recursion level: its self costs, arcs
   and jumps as records, which are gathered from contexts, then sorted by position.
   Records that compare equal are written as one.

   There is one list of records at a time, which this owns.  Reads the model and changes
   nothing in it.  */

#ifndef CALLGRIND_RECORDS_H
#define CALLGRIND_RECORDS_H

#include "model/arc.h"
#include "model/context.h"
#include "model/jump.h"

/* A cost at a position, or an arc or a jump from there.  */
typedef struct {
   SourceLine at;
   Bool is_foreign;       /* `at.file` is not the function's own */
   Addr address;          /* 0 unless addresses are dumped */
   const Arc* arc;        /* NULL: a self cost or a jump */
   UInt cost_index;       /* self cost: index of its vector; see records_cost() */
   const JumpCount* jump; /* NULL: a self cost or an arc */
} Record;

/* Before the first part of a profile is gathered, and after the last: allocate and free
   the list.  */
void records_begin(void);
void records_end(void);

/* Removes all records, and what they name.  */
void records_clear(void);

/* Adds the self costs and arcs of a context.  */
void records_gather(const Context* context);

/* Adds the jumps of `n` contexts that are written as one, at least one.  They are needed
   together: a jump that one of them has followed was executed by the others, too.  */
void records_gather_jumps(Context* const* contexts, Word n);

/* Sorts: by address if there are addresses, otherwise by line, with those of the
   function's own file first; at one position self costs before calls and jumps.  */
void records_sort(void);

/* The list.  Pointers are valid until a record is added or the list is sorted.  */
Word records_count(void);
const Record* records_at(Word i);

/* 0 if two records differ in cost and counts only.  */
Int records_compare(const Record* a, const Record* b);

/* The inclusive cost of an arc, or a self cost.  */
const ULong* records_cost(const Record* record);

/* The name of the innermost inlined function at a line; "" if the code is its function's
   own, and with --dump-inlined=no.  */
const HChar* records_inlined_name(const SourceLine* at);

#endif
