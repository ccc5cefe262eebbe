/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   Functions that jump known numbers of times, an instruction to a line.  Without an
   argument each runs once; `parts` dumps, zeroes and toggles collection in between.
   build: -static */

#include <string.h>

#include "callgrind.h"

#include "known_cost.h"

#define EXACT OPAQUE NAKED

/* clang-format off */

/* COUNT times round.  */
EXACT static void loop(long count)
{
   __asm__("1: dec %rdi");
   __asm__("jne 1b"); /* followed COUNT - 1 times */
   __asm__("ret");
}

/* Skips a line for every second one of 10, and one never.  */
EXACT static void skip(void)
{
   __asm__("mov $10, %edi");
   __asm__("1: test $1, %edi");
   __asm__("je 2f"); /* 5 of 10 */
   __asm__("nop");
   __asm__("2: cmp $11, %edi");
   __asm__("ja 3f"); /* never */
   __asm__("nop");
   __asm__("3: jmp 4f"); /* to the next instruction: runs on */
   __asm__("4: dec %edi");
   __asm__("je 5f"); /* 1 of 10 */
   __asm__("jmp 1b"); /* 9 */
   __asm__("5: ret");
}

/* By way of a table, to three places: 6, 2 and 1 times.  The first is right behind.  */
EXACT static void choose(void)
{
   __asm__("mov $9, %edi");
   __asm__("1: lea 5f(%rip), %rax");
   __asm__("movzbl -1(%rax,%rdi), %eax");
   __asm__("lea 2f(%rip), %rdx");
   __asm__("add %rdx, %rax");
   __asm__("jmp *%rax");
   __asm__("2: nop");
   __asm__("3: nop");
   __asm__("4: dec %edi");
   __asm__("jne 1b"); /* 8 of 9 */
   __asm__("ret\n"
           "5: .byte 0,0,1,0,2,0,1,0,0");
}

/* Copies COUNT bytes: as many jumps to itself, but that none are made for 0.  */
EXACT static void copy(void* to, const void* from, long count)
{
   __asm__("mov %rdx, %rcx");
   __asm__("rep movsb");
   __asm__("mov $3, %ecx");
   __asm__("xor %eax, %eax");
   __asm__("rep stosb"); /* the number is known when this is translated */
   __asm__("ret");
}

KNOWN_COST(leaf, 10)

/* Jumps that leave the function are calls.  */
EXACT static void tail(long is_wanted)
{
   __asm__("test %rdi, %rdi");
   __asm__("jne leaf");
   __asm__("jmp leaf");
}

/* Two levels of recursion: 1 of 1 in the inner, 0 of 1 in the outer.  */
EXACT static void recurse(long depth)
{
   __asm__("dec %rdi");
   __asm__("je 1f");
   __asm__("call recurse");
   __asm__("1: ret");
}

/* From one file to another and back.  */
EXACT static void two_files(long count)
{
   __asm__("1: jmp 2f");
   __asm__("nop");
# line 1000 "elsewhere.h"
   __asm__("2: nop");
   __asm__("dec %rdi");
   __asm__("jne 1b");
   __asm__("ret");
}
# line 101 "jumps.c"

/* clang-format on */

static void parts(void)
{
   loop(10);
   choose();
   CALLGRIND_DUMP_STATS;
   loop(20);
   CALLGRIND_ZERO_STATS;
   loop(30);
   CALLGRIND_TOGGLE_COLLECT;
   loop(1000);
   choose();
   CALLGRIND_TOGGLE_COLLECT;
   CALLGRIND_STOP_INSTRUMENTATION;
   loop(1000);
   choose();
   CALLGRIND_START_INSTRUMENTATION;
   loop(40);
   choose();
   choose();
}

int main(int argc, char** argv)
{
   static char from[20], to[20];
   if (argc > 1 && strcmp(argv[1], "parts") == 0) {
      parts();
      return 0;
   }
   loop(100);
   skip();
   choose();
   copy(to, from, 17);
   copy(to, from, 0);
   tail(0);
   tail(1);
   recurse(2);
   two_files(3);
   return 0;
}
