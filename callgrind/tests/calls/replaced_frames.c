/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build: -static

   A function that replaces frames, as V8's deoptimiser does: it loads the stack pointer
   with that of a function further out, pushes frames of other functions, and returns into
   them.
*/

#include "known_cost.h"

KNOWN_COST(leaf, 10)

static void *volatile anchor __attribute__((used));

/* They are written as frames of one word, and so run from their start.  */
#define WRITTEN(NAME)                                                                    \
   OPAQUE __attribute__((naked)) void NAME(void)                                         \
   {                                                                                     \
      __asm__("call leaf\n\tret");                                                       \
   }

WRITTEN(innermost)
WRITTEN(middle)
WRITTEN(outermost)

/* On the way to a written frame.  */
OPAQUE __attribute__((naked)) void hop(void) { __asm__("nop\n\tret"); }

OPAQUE __attribute__((naked)) void replace(void)
{
   __asm__("mov anchor(%rip),%rsp\n\t"
           "lea continued(%rip),%rax\n\tpush %rax\n\t"
           "lea outermost(%rip),%rax\n\tpush %rax\n\t"
           "lea middle(%rip),%rax\n\tpush %rax\n\t"
           "lea innermost(%rip),%rax\n\tpush %rax\n\t"
           "ret");
}

OPAQUE __attribute__((naked)) void replace_with_hop(void)
{
   __asm__("mov anchor(%rip),%rsp\n\t"
           "lea continued(%rip),%rax\n\tpush %rax\n\t"
           "lea innermost(%rip),%rax\n\tpush %rax\n\t"
           "lea hop(%rip),%rax\n\tpush %rax\n\t"
           "ret");
}

/* Takes the frames off first, its own return address too, and calls functions from
   there.  */
OPAQUE __attribute__((naked)) void replace_after_calls(void)
{
   __asm__("mov anchor(%rip),%rcx\n\t"
           "sub %rsp,%rcx\n\t"
           "add %rcx,%rsp\n\t"
           "call leaf\n\t"
           "call leaf\n\t"
           "mov anchor(%rip),%rsp\n\t"
           "lea continued(%rip),%rax\n\tpush %rax\n\t"
           "lea outermost(%rip),%rax\n\tpush %rax\n\t"
           "lea innermost(%rip),%rax\n\tpush %rax\n\t"
           "ret");
}

OPAQUE __attribute__((naked)) void optimised_inner(void)
{
   __asm__("sub $24,%rsp\n\tcall *%rdi\n\tud2");
}

OPAQUE __attribute__((naked)) void optimised(void)
{
   __asm__("sub $8,%rsp\n\tcall optimised_inner\n\tud2");
}

/* Calls a function that is replaced, and goes on.  */
OPAQUE __attribute__((naked)) void caller(void (*how)(void))
{
   (void)how;
   __asm__("sub $8,%rsp\n\t"
           "mov %rsp,anchor(%rip)\n\t"
           "call optimised\n"
           "continued:\n\t"
           "call leaf\n\t"
           "add $8,%rsp\n\t"
           "ret");
}

int main(void)
{
   for (int i = 0; i < 5; i++) {
      caller(replace);
      leaf();
      caller(replace_with_hop);
      caller(replace_after_calls);
   }
   return 0;
}
