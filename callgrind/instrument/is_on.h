/* SPDX-License-Identifier: GPL-2.0-or-later

   Is instrumentation on?  Rooms that write code for one of the two states ask here;
   instr_state.h is who changes it.  */

#ifndef CALLGRIND_IS_ON_H
#define CALLGRIND_IS_ON_H

#include "core_version.h"
#include "pub_tool_basics.h"

/* False until the first call of instrumentation_set().  */
Bool instrumentation_is_on(void);

/* Only notes it.  For instr_state.c alone, which does what belongs to a change.  */
void instrumentation_set(Bool on);

#endif
