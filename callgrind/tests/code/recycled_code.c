/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   100 functions of 100 pieces each, of 20 to 24 additions to memory and a call of a
   function that does nothing.  All are called twice: more code than fits into the core's
   table of translations, if that is made small.
*/

#include "known_cost.h"

#define FUNCTIONS 100

#ifdef __aarch64__
#define BEGIN "stp x29, x30, [sp, #-32]!\n"
#define CALL "bl tiny\n"
#define ADD "ldr w0, [sp, #16]\nadd w0, w0, #1\nstr w0, [sp, #16]\n"
#define END "ldp x29, x30, [sp], #32\n"
#else
#define BEGIN ""
#define CALL "call tiny\n"
#define ADD "addl $1, -64(%rsp)\n"
#define END ""
#endif

/* Functions `f0`, `f1` and so on, and an array of their addresses.  */
__asm__("   .altmacro\n"
        "   .macro function number\n"
        "   .type f\\number, %function\n"
        "f\\number:\n" BEGIN "   .set piece, 0\n"
        "   .rept 100\n" CALL "   .rept 20 + (piece + 3 * \\number) % 5\n" ADD
        "   .endr\n"
        "   .set piece, piece + 1\n"
        "   .endr\n" END "   ret\n"
        "   .size f\\number, . - f\\number\n"
        "   .section .data.rel.ro\n"
        "   .balign 8\n"
        "   .quad f\\number\n"
        "   .text\n"
        "   .endm\n"
        "   .section .data.rel.ro\n"
        "   .balign 8\n"
        "   .globl functions\n"
        "functions:\n"
        "   .text\n"
        "   .type tiny, %function\n"
        "tiny:\n"
        "   ret\n"
        "   .size tiny, . - tiny\n"
        "   .set number, 0\n"
        "   .rept 100\n"
        "   function %number\n"
        "   .set number, number + 1\n"
        "   .endr\n");

extern void (*const functions[FUNCTIONS])(void);

OPAQUE static void measured(void)
{
   for (int i = 0; i < FUNCTIONS; i++)
      functions[i]();
   NO_TAIL_CALL;
}

int main(void)
{
   for (int i = 0; i < 2; i++)
      measured();
   return 0;
}
