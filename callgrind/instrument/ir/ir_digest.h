/* SPDX-License-Identifier: GPL-2.0-or-later

   A digest of what instrumentation adds to a superblock.  If it is the same in two runs,
   the same code is added, but for the constants that code_relocations.h knows: while
   these are placeholders, the digest does not depend on them.

   It is made statement by statement as they are added, when all that they consist of is
   still at hand (ir_build.h).  A statement is digested into a sum of products: the
   processor computes several at a time, where steps of a mix would have to wait for each
   other.  The factors are random numbers, so two statements have the same sum by chance
   only.  */

#ifndef CALLGRIND_IR_DIGEST_H
#define CALLGRIND_IR_DIGEST_H

#include "core_version.h"
#include "pub_tool_tooliface.h"

/* Of one superblock.  All zero: nothing is digested.  */
typedef struct {
   Bool is_active;
   Bool is_known; /* nothing but what it is known how to digest so far */
   UInt n_added, n_landmarks;
   ULong digest;
} IrDigest;

/* From now on, until ir_digest_end(), statements are digested.  */
void ir_digest_begin(IrDigest* now);

/* Ends it.  The digest of what was added to `in`, which has become `out`.  0: there is
   none, since it is not known how to digest something of it, or something was added
   without the functions below.  */
ULong ir_digest_end(IrDigest* now, const IRSB* out, const IRSB* in);

/* A statement of `in` has been copied.  The guest's instructions and exits tell where in
   its code a statement is added.  */
static inline void ir_digest_copied(IrDigest* now, const IRStmt* statement)
{
   now->n_landmarks += statement->tag == Ist_IMark || statement->tag == Ist_Exit;
}

/* The three kinds of statements that are added most: the assignment of a loaded value,
   and of the result of an operation on two atoms; a store.  */
static inline void ir_digest_load(IrDigest* now, IRTemp to, IRType type,
                                  const IRExpr* address);
static inline void ir_digest_binop(IrDigest* now, IRTemp to, IROp operation,
                                   const IRExpr* a, const IRExpr* b);
static inline void ir_digest_store(IrDigest* now, const IRExpr* address,
                                   const IRExpr* value);

/* What the statement that is added next stands for, besides what it consists of.  */
static inline void ir_digest_meaning(IrDigest* now, ULong meaning);

/* Any statement that is added.  */
void ir_digest_statement(IrDigest* now, const IRStmt* statement);

/* An exit of `in` that is copied with another guard: that of a branch which is predicted
   depends on the outcome that is computed for the predictor.  */
void ir_digest_exit(IrDigest* now, const IRStmt* statement);

/*--------------------------------------------------------------------*/

static const ULong ir_digest_factors[] = {
   0x4903eba62a9633ab, 0x7dbcc317830ac519, 0x975d5403d7679df5, 0xc4431794164df191,
   0xbaa146f993a863f7, 0x9056908642e1565d, 0xde860a7cfa4efe3f, 0x9e84a857f3ee5b4f,
   0x40a981b4ec715e69, 0x7ee3465ac7e1abdb,
};
enum { IrFactorTag, IrFactorResult, IrFactorKind, IrFactorType, IrFactorAtoms };

#define IR_DIGEST_TIMES(factor, value) (ir_digest_factors[factor] * (ULong)(value))

static inline ULong ir_digest_value(IrDigest* now, const IRConst* c)
{
   switch (c->tag) {
   case Ico_U1: return c->Ico.U1;
   case Ico_U8: return c->Ico.U8;
   case Ico_U16: return c->Ico.U16;
   case Ico_U32: return c->Ico.U32;
   case Ico_U64: return c->Ico.U64;
   case Ico_V128: return c->Ico.V128;
   default: now->is_known = False; return 0;
   }
}

/* Constants are told apart from temporaries by their tags.  */
static inline ULong ir_digest_constant(IrDigest* now, const IRConst* c, UInt number)
{
   ULong value = LIKELY(c->tag == Ico_U64) ? c->Ico.U64 : ir_digest_value(now, c);
   return IR_DIGEST_TIMES(IrFactorAtoms + 2 * number, c->tag) +
          IR_DIGEST_TIMES(IrFactorAtoms + 2 * number + 1, value);
}

/* An atom, of which a statement has three at most, by their `number`.  */
static inline ULong ir_digest_atom(IrDigest* now, const IRExpr* e, UInt number)
{
   if (e->tag == Iex_RdTmp)
      return IR_DIGEST_TIMES(IrFactorAtoms + 2 * number, e->tag) +
             IR_DIGEST_TIMES(IrFactorAtoms + 2 * number + 1, e->Iex.RdTmp.tmp);
   if (e->tag == Iex_Const)
      return ir_digest_constant(now, e->Iex.Const.con, number);
   if (e->tag != Iex_GSPTR)
      now->is_known = False;
   return IR_DIGEST_TIMES(IrFactorAtoms + 2 * number, e->tag);
}

/* Tags are less than 2^16, and there are fewer landmarks.  */
static inline ULong ir_digest_tag(IrDigest* now, IRStmtTag tag)
{
   return IR_DIGEST_TIMES(IrFactorTag, (ULong)tag ^ (ULong)now->n_landmarks << 16);
}

static inline ULong ir_digest_mix(ULong digest, ULong value)
{
   digest = (digest ^ value) * 0x9e3779b97f4a7c15ULL;
   return digest ^ digest >> 29;
}

static inline void ir_digest_add(IrDigest* now, ULong sum)
{
   now->digest = ir_digest_mix(now->digest, sum);
   now->n_added++;
}

static inline void ir_digest_meaning(IrDigest* now, ULong meaning)
{
   if (UNLIKELY(now->is_active))
      now->digest = ir_digest_mix(now->digest, meaning);
}

static inline ULong ir_digest_assignment(IrDigest* now, IRTemp to, IRExprTag tag)
{
   return ir_digest_tag(now, Ist_WrTmp) + IR_DIGEST_TIMES(IrFactorResult, to) +
          IR_DIGEST_TIMES(IrFactorKind, tag);
}

static inline void ir_digest_load(IrDigest* now, IRTemp to, IRType type,
                                  const IRExpr* address)
{
   if (UNLIKELY(now->is_active))
      ir_digest_add(now, ir_digest_assignment(now, to, Iex_Load) +
                            IR_DIGEST_TIMES(IrFactorType, type) +
                            ir_digest_atom(now, address, 0));
}

static inline void ir_digest_binop(IrDigest* now, IRTemp to, IROp operation,
                                   const IRExpr* a, const IRExpr* b)
{
   if (UNLIKELY(now->is_active))
      ir_digest_add(now, ir_digest_assignment(now, to, Iex_Binop) +
                            IR_DIGEST_TIMES(IrFactorType, operation) +
                            ir_digest_atom(now, a, 0) + ir_digest_atom(now, b, 1));
}

static inline void ir_digest_store(IrDigest* now, const IRExpr* address,
                                   const IRExpr* value)
{
   if (UNLIKELY(now->is_active))
      ir_digest_add(now, ir_digest_tag(now, Ist_Store) + ir_digest_atom(now, address, 0) +
                            ir_digest_atom(now, value, 1));
}

#endif
