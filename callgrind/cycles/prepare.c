/* SPDX-License-Identifier: GPL-2.0-or-later

   See prepare.h.  */

#include "cycles/prepare.h"

#include "cycles/processor_facts.h"

#define FORM_MEMORY (1u << 15)
#define CYCLES(N) ((N) * (Tick)PIPELINE_TICKS)

static const FormClass free_of_units = {1, 0, 0, 0, 0};

/*--------------------------------------------------------------------*/
/* Kinds                                                               */

static Bool is_one(const X86Instruction* fields, UInt opcode)
{
   return fields->map == X86MapOne && fields->opcode == opcode;
}

static Bool is_repeated(const X86Instruction* fields)
{
   return fields->map == X86MapOne && fields->prefix > X86Prefix66 &&
          fields->opcode != 0x90;
}

static Bool is_atomic(const X86Instruction* fields)
{
   Bool exchanges = fields->map == X86MapOne && (fields->opcode & 0xfe) == 0x86;
   return fields->is_memory && (fields->is_locked || exchanges);
}

static Bool is_nop(const X86Instruction* fields)
{
   return (is_one(fields, 0x90) && fields->rm == 0 && fields->prefix <= X86Prefix66) ||
          (fields->map == X86Map0F && !fields->is_vex &&
           (fields->opcode == 0x1f || fields->opcode == 0x1e));
}

static Bool is_integer_division(const X86Instruction* fields)
{
   return fields->map == X86MapOne && (fields->opcode & 0xfe) == 0xf6 &&
          (fields->reg & 7) >= 6;
}

static Bool is_gather(const X86Instruction* fields)
{
   return fields->map == X86Map0F38 && fields->is_vex && fields->opcode >= 0x90 &&
          fields->opcode <= 0x93;
}

/* From a general register to a vector register or back, with a conversion.  */
static Bool crosses(const X86Instruction* fields)
{
   UInt op = fields->opcode;
   return fields->map == X86Map0F && fields->prefix > X86Prefix66 &&
          ((op == 0x2a && !fields->is_memory) || op == 0x2c || op == 0x2d);
}

/*--------------------------------------------------------------------*/
/* What LLVM does not say                                              */

/* A repetition moves at most so many bytes in a cycle.  */
#define STRING_BYTES_PER_CYCLE 32

static void set_repetition(PipelineInstruction* instruction)
{
   const X86Instruction* fields = &instruction->fields;
   UInt bytes = (fields->opcode & 1) == 0 ? 1 : fields->is_wide ? 8 : 4;
   instruction->cost = &free_of_units;
   instruction->micro_operations = 1;
   instruction->latency = PIPELINE_TICKS * bytes / STRING_BYTES_PER_CYCLE;
   instruction->load_latency = 0;
   instruction->operands.reads = instruction->operands.addresses = 0;
}

/* What else a division needs besides the divider is little.  */
#define DIVISION_OPERATIONS 2

static void set_division(PipelineInstruction* instruction, const ProcessorFacts* facts)
{
   const ProcessorDivision* division =
      instruction->fields.is_wide ? &facts->divide_64 : &facts->divide_32;
   instruction->cost = &free_of_units;
   instruction->latency = CYCLES(division->latency);
   instruction->divider = CYCLES(division->busy);
   instruction->micro_operations = DIVISION_OPERATIONS;
}

static void set_gather(PipelineInstruction* instruction, const ProcessorFacts* facts)
{
   const X86Instruction* fields = &instruction->fields;
   Bool has_long_elements = fields->is_wide || (fields->opcode & 1) != 0;
   UInt elements = (fields->is_long ? 8 : 4) >> has_long_elements;
   instruction->latency += CYCLES(elements * facts->gathered);
   /* As many as can begin in these cycles: nothing else does.  */
   instruction->micro_operations =
      elements * facts->gathered * form_model_in_use()->width;
}

static void set_address(PipelineInstruction* instruction, const ProcessorFacts* facts)
{
   const X86Instruction* fields = &instruction->fields;
   if (fields->index >= 16)
      return;
   UInt latency = 0;
   if (fields->base < 16 && fields->displacement != 0)
      latency = facts->lea_of_three;
   if (fields->scale > 1 && facts->lea_scaled > latency)
      latency = facts->lea_scaled;
   if (latency != 0)
      instruction->latency = CYCLES(latency);
}

static void set_flow(PipelineInstruction* instruction, const ProcessorFacts* facts)
{
   UInt flow = instruction->operands.flow, cycles = 1;
   if (flow == X86Call || flow == X86CallAny)
      cycles = facts->call;
   else if (flow == X86Leaves)
      cycles = instruction->operands.loads && instruction->operands.moves_stack
                  ? facts->returning
                  : facts->jump;
   instruction->redirection = CYCLES(cycles);
}

static void add_facts(PipelineInstruction* instruction)
{
   const ProcessorFacts* facts = processor_facts();
   const X86Instruction* fields = &instruction->fields;
   instruction->forwarded =
      CYCLES(fields->index < 16 ? facts->forwarded : facts->renamed);
   instruction->divider = 0;
   set_flow(instruction, facts);
   if (is_atomic(fields)) {
      instruction->forwarded = 0;
      if (instruction->latency < CYCLES(facts->atomic))
         instruction->latency = CYCLES(facts->atomic);
   } else if (is_repeated(fields))
      set_repetition(instruction);
   else if (is_nop(fields))
      instruction->cost = &free_of_units;
   else if (is_integer_division(fields))
      set_division(instruction, facts);
   else if (is_gather(fields) && facts->gathered != 0)
      set_gather(instruction, facts);
   else if (is_one(fields, 0x8d))
      set_address(instruction, facts);
   else if (crosses(fields))
      instruction->latency += CYCLES(facts->crossing);
}

/*--------------------------------------------------------------------*/
/* What LLVM says                                                      */

Bool prepare_instruction(const FormModel* model, Addr address, UInt available,
                         PipelineInstruction* instruction)
{
   static const FormClass unknown = {1, 100, 100, 0, 0};
   X86Instruction* fields = &instruction->fields;
   if (!x86_decode((const UChar*)address, available, fields))
      return False;
   x86_operands(fields, &instruction->operands);
   instruction->next = address + fields->size;
   instruction->is_taken = False;
   instruction->cost = form_cost(model, fields->form);
   if (instruction->cost == NULL)
      instruction->cost = &unknown;
   Tick all = instruction->cost->latency * PIPELINE_TICKS_PER_HUNDREDTH;
   instruction->micro_operations = instruction->cost->micro_operations;
   instruction->latency = all;
   instruction->load_latency = 0;
   if (instruction->operands.loads) {
      const FormClass* without =
         fields->is_memory ? form_cost(model, fields->form & ~FORM_MEMORY) : NULL;
      Tick own = without != NULL ? without->latency * PIPELINE_TICKS_PER_HUNDREDTH : 0;
      instruction->latency = own < all ? own : 0;
      instruction->load_latency = all - instruction->latency;
   }
   add_facts(instruction);
   return True;
}

/*--------------------------------------------------------------------*/
/* Fusing                                                              */

/* Whether it is compared, tested, added, subtracted or one less or more; without both an
   immediate and an operand in memory.  What writes memory is not fused.  */
static Bool may_be_fused(const X86Instruction* fields)
{
   UInt op = fields->opcode, digit = fields->reg & 7;
   if (fields->map != X86MapOne || fields->is_locked)
      return False;
   Bool compares = (op & 0xfc) == 0x38 || (op & 0xfe) == 0x84;
   if (compares)
      return True;
   if (fields->is_memory)
      return (op & 0xfe) == 0x3a;
   Bool is_group = op >= 0x80 && op <= 0x83;
   return (op < 0x40 && (op & 7) < 6 &&
           (op >> 3 == 0 || op >> 3 == 4 || op >> 3 == 5 || op >> 3 == 7)) ||
          (is_group && (digit == 0 || digit == 4 || digit == 5 || digit == 7)) ||
          ((op & 0xfe) == 0xfe && digit < 2) || op == 0xa8 || op == 0xa9;
}

void prepare_fused(PipelineInstruction* first, const PipelineInstruction* second)
{
   if (second->operands.flow != X86Branch ||
       (second->operands.reads & 1ULL << X86Flags) == 0 || !may_be_fused(&first->fields))
      return;
   if (!first->operands.loads)
      first->cost = &free_of_units;
   first->micro_operations = 0;
}
