/* SPDX-License-Identifier: GPL-2.0-or-later

   --tail-calls=flat: the function that is jumped to takes the place of the one that has
   jumped, on the shadow stack and in the profile.  (What is plain is the fast path's:
   jump_in_place() in fast_enter.h.)  */

#ifndef CALLGRIND_FLAT_JUMPS_H
#define CALLGRIND_FLAT_JUMPS_H

#include "stack/frames/shadowstack_types.h"

/* The topmost frame, which is no barrier, has jumped from `site` (NULL: not known where)
   to `block`, whose function takes its place.  It was called by the caller of what has
   jumped, from there.  Where a jump only goes back to the middle of the function that
   jumped here, as from f.cold to f, that is no call of it.  */
void flat_jumps_replace_top(Block* block, CallSite* site);

#endif
