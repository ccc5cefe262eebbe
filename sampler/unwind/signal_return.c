/* SPDX-License-Identifier: GPL-2.0-or-later

   The end of signal handlers; see signal_return.h.  The kernel has put the registers onto
   the stack, at places that it never changes.  */

#include "unwind/signal_return.h"

#include <string.h>

static const uint8_t first_bytes[] = {SIGNAL_RETURN_FIRST};
static const uint8_t second_bytes[] = {SIGNAL_RETURN_SECOND};
static const uint16_t context[REGISTER_COUNT] = {SIGNAL_CONTEXT};

bool signal_return_is_at(const Object* object, uint64_t address, bool is_first)
{
   uint8_t bytes[sizeof first_bytes + sizeof second_bytes];
   bool found =
      object_bytes(object, address, bytes, sizeof bytes) &&
      memcmp(bytes, first_bytes, sizeof first_bytes) == 0 &&
      memcmp(bytes + sizeof first_bytes, second_bytes, sizeof second_bytes) == 0;
   return found ||
          (!is_first && signal_return_is_at(object, address - sizeof first_bytes, true));
}

/* Finds the stack pointer where the handler was left by its frame pointer.  That leads to
   a frame record which the kernel has put above the registers; it has two of these.  */
static bool find_stack_pointer(MachineState* state)
{
   uint64_t record = state->registers[REGISTER_FP], saved, link, found[2];
   if (!machine_state_knows(state, REGISTER_FP) || REGISTER_LINK == REGISTER_PC ||
       !machine_state_read(state, record, 8, &saved) ||
       !machine_state_read(state, record + 8, 8, &link))
      return false;
   for (uint64_t at = (state->registers[REGISTER_SP] + 15) & ~15ull; at < record;
        at += 16) {
      if (machine_state_read(state, at + context[REGISTER_FP], 8, &found[0]) &&
          machine_state_read(state, at + context[REGISTER_LINK], 8, &found[1]) &&
          found[0] == saved && found[1] == link) {
         state->registers[REGISTER_SP] = at;
         return true;
      }
   }
   return false;
}

bool signal_return_step(MachineState* state)
{
   uint64_t registers[REGISTER_COUNT];
   if (!machine_state_knows(state, REGISTER_SP) && !find_stack_pointer(state))
      return false;
   uint64_t stack_pointer = state->registers[REGISTER_SP];
   for (unsigned i = 0; i < REGISTER_COUNT; i++) {
      if (!machine_state_read(state, stack_pointer + context[i], 8, &registers[i]))
         return false;
   }
   memcpy(state->registers, registers, sizeof registers);
   state->known = KNOWN_ALL;
   return true;
}
