/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
   build: -static -mno-red-zone
   Two fibers that perform effects, as OCaml's do: a fiber is called on its own stack, and
   when it performs one, its parent goes on in a handler, at the start of that function, in
   place of the frame that began or resumed the fiber.  Who resumes it, from another place,
   goes on in the fiber, at the start of a function too, in place of perform().  When the
   fiber ends, its last parent goes on in done().  Each performs three effects, each two
   calls deeper than the one before.
*/

#include <stdint.h>

#define OPAQUE __attribute__((noinline, noclone, used))

struct fiber {
   void* sp;
   struct fiber* parent;
};
static struct fiber main_fiber, fibers[2];
struct fiber* current __attribute__((visibility("hidden"))) = &main_fiber;
static uintptr_t stacks[2][4096] __attribute__((aligned(16)));

__asm__(".text\n"
        ".globl run_fiber\n"
        ".type run_fiber,@function\n"
        "run_fiber:\n" /* rdi: the fiber; rsi: the end of its stack */
        "   mov current(%rip),%rax\n"
        "   mov %rsp,(%rax)\n"
        "   mov %rax,8(%rdi)\n"
        "   mov %rdi,current(%rip)\n"
        "   mov %rsi,%rsp\n"
        "   call body\n"
        "   mov current(%rip),%rcx\n"
        "   mov 8(%rcx),%rcx\n"
        "   mov %rcx,current(%rip)\n"
        "   mov (%rcx),%rsp\n"
        "   jmp done\n"
        ".size run_fiber,.-run_fiber\n"
        ".globl perform\n"
        ".type perform,@function\n"
        "perform:\n"
        "   mov current(%rip),%rdi\n"
        "   mov %rsp,(%rdi)\n"
        "   mov 8(%rdi),%rax\n"
        "   mov %rax,current(%rip)\n"
        "   mov (%rax),%rsp\n"
        "   jmp handle\n"
        ".size perform,.-perform\n"
        ".globl resume\n"
        ".type resume,@function\n"
        "resume:\n" /* rdi: the fiber */
        "   mov current(%rip),%rax\n"
        "   mov %rsp,(%rax)\n"
        "   mov %rax,8(%rdi)\n"
        "   mov %rdi,current(%rip)\n"
        "   mov (%rdi),%rsp\n"
        "   jmp wake\n"
        ".size resume,.-resume\n");

/* Such a call saves no registers, and neither does what goes on elsewhere.  */
#define CALL(FUNCTION, FIRST, SECOND)                                                    \
   do {                                                                                  \
      uintptr_t first = (uintptr_t)(FIRST), second = (uintptr_t)(SECOND);                \
      __asm__ volatile("call " FUNCTION                                                  \
                       : "+D"(first), "+S"(second)                                       \
                       :                                                                 \
                       : "rax", "rcx", "rdx", "rbx", "rbp", "r8", "r9", "r10", "r11",    \
                         "r12", "r13", "r14", "r15", "memory", "cc");                    \
   } while (0)

static struct fiber* ready[2];
static int n_ready;
volatile int work;

OPAQUE void leaf(void) { work++; }

OPAQUE void handle(struct fiber* fiber)
{
   leaf();
   ready[n_ready++] = fiber;
}

OPAQUE void wake(void) { leaf(); }

OPAQUE void done(void) { leaf(); }

OPAQUE void step(int deeper)
{
   if (deeper > 0)
      step(deeper - 1);
   else
      CALL("perform", 0, 0);
   leaf();
}

OPAQUE void body(void)
{
   for (int i = 0; i < 3; i++)
      step(2 * i);
}

/* Resumes a fiber from deeper down than it was begun.  */
OPAQUE void go_on(int deeper)
{
   if (deeper > 0)
      go_on(deeper - 1);
   else
      CALL("resume", ready[--n_ready], 0);
   leaf();
}

int main(void)
{
   for (int i = 0; i < 2; i++)
      CALL("run_fiber", &fibers[i], stacks[i] + 4096);
   while (n_ready > 0)
      go_on(n_ready);
   return 0;
}
