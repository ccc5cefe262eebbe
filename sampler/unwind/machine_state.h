/* SPDX-License-Identifier: GPL-2.0-or-later

   What is known of a thread in one of its frames: registers, and the copy of its
   stack.  */

#ifndef SAMPLER_MACHINE_STATE_H
#define SAMPLER_MACHINE_STATE_H

#include "perf/registers.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
   uint64_t registers[REGISTER_COUNT]; /* by DWARF number */
   uint64_t known;                     /* a bit for each register that is known */
   const uint8_t* stack;               /* the copy, from the stack pointer upwards */
   uint64_t stack_start;               /* its address in the thread */
   uint64_t stack_size;
   bool beyond;       /* memory behind the end of the copy was asked for */
   uint64_t farthest; /* the last address of such memory */
   uint64_t used;     /* how many bytes of the copy were looked at, up to the last one */
} MachineState;

/* The bits of some registers.  */
#define KNOWN(number) (1ull << (number))
#define KNOWN_ALL (KNOWN(REGISTER_COUNT) - 1)

static inline bool machine_state_knows(const MachineState* state, unsigned number)
{
   return state->known >> number & 1;
}

/* Reads 1, 2, 4 or 8 bytes of the stack.  False if they are not in the copy.  */
bool machine_state_read(MachineState* state, uint64_t address, unsigned size,
                        uint64_t* value);

#endif
