/* SPDX-License-Identifier: GPL-2.0-or-later

   CORE_ASK_BEFORE(NAME, GO_ON, QUESTION) defines the function NAME, which returns at once
   if QUESTION() says True, without a result, and otherwise goes on to GO_ON, whatever
   parameters that has.  QUESTION may take the first of them.  */

#ifndef CALLGRIND_ASK_BEFORE_H
#define CALLGRIND_ASK_BEFORE_H

#ifdef VGA_amd64

#define CORE_ASK_BEFORE(NAME, GO_ON, QUESTION)                                           \
   __asm__("   .text\n"                                                                  \
           "   .globl " #NAME "\n"                                                       \
           "   .type " #NAME ", @function\n" #NAME ":\n"                                 \
           "   push %rdi; push %rsi; push %rdx; push %rcx; push %r8; push %r9\n"         \
           "   sub $8, %rsp\n"                                                           \
           "   call " #QUESTION "\n"                                                     \
           "   add $8, %rsp\n"                                                           \
           "   pop %r9; pop %r8; pop %rcx; pop %rdx; pop %rsi; pop %rdi\n"               \
           "   test %al, %al\n"                                                          \
           "   je " #GO_ON "\n"                                                          \
           "   ret\n"                                                                    \
           "   .size " #NAME ", . - " #NAME "\n");

#else

#define CORE_ASK_BEFORE(NAME, GO_ON, QUESTION)                                           \
   __asm__("   .text\n"                                                                  \
           "   .balign 4\n"                                                              \
           "   .globl " #NAME "\n"                                                       \
           "   .type " #NAME ", %function\n" #NAME ":\n"                                 \
           "   stp x29, x30, [sp, #-80]!\n"                                              \
           "   stp x0, x1, [sp, #16]\n"                                                  \
           "   stp x2, x3, [sp, #32]\n"                                                  \
           "   stp x4, x5, [sp, #48]\n"                                                  \
           "   stp x6, x7, [sp, #64]\n"                                                  \
           "   bl " #QUESTION "\n"                                                       \
           "   and w16, w0, #0xff\n"                                                     \
           "   ldp x0, x1, [sp, #16]\n"                                                  \
           "   ldp x2, x3, [sp, #32]\n"                                                  \
           "   ldp x4, x5, [sp, #48]\n"                                                  \
           "   ldp x6, x7, [sp, #64]\n"                                                  \
           "   ldp x29, x30, [sp], #80\n"                                                \
           "   cbz w16, 1f\n"                                                            \
           "   ret\n"                                                                    \
           "1: b " #GO_ON "\n"                                                           \
           "   .size " #NAME ", . - " #NAME "\n");

#endif

#endif
