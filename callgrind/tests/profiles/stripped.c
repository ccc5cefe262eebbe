/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -s
   A program without symbols: main calls middle 5 times, which calls tiny
   twice and jumps to it once.  It prints the arcs that a profile has to show, with the
   functions' addresses in the object for names.
*/

#include <stdio.h>

#include "known_cost.h"

extern const char __executable_start[]; /* the linker's: where the object begins */

#define HIDDEN OPAQUE __attribute__((naked, visibility("hidden")))

HIDDEN void tiny(void) { __asm__("nop\n\tnop\n\tret"); }

HIDDEN void middle(void) { __asm__("call *%rdi\n\tcall *%rdi\n\tjmp *%rdi"); }

int main(void)
{
   void (*volatile callee)(void) = tiny;
   void (*volatile caller)(void (*)(void)) = (void (*)(void (*)(void)))(void*)middle;
   const unsigned long base = (unsigned long)__executable_start;
   const unsigned long outer = (unsigned long)main - base;
   const unsigned long inner = (unsigned long)middle - base;
   printf("0x%016lx -> 0x%016lx 5\n", outer, inner);
   printf("0x%016lx -> 0x%016lx 15\n", inner, (unsigned long)tiny - base);
   for (int i = 0; i < 5; i++) {
      caller(callee);
      NO_TAIL_CALL;
   }
   return 0;
}
