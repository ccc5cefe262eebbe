/* SPDX-License-Identifier: GPL-2.0-or-later

   The program's live blocks of memory: those that were allocated and not freed, with
   their size and their owner, by address.  A block takes 16 bytes, and at most 24 with
   the room that is free (a few more where there are less than a thousand).

   Sizes and addresses of 2^48 and more are not kept: there are none in user space.  */

#ifndef CALLGRIND_LIVE_BLOCKS_H
#define CALLGRIND_LIVE_BLOCKS_H

#include "core_version.h"
#include "pub_tool_basics.h"

typedef struct {
   ULong size; /* what was asked for */
   UInt owner; /* a number of the caller's, below 2^32 */
} LiveBlock;

/* From now on `block` lives at `address`.  True if another one has lived there, which is
   given to the caller in *replaced: it was freed without a call that was seen.  */
Bool live_blocks_add(Addr address, LiveBlock block, LiveBlock* replaced);

/* The block at `address` is no more; it is given to the caller.  False if there is
   none.  */
Bool live_blocks_take(Addr address, LiveBlock* taken);

/* How many there are.  */
ULong live_blocks_count(void);

/* Bytes of the table, for --stats=yes.  */
ULong live_blocks_memory(void);

#endif
