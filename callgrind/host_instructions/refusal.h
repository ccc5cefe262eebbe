/* SPDX-License-Identifier: GPL-2.0-or-later

   What a program is going to die of: an instruction that neither the core nor the host
   executes, in words.  */

#ifndef CALLGRIND_REFUSAL_H
#define CALLGRIND_REFUSAL_H

#include "core_version.h"

/* Says, in one line, which instruction is at `at`, where that is, and what to do.  Says
   nothing of what is meant to end a program, and of bytes that are no instruction.  */
void refusal_tell(Addr at);

#endif
