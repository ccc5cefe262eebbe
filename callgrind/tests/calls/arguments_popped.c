/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static
   first() takes its argument off the stack, moves its return address up in its place and
   jumps to second(), as code of V8 does: the stack pointer is above first()'s slot, and
   yet first() has not been left.  Ten rounds of caller -> first -> second.
*/

__asm__(".text\n"
        ".type first,@function\n"
        "first: pop %rax; pop %rcx; push %rax; jmp second\n"
        ".size first,.-first\n"
        ".type second,@function\n"
        "second: ret\n"
        ".size second,.-second\n"
        ".globl caller\n"
        ".type caller,@function\n"
        "caller: push %rdi; call first; ret\n"
        ".size caller,.-caller\n");

void caller(long argument);

int main(void)
{
   for (long i = 0; i < 10; i++)
      caller(i);
   return 0;
}
