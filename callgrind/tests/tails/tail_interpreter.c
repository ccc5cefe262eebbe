/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static -O2
   An interpreter whose handlers end in a jump to the next one's, as those of Python 3.14
   do where it was built with --with-tail-call-interp: with the same attributes, where the
   compiler has them (gcc 15 and clang 19 do).

   It goes 1,000 times round a loop of three instructions, of which one calls leaf().
*/

#include <stdio.h>

#ifdef __has_attribute
#if __has_attribute(preserve_none)
#define NO_SAVED_REGISTERS __attribute__((preserve_none))
#endif
#if __has_attribute(musttail)
#define JUMP __attribute__((musttail)) return
#endif
#endif
#ifndef NO_SAVED_REGISTERS
#define NO_SAVED_REGISTERS
#endif
#ifndef JUMP
#define JUMP return
#endif

#define OUT_OF_LINE __attribute__((noinline, noclone))

enum { Load, Add, Less, Branch, Halt };

typedef NO_SAVED_REGISTERS long (*Handler)(const unsigned char* at, long sum, long left,
                                           const void* handlers);

#define HANDLER(name)                                                                    \
   OUT_OF_LINE NO_SAVED_REGISTERS static long name(const unsigned char* at, long sum,    \
                                                   long left, const void* handlers)
#define NEXT JUMP((const Handler*)handlers)[*at](at, sum, left, handlers)

OUT_OF_LINE static long leaf(long value)
{
   __asm__ volatile("" : "+r"(value));
   return value + 1;
}

HANDLER(load)
{
   left = at[1] * 10L;
   at += 2;
   NEXT;
}

HANDLER(add)
{
   sum = leaf(sum);
   at++;
   NEXT;
}

HANDLER(less)
{
   left--;
   at++;
   NEXT;
}

HANDLER(branch)
{
   at = left != 0 ? at - at[1] : at + 2;
   NEXT;
}

HANDLER(halt)
{
   (void)at, (void)left, (void)handlers;
   return sum;
}

OUT_OF_LINE static long run(const unsigned char* code)
{
   static const Handler handlers[] = {load, add, less, branch, halt};
   long sum = handlers[*code](code, 0, 0, handlers);
   __asm__ volatile("" : "+r"(sum)); /* so that it is a call, no jump */
   return sum;
}

int main(void)
{
   static const unsigned char code[] = {Load, 100, Add, Less, Branch, 2, Halt};
   long sum = run(code);
   if (sum != 1000)
      printf("%ld\n", sum);
   return 0;
}
