/* SPDX-License-Identifier: GPL-2.0-or-later

   See cold_code.h.

   Owns the records of runs that are counted by calls, in room that blocks have for them.
   The discarding is the core's: a superblock that is left by a jump of the kind
   Ijk_InvalICache has the translations of the guest code [CMSTART, CMSTART + CMLEN)
   thrown away, as on machines where a program must say that it has changed its code.  */

#include "instrument/cold_code.h"

#include "instrument/ir_build.h"
#include "model/block.h"
#include "model/block_cost.h"
#include "options/options.h"
#include "sim/layout.h"
#include "stack/callstack.h"

#include "pub_tool_machine.h"

/* What is looked at when a run is counted.  Most records are not in the host's cache when
   they are needed, so nothing else should wait for them: neither the question whose code
   it is nor the counter.  */
typedef struct {
   Block* block;
   UInt runs_left; /* of a superblock's first run: before a better translation is due */
   UShort cost[];  /* by event: all that may be static, and the other one of its pair */
} ColdRun;

static Bool has_stopped;
static UInt n_static; /* events up to the last that may be static, or its pair */

static SizeT size_of_run(void)
{
   SizeT size = sizeof(ColdRun) + n_static * sizeof(UShort);
   return (size + sizeof(ULong) - 1) & -sizeof(ULong);
}

/* Is any superblock cold in this run?  */
static Bool is_wanted(void) { return options.cache_sim && options.cold_runs != 0; }

void cold_code_init(void)
{
   for (UInt e = 0; e < cost_n_events(); e++)
      if (cost_is_static(e))
         n_static = cost_is_paired(e) ? (e + 2) & ~1u : e + 1;
   if (is_wanted())
      block_make_room(size_of_run());
}

void cold_code_stop(void) { has_stopped = True; }

Bool cold_code_is(const Block* first)
{
   if (!is_wanted() || first->is_warm)
      return False;
   /* What was redirected is not where it would begin again.  */
   return first->address == first->node.key && (first->has_cold_runs || !has_stopped);
}

/*--------------------------------------------------------------------*/
/* Records                                                             */

/* They lie in the block.  */
static void make_runs(Block* block)
{
   for (UInt i = 0; i < block->n_runs; i++) {
      ULong cost[COST_MAX_EVENTS] = {0};
      block_add_run_cost(block, i, 0, cost);
      ColdRun* run = block_room(block, i);
      run->block = block;
      run->runs_left = options.cold_runs;
      for (UInt e = 0; e < n_static; e++)
         run->cost[e] = (UShort)cost[e];
   }
   block->has_cold_runs = True;
}

static ColdRun* run_of(Block* block, UInt run)
{
   if (!block->has_cold_runs)
      make_runs(block);
   return block_room(block, run);
}

/*--------------------------------------------------------------------*/
/* What cold code calls                                                */

/* As calls and returns will read the clock.  */
static inline void count(const ColdRun* run, UWord slot)
{
   UInt e = 0;
   shadowstack_now.counters[slot]++;
   for (; e + 2 <= n_static; e += 2)
      *(CostPair*)&cost_clock[e] += (CostPair){run->cost[e], run->cost[e + 1]};
   if (e < n_static)
      cost_clock[e] += run->cost[e];
}

static void cold_code_count(const ColdRun* run, UWord slot) { count(run, slot); }

static __attribute__((noinline)) void enter(Block* first)
{
   if (block_at(first->node.key) == first)
      callstack_helpers().enter();
   else
      callstack_enter_block(first);
}

/* Has the translation that is running thrown away, when it is left.  */
static __attribute__((noinline)) void discard(Block* first, UChar* guest_state)
{
   VexGuestArchState* state = (VexGuestArchState*)guest_state;
   state->guest_CMSTART = first->address;
   state->guest_CMLEN = 1;
   first->is_warm = True;
}

/* `function` says whose code it is, as in callstack.h.  True if the superblock is cold no
   more, and is to begin again.  */
static UWord cold_code_enter(ColdRun* first, UWord function, UWord slot,
                             UChar* guest_state)
{
   /* What is asked for next, the first references, begins right behind the record.  */
   __builtin_prefetch((const UChar*)first + LAYOUT_HOST_LINE);
   if (shadowstack_now.at.current != function)
      enter(first->block);
   if (UNLIKELY(--first->runs_left == 0)) {
      discard(first->block, guest_state);
      return True;
   }
   count(first, slot);
   return False;
}

/*--------------------------------------------------------------------*/
/* Calling it                                                          */

void cold_code_emit_run(IRSB* out, Block* block, UInt run)
{
   addStmtToIRSB(out, IRStmt_Dirty(ir_call("cold_code_count", (void*)cold_code_count,
                                           mkIRExprVec_2(ir_address(run_of(block, run)),
                                                         ir_word(block->slot + run)))));
}

void cold_code_emit_entry(IRSB* out, Block* first, const VexGuestLayout* layout)
{
   UInt function = symbols_runs_as(first->function)->id;
   IRDirty* call =
      ir_call_with_sp("cold_code_enter", (void*)cold_code_enter,
                      mkIRExprVec_4(ir_address(run_of(first, 0)), ir_word(function),
                                    ir_word(first->slot), IRExpr_GSPTR()),
                      layout);
   call->tmp = newIRTemp(out->tyenv, IR_WORD);
   addStmtToIRSB(out, IRStmt_Dirty(call));
   IRExpr* is_warm = ir_assign(
      out, Ity_I1, IRExpr_Unop(IR_WORD_OP(Iop_CmpNEZ), IRExpr_RdTmp(call->tmp)));
   addStmtToIRSB(out, IRStmt_Exit(is_warm, Ijk_InvalICache,
                                  ir_word(first->node.key)->Iex.Const.con, out->offsIP));
}
