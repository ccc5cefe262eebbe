/* SPDX-License-Identifier: GPL-2.0-or-later

   Unwinding; see unwind.h.  Each step uses call frame information; where there is none,
   as for JIT code, it follows the chain of frame pointers.

   A return address is behind its call, and may belong to the next function.  So a
   caller is looked up one byte before.  Code that a signal interrupted is looked up at
   its own address.  */

#include "unwind/unwind.h"

#include "unwind/cfi.h"
#include "unwind/signal_return.h"
#include "unwind/system_call.h"

#include <string.h>

#define IS_CALL_PUSHING (REGISTER_LINK == REGISTER_PC)

/* What is known of the frame at hand.  */
typedef struct {
   MachineState state;
   bool is_exact; /* its pc is no return address */
} Frame;

/* Finds the caller by the frame pointer, which points to the caller's, below the return
   address.  Where a call pushes that, the caller's frame begins behind it; elsewhere, all
   that is known of the caller's stack pointer is that it is not lower.  */
static bool frame_pointer_step(MachineState* state, CodeFinder find, void* context,
                               bool* is_last)
{
   uint64_t pointer = state->registers[REGISTER_FP], saved, return_address;
   CodePlace place;
   *is_last = false;
   if (!machine_state_knows(state, REGISTER_FP))
      return false;
   if (pointer == 0) {
      *is_last = true; /* the ABI marks the outermost frame so */
      return false;
   }
   if (pointer % 8 != 0 || pointer < state->registers[REGISTER_SP] ||
       !machine_state_read(state, pointer, 8, &saved) ||
       !machine_state_read(state, pointer + 8, 8, &return_address))
      return false;
   return_address = register_plain_address(return_address);
   if (!find(context, return_address - 1, &place))
      return false;
   state->registers[REGISTER_FP] = saved;
   state->registers[REGISTER_SP] = pointer + 16;
   state->registers[REGISTER_PC] = return_address;
   state->known = KNOWN(REGISTER_FP) | KNOWN(REGISTER_PC);
   if (IS_CALL_PUSHING)
      state->known |= KNOWN(REGISTER_SP);
   return true;
}

/* Finds the caller of a stub in no file that has only aligned the stack for its call, as
   those of `python3 -X perf`: the return address is behind one word.  Only code of a file
   with rules is taken for a caller.  A stub changes no register that it has to keep.  */
static bool stub_step(MachineState* state, CodeFinder find, void* context)
{
   uint64_t stack_pointer = state->registers[REGISTER_SP], return_address;
   CodePlace place;
   if (!IS_CALL_PUSHING || !machine_state_knows(state, REGISTER_SP) ||
       !machine_state_read(state, stack_pointer + 8, 8, &return_address) ||
       !find(context, return_address - 1, &place) || place.object == NULL ||
       cfi_row(place.object, place.address) == NULL)
      return false;
   state->registers[REGISTER_SP] = stack_pointer + 16;
   state->registers[REGISTER_PC] = return_address;
   return true;
}

/* Finds the caller of a function without rules that comes out of a system call, as
   clone(): the return address is the next word, as it has no frame.  Where calls push
   nothing, functions with a frame look the same as those without.  */
static bool system_call_step(MachineState* state, CodeFinder find, void* context)
{
   uint64_t stack_pointer = state->registers[REGISTER_SP], return_address;
   CodePlace place;
   if (!IS_CALL_PUSHING || !machine_state_knows(state, REGISTER_SP) ||
       !machine_state_read(state, stack_pointer, 8, &return_address) ||
       !find(context, return_address - 1, &place) || place.object == NULL ||
       !system_call_is_behind_call(place.object, place.address + 1))
      return false;
   state->registers[REGISTER_SP] = stack_pointer + 8;
   state->registers[REGISTER_PC] = return_address;
   return true;
}

/* A step out of code that has no rules, or whose rules do not lead to its frame.  */
static bool step_without_rules(Frame* frame, const CodePlace* place, bool has_rules,
                               CodeFinder find, void* context, bool* is_last)
{
   MachineState* state = &frame->state;
   bool is_system_call = !has_rules && frame->is_exact && place->object != NULL &&
                         system_call_is_before(place->object, place->address);
   *is_last = false;
   if (is_system_call && system_call_step(state, find, context))
      return true;
   if (frame_pointer_step(state, find, context, is_last))
      return true;
   /* Code with rules may use the register otherwise.  The call that made a thread returns
      nothing to it, and there is no caller on its stack.  */
   *is_last = !has_rules && (*is_last || (is_system_call &&
                                          machine_state_knows(state, REGISTER_RESULT) &&
                                          state->registers[REGISTER_RESULT] == 0));
   return !*is_last && place->object == NULL && !frame->is_exact &&
          stub_step(state, find, context);
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
   __builtin_eh_return), a place in the caller that is not behind a call.  On x86-64 alone
   rules say so: only there is the address in a register, or the frame found by rcx.  */
static bool is_left_by_jump(const CfiRow* row)
{
   return REGISTER_LANDING != REGISTER_COUNT &&
          (row->registers[REGISTER_PC].kind == RuleExpression ||
           (!row->cfa_is_expression && row->cfa_register == REGISTER_LANDING));
}

/* Whether a signal handler returns to a place, which its address becomes then.  Code for
   that has rules of its own, or none.  */
static bool is_signal_return(CodePlace* place, const CfiRow* row, bool is_exact)
{
   if (place->object == NULL || (row != NULL && !row->is_signal_frame))
      return false;
   /* find_row() has moved the place where the rules are of such code.  */
   if (signal_return_is_at(place->object, place->address, !is_exact))
      return true;
   if (is_exact || !signal_return_is_at(place->object, place->address + 1, true))
      return false;
   place->address++;
   return true;
}

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
   if (is_signal_return(place, row, frame->is_exact)) {
      is_signal = true;
      stepped = signal_return_step(state);
   } else if (row != NULL && cfi_finds_frame(row, state)) {
      stepped = cfi_step(row, state, &is_last);
   } else {
      stepped = step_without_rules(frame, place, row != NULL, find, context, &is_last);
   }
   if (!stepped) {
      *end = is_last ? UnwindWhole : end_of(state, sample);
      return false;
   }
   /* The stack pointer must rise, or the rules lead in a circle.  But a signal handler
      may have had a stack of its own.  */
   bool may_stay = is_jump || (frame->is_exact && !IS_CALL_PUSHING);
   if (!is_signal && state->registers[REGISTER_SP] + may_stay <= stack_pointer) {
      *end = UnwindNoRule;
      return false;
   }
   frame->is_exact = is_signal || is_jump;
   return true;
}

/* The frame that a sample was taken in.  */
static Frame innermost(const Sample* sample)
{
   Frame frame = {
      .state =
         {
            .known =
               sample->has_few ? KNOWN(REGISTER_PC) | KNOWN(REGISTER_SP) : KNOWN_ALL,
            .stack = sample->stack,
            .stack_start = sample->registers[REGISTER_SP],
            .stack_size = sample->stack_size,
         },
      .is_exact = true,
   };
   memcpy(frame.state.registers, sample->registers, sizeof frame.state.registers);
   return frame;
}

void unwind_sample(const Sample* sample, CodeFinder find, void* context,
                   UnwindResult* result)
{
   Frame frame = innermost(sample);
   result->count = 0;
   result->end = UnwindWhole;
   for (;;) {
      CodePlace* place = &result->frames[result->count];
      uint64_t pc = frame.state.registers[REGISTER_PC];
      if (pc == 0 && result->count != 0)
         break;
      if (result->count == UNWIND_MAX_FRAMES) {
         result->end = UnwindTooDeep;
         break;
      }
      if (!find(context, frame.is_exact ? pc : pc - 1, place)) {
         result->end = end_of(&frame.state, sample);
         break;
      }
      result->count++;
      if (!step(&frame, place, sample, find, context, &result->end))
         break;
   }
   result->used = (unsigned)frame.state.used;
}
