/* SPDX-License-Identifier: GPL-2.0-or-later

   See pipeline.h.  */

#include "cycles/pipeline.h"

#include "cycles/processor_facts.h"

/* Addresses without a register, and those relative to the instruction.  */
enum { RootAbsolute = 1, RootFirst };

static UInt lowest_unit(UInt bits) { return (UInt)__builtin_ctz(bits); }

static Tick later(Tick a, Tick b) { return a > b ? a : b; }

/*--------------------------------------------------------------------*/
/* Values and addresses                                                */

static PipelineValue new_value(Pipeline* pipeline)
{
   return (PipelineValue){++pipeline->n_roots, 0};
}

static PipelineValue moved(PipelineValue value, Long distance)
{
   value.offset += distance;
   return value;
}

static PipelineValue value_of(const Pipeline* pipeline, UInt number, Addr next)
{
   if (number == REGISTER_NEXT)
      return (PipelineValue){RootAbsolute, (Long)next};
   return number < REGISTERS_GENERAL ? pipeline->values[number]
                                     : (PipelineValue){RootAbsolute, 0};
}

static void write_values(Pipeline* pipeline, const PipelineInstruction* instruction)
{
   const Instruction* of = &instruction->of;
   RegisterSet writes = of->writes & (register_bit(REGISTERS_GENERAL) - 1);
   PipelineValue copied =
      moved(value_of(pipeline, of->copy_from, instruction->next), of->copy_distance);
   for (; writes != 0; writes &= writes - 1) {
      UInt i = register_lowest(writes);
      pipeline->values[i] = i == of->copy_to ? copied : new_value(pipeline);
   }
}

PipelineAddress pipeline_address(const Pipeline* pipeline,
                                 const PipelineInstruction* instruction)
{
   const Instruction* of = &instruction->of;
   PipelineValue base =
      moved(value_of(pipeline, of->base, instruction->next), of->displacement);
   PipelineValue index = value_of(pipeline, of->index, 0);
   return (PipelineAddress){
      (ULong)base.root * 0x9e3779b97f4a7c15ULL +
         (ULong)index.root * of->scale * 0xc2b2ae3d27d4eb4fULL,
      base.offset + (Long)of->scale * index.offset,
   };
}

/* As a number; not 0.  */
static ULong place_of(const PipelineAddress* address)
{
   return (((ULong)address->offset + address->roots) * 0x100000001b3ULL) | 1;
}

static PipelineStore* store_at(Pipeline* pipeline, ULong place)
{
   return &pipeline->stores[place >> 32 & (PIPELINE_STORES - 1)];
}

/*--------------------------------------------------------------------*/
/* Executing                                                           */

void pipeline_begin(Pipeline* pipeline, const FormModel* model)
{
   *pipeline =
      (Pipeline){.model = model, .width = processor_width(model), .n_roots = RootFirst};
   for (UInt i = 0; i < REGISTERS_GENERAL; i++)
      pipeline->values[i] = new_value(pipeline);
}

/* When the instruction's micro-operations begin.  */
static Tick begin(Pipeline* pipeline, const PipelineInstruction* instruction)
{
   UInt n = instruction->micro_operations;
   if (n > pipeline->model->reorder_buffer / 2)
      n = pipeline->model->reorder_buffer / 2;
   UInt behind = pipeline->model->reorder_buffer - n;
   UInt oldest = (pipeline->buffer_next - 1 - behind) % PIPELINE_BUFFER;
   Tick time = pipeline->begun + n * (PIPELINE_TICKS / pipeline->width);
   time = later(time, pipeline->buffer[oldest]);
   if (instruction->is_taken) {
      time = later(time, pipeline->front_end);
      pipeline->front_end = time + instruction->redirection;
   }
   return pipeline->begun = time;
}

/* Takes units, and returns when the last of them is free to begin.  */
static Tick take_units(Pipeline* pipeline, const PipelineInstruction* instruction,
                       Tick now)
{
   Tick start = now;
   for (UInt i = 0; i < instruction->cost->n_uses; i++) {
      const FormUse* use = form_use(pipeline->model, instruction->cost, i);
      UInt best = lowest_unit(use->units);
      for (UInt left = use->units & (use->units - 1); left != 0; left &= left - 1)
         if (pipeline->units[lowest_unit(left)] < pipeline->units[best])
            best = lowest_unit(left);
      Tick free = later(pipeline->units[best], now);
      pipeline->units[best] = free + use->time * PIPELINE_TICKS_PER_HUNDREDTH;
      start = later(start, free);
   }
   if (instruction->busy != 0) {
      Tick* until = &pipeline->busy_until[instruction->of.kind == KindRepetition];
      start = later(start, *until);
      *until = start + instruction->busy;
   }
   return start;
}

static Tick ready_of(const Pipeline* pipeline, RegisterSet registers, Tick time)
{
   for (; registers != 0; registers &= registers - 1)
      time = later(time, pipeline->ready[register_lowest(registers)]);
   return time;
}

/* An addition may have what another has just added before others have it.  */
static Tick operands_ready(const Pipeline* pipeline,
                           const PipelineInstruction* instruction, Tick time)
{
   RegisterSet reads = instruction->of.reads, sums = 0;
   Tick sooner = 0;
   if (instruction->of.kind == KindAddition && processor_facts()->next_addition != 0) {
      Tick next = processor_facts()->next_addition * (Tick)PIPELINE_TICKS;
      sooner = instruction->latency > next ? instruction->latency - next : 0;
      sums = reads & pipeline->sums;
   }
   Tick added = ready_of(pipeline, sums, time + sooner) - sooner;
   return ready_of(pipeline, reads & ~sums, added);
}

static void retire(Pipeline* pipeline, UInt micro_operations, Tick done)
{
   pipeline->retired = later(pipeline->retired, done);
   for (UInt i = 0; i < micro_operations && i < PIPELINE_BUFFER; i++)
      pipeline->buffer[pipeline->buffer_next++ % PIPELINE_BUFFER] = pipeline->retired;
}

void pipeline_forget(Pipeline* pipeline)
{
   for (RegisterSet set = instruction_scratch(); set != 0; set &= set - 1) {
      UInt i = register_lowest(set);
      pipeline->ready[i] = 0;
      if (i < REGISTERS_GENERAL)
         pipeline->values[i] = new_value(pipeline);
   }
}

#define WIDEST 8 /* bytes of a general register */

/* The store that holds all that is loaded, if one is known: to its place, or to one
   shortly before it.  */
static const PipelineStore* store_of(Pipeline* pipeline, const Instruction* of,
                                     PipelineAddress address)
{
   UInt before = of->bytes != 0 && of->bytes < WIDEST ? WIDEST - of->bytes : 0;
   for (UInt behind = 0; behind <= before; behind++, address.offset--) {
      ULong place = place_of(&address);
      const PipelineStore* store = store_at(pipeline, place);
      if (store->place == place && (behind == 0 || store->bytes >= behind + of->bytes))
         return store;
   }
   return NULL;
}

/* From the address to the data, or from what was stored there.  */
static Tick load(Pipeline* pipeline, const PipelineInstruction* instruction,
                 const PipelineAddress* address, Tick known, Tick late)
{
   const Instruction* of = &instruction->of;
   const PipelineStore* store = store_of(pipeline, of, *address);
   if (store == NULL)
      return known + instruction->load_latency + late;
   Bool is_whole = store->place == place_of(address) &&
                   (of->bytes == store->bytes || (of->bytes == 4 && store->bytes == 8));
   return later(known, store->ready) +
          (is_whole ? instruction->renamed : instruction->forwarded);
}

/* Stores go to the first level in order, one in a cycle; two if they are to one line, on
   processors that join them.  */
static Tick commit(Pipeline* pipeline, const Instruction* of,
                   const PipelineAddress* address, Tick done)
{
   ULong line = address->roots + ((ULong)address->offset >> 6);
   if (!processor_facts()->joins_stores || of->kind == KindRepetition)
      return done;
   Bool is_joined = line == pipeline->committed_line;
   pipeline->committed_line = line;
   pipeline->committed =
      later(done, pipeline->committed + PIPELINE_TICKS / (is_joined ? 2 : 1));
   return pipeline->committed;
}

/* When registers have their values: what is stepped by the way does not wait for the
   rest.  */
static void write_registers(Pipeline* pipeline, const PipelineInstruction* instruction,
                            Tick stepped, Tick done)
{
   const Instruction* of = &instruction->of;
   for (RegisterSet left = of->writes; left != 0; left &= left - 1)
      pipeline->ready[register_lowest(left)] = done;
   pipeline->sums &= ~of->writes;
   if (of->kind == KindAddition)
      pipeline->sums |= of->writes;
   if (of->copy_is_stepped)
      pipeline->ready[of->copy_to] = stepped;
}

void pipeline_execute(Pipeline* pipeline, const PipelineInstruction* instruction,
                      Tick late)
{
   const Instruction* of = &instruction->of;
   Tick now = begin(pipeline, instruction);
   Tick unit = take_units(pipeline, instruction, now);
   Tick ready = ready_of(pipeline, of->addresses, unit);
   PipelineAddress address = pipeline_address(pipeline, instruction);
   Tick start = unit;
   if (of->loads)
      start = load(pipeline, instruction, &address, ready, late);
   else if (!of->stores)
      start = ready; /* an address that is computed */
   start = operands_ready(pipeline, instruction, start);
   Tick done = start + instruction->latency, retired = done;
   if (of->stores) {
      ULong place = place_of(&address);
      UInt bytes = of->kind == KindAtomic ? 0 : of->bytes;
      *store_at(pipeline, place) = (PipelineStore){place, done, bytes};
      retired = commit(pipeline, of, &address, later(done, ready));
   }
   retire(pipeline, instruction->micro_operations, retired);
   Tick stepped = of->copy_is_stepped ? pipeline->ready[of->copy_from] : 0;
   write_registers(pipeline, instruction, stepped + instruction->step, done);
   write_values(pipeline, instruction);
   pipeline->done = done;
   if (of->flow == FlowCall || of->flow == FlowCallAny)
      pipeline_forget(pipeline);
}

void pipeline_start_anew(Pipeline* pipeline, Tick penalty)
{
   pipeline->begun = later(pipeline->begun, pipeline->done + penalty);
}
