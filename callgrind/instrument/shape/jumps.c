/* SPDX-License-Identifier: GPL-2.0-or-later

   Jumps of a superblock; see jumps.h.  */

#include "instrument/shape/jumps.h"

#include "guest/address.h"
#include "instrument/ir/ir_build.h"
#include "model/jump.h"
#include "options/options.h"

#include "pub_tool_libcassert.h"

static Bool has_jumps(const Function* function)
{
   return options.collect_jumps && function->kind != FunctionPlt &&
          function->kind != FunctionSkipped;
}

/* May a jump to `target` stay in the function?  Where unbounded code ends is known only
   when the profile is written.  */
static Bool may_stay(const Function* function, Addr target)
{
   return function->is_unbounded || address_is_inside(function, target);
}

Bool jumps_is_counted(const Function* function, const IRStmt* exit, Addr behind)
{
   if (!has_jumps(function) || exit->Ist.Exit.jk != Ijk_Boring)
      return False;
   Addr target = ir_constant_address(exit->Ist.Exit.dst);
   return target != behind && may_stay(function, target);
}

Bool jumps_is_indirect(const Function* function, const IRSB* superblock)
{
   return has_jumps(function) && superblock->jumpkind == Ijk_Boring &&
          superblock->next->tag != Iex_Const;
}

static void add_jump(BlockShape* shape, Addr target, Bool is_conditional, Bool is_at_end)
{
   tl_assert(shape->n_jumps < BLOCK_MAX_JUMPS);
   Jump* jump = &shape->jumps[shape->n_jumps++];
   jump->target = jump_target_at(target);
   jump->instruction = (UShort)(shape->n_instructions - 1);
   jump->is_conditional = is_conditional;
   jump->is_at_end = is_at_end;
}

/* Does the last instruction, which ends at `behind`, have an exit to there?  */
static Bool may_run_on(const IRSB* in, Addr behind)
{
   for (Int i = in->stmts_used - 1; i >= 0 && in->stmts[i]->tag != Ist_IMark; i--)
      if (in->stmts[i]->tag == Ist_Exit && in->stmts[i]->Ist.Exit.jk == Ijk_Boring &&
          ir_constant_address(in->stmts[i]->Ist.Exit.dst) == behind)
         return True;
   return False;
}

/* Adds the jump at the superblock's end.  A jump of an instruction to itself repeats it
   (rep on x86), so it is conditional, even where VEX knows that it repeats once more.  */
static void add_end(const IRSB* in, const IRStmt* last, BlockShape* shape)
{
   if (in->jumpkind != Ijk_Boring || in->next->tag != Iex_Const)
      return;
   Addr address = (Addr)last->Ist.IMark.addr;
   Addr behind = address + last->Ist.IMark.len;
   Addr target = ir_constant_address(in->next->Iex.Const.con);
   if (target != behind && may_stay(shape->function, target))
      add_jump(shape, target, target == address || may_run_on(in, behind), True);
}

void jumps_find(const IRSB* in, UInt first, UInt end, BlockShape* shape)
{
   if (!has_jumps(shape->function))
      return;
   UInt n_instructions = shape->n_instructions;
   shape->n_instructions = 0;
   const IRStmt* mark = NULL;
   for (UInt i = first; i < end; i++) {
      const IRStmt* statement = in->stmts[i];
      if (statement->tag == Ist_IMark) {
         mark = statement;
         shape->n_instructions++;
      } else if (statement->tag == Ist_Exit &&
                 jumps_is_counted(shape->function, statement,
                                  (Addr)mark->Ist.IMark.addr + mark->Ist.IMark.len))
         add_jump(shape, ir_constant_address(statement->Ist.Exit.dst), True, False);
   }
   tl_assert(shape->n_instructions == n_instructions);
   if (end == (UInt)in->stmts_used)
      add_end(in, mark, shape);
}
