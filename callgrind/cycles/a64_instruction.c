/* SPDX-License-Identifier: GPL-2.0-or-later

   A64: an instruction in the terms of instruction.h.  Facts about instructions are those
   of the Arm Architecture Reference Manual for A-profile.

   General registers have their numbers, 31 is the stack pointer; then come the vector
   registers and the flags.  */

#include "cycles/instruction.h"

#if defined(VGA_arm64)

#include "cycles/a64_decode.h"

#define SIZE 4
#define STACK_POINTER 31
#define LINK 30
#define VECTORS 32
#define FLAGS 64

/*--------------------------------------------------------------------*/
/* Registers                                                           */

static UInt field_d(UInt word) { return a64_bits(word, 0, 5); }
static UInt field_n(UInt word) { return a64_bits(word, 5, 5); }
static UInt field_a(UInt word) { return a64_bits(word, 10, 5); }
static UInt field_m(UInt word) { return a64_bits(word, 16, 5); }

/* Number 31 is zero, which nothing waits for.  */
static RegisterSet general(UInt number)
{
   return number < STACK_POINTER ? register_bit(number) : 0;
}

static RegisterSet general_or_stack(UInt number) { return register_bit(number); }

static RegisterSet vector(UInt number) { return register_bit(VECTORS + (number & 31)); }

static RegisterSet vectors(UInt first, UInt n)
{
   RegisterSet set = 0;
   for (UInt i = 0; i < n; i++)
      set |= vector(first + i);
   return set;
}

static Long signed_bits(UInt word, UInt low, UInt n)
{
   return (Long)(Int)(a64_bits(word, low, n) << (32 - n)) >> (32 - n);
}

static Bool has_bit(UInt word, UInt number) { return a64_bits(word, number, 1) != 0; }

/*--------------------------------------------------------------------*/
/* Loads and stores                                                    */

typedef struct {
   RegisterSet data;
   UInt bytes_log; /* of one, to scale offsets */
   Bool loads, stores, prefetches;
} Access;

static RegisterSet data_register(UInt word, UInt number)
{
   return has_bit(word, 26) ? vector(number) : general(number);
}

/* Of one register.  */
static Access single_access(UInt word)
{
   UInt size = a64_bits(word, 30, 2), opc = a64_bits(word, 22, 2);
   Bool is_vector = has_bit(word, 26);
   Access access = {.data = data_register(word, field_d(word)),
                    .bytes_log = is_vector && opc >= 2 ? 4 : size,
                    .prefetches = !is_vector && size == 3 && opc == 2};
   access.loads = !access.prefetches && (is_vector ? (opc & 1) != 0 : opc != 0);
   access.stores = !access.prefetches && !access.loads;
   return access;
}

static void apply(Instruction* instruction, const Access* access)
{
   instruction->loads = access->loads;
   instruction->stores = access->stores;
   if (access->loads)
      instruction->writes |= access->data;
   if (access->stores)
      instruction->reads |= access->data;
}

/* The base is stepped, before or after the access.  */
static void step_base(Instruction* instruction, Long distance, Bool is_before)
{
   instruction->writes |= register_bit(instruction->base);
   instruction->copy_to = instruction->copy_from = instruction->base;
   instruction->copy_distance = distance;
   instruction->copy_is_stepped = True;
   if (is_before)
      instruction->displacement = distance;
}

static void read_pair(UInt word, Instruction* instruction)
{
   UInt opc = a64_bits(word, 30, 2), mode = a64_bits(word, 23, 2);
   UInt bytes_log = has_bit(word, 26) ? 2 + opc : has_bit(word, 31) ? 3 : 2;
   Bool loads = has_bit(word, 22);
   Long offset = signed_bits(word, 15, 7) * (1 << bytes_log);
   RegisterSet data =
      data_register(word, field_d(word)) | data_register(word, field_a(word));
   apply(instruction, &(Access){data, bytes_log, loads, !loads, False});
   if (mode == 1 || mode == 3)
      step_base(instruction, offset, mode == 3);
   else
      instruction->displacement = offset;
}

static void read_by_immediate_9(UInt word, Instruction* instruction)
{
   Access access = single_access(word);
   Long offset = signed_bits(word, 12, 9);
   UInt mode = a64_bits(word, 10, 2);
   apply(instruction, &access);
   if (mode == 1 || mode == 3)
      step_base(instruction, offset, mode == 3);
   else
      instruction->displacement = offset;
}

static void read_by_immediate_12(UInt word, Instruction* instruction)
{
   Access access = single_access(word);
   apply(instruction, &access);
   instruction->displacement = (Long)a64_bits(word, 10, 12) << access.bytes_log;
}

static void read_by_register(UInt word, Instruction* instruction)
{
   Access access = single_access(word);
   apply(instruction, &access);
   instruction->addresses |= general(field_m(word));
   if (field_m(word) < STACK_POINTER)
      instruction->index = (UChar)field_m(word);
   instruction->scale = (UChar)(has_bit(word, 12) ? 1 << access.bytes_log : 1);
}

static void read_literal(UInt word, Instruction* instruction)
{
   Bool prefetches = !has_bit(word, 26) && a64_bits(word, 30, 2) == 3;
   Access access = {data_register(word, field_d(word)), 0, !prefetches, False, False};
   instruction->addresses = 0;
   instruction->base = REGISTER_NEXT;
   instruction->displacement = SIZE * signed_bits(word, 5, 19) - SIZE;
   apply(instruction, &access);
}

/* LD1 to LD4 and ST1 to ST4: `n` registers.  */
static void read_vectors(UInt word, UInt uses, UInt n, Bool keeps,
                         Instruction* instruction)
{
   Bool loads = has_bit(word, 22);
   Access access = {vectors(field_d(word), n), 0, loads, !loads, False};
   apply(instruction, &access);
   if (loads && keeps)
      instruction->reads |= access.data;
   if ((uses & STEPS) == 0)
      return;
   instruction->reads |= general(field_m(word));
   step_base(instruction, 16 * n, False);
   if (field_m(word) < STACK_POINTER)
      instruction->copy_from = REGISTER_NONE;
}

static UInt structure_registers(UInt word)
{
   switch (a64_bits(word, 12, 4)) {
   case 0:
   case 2: return 4;
   case 4:
   case 6: return 3;
   case 7: return 1;
   default: return 2;
   }
}

/* Reads and writes memory at once.  */
static void exchange(Instruction* instruction, RegisterSet reads, RegisterSet writes)
{
   instruction->loads = instruction->stores = True;
   instruction->kind = KindAtomic;
   instruction->reads |= reads;
   instruction->writes |= writes;
}

static void read_exclusive(UInt word, Instruction* instruction)
{
   UInt size = a64_bits(word, 30, 2);
   Bool is_ordered = has_bit(word, 23), loads = has_bit(word, 22),
        has_two = has_bit(word, 21);
   RegisterSet target = general(field_d(word)), other = general(field_m(word));
   if (has_two && is_ordered) /* CAS */
      exchange(instruction, target | other, other);
   else if (has_two && size < 2) /* CASP */
      exchange(instruction,
               target | general(field_d(word) + 1) | other | general(field_m(word) + 1),
               other | general(field_m(word) + 1));
   else {
      RegisterSet data = target | (has_two ? general(field_a(word)) : 0);
      apply(instruction, &(Access){data, 0, loads, !loads, False});
      if (!loads && !is_ordered)
         instruction->writes |= other;
   }
}

static void read_atomic(UInt word, Instruction* instruction)
{
   Bool only_loads = has_bit(word, 15) && a64_bits(word, 12, 3) == 4; /* LDAPR */
   if (only_loads)
      apply(instruction, &(Access){general(field_d(word)), 0, True, False, False});
   else
      exchange(instruction, general(field_m(word)), general(field_d(word)));
}

static void read_memory(UInt word, UInt uses, Instruction* instruction)
{
   instruction->base = (UChar)field_n(word);
   instruction->addresses = general_or_stack(field_n(word));
   switch ((Int)(A64_SPECIAL(uses) << 24)) {
   case PAIR: read_pair(word, instruction); break;
   case BY_IMMEDIATE_9: read_by_immediate_9(word, instruction); break;
   case BY_IMMEDIATE_12: read_by_immediate_12(word, instruction); break;
   case BY_REGISTER: read_by_register(word, instruction); break;
   case LITERAL: read_literal(word, instruction); break;
   case EXCLUSIVE: read_exclusive(word, instruction); break;
   case ATOMIC: read_atomic(word, instruction); break;
   case STRUCTURES:
      read_vectors(word, uses, structure_registers(word), False, instruction);
      break;
   default: {
      UInt opcode = a64_bits(word, 13, 3);
      UInt n = (opcode & 1) * 2 + (UInt)has_bit(word, 21) + 1;
      read_vectors(word, uses, n, opcode < 6, instruction);
      break;
   }
   }
}

/*--------------------------------------------------------------------*/
/* Which vector instructions add to their target                       */

static Bool adds_to_target(UInt word, UInt special)
{
   UInt five = a64_bits(word, 11, 5), four = a64_bits(word, 12, 4);
   UInt misc = a64_bits(word, 12, 5);
   Bool u = has_bit(word, 29), is_second_half = has_bit(word, 30) && !has_bit(word, 28);
   switch ((Int)(special << 24)) {
   case ADDS_TO_SAME: /* SABA, MLA, FMLA, FMLAL; BSL, BIT, BIF */
      return five == 0x0f || five == 0x12 || five == 0x19 || (five == 0x1d && !u) ||
             (five == 0x03 && u && a64_bits(word, 22, 2) != 0);
   case ADDS_TO_HALF: return !u && a64_bits(word, 11, 3) == 1;
   case ADDS_TO_LONG: /* SABAL, SMLAL and their like; ADDHN2, SUBHN2 */
      return four == 5 || (four >= 8 && four <= 11) ||
             (is_second_half && (four == 4 || four == 6));
   case ADDS_TO_MISC: /* SADALP, SUQADD; XTN2, SQXTN2, FCVTN2 */
      return misc == 6 || misc == 3 ||
             (is_second_half && (misc == 0x12 || misc == 0x14 || misc == 0x16));
   case ADDS_TO_SHIFT: /* SSRA, SRSRA, SRI, SLI; SHRN2 and its like */
      return five == 2 || five == 6 || (u && (five == 8 || five == 10)) ||
             (is_second_half && five >= 0x10 && five <= 0x13);
   case ADDS_TO_INDEXED: /* all that multiply and add */
      return four < 8 || four == 14 ||
             (u && (four == 8 || four == 12 || four == 13 || four == 15));
   case ADDS_TO_IMMEDIATE: /* ORR, BIC */ return (four & 1) != 0 && four < 12;
   default: return False;
   }
}

/*--------------------------------------------------------------------*/
/* The other special ones                                              */

static void copy(Instruction* instruction, UInt to, UInt from, Long distance)
{
   instruction->copy_to = (UChar)to;
   instruction->copy_from = (UChar)from;
   instruction->copy_distance = distance;
}

/* ADR, ADRP.  The code is read where it lies, so its address is the guest's.  */
static void read_pc_relative(const UChar* code, UInt word, Instruction* instruction)
{
   Long distance = signed_bits(word, 5, 19) * 4 + (Long)a64_bits(word, 29, 2);
   if (has_bit(word, 31))
      distance = distance * 4096 - (Long)((Addr)code & 4095);
   copy(instruction, field_d(word), REGISTER_NEXT, distance - SIZE);
}

static void read_addition(UInt word, Instruction* instruction)
{
   Long distance = (Long)a64_bits(word, 10, 12) << (has_bit(word, 22) ? 12 : 0);
   if (has_bit(word, 31) && !has_bit(word, 29))
      copy(instruction, field_d(word), field_n(word),
           has_bit(word, 30) ? -distance : distance);
}

/* MOV between registers is ORR with zero.  */
static void read_move(UInt word, Instruction* instruction)
{
   if ((word & 0xffe0ffe0) == 0xaa0003e0 && field_m(word) < STACK_POINTER)
      copy(instruction, field_d(word), field_m(word), 0);
}

static void go(Instruction* instruction, Flow flow, Long words)
{
   instruction->flow = (UChar)flow;
   instruction->target = SIZE * words - SIZE;
}

static void read_conversion(UInt word, Instruction* instruction)
{
   UInt opcode = a64_bits(word, 16, 3);
   Bool to_vector = opcode == 2 || opcode == 3 || opcode == 7;
   instruction->reads |= to_vector ? general(field_n(word)) : vector(field_n(word));
   instruction->writes |= to_vector ? vector(field_d(word)) : general(field_d(word));
   if (opcode == 7 && a64_bits(word, 19, 2) == 1) /* the upper half */
      instruction->reads |= vector(field_d(word));
}

/* DUP, INS, SMOV and UMOV.  */
static void read_element(UInt word, Instruction* instruction)
{
   UInt opcode = has_bit(word, 29) ? 16 : a64_bits(word, 11, 4);
   Bool from_general = opcode == 1 || opcode == 3, inserts = opcode == 3 || opcode == 16;
   instruction->reads |= from_general ? general(field_n(word)) : vector(field_n(word));
   if (inserts)
      instruction->reads |= vector(field_d(word));
   instruction->writes |=
      opcode == 5 || opcode == 7 ? general(field_d(word)) : vector(field_d(word));
}

static void read_table(UInt word, Instruction* instruction)
{
   instruction->reads |= vectors(field_n(word), 1 + a64_bits(word, 13, 2));
   if (has_bit(word, 12)) /* TBX */
      instruction->reads |= vector(field_d(word));
}

static void read_hint(UInt word, Instruction* instruction)
{
   UInt number = a64_bits(word, 5, 7);
   Bool is_landing = (number & ~6u) == 32; /* BTI */
   if (number == 0 || is_landing)
      instruction->kind = KindNothing;
}

static void read_flow(UInt word, UInt special, Instruction* instruction)
{
   switch ((Int)(special << 24)) {
   case BRANCH_19: go(instruction, FlowBranch, signed_bits(word, 5, 19)); break;
   case BRANCH_14: go(instruction, FlowBranch, signed_bits(word, 5, 14)); break;
   case JUMP_26:
      go(instruction, has_bit(word, 31) ? FlowCall : FlowJump, signed_bits(word, 0, 26));
      break;
   case CALLS: go(instruction, FlowCallAny, 0); break;
   case RETURNS: go(instruction, FlowReturn, 0); break;
   case LEAVES: go(instruction, FlowLeaves, 0); break;
   case EXCEPTION: /* SVC comes back */
      if ((word & 0xffe0001f) != 0xd4000001)
         go(instruction, FlowLeaves, 0);
      break;
   default: return;
   }
   if (instruction->flow == FlowCall || instruction->flow == FlowCallAny)
      instruction->writes |= register_bit(LINK);
}

static void read_special(const UChar* code, UInt word, UInt special,
                         Instruction* instruction)
{
   switch ((Int)(special << 24)) {
   case PC_RELATIVE: read_pc_relative(code, word, instruction); break;
   case ADDS: read_addition(word, instruction); break;
   case KEEPS_D:
      if (a64_bits(word, 29, 2) == 3)
         instruction->reads |= general(field_d(word));
      break;
   case KEEPS_FIELD:
      if (a64_bits(word, 29, 2) == 1)
         instruction->reads |= general(field_d(word));
      break;
   case HINT: read_hint(word, instruction); break;
   case SYSTEM:
      if (has_bit(word, 21))
         instruction->writes |= general(field_d(word));
      else
         instruction->reads |= general(field_d(word));
      break;
   case DIVIDES:
      if (a64_bits(word, 11, 5) == 1) {
         instruction->kind = KindDivision;
         instruction->amount = has_bit(word, 31) ? 64 : 32;
      }
      break;
   case CONVERTS: read_conversion(word, instruction); break;
   case TABLE: read_table(word, instruction); break;
   case ELEMENT: read_element(word, instruction); break;
   case CRYPTO: /* AESE and AESD */
      if (a64_bits(word, 13, 4) == 2)
         instruction->reads |= vector(field_d(word));
      break;
   default:
      if (adds_to_target(word, special))
         instruction->reads |= vector(field_d(word));
      read_flow(word, special, instruction);
      break;
   }
}

/*--------------------------------------------------------------------*/
/* Registers and flags of the rest                                     */

/* Is the element that is indexed a half?  Then one bit of M's number belongs to the
   index.  By size, operation and bit 29.  */
static Bool indexes_halves(UInt word)
{
   UInt size = a64_bits(word, 22, 2), opcode = a64_bits(word, 12, 4);
   Bool u = has_bit(word, 29);
   switch (size) {
   case 0: return opcode == 1 || opcode == 5 || opcode == 9; /* FMLA, FMLS, FMUL */
   case 1:
      return !(u && opcode < 8 && (opcode & 1) != 0) && /* FCMLA */
             !(!u && opcode == 15);                     /* BFDOT */
   case 2:
      return u ? opcode == 8 || opcode == 12 : opcode == 0 || opcode == 4; /* FMLAL */
   default: return opcode == 15;                                           /* BFMLAL */
   }
}

static UInt vector_m(UInt word, UInt uses)
{
   Bool is_half =
      A64_SPECIAL(uses) == A64_SPECIAL((UInt)ADDS_TO_INDEXED) && indexes_halves(word);
   return is_half ? a64_bits(word, 16, 4) : field_m(word);
}

static void read_registers(UInt word, UInt uses, Instruction* instruction)
{
   Bool sets = ((uses & SETS_FLAGS) != 0 && has_bit(word, 29)) ||
               ((uses & TESTS_FLAGS) != 0 && a64_bits(word, 29, 2) == 3);
   RegisterSet* reads = &instruction->reads;
   RegisterSet* writes = &instruction->writes;
   if (uses & WD)
      *writes |= (uses & SP_D) != 0 && !sets ? general_or_stack(field_d(word))
                                             : general(field_d(word));
   if (uses & RD)
      *reads |= general(field_d(word));
   if (uses & RN)
      *reads |=
         (uses & SP_N) != 0 ? general_or_stack(field_n(word)) : general(field_n(word));
   if (uses & RM)
      *reads |= general(field_m(word));
   if (uses & RA)
      *reads |= general(field_a(word));
   if (uses & WVD)
      *writes |= vector(field_d(word));
   if (uses & VD)
      *reads |= vector(field_d(word));
   if (uses & VN)
      *reads |= vector(field_n(word));
   if (uses & VM)
      *reads |= vector(vector_m(word, uses));
   if (uses & VA)
      *reads |= vector(field_a(word));
   if (uses & READS_FLAGS)
      *reads |= register_bit(FLAGS);
   if (sets || (uses & WRITES_FLAGS) != 0)
      *writes |= register_bit(FLAGS);
}

/* Compares or tests registers that are not shifted, or an immediate.  */
static Bool may_be_fused(UInt word, UInt uses)
{
   Bool is_shifted = (uses & RM) != 0 && a64_bits(word, 10, 6) != 0;
   Bool sets = ((uses & SETS_FLAGS) != 0 && has_bit(word, 29)) ||
               ((uses & TESTS_FLAGS) != 0 && a64_bits(word, 29, 2) == 3);
   return sets && (uses & WD) != 0 && field_d(word) == STACK_POINTER && !is_shifted &&
          (uses & READS_FLAGS) == 0;
}

Bool instruction_read(const UChar* code, UInt available, Instruction* instruction)
{
   if (available < SIZE)
      return False;
   UInt word =
      (UInt)code[0] | (UInt)code[1] << 8 | (UInt)code[2] << 16 | (UInt)code[3] << 24;
   A64Class class = a64_class(word);
   UInt uses = class.uses;
   *instruction = (Instruction){
      .form = class.form,
      .form_alone = class.form,
      .size = SIZE,
      .base = REGISTER_NONE,
      .index = REGISTER_NONE,
      .scale = 1,
      .copy_to = REGISTER_NONE,
      .copy_from = REGISTER_NONE,
   };
   if (uses & MEMORY) {
      read_memory(word, uses, instruction);
      return True;
   }
   read_registers(word, uses, instruction);
   read_special(code, word, A64_SPECIAL(uses), instruction);
   read_move(word, instruction);
   instruction->fuses = may_be_fused(word, uses);
   instruction->is_flag_branch =
      instruction->flow == FlowBranch && (uses & READS_FLAGS) != 0;
   return True;
}

/* X0 to X17, V0 to V7 and V16 to V31.  */
RegisterSet instruction_scratch(void)
{
   RegisterSet all = register_bit(18) - 1;
   all |= (RegisterSet)0xffff00ff << VECTORS;
   return all | register_bit(FLAGS);
}

#endif
