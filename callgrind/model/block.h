/* SPDX-License-Identifier: GPL-2.0-or-later

   All blocks (block_record.h), found by guest address and by function.

   A block outlives its translation.  When the same code is translated again, as after
   each STOP and START, the block is found and goes on counting.  Only when other code
   stands at its address is it retired.  */

#ifndef CALLGRIND_BLOCK_H
#define CALLGRIND_BLOCK_H

#include "model/block_record.h"

/* The block for a superblock of this shape, asked for at guest address `key`: the one
   that an earlier translation of the same code left, or a new one.  If other code
   stood there before, its block is given to the caller in *retired (otherwise NULL),
   who saves its counts and then calls block_free() on it.  */
Block* block_intern(Addr key, const BlockShape* shape, Block** retired);

/* Frees a retired block and its slots, whose counters must all be zero.  */
void block_free(Block* block);

/* The core has thrown away the translation asked for at `key`.  False if none was
   known.  */
Bool block_translation_discarded(Addr key);

/* The block of the translation that runs at `key`; of the first, if there are several.
   NULL if there is none.  Fast.  */
Block* block_at(Addr key);

/* The function of the code that was last seen at `key`, or NULL if none was.  */
Function* block_function_at(Addr key);

/* Is the block at the start of a function?  No unwinding leads there.  (Where nameless
   code starts is not known.)  */
Bool block_is_surely_at_start(const Block* block);

/* All blocks of a function, linked by next_of_function, in any order.  */
Block* block_first_of(const Function* function);

/* How many blocks can be found by address.  */
UInt block_count(void);

/* --ct-check: no two blocks of a function have a slot in common, and each knows whether
   block_at() finds it.  Says in the log what is wrong.  */
Bool block_all_valid(void);

#endif
