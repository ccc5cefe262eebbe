/* SPDX-License-Identifier: GPL-2.0-or-later

   See pipeline.h.  */

#include "cycles/pipeline.h"

#include "cycles/processor_facts.h"

/* Addresses without a register, and those relative to the instruction.  */
enum { RootAbsolute = 1, RootFirst };

static UInt lowest_bit(ULong bits) { return (UInt)__builtin_ctzll(bits); }

static Tick later(Tick a, Tick b) { return a > b ? a : b; }

/*--------------------------------------------------------------------*/
/* Values and addresses                                                */

static PipelineValue new_value(Pipeline* pipeline)
{
   return (PipelineValue){++pipeline->n_roots, 0};
}

static PipelineValue value_of(const Pipeline* pipeline, UInt number, Addr next)
{
   if (number == X86_RIP)
      return (PipelineValue){RootAbsolute, (Long)next};
   return number < 16 ? pipeline->values[number] : (PipelineValue){RootAbsolute, 0};
}

static PipelineValue moved(PipelineValue value, Long distance)
{
   value.offset += distance;
   return value;
}

/* The value that the instruction gives to its register, if that can be followed.  */
static Bool follow_value(const Pipeline* pipeline, const PipelineInstruction* instruction,
                         UInt* number, PipelineValue* value)
{
   const X86Instruction* fields = &instruction->fields;
   if (fields->map != X86MapOne || fields->prefix != X86PrefixNone)
      return False;
   UInt digit = fields->reg & 7;
   *number = fields->rm;
   PipelineValue old =
      fields->is_memory ? (PipelineValue){0, 0} : pipeline->values[fields->rm & 15];
   switch (fields->opcode) {
   case 0x8d: /* lea */
      *number = fields->reg;
      *value =
         moved(value_of(pipeline, fields->base, instruction->next), fields->displacement);
      return fields->index == X86_NO_REGISTER;
   case 0x89: *value = pipeline->values[fields->reg]; return !fields->is_memory;
   case 0x8b:
      *number = fields->reg;
      *value = old;
      return !fields->is_memory;
   case 0x81:
   case 0x83:
      *value = moved(old, digit == 0 ? fields->immediate : -fields->immediate);
      return !fields->is_memory && (digit == 0 || digit == 5);
   case 0xff:
      *value = moved(old, digit == 0 ? 1 : -1);
      return !fields->is_memory && digit < 2;
   default: return False;
   }
}

static void write_values(Pipeline* pipeline, const PipelineInstruction* instruction)
{
   UInt number = 0;
   PipelineValue value = {0, 0};
   Bool is_followed = follow_value(pipeline, instruction, &number, &value);
   ULong writes = instruction->operands.writes & 0xffff;
   if (instruction->operands.moves_stack)
      writes &= ~(1ULL << X86Rsp);
   for (; writes != 0; writes &= writes - 1) {
      UInt i = lowest_bit(writes);
      pipeline->values[i] = is_followed && i == number ? value : new_value(pipeline);
   }
}

/* Where the memory operand is, as a number; not 0.  */
static ULong place_of(const Pipeline* pipeline, const PipelineInstruction* instruction)
{
   const X86Instruction* fields = &instruction->fields;
   PipelineValue base, index = {RootAbsolute, 0};
   ULong scale = 1;
   if (fields->is_memory) {
      base =
         moved(value_of(pipeline, fields->base, instruction->next), fields->displacement);
      if (fields->index < 16) {
         index = pipeline->values[fields->index];
         scale = fields->scale;
      }
   } else
      base = moved(pipeline->values[X86Rsp], instruction->operands.stores ? -8 : 0);
   ULong offset = (ULong)base.offset + scale * (ULong)index.offset;
   ULong roots = (ULong)base.root * 0x9e3779b97f4a7c15ULL +
                 (ULong)index.root * scale * 0xc2b2ae3d27d4eb4fULL;
   return ((offset + roots) * 0x100000001b3ULL) | 1;
}

ULong pipeline_address_roots(const Pipeline* pipeline,
                             const PipelineInstruction* instruction)
{
   const X86Instruction* fields = &instruction->fields;
   if (!fields->is_memory)
      return pipeline->values[X86Rsp].root;
   UInt base = value_of(pipeline, fields->base, instruction->next).root;
   UInt index = fields->index < 16 ? pipeline->values[fields->index].root : 0;
   return (ULong)index << 32 | base;
}

static PipelineStore* store_at(Pipeline* pipeline, ULong place)
{
   return &pipeline->stores[place >> 32 & (PIPELINE_STORES - 1)];
}

/*--------------------------------------------------------------------*/
/* Executing                                                           */

void pipeline_begin(Pipeline* pipeline, const FormModel* model)
{
   *pipeline = (Pipeline){.model = model, .n_roots = RootFirst};
   for (UInt i = 0; i < 16; i++)
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
   Tick time = pipeline->begun + n * (PIPELINE_TICKS / pipeline->model->width);
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
      UInt best = lowest_bit(use->units);
      for (UInt left = use->units & (use->units - 1); left != 0; left &= left - 1)
         if (pipeline->units[lowest_bit(left)] < pipeline->units[best])
            best = lowest_bit(left);
      Tick free = later(pipeline->units[best], now);
      pipeline->units[best] = free + use->time * PIPELINE_TICKS_PER_HUNDREDTH;
      start = later(start, free);
   }
   if (instruction->divider != 0) {
      start = later(start, pipeline->divider);
      pipeline->divider = start + instruction->divider;
   }
   return start;
}

static Tick ready_of(const Pipeline* pipeline, ULong registers, Tick time)
{
   for (; registers != 0; registers &= registers - 1)
      time = later(time, pipeline->ready[lowest_bit(registers)]);
   return time;
}

static void retire(Pipeline* pipeline, UInt micro_operations, Tick done)
{
   pipeline->retired = later(pipeline->retired, done);
   for (UInt i = 0; i < micro_operations && i < PIPELINE_BUFFER; i++)
      pipeline->buffer[pipeline->buffer_next++ % PIPELINE_BUFFER] = pipeline->retired;
}

void pipeline_forget(Pipeline* pipeline)
{
   static const UChar scratch[] = {X86Rax, X86Rcx, X86Rdx, X86Rsi, X86Rdi, 8, 9, 10, 11};
   for (UInt i = 0; i < sizeof scratch; i++) {
      pipeline->ready[scratch[i]] = 0;
      pipeline->values[scratch[i]] = new_value(pipeline);
   }
   for (UInt i = X86Vectors; i < X86_REGISTERS; i++)
      pipeline->ready[i] = 0;
}

static void move_stack(Pipeline* pipeline, const PipelineInstruction* instruction)
{
   const X86Operands* operands = &instruction->operands;
   PipelineValue* stack = &pipeline->values[X86Rsp];
   if (instruction->fields.map == X86MapOne && instruction->fields.opcode == 0xc9) {
      *stack = moved(pipeline->values[X86Rbp], 8);
      pipeline->ready[X86Rsp] = pipeline->ready[X86Rbp];
   } else if (operands->flow == X86Call || operands->flow == X86CallAny)
      pipeline_forget(pipeline);
   else
      stack->offset += operands->stores ? -8 : 8;
}

void pipeline_execute(Pipeline* pipeline, const PipelineInstruction* instruction,
                      Tick late)
{
   const X86Operands* operands = &instruction->operands;
   Tick now = begin(pipeline, instruction);
   Tick unit = take_units(pipeline, instruction, now);
   Tick address = ready_of(pipeline, operands->addresses, unit);
   Tick start = unit;
   Bool has_place = operands->loads || operands->stores;
   ULong place = has_place ? place_of(pipeline, instruction) : 0;
   PipelineStore* store = store_at(pipeline, place);
   if (operands->loads) {
      start = address + instruction->load_latency + late;
      if (store->place == place)
         start = later(start - instruction->load_latency - late + instruction->forwarded,
                       store->ready + instruction->forwarded);
   } else if (operands->addresses != 0 && !operands->stores)
      start = address; /* lea */
   ULong reads = operands->reads;
   if (operands->moves_stack)
      reads &= ~(1ULL << X86Rsp);
   start = ready_of(pipeline, reads, start);
   Tick done = start + instruction->latency;
   if (operands->stores) {
      store->place = place;
      store->ready = done;
      retire(pipeline, instruction->micro_operations, later(done, address));
   } else
      retire(pipeline, instruction->micro_operations, done);
   Tick stack = pipeline->ready[X86Rsp];
   for (ULong left = operands->writes; left != 0; left &= left - 1)
      pipeline->ready[lowest_bit(left)] = done;
   if (operands->moves_stack) {
      pipeline->ready[X86Rsp] = stack;
      write_values(pipeline, instruction);
      move_stack(pipeline, instruction);
   } else
      write_values(pipeline, instruction);
}
