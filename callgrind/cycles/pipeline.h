/* SPDX-License-Identifier: GPL-2.0-or-later

   A model of an out-of-order processor: how long a sequence of instructions takes when
   dependencies, units, width and reorder buffer are taken together.

   Micro-operations begin in order, as many in a cycle as the processor is wide, while
   the reorder buffer has room.  Each waits for its operands and for a unit, and ends
   after its latency.  They retire in order; the time of an instruction is what it moves
   the retirement on.  A load that reads what was stored at the same address (by base
   register and distance, as far as that can be followed) waits for the store.  Nothing
   else is known of memory: all loads hit the first level.

   Times are in ticks.  */

#ifndef CALLGRIND_PIPELINE_H
#define CALLGRIND_PIPELINE_H

#include "cycles/form_table.h"
#include "cycles/instruction.h"

typedef ULong Tick;
#define PIPELINE_TICKS 1200 /* in a cycle: divisible by all widths */
#define PIPELINE_TICKS_PER_HUNDREDTH (PIPELINE_TICKS / 100)

/* An instruction, prepared to be executed often.  */
typedef struct {
   Instruction of;
   const FormClass* cost;
   Addr next; /* address behind it */
   UInt micro_operations;
   Tick load_latency; /* from the address to the data; 0 if it loads nothing */
   Tick latency;      /* from then on */
   Tick forwarded;    /* of a load: from the data of the store to its place... */
   Tick renamed;      /* ...if they are as wide */
   Tick busy; /* how long it keeps the divider of integers, or what moves strings */
   Tick redirection; /* of the front end, if it jumps */
   Tick step;        /* what a register that is stepped by the way takes */
   Bool is_taken;    /* it jumps */
} PipelineInstruction;

#define PIPELINE_BUFFER 1024 /* more than any reorder buffer */
#define PIPELINE_UNITS 32
#define PIPELINE_STORES 64

/* A value: unknown number `root`, plus `offset`.  */
typedef struct {
   UInt root;
   Long offset;
} PipelineValue;

typedef struct {
   ULong place; /* a hash of the address; 0: none */
   Tick ready;
   UInt bytes; /* as in Instruction */
} PipelineStore;

typedef struct {
   const FormModel* model;
   UInt width;
   Tick ready[REGISTERS];
   RegisterSet sums; /* those that a KindAddition has written last */
   PipelineValue values[REGISTERS_GENERAL];
   UInt n_roots;
   Tick units[PIPELINE_UNITS]; /* when each has done what it has taken on */
   Tick begun;                 /* when the last micro-operation began */
   Tick retired;
   Tick busy_until[2]; /* the divider of integers; what moves strings */
   Tick done;          /* the last instruction */
   Tick committed;     /* the last store, to the first level */
   ULong committed_line;
   Tick front_end;               /* when the next branch may be taken */
   Tick buffer[PIPELINE_BUFFER]; /* retirement of the last micro-operations */
   UInt buffer_next;
   PipelineStore stores[PIPELINE_STORES];
} Pipeline;

/* Where its operand in memory is: of which unknown values its address is made, as a
   number, and the offset to them.  Where the roots stay the same, addresses are at a
   known distance.  */
typedef struct {
   ULong roots;
   Long offset;
} PipelineAddress;

PipelineAddress pipeline_address(const Pipeline* pipeline,
                                 const PipelineInstruction* instruction);

void pipeline_begin(Pipeline* pipeline, const FormModel* model);

/* Code that cannot be seen has run: a called function, for example.  There is any value
   in the registers that a function need not keep.  */
void pipeline_forget(Pipeline* pipeline);

/* Executes an instruction; its load, if it has one, takes `late` longer.  */
void pipeline_execute(Pipeline* pipeline, const PipelineInstruction* instruction,
                      Tick late);

/* The last instruction was a branch that had been mispredicted: what follows begins so
   much later than its outcome.  */
void pipeline_start_anew(Pipeline* pipeline, Tick penalty);

#endif
