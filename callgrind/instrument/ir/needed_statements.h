/* SPDX-License-Identifier: GPL-2.0-or-later

   Which statements of a superblock instrumentation looks at; the others mean nothing to
   it.  These are instructions and exits; what sets the stack pointer, and the statement
   behind that, which tells what was pushed; accesses to memory, if they matter for the
   events that are counted; and what stack pointers and addresses are computed from.  */

#ifndef CALLGRIND_NEEDED_STATEMENTS_H
#define CALLGRIND_NEEDED_STATEMENTS_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

/* A set has a bit for each statement, the first in the lowest.  */
#define STATEMENTS_PER_WORD 64

/* The sets and the table grow as needed and are used again for the next superblock.  */
typedef struct {
   UInt n_words;
   ULong* all;
   ULong* assign; /* those that assign a temporary which another one needs */
   ULong* set_sp; /* those that set the stack pointer */
   Bool memory_matters;
   UInt capacity; /* words of each set */
   /* By 1 + the number of a temporary: the number of the statement that assigns it.
      Anything, if it is assigned by other means.  The first is that of no temporary.  */
   UInt* assigned_at;
   UInt n_assigned_at;
} NeededStatements;

static inline Bool statements_have(const ULong* set, UInt i)
{
   return (set[i / STATEMENTS_PER_WORD] >> i % STATEMENTS_PER_WORD & 1) != 0;
}

/* The first statement of those that are `left` of a word.  */
static inline UInt statements_number(UInt word, ULong left)
{
   return word * STATEMENTS_PER_WORD + (UInt)__builtin_ctzll(left);
}

/* Sets `needed` to those of `in`.  */
void needed_statements_find(NeededStatements* needed, const IRSB* in,
                            const VexGuestLayout* layout);

#endif
