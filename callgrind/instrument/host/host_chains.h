/* SPDX-License-Identifier: GPL-2.0-or-later

   How the host's code leaves a superblock for one whose address is known; see chains.h.
   On amd64 VEX makes of such an exit

      mov $address, %r11;  mov %r11, RIP(%rbp)   or   movq $address, RIP(%rbp)
      mov $chain_me, %r11;  call *%r11

   and the core, of the last two a jump.  An exit is signed by a bit of the prefix of the
   instruction before: REX.X is about a register that an address is scaled by, and there
   is none.  The facts are the Intel manual's, volume 2, chapter 2 and the entries of
   CALL, DEC, Jcc, JMP, MOV and NOP, and libvex_guest_amd64.h.  */

#ifndef CALLGRIND_HOST_CHAINS_H
#define CALLGRIND_HOST_CHAINS_H

#include "core_version.h"
#include "instrument/host/host_constants.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_tooliface.h"

#include "libvex_guest_amd64.h"

/* HOST_HAS_CHAINS: is all this known of the host?
   HOST_EXIT_SIZE: the bytes of an exit that the core makes a jump of

   host_exit_next(code, size, at, function)
      where the next exit is, from code + `at` on, that calls this function; `size`:
      there is no more.  At least HOST_EXIT_BEFORE bytes of the code are in front of it
   host_exit_sign(exit)
      signs the exit at `exit`, unless the instruction before is not what VEX makes
   host_exit_is_signed(exit)
      whether it is
   host_exit_jump(exit, target, with_check)
      makes it a jump to `target`; with the event check before, which superblocks begin
      with, if that is wanted.  False if the target is too far away
   host_exit_call(exit, function)
      makes it a call, as it was

   host_event_check_is_at(code)
      is there an event check at `code`?  It has HOST_EVENT_CHECK_SIZE bytes  */

#if defined(VGA_amd64)

#define HOST_HAS_CHAINS 1
#define HOST_EXIT_SIZE 13
#define HOST_EXIT_BEFORE 11
#define HOST_EVENT_CHECK_SIZE 8

#define HOST_RIP ((UInt) __builtin_offsetof(VexGuestAMD64State, guest_RIP))
#define HOST_COUNTER ((UChar) __builtin_offsetof(VexGuestAMD64State, host_EvC_COUNTER))
#define HOST_FAILED ((UChar) __builtin_offsetof(VexGuestAMD64State, host_EvC_FAILADDR))
#define HOST_REX_X 2

/* The prefix of the instruction that stores the address, of which `behind` is the end, if
   it has these bytes and this size; otherwise NULL.  */
static inline UChar* host_exit_store(UChar* behind, UInt size, UChar prefix, UChar opcode,
                                     UChar operands)
{
   UChar* store = behind - size;
   const UInt displacement = HOST_RIP;
   Bool is_it = (store[0] | HOST_REX_X) == (prefix | HOST_REX_X) && store[1] == opcode &&
                store[2] == operands &&
                VG_(memcmp)(store + 3, &displacement, sizeof displacement) == 0;
   return is_it ? store : NULL;
}

static inline UChar* host_exit_prefix(UChar* exit)
{
   UChar* of_register = host_exit_store(exit, 7, 0x4c, 0x89, 0x9d);
   return of_register != NULL ? of_register : host_exit_store(exit, 11, 0x48, 0xc7, 0x85);
}

static inline void host_exit_sign(UChar* exit)
{
   UChar* prefix = host_exit_prefix(exit);
   if (prefix != NULL)
      *prefix |= HOST_REX_X;
}

static inline Bool host_exit_is_signed(UChar* exit)
{
   const UChar* prefix = host_exit_prefix(exit);
   return prefix != NULL && (*prefix & HOST_REX_X) != 0;
}

static inline void host_exit_call(UChar* exit, const void* function)
{
   __builtin_memcpy(exit, "\x49\xbb", 2); /* mov $function, %r11 */
   __builtin_memcpy(exit + 2, &function, sizeof function);
   __builtin_memcpy(exit + 10, "\x41\xff\xd3", 3); /* call *%r11 */
}

static inline UInt host_exit_next(const UChar* code, UInt size, UInt at,
                                  const void* function)
{
   UChar wanted[HOST_EXIT_SIZE];
   host_exit_call(wanted, function);
   if (at < HOST_EXIT_BEFORE)
      at = HOST_EXIT_BEFORE;
   while ((at = host_constant_next(code, size, at, wanted[0], wanted[3])) +
             HOST_EXIT_SIZE <=
          size) {
      if (VG_(memcmp)(code + at, wanted, HOST_EXIT_SIZE) == 0)
         return at;
      at++;
   }
   return size;
}

static inline Bool host_exit_jump(UChar* exit, const UChar* target, Bool with_check)
{
   if (!with_check) {
      if (!host_distance_write(exit + 5, target))
         return False;
      exit[0] = 0xe9;                                  /* jmp target */
      VG_(memset)(exit + 5, 0xcc, HOST_EXIT_SIZE - 5); /* int3 */
      return True;
   }
   if (!host_distance_write(exit + 9, target))
      return False;
   const UChar before[] = {0xff, 0x4d, HOST_COUNTER, 0x0f, 0x89}; /* dec; jns target */
   const UChar after[] = {0xff, 0x65, HOST_FAILED, 0x90};         /* jmp *failed; nop */
   __builtin_memcpy(exit, before, sizeof before);
   __builtin_memcpy(exit + 9, after, sizeof after);
   return True;
}

static inline Bool host_event_check_is_at(const UChar* code)
{
   const UChar check[HOST_EVENT_CHECK_SIZE] = {0xff, 0x4d, HOST_COUNTER, 0x79,
                                               0x03, 0xff, 0x65,         HOST_FAILED};
   return VG_(memcmp)(code, check, sizeof check) == 0;
}

#else

#define HOST_HAS_CHAINS 0

#endif

#endif
