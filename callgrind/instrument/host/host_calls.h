/* SPDX-License-Identifier: GPL-2.0-or-later

   How the host calls a helper only on a condition, and how such a call is put behind the
   end of the code; see patch_points.h.  VEX makes of it, on amd64, a jump over the call:

      jcc over;  mov $helper, %r11;  call *%r11;  over:

   The facts are the Intel manual's, volume 2, chapter 2 and the entries of CALL, Jcc, JMP
   and MOV.  */

#ifndef CALLGRIND_HOST_CALLS_H
#define CALLGRIND_HOST_CALLS_H

#include "core_version.h"
#include "instrument/host/host_constants.h"

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"

/* A part of the code that will be put behind its end: a conditional jump leads to it, and
   it jumps back behind that.  */
typedef struct {
   UInt behind; /* where that jump ends */
   UInt size;
   UChar bytes[64];
} HostMoved;

/* Code that may grow.  Its parts are moved in the order of their addresses.  */
typedef struct {
   UChar* bytes;
   UInt size, room;
   HostMoved* moved; /* of the caller, for so many as may be asked for */
   UInt n_moved, moved_size;
} HostCode;

#if defined(VGA_amd64)

#define HOST_JUMP_SIZE 5
#define HOST_GUARD_SIZE 6 /* a conditional jump to anywhere */
#define HOST_LONGEST_CALL (10 + 3)
#define HOST_LONGEST_GUARDED (2 + HOST_LONGEST_CALL)

/* A call that a jump leads over.  */
typedef struct {
   UChar over;        /* on which condition; its lowest bit turns it round */
   const UChar* call; /* with the load of its target */
   UInt call_size;
} HostGuardedCall;

/* Code in two parts: the first one ends with a conditional jump to the second.  */
typedef struct {
   UChar first[32];
   UInt first_size; /* without the jump */
   UChar condition; /* on which it jumps */
   HostMoved second;
} HostTwoParts;

/* A register's number: three bits, and one of the REX prefix.  */
static inline UInt host_register(UInt bits, UChar rex, UInt rex_bit)
{
   return (bits & 7) | (UInt)(rex >> rex_bit & 1) << 3;
}

/* `mov $address, %in`, whose address has 31 bits.  */
typedef struct {
   UInt begin, end; /* where the instruction is; end == 0: there is none */
   UInt in;         /* the register */
} HostAddress;

/* The one of which the constant is at code + `at`.  */
static inline HostAddress host_address(const UChar* code, UInt size, UInt at)
{
   static const UChar zeros[4];
   HostAddress address = {0};
   if (at >= 3 && at + 4 <= size && (code[at - 3] & 0xfe) == 0x48 &&
       code[at - 2] == 0xc7 && code[at - 1] >> 3 == 0x18) {
      address.begin = at - 3;
      address.end = at + 4;
   } else if (at >= 2 && at + 8 <= size && (code[at - 2] & 0xfe) == 0x48 &&
              code[at - 1] >> 3 == 0x17 &&
              VG_(memcmp)(code + at + 4, zeros, sizeof zeros) == 0) {
      address.begin = at - 2;
      address.end = at + 8;
   } else
      return address;
   address.in = host_register(code[at - 1], code[address.begin], 0);
   return address;
}

/* Is there a guarded call at `code`?  Returns its size; 0: there is none.  Reads
   HOST_LONGEST_GUARDED bytes.  */
static inline UInt host_guarded_call(const UChar* code, HostGuardedCall* guarded)
{
   const UChar *load = code + 2, *call;
   UInt size = load[0] == 0x49 && load[1] == 0xbb                      ? 10
               : load[0] == 0x49 && load[1] == 0xc7 && load[2] == 0xc3 ? 7
               : load[0] == 0x41 && load[1] == 0xbb                    ? 6
                                                                       : 0;
   call = load + size;
   *guarded = (HostGuardedCall){code[0] & 15, load, size + 3};
   if (size == 0 || code[0] >> 4 != 7 || code[1] != guarded->call_size ||
       call[0] != 0x41 || call[1] != 0xff || call[2] != 0xd3)
      return 0;
   return 2 + guarded->call_size;
}

static inline void host_append(UChar* to, UInt* size, const void* bytes, UInt n)
{
   __builtin_memcpy(to + *size, bytes, n);
   *size += n;
}

/* Puts `parts` in the place of what is from `begin` to `end`, the second one by
   host_put_moved().  Returns where what follows begins now; 0 if there is no room.  */
static inline UInt host_put_two_parts(HostCode* code, UInt begin, UInt end,
                                      const HostTwoParts* parts)
{
   const UInt behind = begin + parts->first_size + HOST_GUARD_SIZE;
   const UInt size = behind + code->size - end;
   const UInt moved_size = code->moved_size + parts->second.size + HOST_JUMP_SIZE;
   if (size + moved_size > code->room || behind > end)
      return 0;
   UChar* bytes = code->bytes;
   __builtin_memmove(bytes + behind, bytes + end, code->size - end);
   UInt at = begin;
   host_append(bytes, &at, parts->first, parts->first_size);
   bytes[at] = 0x0f;
   bytes[at + 1] = 0x80 | parts->condition;
   HostMoved* second = &code->moved[code->n_moved++];
   *second = parts->second;
   second->behind = behind;
   code->size = size;
   code->moved_size = moved_size;
   return behind;
}

/* Puts all that was moved behind the end.  */
static inline void host_put_moved(HostCode* code)
{
   for (UInt i = 0; i < code->n_moved; i++) {
      const HostMoved* moved = &code->moved[i];
      UChar* behind = code->bytes + moved->behind;
      host_distance_write(behind, code->bytes + code->size);
      host_append(code->bytes, &code->size, moved->bytes, moved->size);
      code->bytes[code->size] = 0xe9;
      code->size += HOST_JUMP_SIZE;
      host_distance_write(code->bytes + code->size, behind);
   }
}

#else

static inline void host_put_moved(HostCode* code) { (void)code; }

#endif

#endif
