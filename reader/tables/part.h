/* SPDX-License-Identifier: GPL-2.0-or-later

   What one part of a profile holds, added up.  All of it is numbered in the order in
   which it first came, as callgrind_report's own reader keeps it:

     functions  those that the part has costs or calls of; `keys` has which ones they are
     blocks     a function and a source (a file and an inlined function): where its costs
                and calls belong.  Only if `with_lines`
     lines      the cost of a line of a block.  Only if `with_lines`
     arcs       the calls from a function, or from a line of a block, to a function
     jumps      from a line of a block to a line elsewhere.  Only if `with_lines`

   A cost is `events` numbers.  Sums that do not fit 64 bits are given up.  */

#ifndef READER_PART_H
#define READER_PART_H

#include "base/numbering.h"

#include <stdbool.h>
#include <stdint.h>

#define MOST_EVENTS 64

/* A function that none has been entered of.  */
#define NO_FUNCTION UINT32_MAX

typedef struct {
   int64_t* numbers; /* `events` each */
   size_t capacity;
} Costs;

typedef struct {
   int64_t executed, followed;
} JumpCounts;

typedef struct {
   unsigned events;
   bool with_lines;
   Numbering functions; /* the function's key in the file's table */
   Costs self;
   Numbering blocks; /* function, source */
   Numbering lines;  /* block, line */
   Costs line_costs;
   Numbering arcs; /* function or block, callee; line */
   Costs inclusive;
   int64_t* counts; /* by arc */
   size_t counts_capacity;
   int64_t* targets; /* by arc: the line of its first call */
   size_t targets_capacity;
   Numbering goals; /* function, file; line, is conditional */
   Numbering jumps; /* block, goal; line */
   JumpCounts* jump_counts;
   size_t jumps_capacity;
} Part;

/* Begins a part.  It must be all zero, or have been freed.  */
void part_start(Part* part, unsigned events, bool with_lines);

void part_free(Part* part);

/* The number of the function of a key.  */
uint32_t part_function(Part* part, uint32_t key);

uint32_t part_block(Part* part, uint32_t function, uint32_t source);

/* Adds `cost`, of `count` events, the others being 0.  The block counts with lines.  */
void part_add_self(Part* part, uint32_t function, uint32_t block, int64_t line,
                   const int64_t* cost, unsigned count);

/* Adds calls.  `callee` is a key; `target` the line that is called.  */
void part_add_calls(Part* part, uint32_t function, uint32_t block, int64_t line,
                    uint32_t callee, int64_t target, int64_t calls, const int64_t* cost,
                    unsigned count);

typedef struct {
   uint32_t function, file; /* a key, and a name */
   int64_t line;
   bool is_conditional;
} Goal;

/* Adds a jump; with lines only.  */
void part_add_jump(Part* part, uint32_t block, int64_t line, Goal goal,
                   JumpCounts counts);

#endif
