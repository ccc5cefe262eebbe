/* SPDX-License-Identifier: GPL-2.0-or-later

   Checking references inline; see cache_checks.h.

   One comparison tells whether a range of bytes lies in the line of its set that was used
   last.  If `mru` is the address of that line, then

      (low ^ mru) + length - 1

   is less than the length of a line exactly if `low` is in that line and the range does
   not reach beyond it.  The length of a line is a power of two, so several such numbers
   are all less than it exactly if their bitwise or is.  For a line of code its state
   (sim/icache.h) is or-ed to them: it is 0 if the line is in the cache, and all ones if
   not.

   In what follows, `missed` is such a number: less than the length of a line if there is
   nothing to simulate.  */

#include "instrument/emit/cache_checks.h"

#include "machine/simulation.h"
#include "machine/simulation_helpers.h"
#include "model/cost.h"

#include "pub_tool_machine.h"

static IRExpr* shift_amount(UInt bits) { return IRExpr_Const(IRConst_U8((UChar)bits)); }

/* The address of the line used last in the set that `low` belongs to.  */
static IRExpr* emit_load_mru(IrOutput* out, const FirstLevel* level, IRExpr* low)
{
   IRExpr* set = low;
   if (level->shape.set_bits < level->shape.line_bits)
      set = ir_compute(out, IR_WORD_OP(Iop_Shr), set,
                       shift_amount(level->shape.line_bits - level->shape.set_bits));
   UInt bits = level->shape.set_bits < level->shape.line_bits ? level->shape.set_bits
                                                              : level->shape.line_bits;
   set = ir_compute(out, IR_WORD_OP(Iop_And), set,
                    ir_word((UWord)level->shape.set_mask << bits));
   if (level->shape.set_bits > level->shape.line_bits)
      set = ir_compute(out, IR_WORD_OP(Iop_Shl), set,
                       shift_amount(level->shape.set_bits - level->shape.line_bits));
   return ir_load(out, IR_WORD, ir_plus(out, set, (UWord)level->sets));
}

/* How far into the line used last in its set the range begins.  If it begins in another
   line, the result is at least the length of a line.  */
static IRExpr* emit_offset_in_mru(IrOutput* out, const ReferenceRange* range)
{
   const FirstLevel* level = simulation_data();
   IRExpr* mru =
      range->base == NULL
         ? ir_load(
              out, IR_WORD,
              ir_address(&firstlevel_set_of(level, level->shape, (Addr)range->low)->mru))
         : emit_load_mru(out, level, range->first);
   IRExpr* low = range->base == NULL ? ir_word(range->low) : range->first;
   return ir_compute(out, IR_WORD_OP(Iop_Xor), mru, low);
}

/* Is an access of this length normally aligned to its length?  */
static Bool is_aligned(UInt length) { return length == 2 || length == 4 || length == 8; }

/* `some` | `more`; either may be NULL.  */
static IRExpr* emit_or(IrOutput* out, IRExpr* some, IRExpr* more)
{
   if (some == NULL || more == NULL)
      return some == NULL ? more : some;
   return ir_compute(out, IR_WORD_OP(Iop_Or), some, more);
}

/* `missed` for range number `first` of the group, and for those behind it that have the
   same length.  One addition does for all of these: as they are aligned, their offsets
   are small enough exactly if the bitwise or of these is.  (Should one not be aligned,
   the result may be too large, and the simulator is called for nothing.)  */
static IRExpr* emit_ranges_missed(IrOutput* out, const ReferenceRange* ranges, UInt first,
                                  UInt n)
{
   const ReferenceRange* range = &ranges[first];
   IRExpr* begin = emit_offset_in_mru(out, range);
   for (UInt i = first + 1; i < n && is_aligned(range->length); i++)
      if (ranges[i].length == range->length)
         begin = emit_or(out, begin, emit_offset_in_mru(out, &ranges[i]));
   IRExpr* distance = ir_plus(out, begin, range->length - 1);
   if (range->guard != NULL) {
      IROp sign_extend = VG_WORDSIZE == 8 ? Iop_1Sto64 : Iop_1Sto32;
      distance =
         ir_compute(out, IR_WORD_OP(Iop_And), distance,
                    ir_assign(out, IR_WORD, IRExpr_Unop(sign_extend, range->guard)));
   }
   return distance;
}

/* `missed` for all data of the group; NULL if it has none.  */
static IRExpr* emit_data_missed(IrOutput* out, const ReferencePlan* plan,
                                const ReferenceGroup* group)
{
   const ReferenceRange* ranges = &plan->ranges[group->first_range];
   IRExpr* missed = NULL;
   for (UInt i = 0; i < group->n_ranges; i++) {
      UInt before = 0;
      while (before < i && ranges[before].length != ranges[i].length)
         before++;
      if (before == i || !is_aligned(ranges[i].length))
         missed =
            emit_or(out, missed, emit_ranges_missed(out, ranges, i, group->n_ranges));
   }
   return missed;
}

/* Stores in the group's lines of code when they are used.  */
static void emit_use_times(IrOutput* out, const ReferencePlan* plan,
                           const ReferenceGroup* group, IRExpr* base)
{
   IRExpr* countdown = ir_assign(
      out, Ity_I32, IRExpr_Get(offsetof(VexGuestArchState, host_EvC_COUNTER), Ity_I32));
   for (UInt i = 0; i < group->n_lines; i++) {
      ICacheLine* line = plan->lines[group->first_line + i];
      ir_store(out,
               ir_plus(out, base, ir_relocated_from_shared_base(out, &line->countdown)),
               countdown);
   }
}

/* `missed`, with the group's lines of code.  They come last, because VEX can take the
   second operand of an `or` right from memory.  */
static IRExpr* emit_or_lines(IrOutput* out, const ReferencePlan* plan,
                             const ReferenceGroup* group, IRExpr* base, IRExpr* missed)
{
   for (UInt i = 0; i < group->n_lines; i++) {
      ICacheLine* line = plan->lines[group->first_line + i];
      missed = emit_or(
         out, missed,
         ir_load(out, IR_WORD,
                 ir_plus(out, base, ir_relocated_from_shared_base(out, &line->state))));
   }
   return missed;
}

/* Is there anything to simulate?  The constant is the second operand: a host compares a
   register with a constant, not the other way round.  */
static IRExpr* emit_is_missed(IrOutput* out, const ReferenceGroup* group, IRExpr* missed)
{
   if (group->n_ranges == 0)
      return ir_assign(out, Ity_I1, IRExpr_Unop(IR_WORD_OP(Iop_CmpNEZ), missed));
   IRExpr* hit = ir_compare(out, VG_WORDSIZE == 8 ? Iop_CmpLT64U : Iop_CmpLT32U, missed,
                            ir_word(firstlevel_line_size(simulation_data()->shape)));
   return ir_assign(out, Ity_I1, IRExpr_Unop(Iop_Not1, hit));
}

/* Must the simulator be called for this group whatever a check would say?  */
static Bool is_always_called(const ReferencePlan* plan, const ReferenceGroup* group)
{
   for (UInt i = group->first; i < group->first + group->n; i++)
      if (simulation_is_always_called((ReferenceKind)plan->references[i].kind))
         return True;
   return False;
}

/* Counts a guarded access if its guard is true.  */
static void emit_made_count(IrOutput* out, const Reference* reference, IRExpr* guard)
{
   UInt made = reference_n_outcomes(reference) - 1;
   IRExpr* times = ir_assign(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, guard));
   IRExpr* base = ir_load_shared_base(out);
   ir_add_value_to(out, ir_load_counters(out, base),
                   ir_relocated_offset(out, reference->outcomes + made), times);
   ir_add_value_to(out, base,
                   ir_from_shared_base(&cost_clock[reference_event(reference, made)]),
                   times);
}

/* A call of `function` for a group, with its first reference, `missed` (unless that is
   NULL), and the arguments `a` of the group.  */
static IRDirty* helper_call(const HChar* name, void* function, IRExpr* first,
                            IRExpr* missed, const ReferenceGroup* group, IRExpr* const* a)
{
   IRExpr* all[2 + REFERENCE_MAX_ARGUMENTS];
   UInt n = 0;
   all[n++] = first;
   if (missed != NULL)
      all[n++] = missed;
   for (UInt i = 0; i < group->n_arguments; i++)
      all[n++] = a[i];
   switch (n) {
   case 1: return ir_call(name, function, mkIRExprVec_1(all[0]));
   case 2: return ir_call(name, function, mkIRExprVec_2(all[0], all[1]));
   case 3: return ir_call(name, function, mkIRExprVec_3(all[0], all[1], all[2]));
   case 4: return ir_call(name, function, mkIRExprVec_4(all[0], all[1], all[2], all[3]));
   case 5:
      return ir_call(name, function,
                     mkIRExprVec_5(all[0], all[1], all[2], all[3], all[4]));
   default:
      return ir_call(name, function,
                     mkIRExprVec_6(all[0], all[1], all[2], all[3], all[4], all[5]));
   }
}

/* Is it an unguarded single access to data, with nothing before it but fetches?  */
static Bool is_single_access(const Block* block, const ReferenceGroup* group)
{
   const Reference* references = &block->references[group->first];
   for (UInt i = 0; i < group->n; i++)
      if (reference_is_data(&references[i]) != (i == group->n - 1))
         return False;
   return group->guard == NULL;
}

/* The first argument of a call for a group.  */
static IRExpr* relocated_first(IrOutput* out, const void* record, Bool always_calls)
{
   return always_calls ? ir_relocated_address(out, record)
                       : ir_relocated_checked(out, (UWord)record);
}

/* The call for a group that is made only if something has `missed`.  */
static IRDirty* checked_call(IrOutput* out, const ReferencePlan* plan,
                             const ReferenceGroup* group, const Block* block,
                             IRExpr* missed, IRExpr* const* a)
{
   Bool always_calls = is_always_called(plan, group);
   IRDirty* call;
   if (group->n_ranges == 0)
      call =
         helper_call("simulation_group", (void*)simulation_group,
                     relocated_first(out, &block->references[group->first], always_calls),
                     NULL, group, a);
   else if (is_single_access(block, group) && !always_calls) {
      const Reference* access = &block->references[group->first + group->n - 1];
      call = ir_call("simulation_access_one", (void*)simulation_helpers().access_one,
                     mkIRExprVec_3(ir_relocated_checked(out, reference_sized(access)),
                                   missed, plan->ranges[group->first_range].first));
   } else
      call = helper_call(
         "simulation_access", (void*)simulation_helpers().access,
         relocated_first(out, &block->accesses[group->first_access], always_calls),
         missed, group, a);
   if (!always_calls)
      call->guard = emit_is_missed(out, group, missed);
   return call;
}

void cache_checks_emit_group(IrOutput* out, const ReferencePlan* plan,
                             const ReferenceGroup* group, const Block* block,
                             IRExpr* base)
{
   const Reference* first = &block->references[group->first];
   IRExpr* a[REFERENCE_MAX_ARGUMENTS];
   for (UInt i = 0; i < group->n_arguments; i++)
      a[i] = group->arguments[i];
   if (group->guard != NULL) {
      emit_made_count(out, first, group->guard);
      a[0] = ir_assign(out, IR_WORD,
                       IRExpr_ITE(group->guard, a[0], ir_word(REFERENCE_NOT_MADE)));
   }
   IRDirty* call;
   if (simulation_is_always_called(ReferenceFetch))
      call = helper_call("simulation_group_cacheuse", (void*)simulation_group_cacheuse,
                         ir_relocated_address(out, first), NULL, group, a);
   else if (group->lines_share_set || base == NULL)
      call = helper_call("simulation_access_untimed",
                         (void*)simulation_helpers().access_untimed,
                         ir_relocated_address(out, first), NULL, group, a);
   else {
      if (group->n_lines > 0)
         emit_use_times(out, plan, group, base);
      IRExpr* missed =
         emit_or_lines(out, plan, group, base, emit_data_missed(out, plan, group));
      call = checked_call(out, plan, group, block, missed, a);
   }
   ir_add_call(out, call);
}
