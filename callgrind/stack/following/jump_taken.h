/* SPDX-License-Identifier: GPL-2.0-or-later

   Indirect jumps (--collect-jumps=yes): generated code calls this at each, because the
   target is known only when it executes.  */

#ifndef CALLGRIND_JUMP_TAKEN_H
#define CALLGRIND_JUMP_TAKEN_H

#include "model/callsite.h"

/* The running function jumps from `site` to `target`, in whichever function that is.  */
void jump_taken(Addr target, const CallSite* site);

#endif
