/* SPDX-License-Identifier: GPL-2.0-or-later

   A stack machine for DWARF expressions; see expression.h.  It has the operations of the
   DWARF 5 standard, section 2.5, without those that call frame information may not
   contain.  */

#include "unwind/expression.h"

#include <dwarf.h>
#include <string.h>

#define DEEPEST 64
#define MAX_STEPS 1000 /* expressions may jump backwards */

typedef struct {
   uint64_t values[DEEPEST];
   unsigned depth;
   bool failed;
} Stack;

static void push(Stack* stack, uint64_t value)
{
   if (stack->depth == DEEPEST)
      stack->failed = true;
   else
      stack->values[stack->depth++] = value;
}

static uint64_t pop(Stack* stack)
{
   if (stack->depth == 0) {
      stack->failed = true;
      return 0;
   }
   return stack->values[--stack->depth];
}

/* The value `index` below the top.  */
static uint64_t peek(Stack* stack, uint64_t index)
{
   if (index >= stack->depth) {
      stack->failed = true;
      return 0;
   }
   return stack->values[stack->depth - 1 - index];
}

static void push_register(Stack* stack, const MachineState* state, uint64_t number,
                          uint64_t offset)
{
   if (number >= REGISTER_COUNT || !machine_state_knows(state, (unsigned)number))
      stack->failed = true;
   else
      push(stack, state->registers[number] + offset);
}

static void dereference(Stack* stack, MachineState* state, uint64_t size)
{
   uint64_t value = 0;
   if ((size != 1 && size != 2 && size != 4 && size != 8) ||
       !machine_state_read(state, pop(stack), (unsigned)size, &value))
      stack->failed = true;
   push(stack, value);
}

/* Executes an operation on the two topmost values.  False if `atom` is none.  */
static bool binary(Stack* stack, unsigned atom)
{
   uint64_t right = peek(stack, 0), left = peek(stack, 1), result;
   switch (atom) {
   case DW_OP_and: result = left & right; break;
   case DW_OP_or: result = left | right; break;
   case DW_OP_xor: result = left ^ right; break;
   case DW_OP_plus: result = left + right; break;
   case DW_OP_minus: result = left - right; break;
   case DW_OP_mul: result = left * right; break;
   case DW_OP_div:
      if (right == 0 || (right == UINT64_MAX && left == 1ull << 63)) {
         stack->failed = true;
         return true;
      }
      result = (uint64_t)((int64_t)left / (int64_t)right);
      break;
   case DW_OP_mod:
      if (right == 0) {
         stack->failed = true;
         return true;
      }
      result = left % right;
      break;
   case DW_OP_shl: result = right < 64 ? left << right : 0; break;
   case DW_OP_shr: result = right < 64 ? left >> right : 0; break;
   case DW_OP_shra:
      result = (uint64_t)((int64_t)left >> (right < 64 ? right : 63));
      break;
   case DW_OP_eq: result = left == right; break;
   case DW_OP_ne: result = left != right; break;
   case DW_OP_ge: result = (int64_t)left >= (int64_t)right; break;
   case DW_OP_gt: result = (int64_t)left > (int64_t)right; break;
   case DW_OP_le: result = (int64_t)left <= (int64_t)right; break;
   case DW_OP_lt: result = (int64_t)left < (int64_t)right; break;
   default: return false;
   }
   pop(stack);
   pop(stack);
   push(stack, result);
   return true;
}

/* Executes an operation that needs the stack alone.  False if it is none.  */
static bool rearrange(Stack* stack, const Dwarf_Op* operation)
{
   uint64_t first, second, third;
   switch (operation->atom) {
   case DW_OP_dup: push(stack, peek(stack, 0)); return true;
   case DW_OP_drop: pop(stack); return true;
   case DW_OP_over: push(stack, peek(stack, 1)); return true;
   case DW_OP_pick: push(stack, peek(stack, operation->number)); return true;
   case DW_OP_swap:
      first = pop(stack), second = pop(stack);
      push(stack, first), push(stack, second);
      return true;
   case DW_OP_rot:
      first = pop(stack), second = pop(stack), third = pop(stack);
      push(stack, first), push(stack, third), push(stack, second);
      return true;
   case DW_OP_abs:
      first = pop(stack);
      push(stack, (int64_t)first < 0 ? 0 - first : first);
      return true;
   case DW_OP_neg: push(stack, 0 - pop(stack)); return true;
   case DW_OP_not: push(stack, ~pop(stack)); return true;
   case DW_OP_plus_uconst: push(stack, pop(stack) + operation->number); return true;
   case DW_OP_nop: return true;
   default: return false;
   }
}

/* The index of the operation that a jump leads to; `count` if there is none.  */
static size_t jump_target(const Dwarf_Op* operations, size_t count, size_t from)
{
   /* Three bytes: the operation and two of distance.  */
   uint64_t target =
      operations[from].offset + 3 + (uint64_t)(int64_t)(int16_t)operations[from].number;
   for (size_t i = 0; i < count; i++) {
      if (operations[i].offset == target && operations[i].atom != DW_OP_call_frame_cfa)
         return i;
   }
   return count;
}

/* Executes an operation that is no jump.  */
static void step(Stack* stack, const Dwarf_Op* operation, MachineState* state,
                 const uint64_t* cfa)
{
   unsigned atom = operation->atom;
   if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
      push(stack, atom - DW_OP_lit0);
   } else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
      push_register(stack, state, atom - DW_OP_breg0, operation->number);
   } else if (atom == DW_OP_bregx) {
      push_register(stack, state, operation->number, operation->number2);
   } else if (atom == DW_OP_call_frame_cfa) {
      if (cfa == NULL)
         stack->failed = true;
      else
         push(stack, *cfa);
   } else if (atom == DW_OP_addr || (atom >= DW_OP_const1u && atom <= DW_OP_consts)) {
      push(stack, operation->number);
   } else if (atom == DW_OP_deref) {
      dereference(stack, state, 8);
   } else if (atom == DW_OP_deref_size) {
      dereference(stack, state, operation->number);
   } else if (!rearrange(stack, operation) && !binary(stack, atom)) {
      stack->failed = true;
   }
}

bool expression_evaluate(const Dwarf_Op* operations, size_t count, MachineState* state,
                         const uint64_t* cfa, uint64_t* result, bool* is_value)
{
   Stack stack = {.depth = 0};
   unsigned steps = 0;
   *is_value = false;
   for (size_t i = 0; i < count && !stack.failed; i++) {
      unsigned atom = operations[i].atom;
      if (++steps > MAX_STEPS)
         return false;
      if (atom == DW_OP_skip || (atom == DW_OP_bra && pop(&stack) != 0)) {
         size_t target = jump_target(operations, count, i);
         if (target == count)
            return false;
         i = target - 1;
      } else if ((atom >= DW_OP_reg0 && atom <= DW_OP_reg31) || atom == DW_OP_regx) {
         /* The value of a register, alone.  */
         push_register(&stack, state,
                       atom == DW_OP_regx ? operations[i].number : atom - DW_OP_reg0, 0);
         *is_value = true;
      } else if (atom == DW_OP_stack_value) {
         *is_value = true;
      } else if (atom != DW_OP_bra) {
         step(&stack, &operations[i], state, cfa);
      }
   }
   *result = pop(&stack);
   return !stack.failed;
}
