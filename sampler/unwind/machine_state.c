/* SPDX-License-Identifier: GPL-2.0-or-later

   Reading the copy of a stack; see machine_state.h.  */

#include "unwind/machine_state.h"

#include <string.h>

bool machine_state_read(MachineState* state, uint64_t address, unsigned size,
                        uint64_t* value)
{
   uint64_t at = address - state->stack_start;
   if (address < state->stack_start)
      return false;
   if (at > state->stack_size || size > state->stack_size - at) {
      state->beyond = true;
      state->farthest = address;
      return false;
   }
   if (at + size > state->used)
      state->used = at + size;
   *value = 0;
   memcpy(value, state->stack + at, size);
   return true;
}
