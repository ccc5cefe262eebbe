/* SPDX-License-Identifier: GPL-2.0-or-later

   See ir_digest.h.

   Relies on what this tool adds: flat IR of a few kinds.  */

#include "instrument/ir/ir_digest.h"

void ir_digest_begin(IrDigest* now)
{
   *now = (IrDigest){.is_active = True, .is_known = True};
}

ULong ir_digest_end(IrDigest* now, const IRSB* out, const IRSB* in)
{
   now->is_active = False;
   Bool all_is_digested = (UInt)out->stmts_used == (UInt)in->stmts_used + now->n_added;
   return now->is_known && all_is_digested
             ? ir_digest_mix(now->digest, (ULong)out->tyenv->types_used) | 1
             : 0;
}

static ULong expression(IrDigest* now, const IRExpr* e)
{
   switch (e->tag) {
   case Iex_Get:
      return IR_DIGEST_TIMES(IrFactorType, e->Iex.Get.ty) +
             IR_DIGEST_TIMES(IrFactorAtoms, e->Iex.Get.offset);
   case Iex_Unop:
      return IR_DIGEST_TIMES(IrFactorType, e->Iex.Unop.op) +
             ir_digest_atom(now, e->Iex.Unop.arg, 0);
   case Iex_ITE:
      return ir_digest_atom(now, e->Iex.ITE.cond, 0) +
             ir_digest_atom(now, e->Iex.ITE.iftrue, 1) +
             ir_digest_atom(now, e->Iex.ITE.iffalse, 2);
   default: return ir_digest_atom(now, e, 0);
   }
}

static void assignment(IrDigest* now, IRTemp to, const IRExpr* data)
{
   if (data->tag == Iex_Load)
      ir_digest_load(now, to, data->Iex.Load.ty, data->Iex.Load.addr);
   else if (data->tag == Iex_Binop)
      ir_digest_binop(now, to, data->Iex.Binop.op, data->Iex.Binop.arg1,
                      data->Iex.Binop.arg2);
   else
      ir_digest_add(now,
                    ir_digest_assignment(now, to, data->tag) + expression(now, data));
}

static ULong call(IrDigest* now, const IRDirty* d)
{
   ULong digest = ir_digest_mix((UWord)d->cee->addr, ir_digest_atom(now, d->guard, 0));
   for (UInt i = 0; d->args[i] != NULL; i++)
      digest = ir_digest_mix(digest, ir_digest_atom(now, d->args[i], 0));
   digest = ir_digest_mix(digest, (ULong)d->nFxState << 32 | (UInt)d->mFx);
   return ir_digest_tag(now, Ist_Dirty) + IR_DIGEST_TIMES(IrFactorResult, d->tmp) +
          digest;
}

static ULong an_exit(IrDigest* now, const IRStmt* s)
{
   return ir_digest_tag(now, Ist_Exit) + IR_DIGEST_TIMES(IrFactorKind, s->Ist.Exit.jk) +
          ir_digest_atom(now, s->Ist.Exit.guard, 0) +
          ir_digest_constant(now, s->Ist.Exit.dst, 1);
}

void ir_digest_statement(IrDigest* now, const IRStmt* s)
{
   if (LIKELY(!now->is_active))
      return;
   switch (s->tag) {
   case Ist_WrTmp: assignment(now, s->Ist.WrTmp.tmp, s->Ist.WrTmp.data); break;
   case Ist_Store: ir_digest_store(now, s->Ist.Store.addr, s->Ist.Store.data); break;
   case Ist_Dirty: ir_digest_add(now, call(now, s->Ist.Dirty.details)); break;
   case Ist_Exit: ir_digest_add(now, an_exit(now, s)); break;
   default: now->is_known = False; break;
   }
}

void ir_digest_exit(IrDigest* now, const IRStmt* s)
{
   if (LIKELY(!now->is_active))
      return;
   ir_digest_add(now, an_exit(now, s));
   now->n_added--; /* it is in the place of one of the guest's */
}
