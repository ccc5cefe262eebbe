/* SPDX-License-Identifier: GPL-2.0-or-later

   See superblocks.h.  Owns the one SuperblockState.  */

#include "translations/superblocks.h"

#include "core/guest_processor.h"
#include "core/translation.h"
#include "guest/arch.h"
#include "guest/memory.h"
#include "host_instructions/host_instructions.h"
#include "instrument/emit/allocation_checks.h"
#include "instrument/emit/reserved_registers.h"
#include "instrument/instrument.h"
#include "instrument/is_on.h"
#include "instrument/segments.h"
#include "lines/late_lines.h"
#include "model/cost.h"
#include "options/options.h"
#include "stack/frames/shadowstack_running.h"
#include "translations/exact_registers.h"
#include "translations/missing_code.h"
#include "translations/translation_tables.h"

#include "pub_tool_libcassert.h"

/* Static, since it is too large for the core's stack.  */
static SuperblockState state;

SuperblockState* superblocks_begin(VexTranslateArgs* arguments, RecordingWanted wanted,
                                   Bool with_patch_points)
{
   state.exits = ExitsUntold;
   state.n_bytes_added = 0;
   state.refused = 0;
   state.most_instructions = 0;
   recording_begin(&state.recording, wanted, &state.out);
   state.out.patch_points.n = 0;
   if (with_patch_points)
      patch_points_begin(&state.out.patch_points);
   dispatch_begin(&state.dispatcher, arguments);
   return &state;
}

void superblocks_end(void)
{
   dispatch_end(&state.dispatcher);
   patch_points_end(&state.out.patch_points);
   recording_end(&state.recording, &state.out);
}

SuperblockState* superblocks_last(void) { return &state; }

void superblocks_look_at_core(void)
{
   static Bool is_looked_at;
   if (LIKELY(is_looked_at))
      return;
   is_looked_at = True;
   late_lines_look_at_core();
   core_translation_is_made();
   if (core_translations_pass_by())
      reserved_registers_give_up();
}

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

/* Behind what is recorded: it is the same for each superblock that ends so.  */
static IRSB* mark_request(IRSB* code)
{
   if (code->jumpkind == Ijk_ClientReq)
      addStmtToIRSB(code, IRStmt_Put(ARCH_REQUEST_MARK_OFFSET,
                                     IRExpr_Const(IRConst_U64(ARCH_REQUEST_MARK))));
   return code;
}

/* Where VEX has given up the host may know more.  Returns what is to be translated
   instead of `in`, or NULL.  */
static IRSB* continued(IRSB* in)
{
   const HostContinuation continuation =
      host_instructions_continue(in, instrumentation_is_on() && cost_is_counted(EventDr));
   state.n_bytes_added = continuation.n_bytes;
   state.refused = continuation.refused;
   return continuation.instead;
}

/* The core must know which of the guest's code a translation depends on.  What was added
   is behind the last byte that VEX has read.  */
void superblocks_note_extent(VexGuestExtents* extents)
{
   if (state.n_bytes_added > 0)
      extents->len[extents->n_used - 1] += (UShort)state.n_bytes_added;
}

/* What XGETBV answers is a constant in VEX's code, and may be in what follows.  So it
   ends its superblock, and then the constant can be changed.  */
static void answer_xgetbv(IRSB* in)
{
   static const UChar xgetbv[] = {0x0f, 0x01, 0xd0};
   Bool is_behind = False;
   UInt n = 0;
   state.most_instructions = 0;
   for (Int i = 0; options.guest_cpu == GuestCpuV4 && i < in->stmts_used; i++) {
      const IRStmt* statement = in->stmts[i];
      if (statement->tag == Ist_IMark) {
         if (is_behind)
            state.most_instructions = n;
         n++;
         is_behind =
            statement->Ist.IMark.len == sizeof xgetbv &&
            guest_memory_holds((Addr)statement->Ist.IMark.addr, xgetbv, sizeof xgetbv);
      } else if (is_behind && statement->tag == Ist_Put &&
                 statement->Ist.Put.offset == ARCH_RESULT_OFFSET)
         in->stmts[i] = IRStmt_Put(ARCH_RESULT_OFFSET,
                                   IRExpr_Const(IRConst_U64(CORE_WIDE_COMPONENTS)));
   }
}

static IRSB* instrumented(const VgCallbackClosure* closure, IRSB* in,
                          const VexGuestLayout* layout)
{
   if (!instrumentation_is_on()) {
      exact_registers_translated();
      return allocation_checks_off(in, closure->nraddr);
   }
   correct_jump_kind(in);
   state.in = in;
   state.layout = layout;
   segments_find(&state, closure->nraddr, closure->tid);
   if (state.n_segments == 0)
      return in;
   shadowstack_counters_moved();
   stack_moves_examine(&state.stack_moves, in, layout);
   IRSB* out = instrument_segments(&state);
   recording_superblock(&state.recording, in, &state.out, layout);
   return out;
}

IRSB* superblocks_instrument(VgCallbackClosure* closure, IRSB* in,
                             const VexGuestLayout* layout, const VexGuestExtents* extents,
                             const VexArchInfo* host, IRType guest_word, IRType host_word)
{
   (void)extents;
   (void)host;
   superblocks_look_at_core();
   if (guest_word != host_word)
      VG_(tool_panic)("host and guest word sizes differ");
   core_guest_processor_lead(in);
   answer_xgetbv(in);
   IRSB* instead = missing_code_instead(in);
   if (instead == NULL)
      instead = continued(in);
   return instead != NULL ? instead : mark_request(instrumented(closure, in, layout));
}

void superblocks_discarded(Addr key, VexGuestExtents extents)
{
   (void)extents;
   dispatch_discarded(key);
   segments_discarded(key, instrumentation_is_on() || !translation_tables_are_two());
}
