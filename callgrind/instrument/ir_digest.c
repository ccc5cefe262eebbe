/* SPDX-License-Identifier: GPL-2.0-or-later

   See ir_digest.h.

   Relies on what this tool adds: flat IR of a few kinds.  */

#include "instrument/ir_digest.h"

static ULong mix(ULong digest, ULong value)
{
   digest = (digest ^ value) * 0x9e3779b97f4a7c15ULL;
   return digest ^ digest >> 29;
}

static Bool is_known; /* nothing but these kinds so far */

static ULong unknown(void)
{
   is_known = False;
   return 0;
}

/* A statement is digested into a sum of products: the processor computes several at a
   time, where steps of a mix would have to wait for each other.  These are random
   numbers, so two statements have the same sum by chance only.  */
static const ULong factors[] = {
   0x4903eba62a9633ab, 0x7dbcc317830ac519, 0x975d5403d7679df5, 0xc4431794164df191,
   0xbaa146f993a863f7, 0x9056908642e1565d, 0xde860a7cfa4efe3f, 0x9e84a857f3ee5b4f,
   0x40a981b4ec715e69, 0x7ee3465ac7e1abdb,
};
enum { FactorTag, FactorResult, FactorKind, FactorType, FactorAtoms };

#define TIMES(factor, value) (factors[factor] * (ULong)(value))

static inline ULong value_of(const IRConst* c)
{
   switch (c->tag) {
   case Ico_U1: return c->Ico.U1;
   case Ico_U8: return c->Ico.U8;
   case Ico_U16: return c->Ico.U16;
   case Ico_U32: return c->Ico.U32;
   case Ico_U64: return c->Ico.U64;
   case Ico_V128: return c->Ico.V128;
   default: return unknown();
   }
}

/* Constants are told apart from temporaries by their tags.  */
static inline ULong constant(const IRConst* c, UInt number)
{
   return TIMES(FactorAtoms + 2 * number, c->tag) +
          TIMES(FactorAtoms + 2 * number + 1, value_of(c));
}

/* An atom, of which a statement has three at most, by their `number`.  */
static inline ULong atom(const IRExpr* e, UInt number)
{
   if (e->tag == Iex_RdTmp)
      return TIMES(FactorAtoms + 2 * number, e->tag) +
             TIMES(FactorAtoms + 2 * number + 1, e->Iex.RdTmp.tmp);
   if (e->tag == Iex_Const)
      return constant(e->Iex.Const.con, number);
   return e->tag == Iex_GSPTR ? TIMES(FactorAtoms + 2 * number, e->tag) : unknown();
}

static inline ULong expression(const IRExpr* e)
{
   ULong sum = TIMES(FactorKind, e->tag);
   switch (e->tag) {
   case Iex_Get:
      return sum + TIMES(FactorType, e->Iex.Get.ty) +
             TIMES(FactorAtoms, e->Iex.Get.offset);
   case Iex_Load:
      return sum + TIMES(FactorType, e->Iex.Load.ty) + atom(e->Iex.Load.addr, 0);
   case Iex_Unop:
      return sum + TIMES(FactorType, e->Iex.Unop.op) + atom(e->Iex.Unop.arg, 0);
   case Iex_Binop:
      return sum + TIMES(FactorType, e->Iex.Binop.op) + atom(e->Iex.Binop.arg1, 0) +
             atom(e->Iex.Binop.arg2, 1);
   case Iex_ITE:
      return sum + atom(e->Iex.ITE.cond, 0) + atom(e->Iex.ITE.iftrue, 1) +
             atom(e->Iex.ITE.iffalse, 2);
   default: return sum + atom(e, 0);
   }
}

static ULong call(const IRDirty* d)
{
   ULong digest = mix((UWord)d->cee->addr, atom(d->guard, 0));
   for (UInt i = 0; d->args[i] != NULL; i++)
      digest = mix(digest, atom(d->args[i], 0));
   return mix(digest, (ULong)d->nFxState << 32 | (UInt)d->mFx);
}

static inline ULong statement(const IRStmt* s, UInt landmarks)
{
   /* Tags are less than 2^16, and there are fewer landmarks.  */
   ULong sum = TIMES(FactorTag, s->tag ^ landmarks << 16);
   switch (s->tag) {
   case Ist_WrTmp:
      return sum + TIMES(FactorResult, s->Ist.WrTmp.tmp) + expression(s->Ist.WrTmp.data);
   case Ist_Store: return sum + atom(s->Ist.Store.addr, 0) + atom(s->Ist.Store.data, 1);
   case Ist_Dirty:
      return sum + TIMES(FactorResult, s->Ist.Dirty.details->tmp) +
             call(s->Ist.Dirty.details);
   case Ist_Exit:
      return sum + TIMES(FactorKind, s->Ist.Exit.jk) + atom(s->Ist.Exit.guard, 0) +
             constant(s->Ist.Exit.dst, 1);
   default: return unknown();
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
          constant(s->Ist.Exit.dst, 0) == constant(original->Ist.Exit.dst, 0);
}

ULong ir_digest(const IRSB* out, const IRSB* in)
{
   ULong digest = 0;
   is_known = True;
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
   digest = mix(digest, (ULong)out->tyenv->types_used) | 1;
   return is_known && copied == in->stmts_used ? digest : 0;
}
