/* SPDX-License-Identifier: GPL-2.0-or-later

   Skeletons; see skeleton.h.

   A skeleton is a sequence of numbers of variable length: seven bits a byte, the lowest
   first, the highest bit of a byte says that more follow.  First come

      temporaries   how many
      offset        of the instruction pointer in the guest's state
      jump          the kind of the last one, less Ijk_INVALID
      next          an atom: its target

   and then statements up to the end of the bytes, each with its kind (Bone) in front:

      kind              what follows
      MarkBehind        length               an IMark right behind the one before
      Mark              address, length      any other IMark
      Exit              jump, guard, target
      SetSp             value                the stack pointer is set
      Nothing                                what is not told, behind such a statement
      Get               to, offset, type
      Copy              to, value
      Binop             to, operation, first, second
      Load              to, type, address
      Store             address, data, type
      GuardedLoad       to, conversion, address, guard
      GuardedStore      address, data, type, guard
      CompareAndSwap    address, data, type, 1: two of them; 0
      Linked            result, type, address, 1: data, type; 0: no data
      Helper            effect, size, address

   `to` and `result` are numbers of temporaries.  Guards, targets, values, operands,
   addresses and data are atoms: twice the number of a temporary; or twice the tag of a
   constant (less Ico_U1) and 1, and its value.  Types, jumps, operations, conversions and
   effects are less the first of their enumeration.

   Relies on flat IR, and on temporaries keeping their numbers: what is added gets the
   same ones as it would in the whole superblock.

   Which statements it has something of is said by needed_statements.h.  */

#include "instrument/ir/skeleton.h"

#include "instrument/ir/stack_moves.h"

typedef enum {
   BoneMark,
   BoneMarkBehind, /* right behind the one before */
   BoneExit,
   BoneSetSp,
   BoneNothing,
   BoneGet,
   BoneCopy,
   BoneBinop,
   BoneLoad,
   BoneStore,
   BoneGuardedLoad,
   BoneGuardedStore,
   BoneCompareAndSwap,
   BoneLinked,
   BoneHelper
} Bone;

/*--------------------------------------------------------------------*/
/* Writing                                                             */

typedef struct {
   UChar *at, *end;
   Bool has_failed;
   Addr behind; /* the last instruction */
} Writer;

/* There must be room: make_room().  */
static inline void put(Writer* w, ULong number)
{
   for (; number > 0x7f; number >>= 7)
      *w->at++ = (UChar)(number | 0x80);
   *w->at++ = (UChar)number;
}

/* More than a statement takes.  */
#define LARGEST_STATEMENT 160

static Bool make_room(Writer* w)
{
   w->has_failed = w->has_failed || w->end - w->at < LARGEST_STATEMENT;
   return !w->has_failed;
}

static void put_constant(Writer* w, const IRConst* c)
{
   put(w, (ULong)(c->tag - Ico_U1) << 1 | 1);
   switch (c->tag) {
   case Ico_U1: put(w, c->Ico.U1); break;
   case Ico_U8: put(w, c->Ico.U8); break;
   case Ico_U16: put(w, c->Ico.U16); break;
   case Ico_U32: put(w, c->Ico.U32); break;
   case Ico_U64: put(w, c->Ico.U64); break;
   default: put(w, 0); break; /* only its type is looked at */
   }
}

static void put_atom(Writer* w, const IRExpr* e)
{
   if (e->tag == Iex_RdTmp)
      put(w, (ULong)e->Iex.RdTmp.tmp << 1);
   else if (e->tag == Iex_Const)
      put_constant(w, e->Iex.Const.con);
   else
      w->has_failed = True;
}

static ULong type_number(IRType type) { return (ULong)(type - Ity_INVALID); }

/* An atom of which the type matters.  */
static void put_typed(Writer* w, const IRSB* in, const IRExpr* e)
{
   put_atom(w, e);
   put(w, type_number(typeOfIRExpr(in->tyenv, e)));
}

static void put_mark(Writer* w, const IRStmt* s)
{
   Addr address = (Addr)s->Ist.IMark.addr;
   put(w, address == w->behind ? BoneMarkBehind : BoneMark);
   if (address != w->behind)
      put(w, address);
   put(w, s->Ist.IMark.len);
   w->behind = address + s->Ist.IMark.len;
}

static void put_exit(Writer* w, const IRStmt* s)
{
   put(w, BoneExit);
   put(w, (ULong)(s->Ist.Exit.jk - Ijk_INVALID));
   put_atom(w, s->Ist.Exit.guard);
   put_constant(w, s->Ist.Exit.dst);
}

static void put_assignment(Writer* w, const IRStmt* s, Bool is_needed,
                           Bool memory_matters)
{
   const IRExpr* data = s->Ist.WrTmp.data;
   IRTemp to = s->Ist.WrTmp.tmp;
   if (data->tag == Iex_Load && memory_matters) {
      put(w, BoneLoad), put(w, to), put(w, type_number(data->Iex.Load.ty));
      put_atom(w, data->Iex.Load.addr);
   } else if (!is_needed)
      return;
   else if (data->tag == Iex_Get) {
      put(w, BoneGet), put(w, to), put(w, (ULong)data->Iex.Get.offset);
      put(w, type_number(data->Iex.Get.ty));
   } else if (data->tag == Iex_RdTmp || data->tag == Iex_Const) {
      put(w, BoneCopy), put(w, to), put_atom(w, data);
   } else if (data->tag == Iex_Binop && stack_moves_follows(data->Iex.Binop.op)) {
      put(w, BoneBinop), put(w, to), put(w, (ULong)(data->Iex.Binop.op - Iop_INVALID));
      put_atom(w, data->Iex.Binop.arg1), put_atom(w, data->Iex.Binop.arg2);
   }
}

static void put_store(Writer* w, const IRSB* in, const IRStmt* s)
{
   put(w, BoneStore);
   put_atom(w, s->Ist.Store.addr);
   put_typed(w, in, s->Ist.Store.data);
}

static void put_linked(Writer* w, const IRSB* in, const IRStmt* s)
{
   put(w, BoneLinked);
   put(w, s->Ist.LLSC.result);
   put(w, type_number(typeOfIRTemp(in->tyenv, s->Ist.LLSC.result)));
   put_atom(w, s->Ist.LLSC.addr);
   put(w, s->Ist.LLSC.storedata != NULL);
   if (s->Ist.LLSC.storedata != NULL)
      put_typed(w, in, s->Ist.LLSC.storedata);
}

/* Other accesses to memory than loads.  */
static void put_access(Writer* w, const IRSB* in, const IRStmt* s)
{
   switch (s->tag) {
   case Ist_Store: put_store(w, in, s); break;
   case Ist_StoreG:
      put(w, BoneGuardedStore), put_atom(w, s->Ist.StoreG.details->addr);
      put_typed(w, in, s->Ist.StoreG.details->data);
      put_atom(w, s->Ist.StoreG.details->guard);
      break;
   case Ist_LoadG:
      put(w, BoneGuardedLoad), put(w, s->Ist.LoadG.details->dst);
      put(w, (ULong)(s->Ist.LoadG.details->cvt - ILGop_INVALID));
      put_atom(w, s->Ist.LoadG.details->addr);
      put_atom(w, s->Ist.LoadG.details->guard);
      break;
   case Ist_CAS:
      put(w, BoneCompareAndSwap), put_atom(w, s->Ist.CAS.details->addr);
      put_typed(w, in, s->Ist.CAS.details->dataLo);
      put(w, s->Ist.CAS.details->dataHi != NULL);
      break;
   case Ist_LLSC: put_linked(w, in, s); break;
   case Ist_Dirty:
      if (s->Ist.Dirty.details->mFx != Ifx_None) {
         put(w, BoneHelper), put(w, (ULong)(s->Ist.Dirty.details->mFx - Ifx_None));
         put(w, (ULong)s->Ist.Dirty.details->mSize);
         put_atom(w, s->Ist.Dirty.details->mAddr);
      }
      break;
   default: break;
   }
}

static void put_statement(Writer* w, const IRSB* in, UInt i,
                          const NeededStatements* needed)
{
   const IRStmt* s = in->stmts[i];
   Bool follows_sp = i > 0 && statements_have(needed->set_sp, i - 1);
   UChar* before = w->at;
   if (s->tag == Ist_IMark)
      put_mark(w, s);
   else if (s->tag == Ist_Exit)
      put_exit(w, s);
   else if (statements_have(needed->set_sp, i))
      put(w, BoneSetSp), put_atom(w, s->Ist.Put.data);
   else if (s->tag == Ist_WrTmp)
      put_assignment(w, s, statements_have(needed->assign, i), needed->memory_matters);
   else if (needed->memory_matters)
      put_access(w, in, s);
   else if (s->tag == Ist_Store && follows_sp)
      put_store(w, in, s);
   /* What is behind the setting of a stack pointer tells what was pushed.  */
   if (w->at == before && follows_sp)
      put(w, BoneNothing);
}

UInt skeleton_write(const IRSB* in, const VexGuestLayout* layout,
                    NeededStatements* needed, UChar* bytes, UInt room)
{
   Writer w = {bytes, bytes + room, False, 0};
   if (!make_room(&w))
      return 0;
   needed_statements_find(needed, in, layout);
   put(&w, (ULong)in->tyenv->types_used);
   put(&w, (ULong)in->offsIP);
   put(&w, (ULong)(in->jumpkind - Ijk_INVALID));
   put_atom(&w, in->next);
   for (UInt word = 0; word < needed->n_words; word++)
      for (ULong left = needed->all[word]; left != 0 && make_room(&w); left &= left - 1)
         put_statement(&w, in, statements_number(word, left), needed);
   return w.has_failed ? 0 : (UInt)(w.at - bytes);
}

/*--------------------------------------------------------------------*/
/* Reading                                                             */

typedef struct {
   const UChar *at, *end;
   Bool has_failed;
   Addr behind; /* the last instruction */
   IRSB* out;
   const VexGuestLayout* layout;
} Reader;

static ULong get(Reader* r)
{
   ULong number = 0;
   for (UInt shift = 0; shift < 64 && r->at < r->end; shift += 7) {
      UChar byte = *r->at++;
      number |= (ULong)(byte & 0x7f) << shift;
      if (byte < 0x80)
         return number;
   }
   r->has_failed = True;
   return 0;
}

/* The number of a temporary, which must be one.  */
static IRTemp get_temporary(Reader* r, ULong number)
{
   if (number < (ULong)r->out->tyenv->types_used)
      return (IRTemp)number;
   r->has_failed = True;
   return 0;
}

static IRConst* constant_of(Reader* r, ULong tag, ULong value)
{
   switch (Ico_U1 + tag) {
   case Ico_U1: return IRConst_U1((Bool)(value & 1));
   case Ico_U8: return IRConst_U8((UChar)value);
   case Ico_U16: return IRConst_U16((UShort)value);
   case Ico_U32: return IRConst_U32((UInt)value);
   case Ico_U64: return IRConst_U64(value);
   case Ico_F32: return IRConst_F32(0);
   case Ico_F32i: return IRConst_F32i(0);
   case Ico_F64: return IRConst_F64(0);
   case Ico_F64i: return IRConst_F64i(0);
   case Ico_V128: return IRConst_V128(0);
   case Ico_V256: return IRConst_V256(0);
   default: r->has_failed = True; return IRConst_U64(0);
   }
}

static IRConst* get_constant(Reader* r)
{
   ULong tag = get(r) >> 1;
   ULong value = get(r);
   return constant_of(r, tag, value);
}

static IRExpr* get_atom(Reader* r)
{
   ULong first = get(r);
   if ((first & 1) == 0)
      return IRExpr_RdTmp(get_temporary(r, first >> 1));
   ULong value = get(r);
   return IRExpr_Const(constant_of(r, first >> 1, value));
}

static IRType get_type(Reader* r)
{
   ULong number = get(r);
   if (number == 0 || number > (ULong)(Ity_V256 - Ity_INVALID)) {
      r->has_failed = True;
      return Ity_I64;
   }
   return (IRType)(Ity_INVALID + number);
}

static IRExpr* get_typed(Reader* r)
{
   IRExpr* e = get_atom(r);
   IRType type = get_type(r);
   if (e->tag == Iex_RdTmp)
      r->out->tyenv->types[e->Iex.RdTmp.tmp] = type;
   return e;
}

static void add(Reader* r, IRStmt* s) { addStmtToIRSB(r->out, s); }

static void get_mark(Reader* r, Bool is_behind)
{
   Addr address = is_behind ? r->behind : (Addr)get(r);
   UInt length = (UInt)get(r);
   if (length > 255)
      r->has_failed = True;
   r->behind = address + length;
   add(r, IRStmt_IMark(address, length, 0));
}

static void get_exit(Reader* r)
{
   ULong kind = get(r);
   IRExpr* guard = get_atom(r);
   IRConst* target = get_constant(r);
   if (kind == 0 || kind > 255 || (target->tag != Ico_U64 && target->tag != Ico_U32))
      r->has_failed = True;
   add(r, IRStmt_Exit(guard, (IRJumpKind)(Ijk_INVALID + kind), target, r->out->offsIP));
}

static void get_binop(Reader* r, IRTemp to)
{
   IROp op = (IROp)(Iop_INVALID + get(r));
   IRExpr* first = get_atom(r);
   IRExpr* second = get_atom(r);
   IRExpr* data = IRExpr_Binop(op, first, second);
   if (!stack_moves_follows(op))
      r->has_failed = True;
   add(r, IRStmt_WrTmp(to, data));
}

static void get_assignment(Reader* r, Bone bone)
{
   IRTemp to = get_temporary(r, get(r));
   if (bone == BoneBinop)
      get_binop(r, to);
   else if (bone == BoneCopy)
      add(r, IRStmt_WrTmp(to, get_atom(r)));
   else if (bone == BoneLoad) {
      IRType type = get_type(r);
      add(r, IRStmt_WrTmp(to, IRExpr_Load(Iend_LE, type, get_atom(r))));
   } else {
      ULong offset = get(r);
      IRType type = get_type(r);
      if (offset > sizeof(VexGuestArchState))
         r->has_failed = True;
      add(r, IRStmt_WrTmp(to, IRExpr_Get((Int)offset, type)));
   }
}

static void get_guarded_load(Reader* r)
{
   IRTemp to = get_temporary(r, get(r));
   ULong conversion = get(r);
   IRExpr* address = get_atom(r);
   IRExpr* guard = get_atom(r);
   if (conversion == 0 || conversion > (ULong)(ILGop_8Sto32 - ILGop_INVALID))
      r->has_failed = True;
   else
      add(r, IRStmt_LoadG(Iend_LE, (IRLoadGOp)(ILGop_INVALID + conversion), to, address,
                          address, guard));
}

static void get_compare_and_swap(Reader* r)
{
   IRExpr* address = get_atom(r);
   IRExpr* data = get_typed(r);
   IRExpr* high = get(r) != 0 ? data : NULL;
   add(r, IRStmt_CAS(mkIRCAS(high != NULL ? 0 : IRTemp_INVALID, 0, Iend_LE, address, high,
                             data, high, data)));
}

static void get_linked(Reader* r)
{
   IRTemp result = get_temporary(r, get(r));
   IRType type = get_type(r);
   if (!r->has_failed)
      r->out->tyenv->types[result] = type;
   IRExpr* address = get_atom(r);
   IRExpr* data = get(r) != 0 ? get_typed(r) : NULL;
   add(r, IRStmt_LLSC(Iend_LE, result, address, data));
}

static void get_helper(Reader* r)
{
   ULong effect = get(r), size = get(r);
   IRDirty* call = emptyIRDirty();
   call->mFx = (IREffect)(Ifx_None + effect);
   call->mSize = (Int)size;
   call->mAddr = get_atom(r);
   if (effect > (ULong)(Ifx_Modify - Ifx_None) || size > 0x10000)
      r->has_failed = True;
   add(r, IRStmt_Dirty(call));
}

static void get_access(Reader* r, Bone bone)
{
   IRExpr* address;
   IRExpr* data;
   switch (bone) {
   case BoneStore:
      address = get_atom(r);
      add(r, IRStmt_Store(Iend_LE, address, get_typed(r)));
      break;
   case BoneGuardedStore:
      address = get_atom(r);
      data = get_typed(r);
      add(r, IRStmt_StoreG(Iend_LE, address, data, get_atom(r)));
      break;
   case BoneGuardedLoad: get_guarded_load(r); break;
   case BoneCompareAndSwap: get_compare_and_swap(r); break;
   case BoneLinked: get_linked(r); break;
   case BoneHelper: get_helper(r); break;
   default: r->has_failed = True; break;
   }
}

static void get_statement(Reader* r)
{
   Bone bone = (Bone)get(r);
   switch (bone) {
   case BoneMark: get_mark(r, False); break;
   case BoneMarkBehind: get_mark(r, True); break;
   case BoneExit: get_exit(r); break;
   case BoneSetSp: add(r, IRStmt_Put(r->layout->offset_SP, get_atom(r))); break;
   case BoneNothing: add(r, IRStmt_NoOp()); break;
   case BoneGet:
   case BoneCopy:
   case BoneBinop:
   case BoneLoad: get_assignment(r, bone); break;
   default: get_access(r, bone); break;
   }
}

/* More than any superblock has.  */
#define MOST_TEMPORARIES 100000

IRSB* skeleton_read(const UChar* bytes, UInt size, const VexGuestLayout* layout)
{
   Reader r = {bytes, bytes + size, False, 0, emptyIRSB(), layout};
   ULong n = get(&r);
   if (n > MOST_TEMPORARIES)
      return NULL;
   for (ULong i = 0; i < n; i++)
      (void)newIRTemp(r.out->tyenv, Ity_I64);
   r.out->offsIP = (Int)get(&r);
   r.out->jumpkind = (IRJumpKind)(Ijk_INVALID + get(&r));
   r.out->next = get_atom(&r);
   while (r.at < r.end && !r.has_failed)
      get_statement(&r);
   return r.has_failed ? NULL : r.out;
}
