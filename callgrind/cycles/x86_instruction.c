/* SPDX-License-Identifier: GPL-2.0-or-later

   x86-64: an instruction's fields and operands in the terms of instruction.h.  */

#include "cycles/instruction.h"

#if defined(VGA_amd64)

#include "cycles/x86_decode.h"
#include "cycles/x86_operands.h"

#define FORM_MEMORY (1u << 15)
#define FORM_REPEATED (3u << 10)
#define GENERAL 16

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

static Bool is_rotation(const X86Instruction* fields)
{
   UInt op = fields->opcode & 0xfe;
   return fields->map == X86MapOne && (op == 0xc0 || op == 0xd0) && !fields->is_memory &&
          (fields->reg & 7) < 2;
}

static UInt gathered(const X86Instruction* fields)
{
   Bool has_long_elements = fields->is_wide || (fields->opcode & 1) != 0;
   return (fields->is_long ? 8 : 4) >> has_long_elements;
}

/* An iteration of a repeated instruction is counted as an instruction.  So it costs what
   the instruction costs that is not repeated.  */
static UInt form_of_iteration(const X86Instruction* fields)
{
   return is_repeated(fields) ? fields->form & ~FORM_REPEATED : fields->form;
}

static UInt repeated_bytes(const X86Instruction* fields)
{
   return (fields->opcode & 1) == 0 ? 1 : fields->is_wide ? 8 : 4;
}

/* From a general register to a vector register or back, with a conversion.  */
static Bool crosses(const X86Instruction* fields)
{
   UInt op = fields->opcode;
   return fields->map == X86Map0F && fields->prefix > X86Prefix66 &&
          ((op == 0x2a && !fields->is_memory) || op == 0x2c || op == 0x2d);
}

/* A whole register, of 32 bits or more, to another.  */
static Bool is_move(const X86Instruction* fields)
{
   UInt op = fields->opcode;
   if (fields->is_memory || fields->reg == fields->rm)
      return False;
   if (fields->map == X86MapOne)
      return (op == 0x89 || op == 0x8b) && fields->prefix == X86PrefixNone;
   return fields->map == X86Map0F &&
          (((op & 0xfe) == 0x28 && fields->prefix <= X86Prefix66) ||
           ((op & 0xef) == 0x6f && fields->prefix >= X86Prefix66 &&
            fields->prefix <= X86PrefixF3));
}

/* add, or, and, sub and xor with a register as the source.  */
static Bool is_simple(const X86Instruction* fields)
{
   UInt op = fields->opcode, what = op >> 3;
   return fields->map == X86MapOne && op < 0x38 && (op & 7) < 4 && what != 2 &&
          what != 3 && ((op & 2) == 0 || !fields->is_memory);
}

static Bool is_float(const X86Instruction* fields, UInt opcode)
{
   return fields->map == X86Map0F && fields->opcode == opcode;
}

static UInt simple_kind(const X86Instruction* fields)
{
   if (is_move(fields))
      return KindMove;
   if (is_one(fields, 0x8b))
      return KindLoad;
   if (is_simple(fields))
      return KindSimple;
   if (is_float(fields, 0x58) || is_float(fields, 0x5c))
      return KindAddition;
   return is_float(fields, 0x59) ? KindProduct : KindOther;
}

static void set_kind(const X86Instruction* fields, Instruction* instruction)
{
   UInt kind = simple_kind(fields), amount = 0;
   if (is_atomic(fields))
      kind = KindAtomic;
   else if (is_repeated(fields))
      kind = KindRepetition, amount = repeated_bytes(fields);
   else if (is_nop(fields))
      kind = KindNothing;
   else if (is_integer_division(fields))
      kind = KindDivision, amount = fields->is_wide ? 64 : 32;
   else if (is_gather(fields))
      kind = KindGather, amount = gathered(fields);
   else if (is_one(fields, 0x8d))
      kind = KindAddress;
   else if (is_rotation(fields))
      kind = KindRotation;
   else if (crosses(fields))
      kind = KindCrossing;
   instruction->kind = (UChar)kind;
   instruction->amount = (UChar)amount;
}

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

/*--------------------------------------------------------------------*/
/* Values                                                              */

static void copy(Instruction* instruction, UInt to, UInt from, Long distance)
{
   instruction->copy_to = (UChar)to;
   instruction->copy_from = (UChar)from;
   instruction->copy_distance = distance;
}

/* The register that the instruction gives a value that can be followed.  */
static void set_copy(const X86Instruction* fields, Instruction* instruction)
{
   if (fields->map != X86MapOne || fields->prefix != X86PrefixNone)
      return;
   UInt digit = fields->reg & 7;
   if (fields->opcode == 0x8d) { /* lea */
      if (fields->index == X86_NO_REGISTER)
         copy(instruction, fields->reg, fields->base, fields->displacement);
      return;
   }
   if (fields->is_memory)
      return;
   switch (fields->opcode) {
   case 0x89: copy(instruction, fields->rm, fields->reg, 0); break;
   case 0x8b: copy(instruction, fields->reg, fields->rm, 0); break;
   case 0x81:
   case 0x83:
      if (digit == 0 || digit == 5)
         copy(instruction, fields->rm, fields->rm,
              digit == 0 ? fields->immediate : -fields->immediate);
      break;
   case 0xff:
      if (digit < 2)
         copy(instruction, fields->rm, fields->rm, digit == 0 ? 1 : -1);
      break;
   default: break;
   }
}

/* push, call, pop, leave and their like.  A call's return address is popped again.  */
static void step_stack(const X86Instruction* fields, Instruction* instruction)
{
   Bool calls = instruction->flow == FlowCall || instruction->flow == FlowCallAny;
   instruction->reads &= ~register_bit(X86Rsp);
   instruction->copy_is_stepped = True;
   if (is_one(fields, 0xc9))
      copy(instruction, X86Rsp, X86Rbp, 8);
   else
      copy(instruction, X86Rsp, X86Rsp, calls ? 0 : instruction->stores ? -8 : 8);
}

/*--------------------------------------------------------------------*/
/* Memory                                                              */

static UInt whole(const X86Instruction* fields)
{
   return fields->is_wide ? 8 : fields->prefix == X86Prefix66 ? 2 : 4;
}

static UInt bytes_of_first_map(const X86Instruction* fields)
{
   UInt op = fields->opcode;
   if (op == 0x63) /* movslq */
      return 4;
   if (op >= 0xd8 && op <= 0xdf) /* of the old floating-point unit */
      return 0;
   if ((op & 0xfe) == 0x68 || op == 0x6a) /* push */
      return 8;
   return op == 0x69 || op == 0x6b || (op & 1) != 0 ? whole(fields) : 1;
}

/* Of an operand in memory that is loaded to or stored from general registers.  */
static UInt bytes_of(const X86Instruction* fields, const X86Operands* operands)
{
   UInt op = fields->opcode;
   if (operands->moves_stack)
      return 8;
   if (fields->is_vex || fields->map > X86Map0F)
      return 0;
   if (fields->map == X86MapOne)
      return bytes_of_first_map(fields);
   if ((op & 0xf7) == 0xb6 || (op & 0xf0) == 0x90) /* movzb, movsb, set */
      return 1;
   if ((op & 0xf7) == 0xb7)
      return 2;
   return (op & 0xf0) == 0x40 || op == 0xaf ? whole(fields) : 0;
}

/* add, sub, inc, dec or lea: what some processors do when they rename registers.  */
static Bool is_step(const X86Instruction* fields, const Instruction* instruction)
{
   return fields->is_wide && instruction->copy_from < GENERAL &&
          instruction->kind != KindMove && instruction->copy_distance >= -128 &&
          instruction->copy_distance < 128;
}

/*--------------------------------------------------------------------*/
/* Reading                                                             */

static void set_address(const X86Instruction* fields, Instruction* instruction)
{
   if (fields->is_memory) {
      instruction->base = fields->base;
      if (fields->index < GENERAL) {
         instruction->index = fields->index;
         instruction->scale = fields->scale;
      }
      instruction->displacement = fields->displacement;
   } else {
      instruction->base = X86Rsp;
      instruction->displacement = instruction->stores ? -8 : 0;
   }
}

static Flow flow_of(const X86Operands* operands)
{
   static const UChar flows[] = {
      [X86GoesOn] = FlowGoesOn, [X86Branch] = FlowBranch,   [X86Jump] = FlowJump,
      [X86Call] = FlowCall,     [X86CallAny] = FlowCallAny, [X86Leaves] = FlowLeaves};
   Bool returns = operands->flow == X86Leaves && operands->loads && operands->moves_stack;
   return returns ? FlowReturn : flows[operands->flow];
}

Bool instruction_read(const UChar* code, UInt available, Instruction* instruction)
{
   X86Instruction fields;
   X86Operands operands;
   if (!x86_decode(code, available, &fields))
      return False;
   x86_operands(&fields, &operands);
   *instruction = (Instruction){
      .form = fields.form,
      .form_alone = form_of_iteration(&fields),
      .form_registers = fields.is_memory ? fields.form & ~FORM_MEMORY : 0,
      .size = fields.size,
      .flow = (UChar)flow_of(&operands),
      .is_flag_branch =
         operands.flow == X86Branch && (operands.reads & 1ULL << X86Flags) != 0,
      .fuses = may_be_fused(&fields),
      .target = operands.target,
      .reads = operands.reads,
      .addresses = operands.addresses,
      .writes = operands.writes,
      .loads = operands.loads,
      .stores = operands.stores,
      .bytes = (UChar)bytes_of(&fields, &operands),
      .index = REGISTER_NONE,
      .scale = 1,
      .base = REGISTER_NONE,
      .copy_to = REGISTER_NONE,
      .copy_from = REGISTER_NONE,
   };
   set_kind(&fields, instruction);
   set_address(&fields, instruction);
   if (operands.moves_stack)
      step_stack(&fields, instruction);
   else {
      set_copy(&fields, instruction);
      instruction->is_step = is_step(&fields, instruction);
   }
   return True;
}

RegisterSet instruction_scratch(void)
{
   static const UChar general[] = {X86Rax, X86Rcx, X86Rdx, X86Rsi, X86Rdi, 8, 9, 10, 11};
   RegisterSet set = 0;
   for (UInt i = 0; i < sizeof general; i++)
      set |= register_bit(general[i]);
   for (UInt i = X86Vectors; i < X86_REGISTERS; i++)
      set |= register_bit(i);
   return set;
}

#endif
