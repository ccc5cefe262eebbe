/* SPDX-License-Identifier: GPL-2.0-or-later

   An indirect jump, as generated code tells it (--collect-jumps=yes): only when it runs
   does its target show.  */

#ifndef CALLGRIND_JUMP_TAKEN_H
#define CALLGRIND_JUMP_TAKEN_H

#include "model/callsite.h"

/* The running function jumps from `site` to `target`, in whichever function that is.  */
void jump_taken(Addr target, const CallSite* site);

#endif
