/* SPDX-License-Identifier: GPL-2.0-or-later

   See ir_digest.h.

   Relies on what this tool adds: flat IR of a few kinds.  Any other kind of statement or
   expression is told apart from these and from others of its kind by its tag alone, and
   the digest then is one that is never equal.  */

#include "instrument/ir_digest.h"

static ULong mix(ULong digest, ULong value)
{
   digest = (digest ^ value) * 0x9e3779b97f4a7c15ULL;
   return digest ^ digest >> 29;
}

/* Makes the digest one of its own.  */
static ULong mix_unknown(ULong digest)
{
   static ULong n_unknown;
   return mix(digest, ++n_unknown << 32 | (UWord)&n_unknown);
}

/* Statements are digested one by one, so that the processor may do several at a time:
   each mix has to wait for the one before.  */
#define START 0x2545f4914f6cdd1dULL

/* The same with two numbers, of which `small` has 32 bits at most: a mix each would take
   twice as long.  */
static ULong mix_two(ULong digest, ULong small, ULong value)
{
   return mix(digest + small * 0xd6e8feb86659fd93ULL, value);
}

static ULong constant(ULong digest, const IRConst* value)
{
   switch (value->tag) {
   case Ico_U1: return mix_two(digest, value->tag, value->Ico.U1);
   case Ico_U8: return mix_two(digest, value->tag, value->Ico.U8);
   case Ico_U16: return mix_two(digest, value->tag, value->Ico.U16);
   case Ico_U32: return mix_two(digest, value->tag, value->Ico.U32);
   case Ico_U64: return mix_two(digest, value->tag, value->Ico.U64);
   case Ico_V128: return mix_two(digest, value->tag, value->Ico.V128);
   default: return mix_unknown(digest);
   }
}

static ULong atom(ULong digest, const IRExpr* e)
{
   switch (e->tag) {
   case Iex_RdTmp: return mix_two(digest, e->tag, e->Iex.RdTmp.tmp);
   case Iex_Const: return constant(digest, e->Iex.Const.con);
   case Iex_GSPTR: return mix_two(digest, e->tag, 0);
   default: return mix_unknown(digest);
   }
}

static ULong expression(ULong digest, const IRExpr* e)
{
   switch (e->tag) {
   case Iex_Get:
      return mix_two(mix_two(digest, e->tag, e->Iex.Get.ty), 0, (ULong)e->Iex.Get.offset);
   case Iex_Load: return atom(mix_two(digest, e->tag, e->Iex.Load.ty), e->Iex.Load.addr);
   case Iex_Unop: return atom(mix_two(digest, e->tag, e->Iex.Unop.op), e->Iex.Unop.arg);
   case Iex_Binop:
      return atom(atom(mix_two(digest, e->tag, e->Iex.Binop.op), e->Iex.Binop.arg1),
                  e->Iex.Binop.arg2);
   case Iex_ITE:
      return atom(
         atom(atom(mix_two(digest, e->tag, 0), e->Iex.ITE.cond), e->Iex.ITE.iftrue),
         e->Iex.ITE.iffalse);
   default: return atom(digest, e);
   }
}

static ULong call(ULong digest, const IRDirty* d)
{
   digest = mix_two(digest, d->tmp, (UWord)d->cee->addr);
   digest = atom(digest, d->guard);
   for (UInt i = 0; d->args[i] != NULL; i++)
      digest = atom(digest, d->args[i]);
   return mix_two(digest, d->mFx, (ULong)d->nFxState);
}

static ULong statement(const IRStmt* s, UInt landmarks)
{
   /* Tags are less than 2^16, and there are fewer landmarks.  */
   UInt tag = s->tag ^ landmarks << 16;
   ULong digest = START;
   switch (s->tag) {
   case Ist_WrTmp:
      return expression(mix_two(digest, tag, s->Ist.WrTmp.tmp), s->Ist.WrTmp.data);
   case Ist_Store:
      return atom(atom(mix_two(digest, tag, 0), s->Ist.Store.addr), s->Ist.Store.data);
   case Ist_Dirty: return call(mix_two(digest, tag, 0), s->Ist.Dirty.details);
   case Ist_Exit:
      digest = atom(mix_two(digest, tag, s->Ist.Exit.jk), s->Ist.Exit.guard);
      return constant(digest, s->Ist.Exit.dst);
   default: return mix_unknown(digest);
   }
}

/* The guest's instructions and exits tell where in its code a statement was added.  */
static Bool is_landmark(const IRStmt* s)
{
   return s->tag == Ist_IMark || s->tag == Ist_Exit;
}

/* Is `s` the exit `original` with another guard?  That of a branch which is predicted
   depends on the outcome that is computed for the predictor.  */
static Bool is_with_other_guard(const IRStmt* s, const IRStmt* original)
{
   return s->tag == Ist_Exit && original->tag == Ist_Exit &&
          s->Ist.Exit.jk == original->Ist.Exit.jk &&
          constant(0, s->Ist.Exit.dst) == constant(0, original->Ist.Exit.dst);
}

ULong ir_digest(const IRSB* out, const IRSB* in)
{
   ULong digest = 0;
   Int copied = 0;
   UInt landmarks = 0;
   for (Int i = 0; i < out->stmts_used; i++) {
      if (copied < in->stmts_used && out->stmts[i] == in->stmts[copied]) {
         landmarks += is_landmark(in->stmts[copied]) ? 1 : 0;
         copied++;
         continue;
      }
      digest = mix(digest, statement(out->stmts[i], landmarks));
      if (copied < in->stmts_used &&
          is_with_other_guard(out->stmts[i], in->stmts[copied])) {
         landmarks++;
         copied++;
      }
   }
   return copied == in->stmts_used ? mix(digest, (ULong)out->tyenv->types_used)
                                   : mix_unknown(digest);
}
