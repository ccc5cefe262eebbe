/* SPDX-License-Identifier: GPL-2.0-or-later

   What --ct-check verifies of a shadow stack.  */

#ifndef CALLGRIND_SHADOWSTACK_CHECK_H
#define CALLGRIND_SHADOWSTACK_CHECK_H

#include "stack/frames/shadowstack_types.h"

/* True if the stack is consistent; otherwise says in the log what is wrong.  */
Bool shadowstack_is_valid(const ShadowStack* stack);

#endif
