/* SPDX-License-Identifier: GPL-2.0-or-later

   arm64: machine code around calls; see arch.h.  Encodings: Arm Architecture Reference
   Manual for A-profile, C6.  All instructions are words.  */

#include "guest/arch.h"

#if defined(VGA_arm64)

#include "guest/memory.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#define INSTRUCTION_SIZE 4

/* Reads `n` instructions; False if there are none.  */
static Bool read_code(Addr address, UInt* code, UInt n)
{
   return address % INSTRUCTION_SIZE == 0 &&
          guest_memory_copy(code, address, n * INSTRUCTION_SIZE);
}

static Bool is_direct_call(UInt code) { return (code & 0xfc000000) == 0x94000000; }

/* BLR, and BLRAA, BLRAB, BLRAAZ and BLRABZ, which authenticate the address first.  */
static Bool is_indirect_call(UInt code)
{
   return (code & 0xfffffc1f) == 0xd63f0000 || (code & 0xfefff800) == 0xd63f0800;
}

/* AAPCS64, 6.8.2: x0 and up; Go's internal ABI specification: as well.  */
UInt arch_argument_offset(UInt argument)
{
   return offsetof(VexGuestARM64State, guest_X0) + (argument - 1) * sizeof(ULong);
}

UInt arch_go_argument_offset(UInt argument) { return arch_argument_offset(argument); }

Addr arch_call_before(Addr return_address)
{
   Addr call = return_address - INSTRUCTION_SIZE;
   UInt code;
   if (!read_code(call, &code, 1))
      return 0;
   return is_direct_call(code) || is_indirect_call(code) ? call : 0;
}

Addr arch_call_target(Addr call)
{
   UInt code;
   if (!read_code(call, &code, 1) || !is_direct_call(code))
      return 0;
   Int words = (Int)(code << 6) >> 6;
   return call + (Addr)((Word)words * INSTRUCTION_SIZE);
}

#define IS_SVC(code) (((code) & 0xffe0001f) == 0xd4000001)

Addr arch_system_call_before(Addr address)
{
   UInt code;
   Addr start = address - INSTRUCTION_SIZE;
   return read_code(start, &code, 1) && IS_SVC(code) ? start : 0;
}

/* mov x8, #139; svc #0.  The core's own stub is preceded by nothing else.  */
Bool arch_is_sigreturn(Addr address)
{
   UInt code[2];
   return read_code(address, code, 2) && code[0] == 0xd2801168 && IS_SVC(code[1]);
}

/* mov x16, xN; br x16; and then what speculation does not pass: dsb sy; isb, or sb.  */
Bool arch_is_thunk(Addr address)
{
   UInt code[3];
   return read_code(address, code, 3) && (code[0] & 0xffe0ffff) == 0xaa0003f0 &&
          code[1] == 0xd61f0200 && (code[2] == 0xd5033f9f || code[2] == 0xd50330ff);
}

static Bool begins_with(const HChar* name, const HChar* beginning)
{
   return VG_(strncmp)(name, beginning, VG_(strlen)(beginning)) == 0;
}

Bool arch_is_thunk_name(const HChar* name)
{
   static const HChar veneer[] = "_veneer";
   SizeT length = VG_(strlen)(name), ending = sizeof veneer - 1;
   return begins_with(name, "__llvm_slsblr_thunk_") ||
          begins_with(name, "__call_indirect_x") ||
          begins_with(name, "__AArch64ADRPThunk_") ||
          begins_with(name, "__AArch64AbsLongThunk_") ||
          (length > ending && begins_with(name, "__") &&
           VG_(strcmp)(name + length - ending, veneer) == 0);
}

Bool arch_return_address(Addr slot, Addr* address)
{
   (void)slot;
   VG_(get_shadow_regs_area)(VG_(get_running_tid)(), (UChar*)address, 0,
                             offsetof(VexGuestArchState, guest_X30), sizeof *address);
   return True;
}

#endif
