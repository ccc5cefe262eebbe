/* SPDX-License-Identifier: GPL-2.0-or-later

   Moves of the stack pointer; see stack_moves.h.

   Relies on flat IR: a temporary is assigned before it is used, so one pass over the
   statements finds what each temporary is computed from.  Addition, subtraction and
   alignment leave a stack pointer on its stack; any other result may be any address.

   Owns a table with an entry for each temporary, which grows as needed and is used again
   for the next superblock.  */

#include "instrument/stack_moves.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

/* What a value is computed from.  Ordered: a sum has the larger origin of its
   operands.  */
typedef enum { OriginElsewhere, OriginFramePointer, OriginStackPointer } Origin;

static UChar* origins; /* Origin, by temporary */
static UInt n_origins;
static Int sp_offset, fp_offset;

static Origin origin_of(const IRExpr* atom)
{
   return atom->tag == Iex_RdTmp ? (Origin)origins[atom->Iex.RdTmp.tmp] : OriginElsewhere;
}

static Bool keeps_on_stack(IROp operation)
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

static Origin origin_of_value(const IRExpr* value)
{
   switch (value->tag) {
   case Iex_Get:
      if (value->Iex.Get.offset == sp_offset)
         return OriginStackPointer;
      return value->Iex.Get.offset == fp_offset ? OriginFramePointer : OriginElsewhere;
   case Iex_RdTmp: return origin_of(value);
   case Iex_Binop: {
      if (!keeps_on_stack(value->Iex.Binop.op))
         return OriginElsewhere;
      Origin first = origin_of(value->Iex.Binop.arg1);
      Origin second = origin_of(value->Iex.Binop.arg2);
      return first > second ? first : second;
   }
   default: return OriginElsewhere;
   }
}

void stack_moves_examine(const IRSB* superblock, const VexGuestLayout* layout)
{
   sp_offset = layout->offset_SP;
   fp_offset = layout->offset_FP;
   UInt n = (UInt)superblock->tyenv->types_used;
   if (n > n_origins) {
      n_origins = n * 2;
      origins = VG_(realloc)("stack_moves.origins", origins, n_origins);
   }
   /* Results of other statements (of a helper, of an atomic) are from elsewhere.  */
   VG_(memset)(origins, OriginElsewhere, n);
   for (Int i = 0; i < superblock->stmts_used; i++) {
      const IRStmt* statement = superblock->stmts[i];
      if (statement->tag == Ist_WrTmp)
         origins[statement->Ist.WrTmp.tmp] =
            (UChar)origin_of_value(statement->Ist.WrTmp.data);
   }
}

StackMove stack_moves_kind(const IRStmt* statement)
{
   if (statement->tag != Ist_Put || statement->Ist.Put.offset != sp_offset)
      return MoveNone;
   switch (origin_of(statement->Ist.Put.data)) {
   case OriginStackPointer: return MoveNone;
   case OriginFramePointer: return MoveFromFrame;
   default: return MoveLoad;
   }
}
