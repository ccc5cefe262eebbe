/* SPDX-License-Identifier: GPL-2.0-or-later

   Unwinding; see unwind.h.  Call frame information leads, frame by frame; where there is
   none (JIT), the chain of frame pointers does.

   A return address stands behind its call, and may be in the next function already: so a
   caller is looked up one byte before.  What a signal has interrupted is looked up where
   it stood.  */

#include "unwind/unwind.h"

#include "unwind/cfi.h"

#include <string.h>

/* The rule of compilers that keep a frame pointer: it points to the caller's, and the
   return address is beside that.  */
static bool frame_pointer_step(MachineState* state, CodeFinder find, void* context,
                               bool* is_last)
{
   uint64_t pointer = state->registers[REGISTER_BP], saved, return_address;
   CodePlace place;
   *is_last = false;
   if (!machine_state_knows(state, REGISTER_BP))
      return false;
   if (pointer == 0) {
      *is_last = true; /* so the ABI marks the first frame */
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

/* The rules at a place.  What a signal handler returns to was never called, so there the
   place is moved to the address itself; some libraries' rules begin only there.  */
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

/* A stack ends behind its last page; more was not there to be copied.  Nor was a page that
   was never touched, in the middle of a large frame: what is farther away than we have asked
   for is too deep in any case.  */
static UnwindEnd end_of(const MachineState* state, const Sample* sample)
{
   bool is_deep = sample->stack_size >= sample->stack_asked ||
                  state->farthest - state->stack_start >= sample->stack_asked;
   return state->beyond && is_deep ? UnwindTooDeep : UnwindNoRule;
}

/* An unwinder of exceptions leaves its last function by a jump to where the program goes on
   (GCC's __builtin_eh_return): that is a place in the caller, but behind no call.  The
   address is in a register then, or the frame is found by rcx, as for nothing else.  */
static bool is_left_by_jump(const CfiRow* row)
{
   const uint8_t rcx = 2;
   return row->registers[REGISTER_PC].kind == RuleExpression ||
          (!row->cfa_is_expression && row->cfa_register == rcx);
}

void unwind_sample(const Sample* sample, CodeFinder find, void* context,
                   UnwindResult* result)
{
   MachineState state = {
      .known = (1u << REGISTER_COUNT) - 1,
      .stack = sample->stack,
      .stack_start = sample->registers[REGISTER_SP],
      .stack_size = sample->stack_size,
   };
   memcpy(state.registers, sample->registers, sizeof state.registers);
   bool is_exact = true;
   result->count = 0;
   for (;;) {
      uint64_t pc = state.registers[REGISTER_PC];
      uint64_t stack_pointer = state.registers[REGISTER_SP];
      CodePlace place;
      const CfiRow* row = NULL;
      bool is_last = false, stepped;
      result->end = UnwindWhole;
      if (pc == 0 && result->count != 0)
         return;
      if (result->count == UNWIND_MAX_FRAMES) {
         result->end = UnwindTooDeep;
         return;
      }
      if (!find(context, is_exact ? pc : pc - 1, &place)) {
         result->end = end_of(&state, sample);
         return;
      }
      state.beyond = false;
      if (place.object != NULL)
         row = find_row(&place, is_exact);
      result->frames[result->count++] = place;
      if (row != NULL)
         stepped = cfi_step(row, &state, &is_last);
      else
         stepped = frame_pointer_step(&state, find, context, &is_last);
      if (is_last)
         return;
      bool is_signal = row != NULL && row->is_signal_frame;
      bool is_jump = row != NULL && is_left_by_jump(row);
      is_exact = is_signal || is_jump;
      /* A caller's frame is farther on, or the rules lead in a circle.  A handler may have
         had a stack of its own.  */
      if (stepped && !is_signal &&
          state.registers[REGISTER_SP] + is_jump <= stack_pointer) {
         result->end = UnwindNoRule;
         return;
      }
      if (!stepped) {
         result->end = end_of(&state, sample);
         return;
      }
   }
}
