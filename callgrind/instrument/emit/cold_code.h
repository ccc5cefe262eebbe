/* SPDX-License-Identifier: GPL-2.0-or-later

   Cold code: superblocks that have been executed seldom so far.  Most superblocks of a
   program are executed a few times at most.  With simulated caches, the code that counts
   and checks inline is longer than the guest's own, and translating it takes longer than
   executing it a thousand times.

   So such a superblock is translated twice.  Its first translation makes a call for
   everything that is to be counted or simulated, which is quickly translated.  When it
   has been executed --ct-cold-runs times, it has itself discarded.  The second
   translation (warm code) counts and checks inline.  Both give the same counts.  */

#ifndef CALLGRIND_COLD_CODE_H
#define CALLGRIND_COLD_CODE_H

#include "instrument/ir/ir_build.h"
#include "model/block_record.h"

/* To be called once, after cost_init() and before any block is made.  */
void cold_code_init(void);

/* Is a superblock cold that is about to be translated?  `first` is the block of its first
   segment.  */
Bool cold_code_is(const Block* first);

/* From now on, no superblock that is new is cold.  To be called when a superblock ends
   with Ijk_NoRedir, that is, leads to an address that the core must not redirect.  A cold
   superblock that is discarded begins again at its address, and there the core would
   redirect it.  */
void cold_code_stop(void);

/* A block is about to be freed, with its records.  */
void cold_code_retire_block(const Block* block);

/* Does the core discard at `start` because a superblock is no longer cold?  To be asked
   once for each time that it discards.  */
Bool cold_code_has_left(Addr start);

/* Adds the call that counts straight run number `run` of `block`.  */
void cold_code_emit_run(IrOutput* out, Block* block, UInt run);

/* As cold_code_emit_run(), for the first straight run of a superblock, whose first block
   is `first`.  The call also enters the superblock's function, if that is not the running
   one.  */
void cold_code_emit_entry(IrOutput* out, Block* first, const VexGuestLayout* layout);

#endif
