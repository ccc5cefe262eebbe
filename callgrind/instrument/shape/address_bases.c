/* SPDX-License-Identifier: GPL-2.0-or-later

   Which addresses have a base in common; see address_bases.h.

   Keeps nothing.  */

#include "instrument/shape/address_bases.h"

#include "instrument/ir/ir_build.h"

#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

void address_bases_begin(AddressBases* bases, const IRSB* superblock, ThreadId thread)
{
   bases->running = thread;
   for (Int i = 0; i < superblock->tyenv->types_used && i < ADDRESS_BASES_MOST; i++) {
      bases->sums[i].base = NULL;
      bases->misalignments[i] = 0;
   }
}

/* A guest register, as the running thread has it.  The code is about to run for the first
   time, and registers are aligned in the same way whenever it runs: the stack pointer
   always, and most other pointers.  (What lies behind them is no address:
   callgrind/core/wide_state.h.)  */
static UChar register_misalignment(ThreadId running, const IRExpr* get)
{
   UWord value = 0;
   if (running != VG_INVALID_THREADID && get->Iex.Get.ty == IR_WORD &&
       get->Iex.Get.offset + sizeof value <= sizeof(VexGuestArchState))
      VG_(get_shadow_regs_area)(running, (UChar*)&value, 0, get->Iex.Get.offset,
                                sizeof value);
   return value % ADDRESS_GRANULE;
}

/* Is it a temporary plus or minus a constant?  */
static Bool is_sum(const IRExpr* data, SplitAddress* sum)
{
   if (data->tag != Iex_Binop || data->Iex.Binop.arg2->tag != Iex_Const ||
       data->Iex.Binop.arg1->tag != Iex_RdTmp)
      return False;
   const IRConst* constant = data->Iex.Binop.arg2->Iex.Const.con;
   sum->base = data->Iex.Binop.arg1;
   switch (data->Iex.Binop.op) {
   case Iop_Add32:
   case Iop_Add64: sum->offset = ir_constant_address(constant); return True;
   case Iop_Sub32:
   case Iop_Sub64: sum->offset = -(ULong)ir_constant_address(constant); return True;
   default: return False;
   }
}

void address_bases_learn(AddressBases* bases, const IRStmt* assignment)
{
   IRTemp temporary = assignment->Ist.WrTmp.tmp;
   const IRExpr* data = assignment->Ist.WrTmp.data;
   if (temporary >= ADDRESS_BASES_MOST)
      return;
   bases->sums[temporary].base = NULL;
   /* What is loaded or computed is often a pointer to allocated memory, which is
      aligned.  */
   bases->misalignments[temporary] =
      data->tag == Iex_Get ? register_misalignment(bases->running, data) : 0;
   SplitAddress sum;
   if (!is_sum(data, &sum))
      return;
   SplitAddress base = address_bases_split(bases, sum.base);
   bases->sums[temporary].base = base.base;
   bases->sums[temporary].offset = base.offset + sum.offset;
}

SplitAddress address_bases_split(const AddressBases* bases, IRExpr* address)
{
   if (address->tag == Iex_Const)
      return (SplitAddress){NULL, ir_constant_address(address->Iex.Const.con)};
   IRTemp temporary = address->Iex.RdTmp.tmp;
   if (temporary < ADDRESS_BASES_MOST && bases->sums[temporary].base != NULL)
      return bases->sums[temporary];
   return (SplitAddress){address, 0};
}

Bool address_bases_are_same(const IRExpr* a, const IRExpr* b)
{
   return a == b || (a != NULL && b != NULL && a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp);
}

UInt address_bases_misalignment(const AddressBases* bases, const IRExpr* base)
{
   IRTemp temporary = base->Iex.RdTmp.tmp;
   return temporary < ADDRESS_BASES_MOST ? bases->misalignments[temporary] : 0;
}
