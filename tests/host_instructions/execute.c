/* SPDX-License-Identifier: GPL-2.0-or-later

   Executes instructions, each from registers and memory that are the same in every run,
   and prints a line for each: its number, the signal that it led to (0: none) with where,
   and a hash of all registers and of the memory behind it.

   Linked with a list that tests/host_instructions/random_code.py has made: n_cases, cases
   (what to execute, which jumps to `finish`), and kinds (what vectors are filled
   with).  */

#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ucontext.h>

typedef struct {
   unsigned char vectors[32][64];
   uint64_t masks[8];
   uint64_t general[16]; /* but for the stack pointer */
   uint64_t flags;
   uint32_t mxcsr;
} Registers;

_Static_assert(sizeof(((Registers*)0)->vectors) == 2048, "as the code below has it");

Registers before __attribute__((aligned(64)));
Registers after __attribute__((aligned(64)));
uint64_t own_stack;
const void* wanted;

extern const unsigned n_cases;
extern const void* const cases[];
extern const unsigned char kinds[];
enum { Any, SmallWords, SmallLongWords };

/* Even vectors are loaded and stored in two parts, the lower by an instruction of
   AVX.  */
__asm__("   .text\n"
        "   .globl execute, finish\n"
        "execute:\n"
        "   push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
        "   mov %rsp, own_stack(%rip)\n"
        "   .irp n, 1,3,5,7,9,11,13,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "   vmovdqu64 before + 64 * \\n(%rip), %zmm\\n\n"
        "   .endr\n"
        "   .irp n, 0,2,4,6,8,10,12,14\n"
        "   vmovdqu before + 64 * \\n(%rip), %ymm\\n\n"
        "   vinserti64x4 $1, before + 64 * \\n + 32(%rip), %zmm\\n, %zmm\\n\n"
        "   .endr\n"
        "   .irp n, 0,1,2,3,4,5,6,7\n"
        "   kmovq before + 2048 + 8 * \\n(%rip), %k\\n\n"
        "   .endr\n"
        "   ldmxcsr before + 2048 + 64 + 128 + 8(%rip)\n"
        "   pushq before + 2048 + 64 + 128(%rip)\n"
        "   popfq\n"
        "   mov before + 2112(%rip), %rax\n"
        "   mov before + 2112 + 8(%rip), %rcx\n"
        "   mov before + 2112 + 16(%rip), %rdx\n"
        "   mov before + 2112 + 24(%rip), %rbx\n"
        "   mov before + 2112 + 40(%rip), %rbp\n"
        "   mov before + 2112 + 48(%rip), %rsi\n"
        "   mov before + 2112 + 56(%rip), %rdi\n"
        "   .irp n, 8,9,10,11,12,13,14,15\n"
        "   mov before + 2112 + 8 * \\n(%rip), %r\\n\n"
        "   .endr\n"
        "   jmp *wanted(%rip)\n"
        "finish:\n"
        "   mov %rax, after + 2112(%rip)\n"
        "   mov %rcx, after + 2112 + 8(%rip)\n"
        "   mov %rdx, after + 2112 + 16(%rip)\n"
        "   mov %rbx, after + 2112 + 24(%rip)\n"
        "   mov %rbp, after + 2112 + 40(%rip)\n"
        "   mov %rsi, after + 2112 + 48(%rip)\n"
        "   mov %rdi, after + 2112 + 56(%rip)\n"
        "   .irp n, 8,9,10,11,12,13,14,15\n"
        "   mov %r\\n, after + 2112 + 8 * \\n(%rip)\n"
        "   .endr\n"
        "   pushfq\n"
        "   popq after + 2048 + 64 + 128(%rip)\n"
        "   .irp n, 1,3,5,7,9,11,13,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "   vmovdqu64 %zmm\\n, after + 64 * \\n(%rip)\n"
        "   .endr\n"
        "   .irp n, 0,2,4,6,8,10,12,14\n"
        "   vmovdqu %ymm\\n, after + 64 * \\n(%rip)\n"
        "   vextracti64x4 $1, %zmm\\n, after + 64 * \\n + 32(%rip)\n"
        "   .endr\n"
        "   .irp n, 0,1,2,3,4,5,6,7\n"
        "   kmovq %k\\n, after + 2048 + 8 * \\n(%rip)\n"
        "   .endr\n"
        "   vzeroupper\n"
        "   movl $0x1f80, -4(%rsp)\n"
        "   ldmxcsr -4(%rsp)\n"
        "   mov own_stack(%rip), %rsp\n"
        "   pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "   ret\n");

void execute(void);
extern const char finish[];

static unsigned char memory[2048] __attribute__((aligned(4096)));
#define MIDDLE (memory + sizeof memory / 2)

static int signal_number;
static long signal_place;

/* The instruction is left, with what it has done.  */
static void on_signal(int number, siginfo_t* info, void* context)
{
   ucontext_t* where = context;
   const long distance = (unsigned char*)info->si_addr - memory;
   signal_number = number;
   signal_place = number == SIGILL                         ? -1
                  : distance >= -65536 && distance < 65536 ? distance
                                                           : -2;
   where->uc_mcontext.gregs[REG_RIP] = (long)finish;
}

static uint64_t next_random(uint64_t* state)
{
   *state ^= *state << 13;
   *state ^= *state >> 7;
   *state ^= *state << 17;
   return *state;
}

static void fill(void* at, size_t size, uint64_t* state)
{
   for (uint64_t* word = at; size >= 8; size -= 8)
      *word++ = next_random(state);
}

/* One vector in four holds small floats, which arithmetic makes something of.  */
static void fill_vectors(uint64_t* state, unsigned kind)
{
   fill(before.vectors, sizeof before.vectors, state);
   for (unsigned i = 0; i < 32; i++) {
      uint32_t* words = (uint32_t*)before.vectors[i];
      for (unsigned j = 0; j < 16; j++)
         if (kind == SmallWords)
            words[j] = (words[j] & 0xff) - 0x80;
         else if (kind == SmallLongWords)
            words[j] = j % 2 == 0 ? words[j] & 0x7f : 0;
         else if (i % 4 == 0)
            ((float*)words)[j] = (float)((int)words[j] % 1000) / 7;
         else if (i % 4 == 1 && j % 2 == 0)
            ((double*)words)[j / 2] = (double)((int)words[j] % 1000) / 7;
   }
}

static uint64_t hash(uint64_t sum, const void* at, size_t size)
{
   for (const uint64_t* word = at; size >= 8; size -= 8)
      sum = (sum ^ *word++) * 0x9e3779b97f4a7c15 + (sum >> 29);
   return sum;
}

static void run(unsigned i)
{
   uint64_t state = 0x123456789abcdefULL * (i + 1);
   next_random(&state);
   fill_vectors(&state, kinds[i]);
   fill(before.masks, sizeof before.masks, &state);
   fill(before.general, sizeof before.general, &state);
   fill(memory, sizeof memory, &state);
   before.general[3] = (uint64_t)MIDDLE;      /* rbx */
   before.general[13] = (uint64_t)MIDDLE + 3; /* r13 */
   before.general[12] = (next_random(&state) & 7) * 64;
   before.flags = 0x202 | (next_random(&state) & 0x8d5);
   before.mxcsr = 0x1f80 | (i % 4 == 3 ? (next_random(&state) & 3) << 13 : 0);
   wanted = cases[i];
   signal_number = 0, signal_place = 0;
   memset(&after, 0, sizeof after);
   execute();
   after.flags &= 0x8d5;
   uint64_t sum = hash(1, after.vectors, sizeof after.vectors);
   sum = hash(sum, after.masks, sizeof after.masks);
   sum = hash(sum, after.general, sizeof after.general);
   sum = hash(sum, &after.flags, sizeof after.flags);
   sum = hash(sum, memory, sizeof memory);
   printf("%u %d %ld %016lx\n", i, signal_number, signal_place, (unsigned long)sum);
}

int main(void)
{
   static char stack[1 << 16];
   const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
   struct sigaction action = {.sa_sigaction = on_signal,
                              .sa_flags = SA_SIGINFO | SA_ONSTACK};
   sigaltstack(&other, NULL);
   sigaction(SIGILL, &action, NULL);
   sigaction(SIGSEGV, &action, NULL);
   sigaction(SIGBUS, &action, NULL);
   for (unsigned i = 0; i < n_cases; i++)
      run(i);
   return 0;
}
