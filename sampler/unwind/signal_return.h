/* SPDX-License-Identifier: GPL-2.0-or-later

   What signal handlers return to, known by its instructions: the vDSO of arm64 has no
   call frame information for it, nor have small C libraries.  */

#ifndef SAMPLER_SIGNAL_RETURN_H
#define SAMPLER_SIGNAL_RETURN_H

#include "code/object.h"
#include "unwind/machine_state.h"

/* True if a handler returns to `address` in the file; or, where it need not be the first
   instruction, if it is the second one.  */
bool signal_return_is_at(const Object* object, uint64_t address, bool is_first);

/* Makes `state`, that of such code, the one that the signal has interrupted.  False if
   the stack is not there.  */
bool signal_return_step(MachineState* state);

#endif
