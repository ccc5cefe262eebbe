/* SPDX-License-Identifier: GPL-2.0-or-later

   Counting cold code by calls; see cold_code.h.

   Owns the records of straight runs that are counted by calls, which lie in room that
   blocks have for them (block_room()); and knows the two that were entered last.

   Relies on the core to discard translations.  When a superblock is left by a jump of the
   kind Ijk_InvalICache, the core discards the translations of the guest code [CMSTART,
   CMSTART + CMLEN), as it does on machines where a program must announce that it has
   changed its code.  */

#include "instrument/emit/cold_code.h"

#include "guest/arch.h"
#include "model/block.h"
#include "model/block_cost.h"
#include "options/options.h"
#include "sim/layout.h"
#include "stack/following/callstack.h"
#include "stack/threads/superblock_count.h"

#include "pub_tool_machine.h"

/* What counting a straight run reads.  Most records are not in the host's cache when they
   are needed.  So what else is needed is passed as arguments, and does not wait for the
   record: the function's id, and the counter's slot.  */
typedef struct ColdRun {
   Block* block;
   /* Of a superblock's first run: that of the cold superblock that was entered as the
      second after this one the last time, and its counter.  They may be freed by now, so
      nothing is done but to prefetch them.  */
   const struct ColdRun* ahead;
   const ULong* counter_ahead;
   UInt runs_left; /* of a superblock's first run: until it is translated again */
   UInt cost[];    /* by event: those that may be static */
} ColdRun;

static ColdRun nobody;
static ColdRun* last = &nobody;   /* that of the cold superblock entered last */
static ColdRun* before = &nobody; /* of the one before it */

static Bool has_stopped; /* cold_code_stop() has been called */
static Addr left;        /* what a superblock has itself discarded at; 0: none */
/* The static events come first in a vector; so many are they.  */
static UInt n_static;

static SizeT size_of_run(void)
{
   SizeT size = sizeof(ColdRun) + n_static * sizeof(UInt);
   return (size + sizeof(ULong) - 1) & -sizeof(ULong);
}

/* Do the options want cold code?  */
static Bool is_wanted(void) { return options.cache_sim && options.cold_runs != 0; }

void cold_code_init(void)
{
   n_static = 0;
   while (n_static < cost_n_events() && cost_is_static(n_static))
      n_static++;
   if (is_wanted())
      block_make_room(size_of_run());
}

void cold_code_stop(void) { has_stopped = True; }

Bool cold_code_is(const Block* first)
{
   if (!is_wanted() || first->is_warm)
      return False;
   /* A redirected superblock would not begin again at its own address.  */
   return first->address == first->key && (first->has_cold_runs || !has_stopped);
}

/*--------------------------------------------------------------------*/
/* Records                                                             */

static void make_runs(Block* block)
{
   for (UInt i = 0; i < block->n_runs; i++) {
      ULong cost[COST_MAX_EVENTS] = {0};
      block_add_run_cost(block, i, 0, cost);
      ColdRun* run = block_room(block, i);
      run->block = block;
      run->ahead = NULL;
      run->counter_ahead = NULL;
      run->runs_left = options.cold_runs;
      for (UInt e = 0; e < n_static; e++)
         run->cost[e] = (UInt)cost[e];
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

/* The clock is written in pairs where calls and returns read it in pairs.  */
static inline void count(const ColdRun* run, UWord slot)
{
   shadowstack_now.counters[slot]++;
   UInt e = 0;
   for (; e < cost_n_paired(); e += 2)
      *(CostPair*)&cost_clock[e] += (CostPair){run->cost[e], run->cost[e + 1]};
   for (; e < n_static; e++)
      cost_clock[e] += run->cost[e];
}

static void cold_code_count(const ColdRun* run, UWord slot) { count(run, slot); }

static __attribute__((noinline)) void enter(Block* first)
{
   if (first->is_at_key)
      callstack_helpers().enter();
   else
      callstack_enter_block(first);
}

/* Has the running translation discarded when it is left, and the next one made warm.  */
static __attribute__((noinline)) void discard(Block* first, UChar* guest_state)
{
   VexGuestArchState* state = (VexGuestArchState*)guest_state;
   state->guest_CMSTART = first->address;
   state->guest_CMLEN = 1;
   first->is_warm = True;
   left = first->address;
}

void cold_code_retire_block(const Block* block)
{
   if (before->block == block)
      before = &nobody;
   if (last->block == block)
      last = &nobody;
}

Bool cold_code_has_left(Addr start)
{
   Bool is_left = left != 0 && left == start;
   left = 0;
   return is_left;
}

/* The superblock before the last is told which one follows, with this counter.  */
static inline void remember(ColdRun* first, const ULong* counter)
{
   if (UNLIKELY(before->ahead != first))
      before->ahead = first;
   if (UNLIKELY(before->counter_ahead != counter))
      before->counter_ahead = counter;
   before = last;
   last = first;
}

/* Enters a superblock and counts its first straight run.  `function` is the id that
   shadowstack_now.at.current is compared with.  True: the superblock is no longer cold
   and must begin again; nothing has been counted.  */
static ARCH_TAKES_STATE UWord cold_code_enter(ColdRun* first, UWord function, UWord slot,
                                              UChar* guest_state)
{
   /* The references begin right behind the record, and are needed next.  Two superblocks
      later, what was needed there the last time is needed most often.  (One superblock
      ahead is too late for records, and four are wrong too often.  A function of its own
      for this would be left out by GCC: it has no effect.)  */
   const UChar* ahead = (const UChar*)first->ahead;
   __builtin_prefetch((const UChar*)first + LAYOUT_HOST_LINE);
   __builtin_prefetch(ahead);
   __builtin_prefetch(ahead + LAYOUT_HOST_LINE);
   __builtin_prefetch(ahead + 2 * LAYOUT_HOST_LINE);
   __builtin_prefetch(first->counter_ahead, 1);
   if (shadowstack_now.at.current != function)
      enter(first->block);
   if (UNLIKELY(--first->runs_left == 0)) {
      discard(first->block, guest_state);
      superblock_count_again();
      return True;
   }
   remember(first, &shadowstack_now.counters[slot]);
   count(first, slot);
   return False;
}
ARCH_PASS_STATE(cold_code_enter, 3)

/*--------------------------------------------------------------------*/
/* Code that calls them                                                */

void cold_code_emit_run(IrOutput* out, Block* block, UInt run)
{
   ir_add_call(out, ir_call("cold_code_count", (void*)cold_code_count,
                            mkIRExprVec_2(ir_relocated_address(out, run_of(block, run)),
                                          ir_relocated_word(out, block->slot + run))));
}

void cold_code_emit_entry(IrOutput* out, Block* first, const VexGuestLayout* layout)
{
   UInt function = symbols_runs_as(first->function)->id;
   IRDirty* call = ir_call_with_sp(
      "cold_code_enter", (void*)ARCH_STATE_HELPER(cold_code_enter),
      mkIRExprVec_4(ir_relocated_address(out, run_of(first, 0)),
                    ir_relocated_word(out, function), ir_relocated_word(out, first->slot),
                    ir_guest_state()),
      layout);
   call->tmp = newIRTemp(out->code->tyenv, IR_WORD);
   ir_add_call(out, call);
   IRExpr* is_warm = ir_assign(
      out, Ity_I1, IRExpr_Unop(IR_WORD_OP(Iop_CmpNEZ), IRExpr_RdTmp(call->tmp)));
   ir_add_exit(out, is_warm, Ijk_InvalICache, first->key);
}
