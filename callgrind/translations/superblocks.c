/* SPDX-License-Identifier: GPL-2.0-or-later

   See superblocks.h.  */

#include "translations/superblocks.h"

#include "guest/arch.h"
#include "instrument/host/dispatch.h"
#include "instrument/instrument.h"
#include "instrument/ir/recording.h"
#include "instrument/ir/stack_moves.h"
#include "instrument/is_on.h"
#include "instrument/segments.h"
#include "stack/frames/shadowstack_running.h"
#include "translations/exact_registers.h"
#include "translations/translation_tables.h"

#include "pub_tool_libcassert.h"

/* VEX may take a jump at the superblock's end for a call.  */
static void correct_jump_kind(IRSB* in)
{
   if (in->jumpkind != Ijk_Call)
      return;
   const IRStmt* last = NULL;
   for (Int i = 0; i < in->stmts_used; i++)
      if (in->stmts[i]->tag == Ist_IMark)
         last = in->stmts[i];
   if (last != NULL && arch_is_jump((Addr)last->Ist.IMark.addr, last->Ist.IMark.len))
      in->jumpkind = Ijk_Boring;
}

IRSB* superblocks_instrument(VgCallbackClosure* closure, IRSB* in,
                             const VexGuestLayout* layout, const VexGuestExtents* extents,
                             const VexArchInfo* host, IRType guest_word, IRType host_word)
{
   (void)extents;
   (void)host;
   if (guest_word != host_word)
      VG_(tool_panic)("host and guest word sizes differ");
   if (!instrumentation_is_on()) {
      exact_registers_translated();
      return in;
   }
   Segment segments[SEGMENTS_MAX];
   correct_jump_kind(in);
   UInt n = segments_find(in, closure->nraddr, closure->tid, segments);
   if (n == 0)
      return in;
   shadowstack_counters_moved();
   stack_moves_examine(in, layout);
   IRSB* out = instrument_segments(in, segments, n, layout);
   recording_superblock(in, out, layout);
   return out;
}

void superblocks_discarded(Addr key, VexGuestExtents extents)
{
   (void)extents;
   dispatch_discarded(key);
   segments_discarded(key, instrumentation_is_on() || !translation_tables_are_two());
}
