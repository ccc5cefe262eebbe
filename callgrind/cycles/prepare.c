/* SPDX-License-Identifier: GPL-2.0-or-later

   See prepare.h.  */

#include "cycles/prepare.h"

#include "cycles/processor_facts.h"

#define CYCLES(N) ((N) * (Tick)PIPELINE_TICKS)

static const FormClass free_of_units = {1, 0, 0, 0, 0};

/*--------------------------------------------------------------------*/
/* What LLVM does not say                                              */

/* A repetition keeps what moves strings busy, and nothing else: it is decoded once.  */
static void set_repetition(PipelineInstruction* instruction, const ProcessorFacts* facts)
{
   instruction->cost = &free_of_units;
   instruction->micro_operations = 0;
   instruction->latency = instruction->load_latency = 0;
   instruction->busy = CYCLES(instruction->of.amount) / facts->string_bytes;
   instruction->of.reads = instruction->of.addresses = 0;
}

/* What else a division needs besides the divider is little.  */
#define DIVISION_OPERATIONS 2

static void set_division(PipelineInstruction* instruction, const ProcessorFacts* facts)
{
   const ProcessorDivision* division =
      instruction->of.amount == 64 ? &facts->divide_64 : &facts->divide_32;
   instruction->cost = &free_of_units;
   instruction->latency = CYCLES(division->latency);
   instruction->busy = CYCLES(division->busy);
   instruction->micro_operations = DIVISION_OPERATIONS;
}

static void set_gather(PipelineInstruction* instruction, const ProcessorFacts* facts)
{
   UInt all = instruction->of.amount * facts->gathered;
   if (all == 0)
      return;
   instruction->latency += CYCLES(all);
   /* As many as can begin in these cycles: nothing else does.  */
   instruction->micro_operations = all * processor_width(form_model_in_use());
}

static void set_address(PipelineInstruction* instruction, const ProcessorFacts* facts)
{
   const Instruction* of = &instruction->of;
   if (of->index == REGISTER_NONE)
      return;
   UInt latency = 0;
   if (of->base < REGISTERS_GENERAL && of->displacement != 0)
      latency = facts->lea_of_three;
   if (of->scale > 1 && facts->lea_scaled > latency)
      latency = facts->lea_scaled;
   if (latency != 0)
      instruction->latency = CYCLES(latency);
}

static void set_flow(PipelineInstruction* instruction, const ProcessorFacts* facts)
{
   UInt cycles = 1;
   switch (instruction->of.flow) {
   case FlowCall: cycles = facts->call; break;
   case FlowCallAny: cycles = facts->call_any; break;
   case FlowReturn: cycles = facts->returning; break;
   case FlowLeaves: cycles = facts->jump; break;
   default: break;
   }
   instruction->redirection = CYCLES(cycles);
}

/* It is done when registers are renamed.  */
static void set_renaming(PipelineInstruction* instruction)
{
   instruction->cost = &free_of_units;
   instruction->latency = 0;
   instruction->micro_operations = 1;
}

/* How long the load takes from the store to its place; and whether the store's register
   stands for it, if it is as wide.  What is added to memory waits like what is added to a
   load, where these are one operation.  */
static void set_forwarding(PipelineInstruction* instruction, const ProcessorFacts* facts)
{
   const Instruction* of = &instruction->of;
   Bool waits = of->kind == KindSimple && of->stores && facts->fuses_loads;
   instruction->forwarded = CYCLES(facts->forwarded);
   instruction->renamed = instruction->forwarded;
   if (of->index == REGISTER_NONE && of->bytes != 0 && !waits)
      instruction->renamed = CYCLES(facts->renamed);
}

static void shorten(PipelineInstruction* instruction, UInt cycles)
{
   if (instruction->latency > CYCLES(cycles))
      instruction->latency = CYCLES(cycles);
}

static void add_facts(PipelineInstruction* instruction)
{
   const ProcessorFacts* facts = processor_facts();
   set_forwarding(instruction, facts);
   instruction->busy = 0;
   instruction->step = CYCLES(facts->step);
   set_flow(instruction, facts);
   switch (instruction->of.kind) {
   case KindAtomic:
      instruction->forwarded = instruction->renamed = 0;
      if (instruction->latency < CYCLES(facts->atomic))
         instruction->latency = CYCLES(facts->atomic);
      break;
   case KindRepetition: set_repetition(instruction, facts); break;
   case KindNothing:
      instruction->cost = &free_of_units;
      instruction->micro_operations = 1;
      break;
   case KindDivision: set_division(instruction, facts); break;
   case KindGather: set_gather(instruction, facts); break;
   case KindAddress: set_address(instruction, facts); break;
   case KindRotation: /* the flags take longer, for which nothing waits */
      shorten(instruction, 1);
      break;
   case KindProduct:
      if (facts->product != 0)
         shorten(instruction, facts->product);
      break;
   case KindMove:
      if (facts->moves)
         set_renaming(instruction);
      break;
   case KindCrossing: instruction->latency += CYCLES(facts->crossing); break;
   default: break;
   }
   if (instruction->of.is_step && facts->steps)
      set_renaming(instruction);
}

/*--------------------------------------------------------------------*/
/* What LLVM says                                                      */

/* How much of its latency is the load's, and how much what is done with the data.  LLVM
   may add what a store takes: only loads wait for that, as `forwarded` says.  */
static void split_latency(const FormModel* model, PipelineInstruction* instruction)
{
   Tick first_level = CYCLES(processor_facts()->load);
   UInt form = instruction->of.form_registers;
   const FormClass* without = form != 0 ? form_cost(model, form) : NULL;
   Tick all = instruction->latency;
   Tick own = without != NULL ? without->latency * PIPELINE_TICKS_PER_HUNDREDTH : 0;
   instruction->latency = own < all ? own : 0;
   instruction->load_latency = all - instruction->latency;
   if (instruction->of.stores && instruction->load_latency > first_level)
      instruction->load_latency = first_level;
}

Bool prepare_instruction(const FormModel* model, Addr address, UInt available,
                         PipelineInstruction* instruction)
{
   static const FormClass unknown = {1, 100, 100, 0, 0};
   Instruction* of = &instruction->of;
   if (!instruction_read((const UChar*)address, available, of))
      return False;
   instruction->next = address + of->size;
   instruction->is_taken = False;
   instruction->cost = form_cost(model, of->form);
   if (instruction->cost == NULL)
      instruction->cost = &unknown;
   instruction->latency = instruction->cost->latency * PIPELINE_TICKS_PER_HUNDREDTH;
   instruction->micro_operations = instruction->cost->micro_operations;
   instruction->load_latency = 0;
   if (of->loads)
      split_latency(model, instruction);
   else if (of->stores && of->writes == 0)
      instruction->latency = 0;
   add_facts(instruction);
   return True;
}

/*--------------------------------------------------------------------*/
/* Fusing                                                              */

/* A load, and what is added to it.  */
static Bool is_fused_load(const PipelineInstruction* first,
                          const PipelineInstruction* second)
{
   return first->of.kind == KindLoad && first->of.loads &&
          second->of.kind == KindSimple && !second->of.stores &&
          (first->of.writes & second->of.writes) != 0 && processor_facts()->fuses_loads;
}

void prepare_fused(PipelineInstruction* first, const PipelineInstruction* second)
{
   if (is_fused_load(first, second)) {
      first->micro_operations = 0;
      first->renamed = first->forwarded;
   }
   if (!first->of.fuses || !second->of.is_flag_branch || !processor_facts()->fuses)
      return;
   if (!first->of.loads)
      first->cost = &free_of_units;
   first->micro_operations = 0;
}
