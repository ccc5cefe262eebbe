/* SPDX-License-Identifier: GPL-2.0-or-later

   How the host asks whether an object has a value; see patch_points.h.  On amd64 a
   comparison with a constant of 32 bits (81 /7) can address memory by another 32. The
   facts are the Intel manual's, volume 2, chapter 2 and the entries of CMP, Jcc and
   MOV.  */

#ifndef CALLGRIND_HOST_GUARDS_H
#define CALLGRIND_HOST_GUARDS_H

#include "core_version.h"
#include "instrument/host/host_calls.h"

#include "pub_tool_libcbase.h"

/* What a guard compares.  */
typedef struct {
   Int object;           /* the address of what is asked about, of 64 bits */
   Int value;            /* if it has this one, the code behind the guard goes on */
   const UChar* differs; /* or else, here */
} HostGuard;

/* HOST_HAS_GUARD: are there such instructions?
   HOST_FUNCTION_GUARD_SIZE: the bytes that they take

   host_guard_make(&code, at, object, behind, n)
      the constant at code.bytes + `at` is the address in a load; what is loaded is
      compared with a constant; and a call follows, which a jump leads over if they are
      the same.  Makes it a guard of the object at the address `object`, and puts
      the call behind the end of the code, followed by `n` bytes, `behind`.  Returns where
      what follows begins now; 0 if the code is another, or there is no room

   host_guard_read(code, &guard)
      is there a guard at `code`?  Reads it  */

#if defined(VGA_amd64)

#define HOST_HAS_GUARD True
#define HOST_FUNCTION_GUARD_SIZE 18

/* What VEX makes of a guard.  */
typedef struct {
   UInt begin, end;
   UInt address_in, loaded_in; /* registers */
   Int value;
   HostGuardedCall guarded;
} HostAsked;

/* `mov (%address_in), %loaded_in` at `code`: its size.  */
static inline UInt host_asked_load(const UChar* code, HostAsked* asked)
{
   const UInt base = asked->address_in & 7;
   if ((code[0] & 0xfa) != 0x48 || code[1] != 0x8b || code[2] >> 6 != (base == 5) ||
       host_register(code[2], code[0], 0) != asked->address_in)
      return 0;
   asked->loaded_in = host_register(code[2] >> 3, code[0], 2);
   if (base == 4) /* %rsp, %r12: one byte more says which */
      return code[3] == 0x24 ? 4 : 0;
   if (base == 5) /* %rbp, %r13: with a displacement */
      return code[3] == 0 ? 4 : 0;
   return 3;
}

/* `cmp $value, %loaded_in` at `code`: its size.  */
static inline UInt host_asked_comparison(const UChar* code, HostAsked* asked)
{
   if ((code[0] & 0xfe) != 0x48 || code[2] >> 3 != 0x1f ||
       host_register(code[2], code[0], 0) != asked->loaded_in)
      return 0;
   if (code[1] == 0x83) {
      asked->value = (signed char)code[3];
      return 4;
   }
   __builtin_memcpy(&asked->value, code + 3, sizeof asked->value);
   return code[1] == 0x81 ? 7 : 0;
}

/* At `code`, a jump over a call, if they are the same: the size of both.  */
static inline UInt host_asked_call(const UChar* code, HostAsked* asked)
{
   UInt size = host_guarded_call(code, &asked->guarded);
   return asked->guarded.over == 4 ? size : 0;
}

static inline Bool host_asked_find(const HostCode* code, UInt at, HostAsked* asked)
{
   /* What is read below: one instruction of each kind, of the largest size.  */
   if (at + 8 + 4 + 7 + 2 + HOST_LONGEST_CALL > code->size)
      return False;
   UInt size = 1;
   HostAddress address = host_address(code->bytes, code->size, at);
   *asked =
      (HostAsked){.begin = address.begin, .end = address.end, .address_in = address.in};
   if (asked->end == 0)
      return False;
   UInt (*const parts[])(const UChar*, HostAsked*) = {
      host_asked_load, host_asked_comparison, host_asked_call};
   for (UInt i = 0; i < 3 && size > 0; i++)
      asked->end += size = parts[i](code->bytes + asked->end, asked);
   return size > 0;
}

static inline UInt host_guard_make(HostCode* code, UInt at, Int object,
                                   const UChar* behind, UInt n)
{
   HostAsked asked;
   if (!host_asked_find(code, at, &asked))
      return 0;
   HostTwoParts parts = {.condition = 5};
   host_append(parts.first, &parts.first_size, "\x48\x81\x3c\x25", 4); /* cmpq */
   host_append(parts.first, &parts.first_size, &object, sizeof object);
   host_append(parts.first, &parts.first_size, &asked.value, sizeof asked.value);
   host_append(parts.second.bytes, &parts.second.size, asked.guarded.call,
               asked.guarded.call_size);
   host_append(parts.second.bytes, &parts.second.size, behind, n);
   return host_put_two_parts(code, asked.begin, asked.end, &parts);
}

static inline Bool host_guard_read(const UChar* code, HostGuard* guard)
{
   Int distance;
   if (VG_(memcmp)(code, "\x48\x81\x3c\x25", 4) != 0 || code[12] != 0x0f ||
       code[13] != 0x85)
      return False;
   __builtin_memcpy(&guard->object, code + 4, sizeof guard->object);
   __builtin_memcpy(&guard->value, code + 8, sizeof guard->value);
   __builtin_memcpy(&distance, code + 14, sizeof distance);
   guard->differs = code + HOST_FUNCTION_GUARD_SIZE + distance;
   return True;
}

#else

#define HOST_HAS_GUARD False

static inline UInt host_guard_make(HostCode* code, UInt at, Int object,
                                   const UChar* behind, UInt n)
{
   (void)code, (void)at, (void)object, (void)behind, (void)n;
   return 0;
}

#endif

#endif
