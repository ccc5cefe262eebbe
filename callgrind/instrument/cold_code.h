/* SPDX-License-Identifier: GPL-2.0-or-later

   Cold code: superblocks that have not run often.  Most of a program's are run a few
   times at most.  With simulated caches, what counts and asks for a superblock is longer
   than the guest's own code, and to translate it takes longer than to execute it a
   thousand times.

   So such a superblock is translated twice.  Its first translation calls for whatever it
   has to count or ask, which is soon written.  When that has been executed often enough
   it has itself thrown away, and the next one does inline what can be done inline.  Both
   count the same.  */

#ifndef CALLGRIND_COLD_CODE_H
#define CALLGRIND_COLD_CODE_H

#include "model/block_record.h"

#include "pub_tool_tooliface.h"

/* After cost_init().  */
void cold_code_init(void);

/* Is the superblock that begins with `first`, and is about to be translated, cold?  */
Bool cold_code_is(const Block* first);

/* No superblock that is not known yet will be cold.  To be called when one has been met
   that goes on where the core must not redirect it: a cold one begins again by its
   address, and that the core would redirect.  */
void cold_code_stop(void);

/* Instead of what counts the run number `run` of `block` inline.  */
void cold_code_emit_run(IRSB* out, Block* block, UInt run);

/* The same for the first run of a superblock's first segment.  Before that, it asks whose
   code the superblock is.  */
void cold_code_emit_entry(IRSB* out, Block* first, const VexGuestLayout* layout);

#endif
