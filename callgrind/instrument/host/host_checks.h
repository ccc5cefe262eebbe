/* SPDX-License-Identifier: GPL-2.0-or-later

   How the host checks whether a helper must be called with arguments; see patch_points.h.
   VEX gets all arguments ready, also where the call is left out:

      mov $constant, %a;  cmp $number, %b;
      mov %a, %rdi;  mov %c, %rsi;  ...  jcc over;  mov $helper, %r11;  call *%r11;  over:

   Nothing but the call reads what is in the registers of arguments, and it is free to
   change them.  So all but the comparison can be done where the call is made, behind the
   end of the code.  The facts are the Intel manual's, volume 2, chapter 2 and the entries
   of CMP and MOV, and the order of arguments that of the System V ABI.  */

#ifndef CALLGRIND_HOST_CHECKS_H
#define CALLGRIND_HOST_CHECKS_H

#include "core_version.h"
#include "instrument/host/host_calls.h"

/* HOST_HAS_CHECK: can the host's code be changed so?

   host_check_make(&code, at, value)
      the constant at code.bytes + `at`, of eight bytes, is the first argument of a call
      on a condition: makes it `value`, and puts the call with its arguments behind the
      end of the code.  If the code is another, only the constant is changed.  Returns
      where what follows begins now  */

#if defined(VGA_amd64)

#define HOST_HAS_CHECK True

#define HOST_LONGEST_COMPARISON (7 + 4)

/* Registers that a call may change, as bits.  */
#define HOST_CALL_CHANGES 0x0fc7u
#define HOST_FIRST_ARGUMENT 7 /* %rdi */

/* A move between registers, or of one to or from the frame of VEX's, at %rbp.  */
typedef struct {
   Bool is_store, is_load;
   UInt from, to; /* registers */
   UInt size;     /* 0: it is no such move */
} HostMove;

/* What VEX makes of a check.  */
typedef struct {
   UInt begin, end;
   UInt constant_in; /* a register */
   HostGuardedCall guarded;
} HostCheck;

static inline HostMove host_move(const UChar* code)
{
   const UInt mode = code[2] >> 6;
   HostMove move = {.from = host_register(code[2] >> 3, code[0], 2),
                    .to = host_register(code[2], code[0], 0)};
   if ((code[0] & 0xfa) != 0x48 || (code[1] & 0xfd) != 0x89)
      return move;
   if (mode == 3 && code[1] == 0x89)
      move.size = 3;
   else if ((mode == 1 || mode == 2) && move.to == 5) {
      move.size = mode == 1 ? 4 : 7;
      move.is_store = code[1] == 0x89;
      move.is_load = !move.is_store;
      move.to = move.is_load ? move.from : move.to;
   }
   return move;
}

/* Puts the comparison at code->bytes + check->begin + 10 into `parts`.  Returns where it
   ends; 0: it is another.  */
static inline UInt host_check_comparison(const HostCode* code, const HostCheck* check,
                                         HostTwoParts* parts)
{
   const UInt at = check->begin + 10;
   const UChar* bytes = code->bytes + at;
   const UInt size = bytes[1] == 0x83 ? 4 : 7;
   /* cmp $number, %register */
   if ((bytes[0] & 0xfe) == 0x48 && (bytes[1] == 0x83 || bytes[1] == 0x81) &&
       bytes[2] >> 3 == 0x1f &&
       host_register(bytes[2], bytes[0], 0) != check->constant_in) {
      host_append(parts->first, &parts->first_size, bytes, size);
      return at + size;
   }
   /* mov displacement(%base), %register; cmp $0, %register */
   const UInt base = host_register(bytes[2], bytes[0], 0);
   const UInt loaded_in = host_register(bytes[2] >> 3, bytes[0], 2);
   if ((bytes[0] & 0xfa) != 0x48 || bytes[1] != 0x8b || bytes[2] >> 6 != 2 ||
       (base & 7) == 4 || base == check->constant_in ||
       (HOST_CALL_CHANGES >> loaded_in & 1) == 0 || (bytes[7] & 0xfe) != 0x48 ||
       bytes[8] != 0x83 || bytes[9] >> 3 != 0x1f ||
       host_register(bytes[9], bytes[7], 0) != loaded_in || bytes[10] != 0)
      return 0;
   const UChar compare[] = {0x48 | (UChar)(base >> 3), 0x83, 0xb8 | (UChar)(base & 7)};
   host_append(parts->first, &parts->first_size, compare, sizeof compare);
   host_append(parts->first, &parts->first_size, bytes + 3, 5);
   parts->first[parts->first_size - 1] = 0;
   return at + 11;
}

static inline void host_check_give(HostTwoParts* parts, ULong value)
{
   HostMoved* second = &parts->second;
   host_append(second->bytes, &second->size, "\x48\xbf", 2); /* mov $value, %rdi */
   host_append(second->bytes, &second->size, &value, sizeof value);
}

/* What is known while moves are sorted.  */
typedef struct {
   UInt changed, read; /* registers, as bits, by what is in the second part */
   Bool has_loaded;    /* something there reads the frame */
} HostSorted;

/* Puts a move, whose code is `bytes`, into the second part if nothing but the call needs
   it, or else into the first.  False: it would not do the same there.  */
static inline Bool host_check_sort(HostTwoParts* parts, HostSorted* sorted,
                                   const UChar* bytes, const HostMove* move)
{
   HostMoved* second = &parts->second;
   if (!move->is_store && (HOST_CALL_CHANGES >> move->to & 1) != 0) {
      if (second->size + move->size + 10 + HOST_LONGEST_CALL > sizeof second->bytes)
         return False;
      host_append(second->bytes, &second->size, bytes, move->size);
      sorted->changed |= 1u << move->to;
      sorted->read |= move->is_load ? 0 : 1u << move->from;
      sorted->has_loaded |= move->is_load;
      return True;
   }
   if (move->is_load || (sorted->changed >> move->from & 1) != 0 ||
       (move->is_store ? sorted->has_loaded : (sorted->read >> move->to & 1) != 0) ||
       parts->first_size + move->size > sizeof parts->first)
      return False;
   host_append(parts->first, &parts->first_size, bytes, move->size);
   return True;
}

/* Sorts the moves from `at` on, with `value` as the first argument.  Returns where they
   end; 0: they cannot be sorted, or are others.  */
static inline UInt host_check_moves(const HostCode* code, UInt at, const HostCheck* check,
                                    ULong value, HostTwoParts* parts)
{
   HostSorted sorted = {0};
   Bool is_given = check->constant_in == HOST_FIRST_ARGUMENT;
   HostMove move;
   if (is_given)
      host_check_give(parts, value);
   for (; at + HOST_LONGEST_GUARDED <= code->size; at += move.size) {
      move = host_move(code->bytes + at);
      if (move.size == 0)
         return is_given ? at : 0;
      Bool gives = !move.is_load && move.from == check->constant_in;
      if (gives ? is_given || move.is_store || move.to != HOST_FIRST_ARGUMENT
                : !host_check_sort(parts, &sorted, code->bytes + at, &move))
         return 0;
      if (!gives)
         continue;
      host_check_give(parts, value);
      sorted.changed |= 1u << HOST_FIRST_ARGUMENT;
      is_given = True;
   }
   return 0;
}

static inline Bool host_check_find(const HostCode* code, UInt at, ULong value,
                                   HostCheck* check, HostTwoParts* parts)
{
   const UChar* bytes = code->bytes;
   if (at < 2 || at + 8 + HOST_LONGEST_COMPARISON > code->size ||
       (bytes[at - 2] & 0xfe) != 0x48 || bytes[at - 1] >> 3 != 0x17)
      return False;
   check->begin = at - 2;
   check->constant_in = host_register(bytes[at - 1], bytes[at - 2], 0);
   UInt moves = host_check_comparison(code, check, parts);
   UInt jump = moves == 0 ? 0 : host_check_moves(code, moves, check, value, parts);
   UInt size = jump == 0 ? 0 : host_guarded_call(bytes + jump, &check->guarded);
   check->end = jump + size;
   return size != 0;
}

static inline UInt host_check_make(HostCode* code, UInt at, ULong value)
{
   HostCheck check;
   HostTwoParts parts = {.first_size = 0};
   UInt behind = 0;
   if (host_check_find(code, at, value, &check, &parts)) {
      parts.condition = check.guarded.over ^ 1;
      host_append(parts.second.bytes, &parts.second.size, check.guarded.call,
                  check.guarded.call_size);
      behind = host_put_two_parts(code, check.begin, check.end, &parts);
   }
   if (behind == 0) {
      host_constant_write(code->bytes + at, True, value);
      behind = at + 8;
   }
   return behind;
}

#else

#define HOST_HAS_CHECK False

static inline UInt host_check_make(HostCode* code, UInt at, ULong value)
{
   (void)code, (void)at, (void)value;
   return 0;
}

#endif

#endif
