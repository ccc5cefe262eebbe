/* SPDX-License-Identifier: GPL-2.0-or-later

   Moves of the stack pointer; see stack_moves.h.

   Relies on flat IR: a temporary is assigned before it is used, so one pass over the
   statements finds what each temporary is computed from.  Addition, subtraction and
   alignment leave a stack pointer on its stack; any other result may be any address.
   Once that is the stack pointer, what is computed from it is computed from the stack
   pointer.  An amount that is no constant may lead to another stack, too, if that lies in
   the same place.

   Where a push follows, VEX leaves out the statement that sets the stack pointer to what
   was loaded.  The value is known all the same: it is what the push has subtracted from.

   Keeps nothing.  */

#include "instrument/ir/stack_moves.h"

#include "instrument/ir/ir_build.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* What a value is computed from.  Ordered: a sum has the larger origin of its operands.
   A loaded one is from elsewhere, and has become the stack pointer.  */
typedef enum {
   OriginElsewhere,
   OriginFramePointer,
   OriginStackPointer,
   OriginDistance, /* the stack pointer, and an amount that is no constant */
   OriginLoaded,
   OriginAdded /* OriginDistance that has become the stack pointer */
} Origin;

static Origin origin_of(const StackMoves* moves, const IRExpr* atom)
{
   return atom->tag == Iex_RdTmp ? (Origin)moves->origins[atom->Iex.RdTmp.tmp]
                                 : OriginElsewhere;
}

Bool stack_moves_follows(IROp operation)
{
   switch (operation) {
   case Iop_Add64:
   case Iop_Sub64:
   case Iop_And64:
   case Iop_Add32:
   case Iop_Sub32:
   case Iop_And32: return True;
   default: return False;
   }
}

/* Does this computation add or subtract what is no constant?  */
static Bool adds_variable(const IRExpr* value)
{
   return value->Iex.Binop.op != IR_WORD_OP(Iop_And) &&
          value->Iex.Binop.arg1->tag == Iex_RdTmp &&
          value->Iex.Binop.arg2->tag == Iex_RdTmp;
}

static Origin origin_of_value(const StackMoves* moves, const IRExpr* value)
{
   switch (value->tag) {
   case Iex_Get:
      if (value->Iex.Get.offset == moves->offset_sp)
         return OriginStackPointer;
      return value->Iex.Get.offset == moves->offset_fp ? OriginFramePointer
                                                       : OriginElsewhere;
   case Iex_RdTmp: return origin_of(moves, value);
   case Iex_Binop: {
      if (!stack_moves_follows(value->Iex.Binop.op))
         return OriginElsewhere;
      Origin first = origin_of(moves, value->Iex.Binop.arg1);
      Origin second = origin_of(moves, value->Iex.Binop.arg2);
      Origin larger = first > second ? first : second;
      if (larger >= OriginLoaded)
         larger = OriginStackPointer;
      return larger == OriginStackPointer && adds_variable(value) ? OriginDistance
                                                                  : larger;
   }
   default: return OriginElsewhere;
   }
}

static Bool sets_sp(const StackMoves* moves, const IRStmt* statement)
{
   return statement->tag == Ist_Put && statement->Ist.Put.offset == moves->offset_sp;
}

static Bool is_same_temporary(const IRExpr* value, const IRExpr* other)
{
   return value->tag == Iex_RdTmp && other->tag == Iex_RdTmp &&
          value->Iex.RdTmp.tmp == other->Iex.RdTmp.tmp;
}

/* What the statements before `at` compute this temporary from; NULL: none of them.  */
static const IRExpr* computed_before(const IRSB* superblock, Int at, IRTemp temporary)
{
   while (--at >= 0) {
      const IRStmt* statement = superblock->stmts[at];
      if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.tmp == temporary)
         return statement->Ist.WrTmp.data;
   }
   return NULL;
}

const IRExpr* stack_moves_value(const IRSB* superblock, Int at)
{
   const IRExpr* value = superblock->stmts[at]->Ist.Put.data;
   if (value->tag != Iex_RdTmp || at + 1 >= superblock->stmts_used)
      return value;
   const IRStmt* next = superblock->stmts[at + 1];
   if (next->tag != Ist_Store || !is_same_temporary(next->Ist.Store.addr, value))
      return value;
   const IRExpr* result = computed_before(superblock, at, value->Iex.RdTmp.tmp);
   Bool is_push = result != NULL && result->tag == Iex_Binop &&
                  result->Iex.Binop.op == IR_WORD_OP(Iop_Sub) &&
                  result->Iex.Binop.arg1->tag == Iex_RdTmp;
   return is_push ? result->Iex.Binop.arg1 : value;
}

static UWord constant_of(const IRExpr* atom)
{
   const IRConst* constant = atom->Iex.Const.con;
   return constant->tag == Ico_U64 ? (UWord)constant->Ico.U64 : constant->Ico.U32;
}

ULong stack_moves_below_frame(const IRSB* superblock, Int at)
{
   const IRExpr* value = stack_moves_value(superblock, at);
   Word up = 0;
   while (value->tag == Iex_RdTmp) {
      value = computed_before(superblock, at, value->Iex.RdTmp.tmp);
      if (value == NULL)
         return 0;
      if (value->tag != Iex_Binop)
         continue;
      const IRExpr* amount = value->Iex.Binop.arg2;
      Bool adds = value->Iex.Binop.op == IR_WORD_OP(Iop_Add);
      if (amount->tag != Iex_Const ||
          (!adds && value->Iex.Binop.op != IR_WORD_OP(Iop_Sub)))
         return 0;
      up += (Word)(adds ? constant_of(amount) : -constant_of(amount));
      value = value->Iex.Binop.arg1;
   }
   return up < 0 ? -(ULong)up : 0;
}

static void note(StackMoves* moves, const IRExpr* value, Origin origin)
{
   if (value->tag == Iex_RdTmp)
      moves->origins[value->Iex.RdTmp.tmp] = (UChar)origin;
}

void stack_moves_examine(StackMoves* moves, const IRSB* superblock,
                         const VexGuestLayout* layout)
{
   moves->offset_sp = layout->offset_SP;
   moves->offset_fp = layout->offset_FP;
   UInt n = (UInt)superblock->tyenv->types_used;
   if (n > moves->n_origins) {
      moves->n_origins = n * 2;
      moves->origins =
         VG_(realloc)("stack_moves.origins", moves->origins, moves->n_origins);
   }
   /* Results of other statements (of a helper, of an atomic) are from elsewhere.  */
   VG_(memset)(moves->origins, OriginElsewhere, n);
   for (Int i = 0; i < superblock->stmts_used; i++) {
      const IRStmt* statement = superblock->stmts[i];
      StackMove move = stack_moves_kind(moves, statement);
      if (statement->tag == Ist_WrTmp)
         moves->origins[statement->Ist.WrTmp.tmp] =
            (UChar)origin_of_value(moves, statement->Ist.WrTmp.data);
      else if (move == MoveLoad || move == MoveByDistance) {
         Origin origin = move == MoveLoad ? OriginLoaded : OriginAdded;
         note(moves, statement->Ist.Put.data, origin);
         note(moves, stack_moves_value(superblock, i), origin);
      }
   }
}

StackMove stack_moves_kind(const StackMoves* moves, const IRStmt* statement)
{
   if (!sets_sp(moves, statement))
      return MoveNone;
   switch (origin_of(moves, statement->Ist.Put.data)) {
   case OriginStackPointer: return MoveNone;
   case OriginFramePointer: return MoveFromFrame;
   case OriginDistance:
   case OriginAdded: return MoveByDistance;
   default: return MoveLoad;
   }
}
