/* SPDX-License-Identifier: GPL-2.0-or-later

   Calls of functions that switch stacks.  Where stacks are copied, such a call may make a
   coroutine: it returns as if nothing had happened, below the frames of its caller, and
   once more when the caller goes on (copies.h).  Only then is it known that the caller
   was left.  So what lies on the stack is kept at each such call, as long as the caller's
   frame may be there: it tells which of several callers goes on.  */

#ifndef CALLGRIND_SWITCH_CALLS_H
#define CALLGRIND_SWITCH_CALLS_H

#include "stack/frames/shadowstack_types.h"

/* The running function has moved its stack pointer to another stack.  From now on each
   call of it is kept.  */
void switch_calls_expect(Function* function);

/* `function` is about to be entered, with this slot: keeps the call, if it is to be.  */
void switch_calls_on_entry(const Function* function, Addr slot);

/* The innermost call on a stack that was made with the stack pointer from `low` to
   `high`, and by which nobody has gone on since; NULL: there is none.  */
SwitchCall* switch_calls_find(const ShadowStack* stack, Addr low, Addr high);

/* `copy` has the frames of `stack` from `low` on, and so the calls that lie there.  */
void switch_calls_copy(ShadowStack* copy, const ShadowStack* stack, Addr low);

void switch_calls_forget(ShadowStack* stack);

#endif
