/* SPDX-License-Identifier: GPL-2.0-or-later

   See operands_in_memory.h.  */

#include "host_instructions/operands_in_memory.h"

#if defined(VGA_amd64) && defined(CORE_CAN_KEEP_TRANSLATIONS)

#include "core/wide_state.h"
#include "host_instructions/pieces.h"

static IRExpr* assign(IRSB* out, IRType type, IRExpr* value)
{
   const IRTemp temporary = newIRTemp(out->tyenv, type);
   addStmtToIRSB(out, IRStmt_WrTmp(temporary, value));
   return IRExpr_RdTmp(temporary);
}

static IRExpr* get(IRSB* out, IRType type, SizeT offset)
{
   return assign(out, type, IRExpr_Get((Int)offset, type));
}

static IRExpr* word(ULong value) { return IRExpr_Const(IRConst_U64(value)); }

/* a + b; either may be NULL, which is 0.  */
static IRExpr* plus(IRSB* out, IRExpr* a, IRExpr* b)
{
   if (a == NULL || b == NULL)
      return a == NULL ? b : a;
   return assign(out, Ity_I64, IRExpr_Binop(Iop_Add64, a, b));
}

static IRExpr* shifted(IRSB* out, IRExpr* value, UInt shift)
{
   if (shift == 0)
      return value;
   return assign(out, Ity_I64,
                 IRExpr_Binop(Iop_Shl64, value, IRExpr_Const(IRConst_U8((UChar)shift))));
}

static IRExpr* general(IRSB* out, UInt number)
{
   return get(out, Ity_I64, (SizeT)pieces_general_offset(number));
}

static Bool is_indexed_by_vector(const HostInstruction* instruction)
{
   return instruction->form->memory == MemoryGather ||
          instruction->form->memory == MemoryScatter;
}

IRExpr* operands_address(IRSB* out, const HostInstruction* instruction, Addr at)
{
   ULong constant = (ULong)instruction->displacement;
   IRExpr* sum = NULL;
   if (instruction->base == HOST_INSTRUCTION_POINTER)
      constant += at + instruction->size;
   else if (instruction->base != HOST_NO_REGISTER)
      sum = general(out, instruction->base);
   if (instruction->index != HOST_NO_REGISTER && !is_indexed_by_vector(instruction))
      sum = plus(out, sum,
                 shifted(out, general(out, instruction->index), instruction->scale));
   if (constant != 0 || sum == NULL)
      sum = plus(out, sum, word(constant));
   if (instruction->is_32_bits) {
      IRExpr* low = assign(out, Ity_I32, IRExpr_Unop(Iop_64to32, sum));
      sum = assign(out, Ity_I64, IRExpr_Unop(Iop_32Uto64, low));
   }
   if (instruction->segment == SegmentFs)
      sum =
         plus(out, sum, get(out, Ity_I64, offsetof(VexGuestAMD64State, guest_FS_CONST)));
   else if (instruction->segment == SegmentGs)
      sum =
         plus(out, sum, get(out, Ity_I64, offsetof(VexGuestAMD64State, guest_GS_CONST)));
   return sum;
}

/*--------------------------------------------------------------------*/
/* Gathers and scatters                                                */

/* Where byte `at` of a vector is.  */
static SizeT place_of(UInt vector, UInt at)
{
   if (vector >= 16)
      return WIDE_STATE_HIGH + 64 * (SizeT)(vector - 16) + at;
   if (at >= 32)
      return WIDE_STATE_UPPER + 32 * (SizeT)vector + (at - 32);
   return offsetof(VexGuestAMD64State, guest_YMM0) + 32 * (SizeT)vector + at;
}

/* Index number `i`, of so many bytes.  */
static IRExpr* index_of(IRSB* out, const HostInstruction* instruction, UInt i, UInt size)
{
   const SizeT place = place_of(instruction->index, i * size);
   if (size == 8)
      return get(out, Ity_I64, place);
   return assign(out, Ity_I64, IRExpr_Unop(Iop_32Sto64, get(out, Ity_I32, place)));
}

/* Does the mask select element number `i`?  */
static IRExpr* selects(IRSB* out, IRExpr* mask, UInt i)
{
   IRExpr* bit = mask;
   if (i > 0)
      bit = assign(out, Ity_I64,
                   IRExpr_Binop(Iop_Shr64, mask, IRExpr_Const(IRConst_U8((UChar)i))));
   return assign(out, Ity_I1, IRExpr_Unop(Iop_64to1, bit));
}

static void show_element(IRSB* out, const HostInstruction* instruction, IRExpr* address,
                         IRExpr* guard)
{
   const Bool is_wide = instruction->wide != 0;
   const IRType type = is_wide ? Ity_I64 : Ity_I32;
   const IRTemp element = newIRTemp(out->tyenv, type);
   IRExpr* other = is_wide ? word(0) : IRExpr_Const(IRConst_U32(0));
   addStmtToIRSB(out, IRStmt_LoadG(Iend_LE, is_wide ? ILGop_Ident64 : ILGop_Ident32,
                                   element, address, other, guard));
   if (instruction->form->memory == MemoryScatter)
      addStmtToIRSB(out, IRStmt_StoreG(Iend_LE, address, IRExpr_RdTmp(element), guard));
}

/* Odd opcodes have indexes of eight bytes, even ones of four.  */
void operands_show_elements(IRSB* out, const HostInstruction* instruction, IRExpr* base)
{
   const UInt index_size = (instruction->opcode & 1) != 0 ? 8 : 4;
   const UInt size = instruction->wide ? 8 : 4;
   const UInt larger = index_size > size ? index_size : size;
   const UInt n = (16u << instruction->length) / larger;
   IRExpr* mask = get(out, Ity_I64, WIDE_STATE_MASKS + 8 * (SizeT)instruction->mask);
   for (UInt i = 0; i < n; i++) {
      IRExpr* index =
         shifted(out, index_of(out, instruction, i, index_size), instruction->scale);
      show_element(out, instruction, plus(out, base, index), selects(out, mask, i));
   }
}

#endif
