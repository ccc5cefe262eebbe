/* SPDX-License-Identifier: GPL-2.0-or-later

   Unwinding; see unwind.h.  Each step uses call frame information; where there is none,
   as for JIT code, it follows the chain of frame pointers.

   A return address is behind its call, and may belong to the next function.  So a
   caller is looked up one byte before.  Code that a signal interrupted is looked up at
   its own address.  */

#include "unwind/unwind.h"

#include "unwind/cfi.h"

#include <string.h>

/* Finds the caller by the frame pointer, which points to the caller's, below the return
   address.  */
static bool frame_pointer_step(MachineState* state, CodeFinder find, void* context,
                               bool* is_last)
{
   uint64_t pointer = state->registers[REGISTER_BP], saved, return_address;
   CodePlace place;
   *is_last = false;
   if (!machine_state_knows(state, REGISTER_BP))
      return false;
   if (pointer == 0) {
      *is_last = true; /* the ABI marks the outermost frame so */
      return false;
   }
   if (pointer % 8 != 0 || pointer < state->registers[REGISTER_SP] ||
       !machine_state_read(state, pointer, 8, &saved) ||
       !machine_state_read(state, pointer + 8, 8, &return_address) ||
       !find(context, return_address - 1, &place))
      return false;
   state->registers[REGISTER_BP] = saved;
   state->registers[REGISTER_SP] = pointer + 16;
   state->registers[REGISTER_PC] = return_address;
   state->known = 1u << REGISTER_BP | 1u << REGISTER_SP | 1u << REGISTER_PC;
   return true;
}

/* The rules at a place.  A signal handler returns to code that was never called; so there
   the place becomes the address itself, where the rules of some libraries begin.  */
static const CfiRow* find_row(CodePlace* place, bool is_exact)
{
   const CfiRow* row = cfi_row(place->object, place->address);
   if (is_exact || (row != NULL && !row->is_signal_frame))
      return row;
   const CfiRow* at_address = cfi_row(place->object, place->address + 1);
   if (at_address == NULL || !at_address->is_signal_frame)
      return row;
   place->address++;
   return at_address;
}

/* Why there is no caller.  Less is copied than was asked for where the stack ends, or
   where a page of a large frame was never touched.  Memory farther away than what was
   asked for is too deep in any case.  */
static UnwindEnd end_of(const MachineState* state, const Sample* sample)
{
   bool is_deep = sample->stack_size >= sample->stack_asked ||
                  state->farthest - state->stack_start >= sample->stack_asked;
   return state->beyond && is_deep ? UnwindTooDeep : UnwindNoRule;
}

/* An unwinder of exceptions leaves its last function by a jump to the handler (GCC's
   __builtin_eh_return), a place in the caller that is not behind a call.  Only there is
   the address in a register, or the frame found by rcx.  */
static bool is_left_by_jump(const CfiRow* row)
{
   return row->registers[REGISTER_PC].kind == RuleExpression ||
          (!row->cfa_is_expression && row->cfa_register == REGISTER_CX);
}

/* What is known of the frame at hand.  */
typedef struct {
   MachineState state;
   bool is_exact; /* its pc is no return address */
} Frame;

/* Makes the frame that of its caller.  `place` is where it is; its rules may move it.
   False if *end says why the stack ends there.  */
static bool step(Frame* frame, CodePlace* place, const Sample* sample, CodeFinder find,
                 void* context, UnwindEnd* end)
{
   MachineState* state = &frame->state;
   uint64_t stack_pointer = state->registers[REGISTER_SP];
   const CfiRow* row = place->object != NULL ? find_row(place, frame->is_exact) : NULL;
   bool is_signal = row != NULL && row->is_signal_frame;
   bool is_jump = row != NULL && is_left_by_jump(row);
   bool is_last = false, stepped;
   state->beyond = false;
   if (row != NULL)
      stepped = cfi_step(row, state, &is_last);
   else
      stepped = frame_pointer_step(state, find, context, &is_last);
   if (!stepped) {
      *end = is_last ? UnwindWhole : end_of(state, sample);
      return false;
   }
   /* The stack pointer must rise, or the rules lead in a circle.  But a signal handler
      may have had a stack of its own.  */
   if (!is_signal && state->registers[REGISTER_SP] + is_jump <= stack_pointer) {
      *end = UnwindNoRule;
      return false;
   }
   frame->is_exact = is_signal || is_jump;
   return true;
}

void unwind_sample(const Sample* sample, CodeFinder find, void* context,
                   UnwindResult* result)
{
   Frame frame = {
      .state =
         {
            .known = (1u << REGISTER_COUNT) - 1,
            .stack = sample->stack,
            .stack_start = sample->registers[REGISTER_SP],
            .stack_size = sample->stack_size,
         },
      .is_exact = true,
   };
   memcpy(frame.state.registers, sample->registers, sizeof frame.state.registers);
   result->count = 0;
   result->end = UnwindWhole;
   for (;;) {
      CodePlace* place = &result->frames[result->count];
      uint64_t pc = frame.state.registers[REGISTER_PC];
      if (pc == 0 && result->count != 0)
         return;
      if (result->count == UNWIND_MAX_FRAMES) {
         result->end = UnwindTooDeep;
         return;
      }
      if (!find(context, frame.is_exact ? pc : pc - 1, place)) {
         result->end = end_of(&frame.state, sample);
         return;
      }
      result->count++;
      if (!step(&frame, place, sample, find, context, &result->end))
         return;
   }
}
