/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   Functions of SBCL's convention: the caller makes its callee's frame, and the callee
   pops its return address into that.  So the stack pointer is above the callee's slot
   when it calls leaf().  What second() jumps on with lies above the old slot of first(),
   too, which has called it.  down() calls itself three deep, and leaves a result on the
   stack when it returns.  Three rounds.
*/

#define MAKE_FRAME(room)                                                                 \
   "lea -16(%rsp), %rdx; sub $" #room ", %rsp; mov %rbp, (%rdx); mov %rdx, %rbp;"
#define FUNCTION(name, body)                                                             \
   ".globl " #name "\n.type " #name ",@function\n" #name ": " body "\n.size " #name      \
   ",.-" #name "\n"
#define BEGIN(size) "popq 8(%rbp); lea -" #size "(%rbp), %rsp;"
#define ENTER(callee)                                                                    \
   "push %rbp; push %rbx; mov %rsp, %rbx; and $-16, %rsp;" MAKE_FRAME(                   \
      56) "call " callee "; mov %rbx, %rsp; pop %rbx; pop %rbp; ret"

__asm__(".text\n" FUNCTION(leaf, "ret") FUNCTION(enter, ENTER("first"))
           FUNCTION(enter_down, ENTER("down"))
              FUNCTION(first, BEGIN(16) "call leaf;" MAKE_FRAME(
                                 24) "call second; lea -16(%rbp), %rsp;"
                                     "call leaf; lea 8(%rbp), %rsp; jmp last")
                 FUNCTION(second, BEGIN(16) "call leaf; lea 8(%rbp), %rsp; jmp last")
                    FUNCTION(last, BEGIN(32) "call leaf; mov %rbp, %rsp; pop %rbp; ret")
                       FUNCTION(down, BEGIN(32) "dec %rdi; jz 1f;" MAKE_FRAME(
                                         24) "call down; lea -32(%rbp), %rsp; call leaf;"
                                             "1: mov (%rbp), %rcx; pushq 8(%rbp);"
                                             "mov %rcx, %rbp; ret"));

void enter(void);
void enter_down(long depth);

int main(void)
{
   for (int i = 0; i < 3; i++) {
      enter();
      enter_down(3);
   }
   return 0;
}
