/* SPDX-License-Identifier: GPL-2.0-or-later

   amd64: machine code around calls; see arch.h.  Encodings: Intel 64 and IA-32
   Architectures Software Developer's Manual, volume 2, CALL.  */

#include "guest/arch.h"

#if defined(VGA_amd64)

#include "guest/memory.h"

#include "pub_tool_libcbase.h"

/* E8 and a 32-bit displacement: the only direct form.  */
#define DIRECT_CALL_SIZE 5

/* With a prefix.  */
#define LONGEST_CALL 8

/* True if the `size` bytes at `code` are FF /2, an indirect call with that many
   bytes of operand, prefixes not counted.  */
static Bool is_indirect_call(const UChar* code, UInt size)
{
   if (code[0] != 0xff || (code[1] >> 3 & 7) != 2)
      return False;
   UInt mode = code[1] >> 6, rm = code[1] & 7;
   if (mode == 3)
      return size == 2;
   UInt length = 2;
   UInt base = rm;
   if (rm == 4) { /* a SIB byte follows */
      if (size < 3)
         return False;
      base = code[2] & 7;
      length = 3;
   }
   if (mode == 1)
      length += 1;
   else if (mode == 2 || (mode == 0 && base == 5))
      length += 4;
   return size == length;
}

/* System V ABI, AMD64 supplement, 3.2.3.  */
UInt arch_argument_offset(UInt argument)
{
   static const UInt offsets[] = {
      offsetof(VexGuestAMD64State, guest_RDI), offsetof(VexGuestAMD64State, guest_RSI),
      offsetof(VexGuestAMD64State, guest_RDX), offsetof(VexGuestAMD64State, guest_RCX),
      offsetof(VexGuestAMD64State, guest_R8),  offsetof(VexGuestAMD64State, guest_R9)};
   return offsets[argument - 1];
}

/* Go's internal ABI specification, "amd64 architecture".  */
UInt arch_go_argument_offset(UInt argument)
{
   static const UInt offsets[] = {
      offsetof(VexGuestAMD64State, guest_RAX), offsetof(VexGuestAMD64State, guest_RBX),
      offsetof(VexGuestAMD64State, guest_RCX), offsetof(VexGuestAMD64State, guest_RDI),
      offsetof(VexGuestAMD64State, guest_RSI), offsetof(VexGuestAMD64State, guest_R8)};
   return offsets[argument - 1];
}

Addr arch_call_before(Addr return_address)
{
   UChar code[LONGEST_CALL];
   if (return_address < sizeof code ||
       !guest_memory_copy(code, return_address - sizeof code, sizeof code))
      return 0;
   const UChar* end = code + sizeof code;
   if (end[-DIRECT_CALL_SIZE] == 0xe8)
      return return_address - DIRECT_CALL_SIZE;
   for (UInt size = 2; size < LONGEST_CALL; size++)
      if (is_indirect_call(end - size, size)) {
         /* REX, BND, notrack prefixes */
         const UChar* start = end - size;
         if ((start[-1] & 0xf0) == 0x40 || start[-1] == 0xf2 || start[-1] == 0x3e)
            start--;
         return return_address - (Addr)(end - start);
      }
   return 0;
}

Addr arch_call_target(Addr call)
{
   UChar code[DIRECT_CALL_SIZE];
   if (!guest_memory_copy(code, call, sizeof code) || code[0] != 0xe8)
      return 0;
   Int displacement;
   VG_(memcpy)(&displacement, code + 1, sizeof displacement);
   return call + DIRECT_CALL_SIZE + (Addr)(Word)displacement;
}

Bool arch_is_sigreturn(Addr address)
{
   static const UChar code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
   return guest_memory_holds(address, code, sizeof code);
}

Addr arch_system_call_before(Addr address)
{
   static const UChar code[] = {0x0f, 0x05}; /* syscall */
   Addr start = address - sizeof code;
   return guest_memory_holds(start, code, sizeof code) ? start : 0;
}

/* A call over a loop that catches speculation: pause, lfence, jmp back.  */
Bool arch_is_thunk(Addr address)
{
   static const UChar code[] = {0xe8, 0x07, 0,    0,    0,    0xf3,
                                0x90, 0x0f, 0xae, 0xe8, 0xeb, 0xf9};
   return guest_memory_holds(address, code, sizeof code);
}

Bool arch_is_thunk_name(const HChar* name)
{
   return VG_(strncmp)(name, "__x86_indirect_thunk", 20) == 0 ||
          VG_(strncmp)(name, "__x86_return_thunk", 18) == 0 ||
          VG_(strncmp)(name, "__llvm_retpoline_", 17) == 0;
}

Bool arch_return_address(Addr slot, Addr* address)
{
   return guest_memory_word(slot, address);
}

#endif
