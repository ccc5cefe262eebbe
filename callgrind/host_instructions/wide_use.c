/* SPDX-License-Identifier: GPL-2.0-or-later

   See wide_use.h.  */

#include "host_instructions/wide_use.h"

#if defined(VGA_amd64) && defined(CORE_CAN_KEEP_TRANSLATIONS)

#include "core/wide_state.h"
#include "guest/arch.h"
#include "guest/memory.h"

#include "pub_tool_libcprint.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

/* All of the addresses that a program may have.  */
#define FIRST_ADDRESS 0x1000ULL
#define LAST_ADDRESS 0x7ffffffff000ULL

static WideUse use;

WideUse wide_use(void) { return use; }

void wide_use_expect(void) { use = WideUsed; }

/* Called by generated code.  */
static void look_at_state(UChar* guest)
{
   use = core_wide_state_is_there(guest) ? WideUsed : WideRefused;
   if (use == WideRefused && VG_(clo_verbosity) > 1)
      VG_(message)(Vg_DebugMsg,
                   "AVX-512 is not executed: the core keeps a thread's state "
                   "otherwise than is known\n");
}

static void put_word(IRSB* out, Int offset, ULong value)
{
   addStmtToIRSB(out, IRStmt_Put(offset, IRExpr_Const(IRConst_U64(value))));
}

IRSB* wide_use_begin(const IRSB* in, Addr address)
{
   IRSB* out = deepCopyIRSBExceptStmts(in);
   IRDirty* call = unsafeIRDirty_0_N(0, "look_at_state", (void*)look_at_state,
                                     mkIRExprVec_1(IRExpr_GSPTR()));
   call->nFxState = 1;
   call->fxState[0].fx = Ifx_Read;
   call->fxState[0].offset = ARCH_SP_OFFSET;
   call->fxState[0].size = sizeof(ULong);
   call->fxState[0].nRepeats = 0;
   call->fxState[0].repeatLen = 0;
   put_word(out, ARCH_IP_OFFSET, address);
   put_word(out, ARCH_DISCARD_OFFSET, FIRST_ADDRESS);
   put_word(out, ARCH_DISCARD_SIZE_OFFSET, LAST_ADDRESS - FIRST_ADDRESS);
   addStmtToIRSB(out, IRStmt_Dirty(call));
   out->next = IRExpr_Const(IRConst_U64(address));
   out->jumpkind = Ijk_InvalICache;
   out->offsIP = ARCH_IP_OFFSET;
   return out;
}

/* The YMM register whose upper half `statement` writes; -1: none.  */
static Int upper_written(const IRSB* in, const IRStmt* statement)
{
   const Int first = offsetof(VexGuestAMD64State, guest_YMM0);
   if (statement->tag != Ist_Put || statement->Ist.Put.offset < first ||
       statement->Ist.Put.offset >= first + 16 * 32)
      return -1;
   const Int at = statement->Ist.Put.offset - first;
   const Int end =
      at % 32 + sizeofIRType(typeOfIRExpr(in->tyenv, statement->Ist.Put.data));
   return end > 16 ? at / 32 : -1;
}

/* Does the instruction at `address` begin with VEX?  Others that write a whole register,
   as XRSTOR, leave alone what lies above.  */
static Bool has_vex(Addr address)
{
   UChar byte;
   for (UInt i = 0; guest_memory_copy_code(&byte, address + i, 1); i++)
      switch (byte) {
      case 0x26:
      case 0x2e:
      case 0x36:
      case 0x3e:
      case 0x64:
      case 0x65:
      case 0x67: break;
      default: return byte == 0xc4 || byte == 0xc5;
      }
   return False;
}

static Bool writes_upper(const IRSB* in)
{
   for (Int i = 0; i < in->stmts_used; i++)
      if (upper_written(in, in->stmts[i]) >= 0)
         return True;
   return False;
}

static void clear_upper(IRSB* out, Int number)
{
   for (Int half = 0; half < 2; half++)
      addStmtToIRSB(out, IRStmt_Put((Int)WIDE_STATE_UPPER + 32 * number + 16 * half,
                                    IRExpr_Const(IRConst_V128(0))));
}

void wide_use_add_clearing(IRSB* in)
{
   Bool is_vex = False;
   if (!writes_upper(in))
      return;
   IRSB* copy = deepCopyIRSBExceptStmts(in);
   for (Int i = 0; i < in->stmts_used; i++) {
      IRStmt* statement = in->stmts[i];
      addStmtToIRSB(copy, statement);
      if (statement->tag == Ist_IMark)
         is_vex = has_vex((Addr)statement->Ist.IMark.addr);
      const Int number = upper_written(in, statement);
      if (number >= 0 && is_vex)
         clear_upper(copy, number);
   }
   in->stmts = copy->stmts;
   in->stmts_used = copy->stmts_used;
   in->stmts_size = copy->stmts_size;
}

#endif
