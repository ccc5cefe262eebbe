/* SPDX-License-Identifier: GPL-2.0-or-later

   See missing_code.h.

   Of code that ends at a page that is missing, VEX is given a copy, with filling behind
   it.  If it makes instructions of that, it is told to make no more than certainly fit,
   and in the end one that may not fit: only VEX can tell.  */

#include "translations/missing_code.h"

#include "core/vex_settings.h"
#include "guest/arch.h"
#include "guest/memory.h"

#include "pub_tool_libcbase.h"

static Addr start;   /* of the superblock that VEX makes */
static Addr missing; /* the first byte that is not there; 0: all is there */
static Bool has_gone_beyond;

#ifdef CORE_CAN_KEEP_TRANSLATIONS

/* VEX takes no more instructions for a superblock, nor bytes.  */
#define MOST_INSTRUCTIONS 100
#define MOST_BYTES (MOST_INSTRUCTIONS * ARCH_LONGEST_INSTRUCTION)

/* The first byte that is missing of what VEX may read from `from` on; 0: none.  */
static Addr first_missing(Addr from)
{
   const Addr next = guest_memory_page_end(from);
   if (!guest_memory_code_is_there(from))
      return from;
   return next - from >= MOST_BYTES || guest_memory_code_is_there(next) ? 0 : next;
}

static Bool (*core_chases_into)(void* opaque, Addr address);

static Bool chase_into(void* opaque, Addr address)
{
   return core_chases_into(opaque, address) && first_missing(address) == 0;
}

static Bool chase_nowhere(void* opaque, Addr address)
{
   (void)opaque, (void)address;
   return False;
}

static UInt (*core_wants_check)(void*, VexRegisterUpdates*, const VexGuestExtents*);

/* To check code VEX reads it where it lies.  */
static UInt want_check(void* opaque, VexRegisterUpdates* registers,
                       const VexGuestExtents* extents)
{
   return extents->base[0] + extents->len[0] > missing
             ? 0
             : core_wants_check(opaque, registers, extents);
}

/* Bytes that VEX can make instructions of; they are never executed.  */
static void fill(UChar* bytes, SizeT size)
{
   static const UChar filling[] = {ARCH_NO_OPERATION};
   for (SizeT i = 0; i < size; i++)
      bytes[i] = filling[i % sizeof filling];
}

/* VEX's setting; `most_before` is negative while it has not been changed.  */
static Int most_before = -1;

/* False if VEX cannot be told.  */
static Bool take_fewer(SizeT n_bytes)
{
   VexControl* settings = core_vex_settings();
   const Int n = (Int)(n_bytes / ARCH_LONGEST_INSTRUCTION);
   if (settings == NULL)
      return False;
   most_before = settings->guest_max_insns;
   settings->guest_max_insns = n > 0 ? n : 1;
   return True;
}

Bool missing_code_begin(VexTranslateArgs* arguments)
{
   static UChar bytes[2 * MOST_BYTES];
   start = arguments->guest_bytes_addr;
   missing = first_missing(start);
   core_chases_into = arguments->chase_into_ok;
   arguments->chase_into_ok = chase_into;
   if (missing == 0)
      return False;
   if (!guest_memory_copy_code(bytes, start, missing - start))
      missing = start;
   fill(bytes + (missing - start), sizeof bytes - (missing - start));
   arguments->guest_bytes = bytes;
   arguments->chase_into_ok = chase_nowhere;
   core_wants_check = arguments->needs_self_check;
   arguments->needs_self_check = want_check;
   return True;
}

Bool missing_code_end(void)
{
   const SizeT n_there = missing - start;
   if (has_gone_beyond && most_before < 0 && take_fewer(n_there)) {
      has_gone_beyond = False;
      return False;
   }
   if (most_before >= 0)
      core_vex_settings()->guest_max_insns = most_before;
   most_before = -1;
   has_gone_beyond = False;
   missing = 0;
   return True;
}

#endif

/*--------------------------------------------------------------------*/

static void put_word(IRSB* out, Int offset, ULong value)
{
   addStmtToIRSB(out, IRStmt_Put(offset, IRExpr_Const(IRConst_U64(value))));
}

/* Where it comes to its end all the same, what was missing is there.  What was read
   decides which exit is taken: VEX would drop it otherwise.  */
static IRSB* fault(const IRSB* in)
{
   IRSB* out = deepCopyIRSBExceptStmts(in);
   const IRTemp byte = newIRTemp(out->tyenv, Ity_I8);
   const IRTemp is_nonzero = newIRTemp(out->tyenv, Ity_I1);
   addStmtToIRSB(out, IRStmt_IMark(start, 1, 0));
   put_word(out, ARCH_IP_OFFSET, start);
   put_word(out, ARCH_DISCARD_OFFSET, start);
   put_word(out, ARCH_DISCARD_SIZE_OFFSET, 1);
   addStmtToIRSB(out,
                 IRStmt_WrTmp(byte, IRExpr_Load(Iend_LE, Ity_I8,
                                                IRExpr_Const(IRConst_U64(missing)))));
   addStmtToIRSB(out,
                 IRStmt_WrTmp(is_nonzero, IRExpr_Binop(Iop_CmpNE8, IRExpr_RdTmp(byte),
                                                       IRExpr_Const(IRConst_U8(0)))));
   addStmtToIRSB(out, IRStmt_Exit(IRExpr_RdTmp(is_nonzero), Ijk_InvalICache,
                                  IRConst_U64(start), ARCH_IP_OFFSET));
   out->next = IRExpr_Const(IRConst_U64(start));
   out->jumpkind = Ijk_InvalICache;
   out->offsIP = ARCH_IP_OFFSET;
   return out;
}

/* Where an instruction ends; one that there is not, which VEX gives no size, may be known
   for that by its second byte.  */
static Addr end_of(const IRStmt* mark)
{
   const UInt size = mark->Ist.IMark.len;
   return (Addr)mark->Ist.IMark.addr + (size > 0 ? size : 2);
}

IRSB* missing_code_instead(IRSB* in)
{
   if (LIKELY(missing == 0))
      return NULL;
   UInt n_whole = 0;
   Bool goes_beyond = False;
   for (Int i = 0; i < in->stmts_used; i++)
      if (in->stmts[i]->tag == Ist_IMark) {
         const Bool is_whole = end_of(in->stmts[i]) <= missing;
         n_whole += is_whole;
         goes_beyond |= !is_whole;
      }
   has_gone_beyond = goes_beyond && n_whole > 0;
   return n_whole == 0 ? fault(in) : goes_beyond ? in : NULL;
}
