/* SPDX-License-Identifier: GPL-2.0-or-later

   What LLVM's models do not say of a processor: its caches behind the first level, how
   long misses take, and what depends on values or addresses.  These are choices near what
   is published: the vendors' optimisation guides, Agner Fog's tables and manual of
   microarchitectures, uops.info.  docs/cycles.md has them.  */

#ifndef CALLGRIND_PROCESSOR_FACTS_H
#define CALLGRIND_PROCESSOR_FACTS_H

#include "cycles/form_table.h"

/* A store that is simulated besides the first and the last level: the second level, or
   the translation buffer behind the first one.  */
typedef struct {
   UInt entries; /* lines or pages */
   UInt ways;
} ProcessorStore;

/* Cycles that an access takes longer, each besides those before it, if...  */
typedef struct {
   UShort second; /* ...the first level has not got it */
   UShort third;  /* ...nor the second */
   UShort memory; /* ...nor the last */
   UShort walk;   /* ...its page is not in the translation buffers */
} ProcessorMisses;

/* Cycles of a division of integers: until its result, and until the next may begin.  */
typedef struct {
   UShort latency, busy;
} ProcessorDivision;

typedef struct {
   UShort width; /* of the front end; 0: what LLVM says */
   Bool fuses;   /* a comparison and its branch, to one operation */
   ProcessorStore second_level, translations;
   ProcessorMisses alone;        /* a miss that is waited for */
   ProcessorMisses at_least;     /* if all that can overlap does: what is kept busy */
   ProcessorMisses streamed;     /* the same of line after line; 0: no less */
   UShort mispredicted;          /* from a branch's outcome to what follows it */
   UShort forwarded;             /* a load of what was just stored: from data to data */
   UShort renamed;               /* the same, if the address has no index */
   UShort atomic;                /* from one atomic instruction to the next */
   UShort call, returning, jump; /* the front end: of the last, to any address */
   UShort call_any;              /* the same of a call to any address */
   UShort loop_buffer;           /* micro-operations of a loop that it can repeat... */
   UShort looped;                /* ...with so many taken branches in a cycle */
   ProcessorDivision divide_32, divide_64;
   UShort lea_of_three;  /* base, index and distance; 0: what LLVM says */
   UShort lea_scaled;    /* the index is not taken once */
   UShort next_addition; /* of floats, if the one before has its operand; 0: no sooner */
   UShort product;       /* of floats; 0: what LLVM says */
   UShort crossing;      /* a conversion between general and vector registers: longer */
   UShort gathered;      /* an element of a gather; 0: what LLVM says */
   UShort load;          /* a hit in the first level */
   UShort string_bytes;  /* that a repetition moves in a cycle */
   Bool moves;           /* a whole register is copied by renaming it */
   Bool steps;           /* and a small constant is added then */
   Bool fuses_loads;     /* a load and what is added to it; that waits for stores */
   Bool joins_stores;    /* to one line, two in a cycle; else there is no such limit */
   UShort step;          /* a register that an address steps; the stack's: nothing */
} ProcessorFacts;

/* Those of the model that is in use.  */
const ProcessorFacts* processor_facts(void);

/* Micro-operations that may begin in a cycle.  */
UInt processor_width(const FormModel* model);

#endif
