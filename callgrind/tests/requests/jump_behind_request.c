/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A conditional jump leads to the instruction behind a client request, as in "if (is_on)
   CALLGRIND_...", while the register that would hold the request's address has another
   value.  The jump is taken, by the first way and by all that follow.  */

#include <stdio.h>

#if defined(__x86_64__)
#define REQUEST                                                                          \
   "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi;"                  \
   "xchgq %%rbx, %%rbx;"
static long passes(long value)
{
   long result = value;
   __asm__ volatile("test %0, %0; jnz 1f;" REQUEST "1: add $1, %0"
                    : "+a"(result)
                    :
                    : "cc", "memory", "rdi", "rdx");
   return result;
}
#else
#define REQUEST                                                                          \
   "ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61;"          \
   "orr x10, x10, x10;"
static long passes(long value)
{
   register long result __asm__("x4") = value;
   __asm__ volatile("cbnz %0, 1f;" REQUEST "1: add %0, %0, #1"
                    : "+r"(result)
                    :
                    : "cc", "memory", "x12", "x10", "x3");
   return result;
}
#endif

int main(void)
{
   long value = 8;
   for (int i = 0; i < 1000; i++)
      value = passes(value);
   printf("%ld\n", value);
   return 0;
}
