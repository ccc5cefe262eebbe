/* SPDX-License-Identifier: GPL-2.0-or-later

   Asking the simulators; see write_references.h.

   The test whether a range of bytes lies in the newest line of its set needs one
   comparison.  With the address of that line,

      (low ^ newest) + length - 1

   is below the size of a line exactly if `low` is in that line and the range does not
   reach out of it.  Several such numbers are below it exactly if all that is set in any
   of them is, since it is a power of two.  */

#include "write_references.h"

#include "ir_writing.h"
#include "model/cost.h"
#include "simulation.h"

#include "pub_tool_machine.h"

static const CacheLevel* level_of(const ReferenceRange* range)
{
   return range->is_fetched ? simulation_instructions() : simulation_data();
}

static IRExpr* shift_amount(UInt bits) { return IRExpr_Const(IRConst_U8((UChar)bits)); }

/* The address of the line used last in the set that `low` belongs to.  */
static IRExpr* load_newest(IRSB* out, const CacheLevel* level, IRExpr* low)
{
   const UInt index_bits = VG_WORDSIZE == 8 ? 3 : 2;
   IRExpr* entry = ir_compute(out, IR_WORD_OP(Iop_Shr), low,
                              shift_amount(level->line_bits - index_bits));
   entry = ir_compute(out, IR_WORD_OP(Iop_And), entry,
                      ir_word((UWord)(level->set_mask) << index_bits));
   return ir_load(out, IR_WORD, ir_plus(out, entry, (UWord)level->newest));
}

/* How far the range is from being a plain hit: less than a line if it is one.  */
static IRExpr* write_distance(IRSB* out, const ReferenceRange* range)
{
   const CacheLevel* level = level_of(range);
   IRExpr *low, *newest;
   if (range->base == NULL) {
      UWord set = (range->low >> level->line_bits) & (level->set_mask);
      low = ir_word(range->low);
      newest = ir_load(out, IR_WORD, ir_address(&level->newest[set]));
   } else {
      low = ir_plus(out, range->base, range->low);
      newest = load_newest(out, level, low);
   }
   IRExpr* distance = ir_compute(out, IR_WORD_OP(Iop_Xor), newest, low);
   distance = ir_plus(out, distance, range->length - 1);
   if (range->guard != NULL) {
      IROp widen = VG_WORDSIZE == 8 ? Iop_1Sto64 : Iop_1Sto32;
      distance = ir_compute(out, IR_WORD_OP(Iop_And), distance,
                            ir_assign(out, IR_WORD, IRExpr_Unop(widen, range->guard)));
   }
   return distance;
}

/* What of a distance shows that a line was missed: with lines of one size, all above.  */
static IRExpr* write_missed(IRSB* out, const ReferenceRange* range)
{
   IRExpr* distance = write_distance(out, range);
   if (simulation_instructions()->line_bits == simulation_data()->line_bits)
      return distance;
   return ir_compute(out, IR_WORD_OP(Iop_Shr), distance,
                     shift_amount(level_of(range)->line_bits));
}

/* True in generated code unless all of the group are plain hits.  */
static IRExpr* write_question(IRSB* out, const ReferencePlan* plan,
                              const ReferenceGroup* group)
{
   IRExpr* missed = NULL;
   for (UInt i = group->first_range; i < group->first_range + group->n_ranges; i++) {
      IRExpr* one = write_missed(out, &plan->ranges[i]);
      missed = missed == NULL ? one : ir_compute(out, IR_WORD_OP(Iop_Or), missed, one);
   }
   /* A host compares a register with a constant, not the other way round.  */
   UWord limit = 1;
   if (simulation_instructions()->line_bits == simulation_data()->line_bits)
      limit = simulation_data()->line_size;
   IRExpr* hit = ir_compare(out, VG_WORDSIZE == 8 ? Iop_CmpLT64U : Iop_CmpLT32U, missed,
                            ir_word(limit));
   return ir_assign(out, Ity_I1, IRExpr_Unop(Iop_Not1, hit));
}

static Bool asks_always(const ReferencePlan* plan, const ReferenceGroup* group)
{
   for (UInt i = group->first; i < group->first + group->n; i++)
      if (simulation_asks_always((ReferenceKind)plan->references[i].kind))
         return True;
   return False;
}

/* A guarded access has been made if its guard is true.  */
static void count_made(IRSB* out, const Reference* reference, IRExpr* guard)
{
   UInt made = reference_n_outcomes(reference) - 1;
   IRExpr* times = ir_assign(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, guard));
   IRExpr* base = ir_load_shared_base(out);
   ir_add_value_to(out, ir_load_counters(out, base),
                   (reference->outcomes + made) * sizeof(ULong), times);
   ir_add_value_to(out, base,
                   ir_from_shared_base(&cost_clock[reference_event(reference, made)]),
                   times);
}

void write_references_group(IRSB* out, const ReferencePlan* plan,
                            const ReferenceGroup* group, const Block* block)
{
   const Reference* first = &block->references[group->first];
   IRExpr* a[REFERENCE_MAX_ARGUMENTS];
   for (UInt i = 0; i < group->n_arguments; i++)
      a[i] = group->arguments[i];
   if (group->guard != NULL) {
      count_made(out, first, group->guard);
      a[0] = ir_assign(out, IR_WORD,
                       IRExpr_ITE(group->guard, a[0], ir_word(REFERENCE_NOT_MADE)));
   }
   IRExpr* which = ir_address(first);
   IRExpr** arguments = NULL;
   switch (group->n_arguments) {
   case 0: arguments = mkIRExprVec_1(which); break;
   case 1: arguments = mkIRExprVec_2(which, a[0]); break;
   case 2: arguments = mkIRExprVec_3(which, a[0], a[1]); break;
   case 3: arguments = mkIRExprVec_4(which, a[0], a[1], a[2]); break;
   default: arguments = mkIRExprVec_5(which, a[0], a[1], a[2], a[3]); break;
   }
   IRDirty* call = unsafeIRDirty_0_N(
      0, "simulation_run", VG_(fnptr_to_fnentry)((void*)simulation_run), arguments);
   if (!asks_always(plan, group))
      call->guard = write_question(out, plan, group);
   addStmtToIRSB(out, IRStmt_Dirty(call));
}

void write_references_conditional(IRSB* out, const Block* block, UInt index,
                                  IRExpr* guard, Bool is_turned)
{
   if (is_turned)
      guard = ir_assign(out, Ity_I1, IRExpr_Unop(Iop_Not1, guard));
   const Reference* branch = &block->references[index];
   IRExpr* taken = ir_assign(
      out, IR_WORD, IRExpr_Unop(VG_WORDSIZE == 8 ? Iop_1Uto64 : Iop_1Uto32, guard));
   addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(
                         0, "simulation_branch_conditional",
                         VG_(fnptr_to_fnentry)((void*)simulation_branch_conditional),
                         mkIRExprVec_2(ir_address(branch), taken))));
}

void write_references_indirect(IRSB* out, const Block* block, UInt index, IRExpr* target)
{
   const Reference* branch = &block->references[index];
   addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(
                         0, "simulation_branch_indirect",
                         VG_(fnptr_to_fnentry)((void*)simulation_branch_indirect),
                         mkIRExprVec_2(ir_address(branch), target))));
}
