/* SPDX-License-Identifier: GPL-2.0-or-later

   See host_instructions.h.

   What is added for an instruction:

      ------ IMark(address, size) ------
      PUT(instruction pointer) = address             for a fault
      t = address of the operand
      flags = piece(guest's state, t)
      PUT(flags) = flags                             if it sets them

   The superblock then goes on with further ones that only the host knows, and ends: VEX
   is asked again for what is behind them.  */

#include "host_instructions/host_instructions.h"

#if defined(VGA_amd64) && defined(CORE_CAN_KEEP_TRANSLATIONS)

#include "core/host_processor.h"
#include "core/wide_state.h"
#include "guest/arch.h"
#include "guest/memory.h"
#include "host_instructions/operands_in_memory.h"
#include "host_instructions/pieces.h"
#include "host_instructions/wide_use.h"

/* So many are added to a superblock at most.  */
#define MOST_ADDED 16

/* O, S, Z, A, C, P.  */
#define COMPUTED_FLAGS 0x8d5

/*--------------------------------------------------------------------*/
/* What the host has                                                   */

typedef struct {
   Bool is_known;
   Bool has_avx, has_wide;
} Host;

static Bool host_has(const HostInstruction* instruction)
{
   static Host host;
   if (!host.is_known)
      host = (Host){True, core_host_has_avx(), core_host_has_wide_state()};
   if (host_instruction_is_beyond_core(instruction))
      return host.has_wide;
   return host.has_avx || instruction->form->reg != OperandVector;
}

/*--------------------------------------------------------------------*/
/* The instruction at an address                                       */

static Bool read_at(Addr address, HostInstruction* instruction)
{
   UChar code[HOST_LONGEST_INSTRUCTION];
   SizeT size = sizeof code;
   const Addr next = guest_memory_page_end(address);
   if (next - address < size && !guest_memory_code_is_there(next))
      size = next - address;
   return guest_memory_copy_code(code, address, size) &&
          host_instruction_read(code, (UInt)size, instruction) && host_has(instruction);
}

/*--------------------------------------------------------------------*/
/* Adding one                                                          */

/* What VEX may be told of the guest's state: what it has itself.  */
static void tell_effect(IRDirty* call, IREffect effect, SizeT offset, SizeT size)
{
   call->fxState[call->nFxState].fx = effect;
   call->fxState[call->nFxState].offset = (UShort)offset;
   call->fxState[call->nFxState].size = (UShort)size;
   call->fxState[call->nFxState].nRepeats = 0;
   call->fxState[call->nFxState].repeatLen = 0;
   call->nFxState++;
}

static void tell_operand(IRDirty* call, UInt kind, UInt number)
{
   if (kind == OperandVector && number < 16)
      tell_effect(call, Ifx_Modify,
                  offsetof(VexGuestAMD64State, guest_YMM0) + 32 * (SizeT)number, 32);
   else if (kind == OperandGeneral)
      tell_effect(call, Ifx_Modify, (SizeT)pieces_general_offset(number), 8);
}

static void tell_operands(IRDirty* call, const HostInstruction* instruction)
{
   const InstructionForm* form = instruction->form;
   call->nFxState = 0;
   tell_effect(call, Ifx_Read, offsetof(VexGuestAMD64State, guest_SSEROUND), 8);
   tell_operand(call, form->reg, instruction->reg);
   tell_operand(call, form->other, instruction->other);
   if (!instruction->is_memory)
      tell_operand(call, form->rm, instruction->rm);
}

static void tell_access(IRDirty* call, const HostInstruction* instruction,
                        IRExpr* address)
{
   const UInt use = instruction->form->memory;
   if (use != MemoryRead && use != MemoryWrite && use != MemoryMove64)
      return;
   call->mFx = use == MemoryWrite ? Ifx_Write : Ifx_Read;
   call->mAddr = address;
   call->mSize = (Int)instruction->memory_size;
}

static void put(IRSB* out, SizeT offset, IRExpr* value)
{
   addStmtToIRSB(out, IRStmt_Put((Int)offset, value));
}

static IRExpr* word(ULong value) { return IRExpr_Const(IRConst_U64(value)); }

/* The thunk by which VEX computes flags: operation 0 is to take them from its first
   operand, as LibVEX_GuestAMD64_put_rflags() sets it.  */
static void put_flags(IRSB* out, IRTemp flags)
{
   const IRTemp computed = newIRTemp(out->tyenv, Ity_I64);
   addStmtToIRSB(out, IRStmt_WrTmp(computed, IRExpr_Binop(Iop_And64, IRExpr_RdTmp(flags),
                                                          word(COMPUTED_FLAGS))));
   put(out, offsetof(VexGuestAMD64State, guest_CC_OP), word(0));
   put(out, offsetof(VexGuestAMD64State, guest_CC_DEP1), IRExpr_RdTmp(computed));
   put(out, offsetof(VexGuestAMD64State, guest_CC_DEP2), word(0));
   put(out, offsetof(VexGuestAMD64State, guest_CC_NDEP), word(0));
}

/* The 64 bytes that MOVDIR64B writes: they are seen as those of a call that does
   nothing.  */
static void nothing(void) {}

static void show_destination(IRSB* out, const HostInstruction* instruction)
{
   const IRTemp address = newIRTemp(out->tyenv, Ity_I64);
   addStmtToIRSB(
      out, IRStmt_WrTmp(address,
                        IRExpr_Get(pieces_general_offset(instruction->reg), Ity_I64)));
   IRDirty* call = unsafeIRDirty_0_N(0, "nothing", (void*)nothing, mkIRExprVec_0());
   call->mFx = Ifx_Write;
   call->mAddr = IRExpr_RdTmp(address);
   call->mSize = (Int)instruction->memory_size;
   addStmtToIRSB(out, IRStmt_Dirty(call));
}

static void add(IRSB* out, const HostInstruction* instruction, Addr at, Piece* piece,
                Bool shows_accesses)
{
   IRExpr* address = word(0);
   addStmtToIRSB(out, IRStmt_IMark(at, instruction->size, 0));
   put(out, ARCH_IP_OFFSET, word(at));
   if (instruction->is_memory)
      address = operands_address(out, instruction, at);
   if (shows_accesses && (instruction->form->memory == MemoryGather ||
                          instruction->form->memory == MemoryScatter))
      operands_show_elements(out, instruction, address);
   const IRTemp flags = newIRTemp(out->tyenv, Ity_I64);
   IRDirty* call = unsafeIRDirty_1_N(flags, 0, "host_instruction", (void*)piece,
                                     mkIRExprVec_2(IRExpr_GSPTR(), address));
   tell_operands(call, instruction);
   if (instruction->is_memory)
      tell_access(call, instruction, address);
   addStmtToIRSB(out, IRStmt_Dirty(call));
   if (instruction->form->memory == MemoryMove64)
      show_destination(out, instruction);
   if ((instruction->form->writes & WritesFlags) != 0)
      put_flags(out, flags);
}

/*--------------------------------------------------------------------*/

/* The last instruction that VEX has begun.  */
static Int last_mark(const IRSB* in)
{
   for (Int i = in->stmts_used - 1; i >= 0; i--)
      if (in->stmts[i]->tag == Ist_IMark)
         return i;
   return -1;
}

static Bool has_mark_before(const IRSB* in, Int end)
{
   for (Int i = 0; i < end; i++)
      if (in->stmts[i]->tag == Ist_IMark)
         return True;
   return False;
}

static void go_on_at(IRSB* in, Addr address)
{
   in->next = word(address);
   in->jumpkind = Ijk_Boring;
}

/* Adds the instruction at `at`, and those behind it.  Returns how many bytes they
   are.  */
static UInt add_all(IRSB* in, HostInstruction* instruction, Addr at, Piece* piece,
                    Bool shows_accesses)
{
   const Addr start = at;
   for (UInt n = 1;; n++) {
      add(in, instruction, at, piece, shows_accesses);
      at += instruction->size;
      if (n == MOST_ADDED || !read_at(at, instruction) ||
          !host_instruction_is_beyond_core(instruction) || wide_use() != WideUsed)
         break;
      piece = pieces_for(instruction, True);
      if (piece == NULL)
         break;
   }
   go_on_at(in, at);
   return (UInt)(at - start);
}

/* Has the wide state come into use?  Otherwise `in` ends in front of its last
   instruction, or is replaced by what has it looked at.  */
static Bool has_wide_state(IRSB* in, Int end, Addr at, HostContinuation* continuation)
{
   if (wide_use() == WideUsed)
      return True;
   if (has_mark_before(in, end)) {
      in->stmts_used = end;
      go_on_at(in, at);
      return False;
   }
   continuation->instead = wide_use_begin(in, at);
   return False;
}

HostContinuation host_instructions_continue(IRSB* in, Bool shows_accesses)
{
   HostContinuation continuation = {NULL, 0, 0};
   HostInstruction instruction;
   if (UNLIKELY(wide_use() == WideUsed))
      wide_use_add_clearing(in);
   const Int end = in->jumpkind == Ijk_NoDecode ? last_mark(in) : -1;
   if (LIKELY(end < 0))
      return continuation;
   const Addr at = (Addr)in->stmts[end]->Ist.IMark.addr;
   continuation.refused = at;
   if (!read_at(at, &instruction))
      return continuation;
   const Bool needs_wide = host_instruction_is_beyond_core(&instruction);
   Piece* piece = pieces_for(&instruction, wide_use() == WideUsed);
   if (piece == NULL || (needs_wide && wide_use() == WideRefused))
      return continuation;
   continuation.refused = 0;
   if (needs_wide && !has_wide_state(in, end, at, &continuation))
      return continuation;
   in->stmts_used = end;
   continuation.n_bytes = add_all(in, &instruction, at, piece, shows_accesses);
   return continuation;
}

void host_instructions_expect_wide_state(void) { wide_use_expect(); }

Bool host_instructions_change_code(void) { return wide_use() == WideUsed; }

#else

void host_instructions_expect_wide_state(void) {}

HostContinuation host_instructions_continue(IRSB* in, Bool shows_accesses)
{
   (void)in, (void)shows_accesses;
   return (HostContinuation){NULL, 0, 0};
}

Bool host_instructions_change_code(void) { return False; }

#endif
