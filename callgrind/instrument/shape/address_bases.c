/* SPDX-License-Identifier: GPL-2.0-or-later

   Which addresses have a base in common; see address_bases.h.

   Owns a table with an entry for each temporary of the superblock that is being
   instrumented.  It is static and used again for the next one; of a temporary beyond its
   end nothing is known.  */

#include "instrument/shape/address_bases.h"

#include "instrument/ir/ir_build.h"

#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#define MAX_TEMPORARIES 8192

static SplitAddress sums[MAX_TEMPORARIES]; /* by temporary; base NULL: nothing is known */
static UChar misalignments[MAX_TEMPORARIES]; /* by temporary, modulo ADDRESS_GRANULE */
static ThreadId running;

void address_bases_begin(const IRSB* superblock, ThreadId thread)
{
   running = thread;
   for (Int i = 0; i < superblock->tyenv->types_used && i < MAX_TEMPORARIES; i++) {
      sums[i].base = NULL;
      misalignments[i] = 0;
   }
}

/* A guest register, as the running thread has it.  The code is about to run for the first
   time, and registers are aligned in the same way whenever it runs: the stack pointer
   always, and most other pointers.  */
static UChar register_misalignment(const IRExpr* get)
{
   UWord value = 0;
   if (running != VG_INVALID_THREADID && get->Iex.Get.ty == IR_WORD)
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

void address_bases_learn(const IRStmt* assignment)
{
   IRTemp temporary = assignment->Ist.WrTmp.tmp;
   const IRExpr* data = assignment->Ist.WrTmp.data;
   if (temporary >= MAX_TEMPORARIES)
      return;
   sums[temporary].base = NULL;
   /* What is loaded or computed is often a pointer to allocated memory, which is
      aligned.  */
   misalignments[temporary] = data->tag == Iex_Get ? register_misalignment(data) : 0;
   SplitAddress sum;
   if (!is_sum(data, &sum))
      return;
   SplitAddress base = address_bases_split(sum.base);
   sums[temporary].base = base.base;
   sums[temporary].offset = base.offset + sum.offset;
}

SplitAddress address_bases_split(IRExpr* address)
{
   if (address->tag == Iex_Const)
      return (SplitAddress){NULL, ir_constant_address(address->Iex.Const.con)};
   IRTemp temporary = address->Iex.RdTmp.tmp;
   if (temporary < MAX_TEMPORARIES && sums[temporary].base != NULL)
      return sums[temporary];
   return (SplitAddress){address, 0};
}

Bool address_bases_are_same(const IRExpr* a, const IRExpr* b)
{
   return a == b || (a != NULL && b != NULL && a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp);
}

UInt address_bases_misalignment(const IRExpr* base)
{
   IRTemp temporary = base->Iex.RdTmp.tmp;
   return temporary < MAX_TEMPORARIES ? misalignments[temporary] : 0;
}
