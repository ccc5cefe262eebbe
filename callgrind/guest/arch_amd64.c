/* SPDX-License-Identifier: GPL-2.0-or-later

   amd64: machine code around calls; see arch.h.  Encodings: Intel 64 and IA-32
   Architectures Software Developer's Manual, volume 2, CALL.  */

#include "guest/arch.h"

#if defined(VGA_amd64)

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"

static Bool is_readable(Addr start, SizeT length)
{
   return VG_(am_is_valid_for_client)(start, length, VKI_PROT_READ);
}

/* E8 and a 32-bit displacement: the only direct form.  */
#define DIRECT_CALL_SIZE 5

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

Addr arch_call_before(Addr return_address)
{
   if (return_address < 8 || !is_readable(return_address - 8, 8))
      return 0;
   const UChar* end = (const UChar*)return_address;
   if (end[-DIRECT_CALL_SIZE] == 0xe8)
      return return_address - DIRECT_CALL_SIZE;
   for (UInt size = 2; size <= 7; size++)
      if (is_indirect_call(end - size, size)) {
         /* REX, BND, notrack prefixes */
         const UChar* start = end - size;
         if (size < 8 &&
             ((start[-1] & 0xf0) == 0x40 || start[-1] == 0xf2 || start[-1] == 0x3e))
            start--;
         return (Addr)start;
      }
   return 0;
}

Addr arch_call_target(Addr call)
{
   if (!is_readable(call, DIRECT_CALL_SIZE) || *(const UChar*)call != 0xe8)
      return 0;
   Int displacement;
   VG_(memcpy)(&displacement, (const UChar*)call + 1, sizeof displacement);
   return call + DIRECT_CALL_SIZE + (Addr)(Word)displacement;
}

Bool arch_is_sigreturn(Addr address)
{
   static const UChar code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
   return is_readable(address, sizeof code) &&
          VG_(memcmp)((const void*)address, code, sizeof code) == 0;
}

#define SYSTEM_CALL_SIZE 2

Addr arch_system_call_before(Addr address)
{
   Addr start = address - SYSTEM_CALL_SIZE;
   if (!is_readable(start, SYSTEM_CALL_SIZE))
      return 0;
   const UChar* code = (const UChar*)start;
   return code[0] == 0x0f && code[1] == 0x05 ? start : 0; /* syscall */
}

/* A call over a loop that catches speculation: pause, lfence, jmp back.  */
Bool arch_is_thunk(Addr address)
{
   static const UChar code[] = {0xe8, 0x07, 0,    0,    0,    0xf3,
                                0x90, 0x0f, 0xae, 0xe8, 0xeb, 0xf9};
   return is_readable(address, sizeof code) &&
          VG_(memcmp)((const void*)address, code, sizeof code) == 0;
}

Bool arch_is_thunk_name(const HChar* name)
{
   return VG_(strncmp)(name, "__x86_indirect_thunk", 20) == 0 ||
          VG_(strncmp)(name, "__x86_return_thunk", 18) == 0 ||
          VG_(strncmp)(name, "__llvm_retpoline_", 17) == 0;
}

Bool arch_return_address(Addr slot, Addr* address)
{
   if (!is_readable(slot, sizeof(Addr)))
      return False;
   *address = *(const Addr*)slot;
   return True;
}

#endif
