/* SPDX-License-Identifier: GPL-2.0-or-later

   The path of calls that a frame is the end of (model/allocations/alloc_paths.h).  What
   was found of a stack is kept by depth, so that only the frames are looked at that have
   come since the last allocation.  */

#ifndef CALLGRIND_FRAME_PATHS_H
#define CALLGRIND_FRAME_PATHS_H

#include "stack/frames/shadowstack_types.h"

/* The path that ends with `frame`, of the running stack.  It begins above the last signal
   that has interrupted.  Skipped code has its owner's.  */
UInt frame_path(const Frame* frame);

#endif
