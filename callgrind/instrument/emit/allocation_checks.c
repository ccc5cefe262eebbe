/* SPDX-License-Identifier: GPL-2.0-or-later

   See allocation_checks.h.  Keeps nothing.  */

#include "instrument/emit/allocation_checks.h"

#include "guest/address.h"
#include "options/allocators.h"
#include "options/options.h"
#include "stack/allocations/allocation_calls.h"

/* The number of the allocator that begins at `address`; 0: none.  */
static UInt allocator_at(const Function* function, Addr address)
{
   return function->allocator != 0 && function->kind != FunctionPlt &&
                address_is_start(function, address)
             ? function->allocator
             : 0;
}

static IRDirty* call_of(const HChar* name, void* helper, UInt allocator)
{
   return ir_call(name, helper, mkIRExprVec_1(ir_word(allocator)));
}

void allocation_checks_emit(IrOutput* out, const Block* first)
{
   UInt allocator = allocator_at(first->function, first->address);
   if (allocator != 0)
      ir_add_call(out, call_of("allocation_calls_enter", (void*)allocation_calls_enter,
                               allocator));
}

IRSB* allocation_checks_off(IRSB* in, Addr key)
{
   if (!options.collect_alloc)
      return in;
   const Place place = address_place_of(key);
   const Function* function = place.is_plt ? NULL : address_function_of(key, &place);
   UInt allocator = function != NULL ? allocator_at(function, key) : 0;
   if (allocator == 0 || allocators_at(allocator)->old == 0)
      return in;
   IRSB* out = deepCopyIRSBExceptStmts(in);
   Int i = 0;
   for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
      addStmtToIRSB(out, in->stmts[i]);
   addStmtToIRSB(out,
                 IRStmt_Dirty(call_of("allocation_calls_enter_off",
                                      (void*)allocation_calls_enter_off, allocator)));
   for (; i < in->stmts_used; i++)
      addStmtToIRSB(out, in->stmts[i]);
   return out;
}
