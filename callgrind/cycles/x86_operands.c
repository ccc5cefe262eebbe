/* SPDX-License-Identifier: GPL-2.0-or-later

   See x86_operands.h.  Facts about instructions are those of the processors' manuals.  */

#include "cycles/x86_operands.h"

/* How the operand that ModRM's register names, and the other one, are used.  */
typedef enum {
   UseNone,
   UseReadRead,   /* compared */
   UseWriteRead,  /* the first is written from the second */
   UseUpdateRead, /* the first is updated; with VEX: written from two others */
   UseReadWrite,  /* the second is written from the first */
   UseReadUpdate, /* the second is updated */
   UseUpdateBoth, /* exchanged */
   UseNoneRead,   /* only the second: read */
   UseNoneWrite,
   UseNoneUpdate
} Use;

typedef struct {
   const X86Instruction* instruction;
   X86Operands* operands;
   UInt op;
} Finder;

static Bool in(UInt value, UInt low, UInt high) { return value - low <= high - low; }

static ULong bit(UInt number) { return 1ULL << number; }

static ULong general(UInt number) { return bit(number & 15); }

static ULong vector(UInt number) { return bit(X86Vectors + (number & 15)); }

static void read(Finder* finder, ULong registers)
{
   finder->operands->reads |= registers;
}

static void write(Finder* finder, ULong registers)
{
   finder->operands->writes |= registers;
}

static void update(Finder* finder, ULong registers)
{
   read(finder, registers);
   write(finder, registers);
}

/* Applies a use to ModRM's operands, `first` and `second` as sets of registers.  */
static void use(Finder* finder, Use how, ULong first, ULong second)
{
   X86Operands* operands = finder->operands;
   Bool is_memory = finder->instruction->is_memory;
   Bool reads = how != UseReadWrite && how != UseNoneWrite && how != UseNone;
   Bool writes = how == UseReadWrite || how == UseNoneWrite || how == UseReadUpdate ||
                 how == UseUpdateBoth || how == UseNoneUpdate;
   if (is_memory) {
      operands->loads |= reads;
      operands->stores |= writes;
      second = 0;
   }
   if (reads)
      read(finder, second);
   if (writes)
      write(finder, second);
   if (how == UseReadRead || how == UseUpdateRead || how == UseReadWrite ||
       how == UseReadUpdate || how == UseUpdateBoth)
      read(finder, first);
   if (how == UseWriteRead || how == UseUpdateRead || how == UseUpdateBoth)
      write(finder, first);
}

static void use_general(Finder* finder, Use how)
{
   use(finder, how, general(finder->instruction->reg), general(finder->instruction->rm));
}

static void set_flags(Finder* finder) { write(finder, bit(X86Flags)); }

static void push(Finder* finder)
{
   update(finder, bit(X86Rsp));
   finder->operands->stores = finder->operands->moves_stack = True;
}

static void pop(Finder* finder)
{
   update(finder, bit(X86Rsp));
   finder->operands->loads = finder->operands->moves_stack = True;
}

static void flow(Finder* finder, X86Flow kind)
{
   finder->operands->flow = (UChar)kind;
   finder->operands->target = finder->instruction->immediate;
}

/*--------------------------------------------------------------------*/
/* The first map                                                       */

static void arithmetic(Finder* finder)
{
   UInt kind = finder->op & 7, operation = finder->op >> 3 & 7;
   Bool compares = operation == 7;
   set_flags(finder);
   if (operation == 2 || operation == 3)
      read(finder, bit(X86Flags));
   if (kind < 2)
      use_general(finder, compares ? UseReadRead : UseReadUpdate);
   else if (kind < 4)
      use_general(finder, compares ? UseReadRead : UseUpdateRead);
   else {
      read(finder, bit(X86Rax));
      if (!compares)
         write(finder, bit(X86Rax));
   }
}

static void arithmetic_group(Finder* finder)
{
   UInt digit = finder->instruction->reg & 7;
   set_flags(finder);
   if (digit == 2 || digit == 3)
      read(finder, bit(X86Flags));
   use(finder, digit == 7 ? UseNoneRead : UseNoneUpdate, 0,
       general(finder->instruction->rm));
}

static void shift_group(Finder* finder)
{
   if (finder->op == 0xd2 || finder->op == 0xd3)
      read(finder, bit(X86Rcx));
   set_flags(finder);
   use_general(finder, UseNoneUpdate);
}

static void unary_group(Finder* finder)
{
   UInt digit = finder->instruction->reg & 7;
   if (digit != 2)
      set_flags(finder);
   use_general(finder, digit == 2 || digit == 3 ? UseNoneUpdate : UseNoneRead);
   if (digit < 4)
      return;
   update(finder, bit(X86Rax));
   if (finder->op == 0xf7) {
      write(finder, bit(X86Rdx));
      if (digit >= 6)
         read(finder, bit(X86Rdx));
   }
}

static void last_group(Finder* finder)
{
   switch (finder->instruction->reg & 7) {
   case 0:
   case 1:
      use_general(finder, UseNoneUpdate);
      set_flags(finder);
      break;
   case 2:
   case 3:
      use_general(finder, UseNoneRead);
      push(finder);
      flow(finder, X86CallAny);
      break;
   case 6:
      use_general(finder, UseNoneRead);
      push(finder);
      break;
   default:
      use_general(finder, UseNoneRead);
      flow(finder, X86Leaves);
      break;
   }
}

static void string(Finder* finder)
{
   X86Operands* operands = finder->operands;
   UInt op = finder->op & 0xfe;
   operands->loads = op != 0xaa;
   operands->stores = op == 0xa4 || op == 0xaa;
   if (op != 0xaa && op != 0xae)
      update(finder, bit(X86Rsi));
   if (op != 0xac)
      update(finder, bit(X86Rdi));
   if (op == 0xaa || op == 0xae)
      read(finder, bit(X86Rax));
   if (op == 0xac)
      write(finder, bit(X86Rax));
   if (op == 0xa6 || op == 0xae)
      set_flags(finder);
   if (finder->instruction->prefix > X86Prefix66)
      update(finder, bit(X86Rcx));
   operands->addresses = operands->reads & (bit(X86Rsi) | bit(X86Rdi));
}

static void move_immediate(Finder* finder, Bool is_byte)
{
   ULong target = general(finder->instruction->rm);
   if (is_byte)
      update(finder, target);
   else
      write(finder, target);
}

static void control_flow(Finder* finder)
{
   switch (finder->op) {
   case 0xc2:
   case 0xc3:
      pop(finder);
      flow(finder, X86Leaves);
      break;
   case 0xe8:
      push(finder);
      flow(finder, X86Call);
      break;
   case 0xe9:
   case 0xeb: flow(finder, X86Jump); break;
   case 0xf4:
   case 0xcc:
   case 0xcd: flow(finder, X86Leaves); break;
   default: break;
   }
}

static void one_by_one(Finder* finder)
{
   switch (finder->op) {
   case 0x63: use_general(finder, UseWriteRead); break;
   case 0x68:
   case 0x6a:
   case 0x9c: push(finder); break;
   case 0x69:
   case 0x6b:
      use_general(finder, UseWriteRead);
      set_flags(finder);
      break;
   case 0x84:
   case 0x85:
      use_general(finder, UseReadRead);
      set_flags(finder);
      break;
   case 0x86:
   case 0x87: use_general(finder, UseUpdateBoth); break;
   case 0x88: use_general(finder, UseReadWrite); break;
   case 0x89: use_general(finder, UseReadWrite); break;
   case 0x8a: use_general(finder, UseUpdateRead); break;
   case 0x8b: use_general(finder, UseWriteRead); break;
   case 0x8d: write(finder, general(finder->instruction->reg)); break;
   case 0x8f:
      use_general(finder, UseNoneWrite);
      pop(finder);
      break;
   case 0x98: update(finder, bit(X86Rax)); break;
   case 0x99:
      read(finder, bit(X86Rax));
      write(finder, bit(X86Rdx));
      break;
   case 0x9d:
      pop(finder);
      set_flags(finder);
      break;
   case 0xa8:
   case 0xa9:
      read(finder, bit(X86Rax));
      set_flags(finder);
      break;
   case 0xc6:
   case 0xc7: use_general(finder, UseNoneWrite); break;
   case 0xc9:
      read(finder, bit(X86Rbp));
      write(finder, bit(X86Rsp) | bit(X86Rbp));
      finder->operands->loads = finder->operands->moves_stack = True;
      break;
   case 0xfe:
   case 0xff: last_group(finder); break;
   default: control_flow(finder); break;
   }
}

static void first_map(Finder* finder)
{
   UInt op = finder->op;
   if (op < 0x40 && (op & 7) < 6)
      arithmetic(finder);
   else if (in(op, 0x50, 0x57)) {
      read(finder, general(finder->instruction->rm));
      push(finder);
   } else if (in(op, 0x58, 0x5f)) {
      pop(finder);
      write(finder, general(finder->instruction->rm));
   } else if (in(op, 0x70, 0x7f)) {
      read(finder, bit(X86Flags));
      flow(finder, X86Branch);
   } else if (in(op, 0x80, 0x83))
      arithmetic_group(finder);
   else if (in(op, 0x91, 0x97))
      update(finder, bit(X86Rax) | general(finder->instruction->rm));
   else if (in(op, 0xa4, 0xa7) || in(op, 0xaa, 0xaf))
      string(finder);
   else if (in(op, 0xb0, 0xbf))
      move_immediate(finder, op < 0xb8);
   else if (in(op, 0xc0, 0xc1) || in(op, 0xd0, 0xd3))
      shift_group(finder);
   else if (in(op, 0xe0, 0xe3)) {
      update(finder, bit(X86Rcx));
      flow(finder, X86Branch);
   } else if (in(op, 0xd8, 0xdf)) {
      update(finder, bit(X86Floats));
      finder->operands->loads = finder->instruction->is_memory;
   } else if (in(op, 0xf6, 0xf7))
      unary_group(finder);
   else
      one_by_one(finder);
}

/*--------------------------------------------------------------------*/
/* The second map, without vectors                                     */

/* True if the opcode is one of these.  */
static Bool second_map_general(Finder* finder)
{
   UInt op = finder->op;
   const X86Instruction* instruction = finder->instruction;
   if (in(op, 0x40, 0x4f) && !instruction->is_vex) {
      read(finder, bit(X86Flags));
      use_general(finder, UseUpdateRead);
   } else if (in(op, 0x80, 0x8f)) {
      read(finder, bit(X86Flags));
      flow(finder, X86Branch);
   } else if (in(op, 0x90, 0x9f) && !instruction->is_vex) {
      read(finder, bit(X86Flags));
      use_general(finder, instruction->is_memory ? UseNoneWrite : UseNoneUpdate);
   } else if (op == 0xa3 || op == 0xab || op == 0xb3 || op == 0xbb || op == 0xa4 ||
              op == 0xa5 || op == 0xac || op == 0xad) {
      if (op == 0xa5 || op == 0xad)
         read(finder, bit(X86Rcx));
      use_general(finder, op == 0xa3 ? UseReadRead : UseReadUpdate);
      set_flags(finder);
   } else if (op == 0xba) {
      use_general(finder, (instruction->reg & 7) == 4 ? UseNoneRead : UseNoneUpdate);
      set_flags(finder);
   } else if (op == 0xaf) {
      use_general(finder, UseUpdateRead);
      set_flags(finder);
   } else if (in(op, 0xb0, 0xb1)) {
      update(finder, bit(X86Rax));
      use_general(finder, UseReadUpdate);
      set_flags(finder);
   } else if (in(op, 0xb6, 0xb7) || in(op, 0xbe, 0xbf))
      use_general(finder, UseWriteRead);
   else if (op == 0xb8 || in(op, 0xbc, 0xbd)) {
      use_general(finder, UseWriteRead);
      set_flags(finder);
   } else if (in(op, 0xc0, 0xc1)) {
      use_general(finder, UseUpdateBoth);
      set_flags(finder);
   } else if (in(op, 0xc8, 0xcf))
      update(finder, general(instruction->rm));
   else if (op == 0xa2 || op == 0x31)
      write(finder, bit(X86Rax) | bit(X86Rdx) | (op == 0xa2 ? bit(X86Rbx) : 0));
   else
      return op <= 0x0f || in(op, 0x18, 0x1f) || op == 0xae || op == 0xc3;
   return True;
}

/*--------------------------------------------------------------------*/
/* Vectors                                                             */

/* Which operands are general registers.  */
typedef enum { NoneGeneral, FirstGeneral, SecondGeneral, AllGeneral } Generals;

/* With VEX, a third operand takes the place of what is updated.  */
static void use_vectors(Finder* finder, Use how, Generals generals)
{
   const X86Instruction* instruction = finder->instruction;
   ULong first = generals == FirstGeneral || generals == AllGeneral
                    ? general(instruction->reg)
                    : vector(instruction->reg);
   ULong second = generals == SecondGeneral || generals == AllGeneral
                     ? general(instruction->rm)
                     : vector(instruction->rm);
   if (how == UseUpdateRead && instruction->is_vex) {
      read(finder, vector(instruction->other));
      how = UseWriteRead;
   }
   use(finder, how, first, second);
}

static void second_map_vectors(Finder* finder)
{
   UInt op = finder->op, prefix = finder->instruction->prefix;
   Bool is_scalar = prefix == X86PrefixF3 || prefix == X86PrefixF2;
   Bool is_memory = finder->instruction->is_memory;
   if (op == 0x10 || op == 0x11) {
      Bool merges = is_scalar && !is_memory;
      use_vectors(finder,
                  op == 0x10 ? (merges ? UseUpdateRead : UseWriteRead)
                             : (merges ? UseReadUpdate : UseReadWrite),
                  NoneGeneral);
   } else if (op == 0x13 || op == 0x17 || op == 0x29 || op == 0x2b || op == 0x7f ||
              op == 0xe7 || (op == 0xd6 && prefix == X86Prefix66))
      use_vectors(finder, UseReadWrite, NoneGeneral);
   else if (op == 0x28 || op == 0x6f || op == 0x70 || op == 0x5b || op == 0xe6 ||
            op == 0xf0 || (!is_scalar && (in(op, 0x51, 0x53) || op == 0x5a)))
      use_vectors(finder, UseWriteRead, NoneGeneral);
   else if ((op == 0x12 || op == 0x16) && is_scalar)
      use_vectors(finder, UseWriteRead, NoneGeneral);
   else if (op == 0x2a)
      use_vectors(finder, UseUpdateRead, SecondGeneral);
   else if (op == 0x2c || op == 0x2d || op == 0x50 || op == 0xc5 || op == 0xd7)
      use_vectors(finder, UseWriteRead, FirstGeneral);
   else if (op == 0x2e || op == 0x2f) {
      use_vectors(finder, UseReadRead, NoneGeneral);
      set_flags(finder);
   } else if (op == 0x6e)
      use_vectors(finder, UseWriteRead, SecondGeneral);
   else if (op == 0x7e)
      use_vectors(finder, prefix == X86PrefixF3 ? UseWriteRead : UseReadWrite,
                  prefix == X86PrefixF3 ? NoneGeneral : SecondGeneral);
   else if (op == 0xc4)
      use_vectors(finder, UseUpdateRead, SecondGeneral);
   else if (in(op, 0x71, 0x73)) {
      const X86Instruction* instruction = finder->instruction;
      read(finder, vector(instruction->rm));
      write(finder, vector(instruction->is_vex ? instruction->other : instruction->rm));
   } else if (op != 0x77)
      use_vectors(finder, UseUpdateRead, NoneGeneral);
}

/* BMI: general registers, encoded with VEX.  */
static void third_map_general(Finder* finder)
{
   const X86Instruction* instruction = finder->instruction;
   ULong other = general(instruction->other);
   UInt op = finder->op;
   if (op == 0xf3) {
      use_general(finder, UseNoneRead);
      write(finder, other);
   } else {
      use_general(finder, UseWriteRead);
      if (op == 0xf6 && instruction->prefix == X86PrefixF2) {
         write(finder, other);
         read(finder, bit(X86Rdx));
      } else
         read(finder, other);
   }
   if (op <= 0xf3 || (op >= 0xf5 && instruction->prefix == X86PrefixNone))
      set_flags(finder);
}

static void third_map(Finder* finder)
{
   const X86Instruction* instruction = finder->instruction;
   UInt op = finder->op;
   if (instruction->is_vex && in(op, 0xf2, 0xf7))
      third_map_general(finder);
   else if (op == 0xf0 || op == 0xf1) {
      if (instruction->prefix == X86PrefixF2)
         use_general(finder, UseUpdateRead);
      else
         use_general(finder, op == 0xf0 ? UseWriteRead : UseReadWrite);
   } else if (op == 0xf6) {
      use_general(finder, UseUpdateRead);
      update(finder, bit(X86Flags));
   } else if (op == 0x17) {
      use_vectors(finder, UseReadRead, NoneGeneral);
      set_flags(finder);
   } else if (in(op, 0x90, 0x93)) {
      update(finder, vector(instruction->reg) | vector(instruction->other));
      finder->operands->loads = True;
   } else if (instruction->is_vex && in(op, 0x96, 0xbf)) {
      read(finder, vector(instruction->reg));
      use_vectors(finder, UseUpdateRead, NoneGeneral);
   } else if (in(op, 0x2e, 0x2f) || op == 0x8e)
      use_vectors(finder, UseReadWrite, NoneGeneral);
   else if (in(op, 0x18, 0x1e) || in(op, 0x20, 0x25) || in(op, 0x30, 0x35) ||
            op == 0x2a || op == 0x41 || in(op, 0x58, 0x5a) || op == 0x78 || op == 0x79 ||
            op == 0x13 || op == 0xdb)
      use_vectors(finder, UseWriteRead, NoneGeneral);
   else
      use_vectors(finder, UseUpdateRead, NoneGeneral);
}

static void fourth_map(Finder* finder)
{
   UInt op = finder->op;
   if (in(op, 0x14, 0x17))
      use_vectors(finder, UseReadWrite, SecondGeneral);
   else if (op == 0x19 || op == 0x39 || op == 0x1d)
      use_vectors(finder, UseReadWrite, NoneGeneral);
   else if (op == 0x20 || op == 0x22)
      use_vectors(finder, UseUpdateRead, SecondGeneral);
   else if (in(op, 0x60, 0x63)) {
      use_vectors(finder, UseReadRead, NoneGeneral);
      set_flags(finder);
      write(finder, op & 1 ? bit(X86Rcx) : vector(0));
   } else if (op == 0xf0)
      use_general(finder, UseWriteRead);
   else if (in(op, 0x00, 0x01) || in(op, 0x04, 0x05) || in(op, 0x08, 0x09) || op == 0xdf)
      use_vectors(finder, UseWriteRead, NoneGeneral);
   else
      use_vectors(finder, UseUpdateRead, NoneGeneral);
   if (finder->instruction->is_vex && in(op, 0x4a, 0x4c))
      read(finder, vector((UInt)finder->instruction->immediate >> 4));
}

/*--------------------------------------------------------------------*/
/* All                                                                 */

/* An exclusive or with itself, and its like, depends on nothing.  */
static Bool is_zero_idiom(const X86Instruction* instruction)
{
   if ((instruction->form >> 20 & 1) == 0)
      return False;
   UInt op = instruction->opcode;
   if (instruction->map == X86MapOne)
      return in(op, 0x30, 0x33) || in(op, 0x28, 0x2b);
   return instruction->map == X86Map0F &&
          (op == 0x57 || op == 0xef || in(op, 0xf8, 0xfb) || in(op, 0x64, 0x66));
}

/* Writing the lower half, or less, of the lower half keeps the rest.  */
static Bool keeps_a_part(const X86Instruction* instruction)
{
   return instruction->map == X86MapOne && instruction->prefix == X86Prefix66 &&
          !instruction->is_memory &&
          (instruction->opcode == 0x8b || instruction->opcode == 0x89);
}

static void find_address(Finder* finder)
{
   const X86Instruction* instruction = finder->instruction;
   if (!instruction->is_memory)
      return;
   Bool is_gather = instruction->map == X86Map0F38 && instruction->is_vex &&
                    in(instruction->opcode, 0x90, 0x93);
   if (instruction->base < 16)
      finder->operands->addresses |= general(instruction->base);
   if (instruction->index < 16)
      finder->operands->addresses |=
         is_gather ? vector(instruction->index) : general(instruction->index);
}

void x86_operands(const X86Instruction* instruction, X86Operands* operands)
{
   Finder finder = {instruction, operands, instruction->opcode};
   *operands = (X86Operands){.flow = X86GoesOn};
   switch (instruction->map) {
   case X86MapOne: first_map(&finder); break;
   case X86Map0F:
      if (instruction->is_vex || !second_map_general(&finder))
         second_map_vectors(&finder);
      break;
   case X86Map0F38: third_map(&finder); break;
   default: fourth_map(&finder); break;
   }
   find_address(&finder);
   if (is_zero_idiom(instruction))
      operands->reads = 0;
   if (keeps_a_part(instruction))
      operands->reads |= operands->writes;
}
