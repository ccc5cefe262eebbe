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
#include "cycles/x86_operands.h"

typedef ULong Tick;
#define PIPELINE_TICKS 1200 /* in a cycle: divisible by all widths */

/* An instruction, prepared to be executed often.  */
typedef struct {
   X86Instruction fields;
   X86Operands operands;
   const FormClass* cost;
   Addr next; /* address behind it */
   UInt micro_operations;
   Tick load_latency; /* from the address to the data; 0 if it loads nothing */
   Tick latency;      /* from then on */
   Bool is_taken;     /* it jumps */
} PipelineInstruction;

/* Fills in `instruction` from the code at `address`, of which `available` bytes may be
   read.  False if it is not known.  */
Bool pipeline_prepare(const FormModel* model, Addr address, UInt available,
                      PipelineInstruction* instruction);

#define PIPELINE_BUFFER 512
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
} PipelineStore;

typedef struct {
   const FormModel* model;
   Tick ready[X86_REGISTERS];
   PipelineValue values[16]; /* of the general registers */
   UInt n_roots;
   Tick units[PIPELINE_UNITS]; /* when each has done what it has taken on */
   Tick begun;                 /* when the last micro-operation began */
   Tick retired;
   Tick last_taken;              /* when the last taken branch began */
   Tick buffer[PIPELINE_BUFFER]; /* retirement of the last micro-operations */
   UInt buffer_next;
   PipelineStore stores[PIPELINE_STORES];
} Pipeline;

/* Of which unknown values its address is made, as a number: where this stays the same,
   the addresses are at a constant distance.  */
ULong pipeline_address_roots(const Pipeline* pipeline,
                             const PipelineInstruction* instruction);

void pipeline_begin(Pipeline* pipeline, const FormModel* model);

/* Executes an instruction; its load, if it has one, takes `late` longer.  */
void pipeline_execute(Pipeline* pipeline, const PipelineInstruction* instruction,
                      Tick late);

#endif
