/* SPDX-License-Identifier: GPL-2.0-or-later

   See stack_checks.h.  */

#include "instrument/emit/stack_checks.h"

#include "instrument/emit/reserved_registers.h"
#include "stack/switching/copies.h"
#include "stack/switching/coroutine.h"

/* At its end a function may take its stack pointer from the frame pointer.  If it goes up
   by no more than this, it stays on its stack, and nothing is called.  */
#define MAX_FRAME_UNCHECKED 0x4000

/* At its beginning, too, where it goes on so far below the frame pointer as its frame is
   large.  That is on the same stack if the frame pointer was no further above the stack
   pointer than that, or no further below it than a frame that begins there is.  */
#define MAX_FRAME_BELOW_SP 128

/* Does the stack pointer, computed as `below_frame` bytes below the frame pointer, leave
   the stack that it is on?  */
static IRExpr* emit_is_off_frame(IrOutput* out, IRExpr* new_sp, IRExpr* old_sp,
                                 UWord below_frame)
{
   UWord down = below_frame == 0 ? 0 : below_frame + MAX_FRAME_BELOW_SP;
   IRExpr* limit = ir_word(MAX_FRAME_UNCHECKED + down);
   IRExpr* up = ir_compute(out, IR_WORD_OP(Iop_Sub), new_sp, old_sp);
   if (down != 0)
      up = ir_compute(out, IR_WORD_OP(Iop_Add), up, ir_word(down));
   return IR_WORD == Ity_I64 ? ir_compare(out, Iop_CmpLT64U, limit, up)
                             : ir_compare(out, Iop_CmpLT32U, limit, up);
}

/* Does the stack pointer go so far up that it leaves more than a function's arguments?
   If the program is known to copy stacks, any way is far enough (copies.h).  */
static IRExpr* emit_is_far(IrOutput* out, IRExpr* new_sp, IRExpr* old_sp)
{
   IRExpr* up = ir_compute(out, IR_WORD_OP(Iop_Sub), new_sp, old_sp);
   IRExpr* beyond =
      ir_compute(out, IR_WORD_OP(Iop_Sub), up, ir_word(COPIES_ARGUMENTS_AT_MOST));
   IRExpr* limit = ir_load(out, IR_WORD, ir_address(&copies_farthest));
   return IR_WORD == Ity_I64 ? ir_compare(out, Iop_CmpLE64U, beyond, limit)
                             : ir_compare(out, Iop_CmpLE32U, beyond, limit);
}

void stack_checks_emit(SuperblockState* superblock, Int at)
{
   IrOutput* out = &superblock->out;
   StackMove move = stack_moves_kind(&superblock->stack_moves, superblock->in->stmts[at]);
   if (LIKELY(move == MoveNone) || (move == MoveByDistance && !copies_are_possible()))
      return;
   chains_note_exits_unknown(&superblock->exits);
   IRExpr* old_sp =
      ir_assign(out, IR_WORD, IRExpr_Get(superblock->layout->offset_SP, IR_WORD));
   IRExpr* new_sp = deepCopyIRExpr(stack_moves_value(superblock->in, at));
   IRExpr** arguments = mkIRExprVec_2(new_sp, old_sp);
   IRDirty* call =
      move == MoveByDistance
         ? ir_call("coroutine_sp_added", (void*)coroutine_sp_added, arguments)
         : ir_call("coroutine_sp_loaded", (void*)coroutine_sp_loaded, arguments);
   if (move == MoveFromFrame)
      call->guard = emit_is_off_frame(out, new_sp, old_sp,
                                      stack_moves_below_frame(superblock->in, at));
   else if (move == MoveByDistance)
      call->guard = emit_is_far(out, new_sp, old_sp);
   ir_add_call(out, call);
   reserved_registers_fetch(out);
}
